#include "constituency/features.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace treewright::constituency {
ConstKeys::ConstKeys(std::size_t expected) {
  std::size_t size = 1024;
  while (size < 2 * expected) size *= 2;
  slots_.assign(size, -1);
}

std::size_t ConstKeys::slot(Key key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t s = static_cast<std::size_t>(key) & mask;  // keys are mixed already
  while (slots_[s] >= 0 && keys_[at(slots_[s])] != key) s = (s + 1) & mask;
  return s;
}

Index ConstKeys::find(Key key) const { return slots_[slot(key)]; }

Index ConstKeys::add(Key key) {
  const std::size_t s = slot(key);
  if (slots_[s] >= 0) return slots_[s];
  const auto number = static_cast<Index>(keys_.size());
  slots_[s] = number;
  keys_.push_back(key);
  if (2 * keys_.size() > slots_.size()) grow();
  return number;
}

void ConstKeys::grow() {
  slots_.assign(2 * slots_.size(), -1);
  for (std::size_t k = 0; k < keys_.size(); ++k) slots_[slot(keys_[k])] = static_cast<Index>(k);
}

FeatureSpace::FeatureSpace(const TreebankGrammar& grammar, std::vector<Index> kind)
    : grammar_(grammar), kind_(std::move(kind)) {
  if (kind_.size() != at(grammar.symbols()))
    throw std::invalid_argument("features need a kind for each symbol");
}

void FeatureSpace::check(const Tokens& tokens, std::span<const Index> parts) const {
  tokens.check();
  const Index words = tokens.size();
  if (parts.size() % 4 != 0) throw std::invalid_argument("parts have four columns");
  for (std::size_t p = 0; p < parts.size(); p += 4) {
    const Index rule = parts[p], begin = parts[p + 1], split = parts[p + 2], end = parts[p + 3];
    const bool known = rule < grammar_.rules() && rule > kFirstSpanPart - grammar_.symbols();
    const bool placed = begin >= 0 && begin < end && end <= words;
    const bool is_binary = rule >= 0 && rule < grammar_.binary_rules();
    if (!known || !placed || (is_binary && !(begin < split && split < end)))
      throw std::invalid_argument("part " + std::to_string(p / 4) + " is none of the grammar's");
  }
}

template <class Emit>
void FeatureSpace::keys_of(const SpanKeys& keys, const Index* part, Emit emit) const {
  const Index rule = part[0], begin = part[1], end = part[3];
  if (rule == kWordPart) return;
  if (rule >= grammar_.binary_rules()) return emit(make_key(100, rule));
  if (rule >= 0) return binary_keys(keys, part, emit);
  const auto label = static_cast<Key>(kind_[at(kFirstSpanPart - rule)]);
  emit(make_key(101, label));
  for (const Key key : keys.left(begin)) emit(join(key, label));
  for (const Key key : keys.right(end)) emit(join(key, label));
  std::array<Key, kSpanKeys> span;
  keys.span(begin, end, span);
  for (const Key key : span) emit(join(key, label));
}

template <class Emit>
void FeatureSpace::binary_keys(const SpanKeys& keys, const Index* part, Emit emit) const {
  const Index* rule = grammar_.binary(part[0]);
  const Index i = part[1], k = part[2], j = part[3];
  const Index parent = kind_[at(rule[0])];
  const Key r = make_key(110, parent, kind_[at(rule[1])], kind_[at(rule[2])]);
  const Key a = make_key(111, parent);
  const Index left = length_bin(k - i), right = length_bin(j - k);
  const Index u = keys.word(k - 1), v = keys.word(k), tu = keys.tag(k - 1), tv = keys.tag(k);
  const Index w = keys.word(i), z = keys.word(j - 1), before = keys.word(i - 1);
  emit(r);
  emit(join(r, make_key(112, left, right)));
  emit(join(r, make_key(113, tu, tv)));
  emit(join(r, make_key(114, u)));
  emit(join(r, make_key(115, v)));
  emit(join(a, make_key(116, u, v)));
  emit(join(a, make_key(117, tu, tv)));
  emit(join(r, make_key(118, w, tv)));
  emit(join(a, make_key(119, w, v)));
  emit(join(r, make_key(120, z)));
  emit(join(r, make_key(121, keys.tag(i), tv, keys.tag(j - 1))));
  emit(join(a, make_key(122, v, z)));
  emit(join(r, make_key(123, w)));
  emit(join(r, make_key(124, tu, v)));
  emit(join(r, make_key(125, u, tv)));
  emit(join(r, make_key(126, keys.tag(i - 1), keys.tag(j))));
  emit(join(a, make_key(127, before, v)));
  emit(join(r, make_key(128, keys.tag(i - 1), tv)));
}

void FeatureCounter::add(const Tokens& tokens, std::span<const Index> parts) {
  space_.check(tokens, parts);
  const SpanKeys keys(tokens);
  for (std::size_t p = 0; p < parts.size(); p += 4)
    space_.keys_of(keys, &parts[p], [&](Key key) {
      const Index number = table_.add(key);
      if (at(number) == count_.size()) count_.push_back(0);
      ++count_[at(number)];
    });
}

std::vector<Key> FeatureCounter::keys(Index least) const {
  std::vector<Key> found;
  for (std::size_t k = 0; k < count_.size(); ++k)
    if (count_[k] >= least) found.push_back(table_.keys()[k]);
  std::sort(found.begin(), found.end());
  return found;
}

FeatureIndex::FeatureIndex(const FeatureSpace& space, std::span<const Key> keys, int bits)
    : space_(space), table_(keys.size()), bits_(bits) {
  if (bits > 28) throw std::invalid_argument("at most 2^28 shared features");
  for (const Key key : keys) table_.add(key);
  if (table_.size() != keys.size()) throw std::invalid_argument("a key comes twice");
}

std::int64_t FeatureIndex::size() const {
  return static_cast<std::int64_t>(table_.size()) + (bits_ < 0 ? 0 : std::int64_t{1} << bits_);
}

Index FeatureIndex::number(Key key) const {
  const Index known = table_.find(key);
  if (known >= 0 || bits_ < 0) return known;
  return static_cast<Index>(table_.size() + ((key >> 20) & ((Key{1} << bits_) - 1)));
}

FeatureIndex::Matrix FeatureIndex::matrix(const Tokens& tokens,
                                          std::span<const Index> parts) const {
  space_.check(tokens, parts);
  const SpanKeys keys(tokens);
  ConstKeys local(parts.size());
  Matrix out;
  out.first.push_back(0);
  for (std::size_t p = 0; p < parts.size(); p += 4) {
    space_.keys_of(keys, &parts[p], [&](Key key) {
      const Index feature = number(key);
      if (feature < 0) return;
      out.local.push_back(local.add(mix(static_cast<Key>(feature) + 1)));
      if (out.vocabulary.size() < local.size()) out.vocabulary.push_back(feature);
    });
    out.first.push_back(static_cast<Index>(out.local.size()));
  }
  return out;
}

std::vector<double> FeatureIndex::scores(const Tokens& tokens, std::span<const Index> parts,
                                         std::span<const double> weight) const {
  space_.check(tokens, parts);
  if (static_cast<std::int64_t>(weight.size()) != size())
    throw std::invalid_argument("one weight for each feature");
  const SpanKeys keys(tokens);
  std::vector<double> out(parts.size() / 4, 0.0);
  for (std::size_t p = 0; p < parts.size(); p += 4)
    space_.keys_of(keys, &parts[p], [&](Key key) {
      if (const Index feature = number(key); feature >= 0) out[p / 4] += weight[at(feature)];
    });
  return out;
}

}  // namespace treewright::constituency

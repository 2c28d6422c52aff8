#include "constituency/features.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace treewright::constituency {

namespace {
constexpr Key kFirstSeed = Key{1} << 32;  // numbers of templates are below
}

FeatureSpace::FeatureSpace(const TreebankGrammar& grammar, std::vector<Index> kind,
                           const TemplateProgram& templates)
    : grammar_(grammar), kind_(std::move(kind)), templates_(templates) {
  templates.require(kSpanValues, kSpanPlaces, kSpanMarks);
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

// Unary rules and labels have a feature of their own; templates of spans go with the label.
template <class Emit>
void FeatureSpace::keys_of(const SpanKeys& keys, const Index* part, Emit emit) const {
  const Index rule = part[0];
  const auto with = [&](Key hash, Index number) {
    emit(finish(mix(hash, static_cast<Key>(number) + 1)));
  };
  if (rule == kWordPart) return;
  if (rule >= grammar_.binary_rules()) return with(seed(kFirstSeed), rule);
  if (rule >= 0) return keys.split(split(part), emit);
  const Index label = kind_[at(kFirstSpanPart - rule)], begin = part[1], end = part[3];
  with(seed(kFirstSeed + 1), label);
  for (const Key key : keys.left(begin)) with(key, label);
  for (const Key key : keys.right(end)) with(key, label);
  keys.span(begin, end, [&](Key key) { with(key, label); });
}

SpanKeys::Split FeatureSpace::split(const Index* part) const {
  const Index* rule = grammar_.binary(part[0]);
  const Index kinds[] = {kind_[at(rule[0])], kind_[at(rule[1])], kind_[at(rule[2])]};
  return {part[1], part[2], part[3], hash_of(kinds) | 1, static_cast<Key>(kinds[0]) + 1};
}

void FeatureCounter::add(const Tokens& tokens, std::span<const Index> parts) {
  space_.check(tokens, parts);
  const SpanKeys keys = space_.keys(tokens);
  for (std::size_t p = 0; p < parts.size(); p += 4)
    space_.keys_of(keys, &parts[p], [&](Key key) {
      const Index number = table_.add(key);
      if (at(number) == count_.size()) {
        keys_.push_back(key);
        count_.push_back(0);
      }
      ++count_[at(number)];
    });
}

std::vector<Key> FeatureCounter::keys(Index least) const {
  std::vector<Key> found;
  for (std::size_t k = 0; k < count_.size(); ++k)
    if (count_[k] >= least) found.push_back(keys_[k]);
  std::sort(found.begin(), found.end());
  return found;
}

FeatureIndex::FeatureIndex(const FeatureSpace& space, std::span<const Key> keys, int bits,
                           int key_bits)
    : space_(space), table_(KeyTable::distinct(keys, key_bits)), bits_(bits) {
  if (bits > 28) throw std::invalid_argument("at most 2^28 shared features");
}

std::int64_t FeatureIndex::size() const {
  return table_.size() + (bits_ < 0 ? 0 : std::int64_t{1} << bits_);
}

Index FeatureIndex::number(Key key) const {
  const Index known = table_.find(key);
  if (known >= 0 || bits_ < 0) return known;
  return static_cast<Index>(at(table_.size()) + ((key >> 20) & ((Key{1} << bits_) - 1)));
}

FeatureIndex::Matrix FeatureIndex::matrix(const Tokens& tokens,
                                          std::span<const Index> parts) const {
  space_.check(tokens, parts);
  const SpanKeys keys = space_.keys(tokens);
  KeyTable local;
  Matrix out;
  out.first.push_back(0);
  for (std::size_t p = 0; p < parts.size(); p += 4) {
    space_.keys_of(keys, &parts[p], [&](Key key) {
      const Index feature = number(key);
      if (feature < 0) return;
      out.local.push_back(local.add(static_cast<Key>(feature)));
      if (out.vocabulary.size() < at(local.size())) out.vocabulary.push_back(feature);
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
  const SpanKeys keys = space_.keys(tokens);
  std::vector<double> out(parts.size() / 4, 0.0);
  for (std::size_t p = 0; p < parts.size(); p += 4)
    space_.keys_of(keys, &parts[p], [&](Key key) {
      if (const Index feature = number(key); feature >= 0) out[p / 4] += weight[at(feature)];
    });
  return out;
}

}  // namespace treewright::constituency

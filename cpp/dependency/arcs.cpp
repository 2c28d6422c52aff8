#include "dependency/arcs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "core/simd.hpp"

namespace treewright::dependency {
namespace {

constexpr Index kOutside = -1, kNobody = -2;  // values before, after and without a sentence
constexpr std::uint64_t kFirstLength = 16;    // lengths are -8 to 8; 0 and 1 are the directions

std::uint64_t mix(std::uint64_t id, std::uint64_t value) {
  id = (id ^ (value + 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull;
  return id ^ (id >> 32);
}

// Signed: the head before the word is positive.
Index distance(Index head, Index word) {
  const Index length = std::abs(word - head);
  const Index bucket = length <= 5 ? length : length <= 10 ? 6 : length <= 20 ? 7 : 8;
  return head < word ? bucket : -bucket;
}

// The feature indices of rows of one sentence.
class Extractor {
 public:
  Extractor(const ArcTemplateSet& templates, const Attributes& sentence, std::size_t table)
      : templates_(templates), sentence_(sentence), mask_(table - 1) {
    for (std::size_t a = 0; a < templates.role.size(); ++a)
      if (templates.role[a] == kBetween) between(templates.attribute[a]);
  }

  struct Found {
    std::vector<std::uint32_t> labelled, plain;
  };

  void extract(const Rows& rows, std::size_t row, Found& out) const {
    out.labelled.clear();
    out.plain.clear();
    const Index where[3] = {rows.head[row], rows.word[row], rows.sibling[row]};
    const auto far = static_cast<std::uint64_t>(distance(where[kHead], where[kWord]));
    const std::uint64_t way = where[kHead] < where[kWord];
    for (std::size_t t = 0; t < templates_.kind.size(); ++t) {
      const Index kind = templates_.kind[t];
      auto& ids = kind & kLabelled ? out.labelled : out.plain;
      each_value(t, where, [&](std::uint64_t id) {
        if (kind & kWithoutDistance) ids.push_back(cut(mix(id, way)));
        if (kind & kWithDistance) ids.push_back(cut(mix(id, kFirstLength + far)));
      });
    }
  }

 private:
  std::uint32_t cut(std::uint64_t id) const { return static_cast<std::uint32_t>(id & mask_); }

  Index value(std::size_t atom, const Index* where) const {
    const Index base = where[templates_.role[atom]];
    if (base < 0) return kNobody;
    const Index p = base + templates_.offset[atom];
    if (p < 0 || p >= sentence_.positions) return kOutside;
    return sentence_.values[at(templates_.attribute[atom] * sentence_.positions + p)];
  }

  template <class Emit>
  void each_value(std::size_t t, const Index* where, Emit emit) const {
    std::uint64_t id = mix(0, t);
    for (auto a = at(templates_.first[t]); a < at(templates_.first[t + 1]); ++a) {
      if (templates_.role[a] == kBetween) {
        auto left = set_between(templates_.attribute[a], where[kHead], where[kWord]);
        for (; left; left &= left - 1)
          emit(mix(id, static_cast<std::uint64_t>(std::countr_zero(left))));
        return;
      }
      id = mix(id, static_cast<std::uint64_t>(static_cast<std::int64_t>(value(a, where))));
    }
    emit(id);
  }

  std::uint64_t set_between(Index attribute, Index a, Index b) const {
    const auto n = at(sentence_.positions);
    return sets_[at(attribute)][at(std::min(a, b)) * n + at(std::max(a, b))];
  }

  // The set of values, modulo 64, strictly between any two positions.
  void between(Index attribute) {
    sets_.resize(at(sentence_.attributes));
    auto& sets = sets_[at(attribute)];
    const auto n = at(sentence_.positions);
    const Index* values = sentence_.values.data() + at(attribute) * n;
    sets.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 2; j < n; ++j)
        sets[i * n + j] = sets[i * n + j - 1] | 1ull << (values[j - 1] & 63);
  }

  const ArcTemplateSet& templates_;
  const Attributes& sentence_;
  std::uint64_t mask_;
  std::vector<std::vector<std::uint64_t>> sets_;  // [attribute][i * n + j]
};

void check_rows(const Attributes& sentence, const Rows& rows) {
  const auto inside = [&](Index p, Index low) { return p >= low && p < sentence.positions; };
  if (rows.head.size() != rows.word.size() || rows.head.size() != rows.sibling.size())
    throw std::invalid_argument("heads, words and siblings differ in number");
  for (std::size_t r = 0; r < rows.head.size(); ++r)
    if (!inside(rows.head[r], 0) || !inside(rows.word[r], 0) || !inside(rows.sibling[r], -1))
      throw std::invalid_argument("row " + std::to_string(r) + " is outside of the sentence");
  if (sentence.values.size() != at(sentence.attributes) * at(sentence.positions))
    throw std::invalid_argument("attributes need one value a position each");
}

std::size_t table_size(std::size_t weights, Index labels) {
  const auto table = weights - at(labels);
  if (labels < 1 || weights <= at(labels) || !std::has_single_bit(table) || table > 1ull << 32)
    throw std::invalid_argument("the weights must be 2^bits (at most 2^32) and one a label more");
  return table;
}

TREEWRIGHT_CLONES
void add_blocks(const std::uint32_t* ids, std::size_t count, const float* weight,
                std::size_t labels, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* block = weight + ids[i];
    for (std::size_t l = 0; l < labels; ++l) out[l] += block[l];
  }
}

// Reads of the table miss the cache; asking for a row's weights while the row before is summed
// hides most of that.
void prefetch(const Extractor::Found& found, const float* weight, std::size_t labels) {
  for (const auto id : found.plain) __builtin_prefetch(weight + id);
  for (const auto id : found.labelled)
    for (std::size_t l = 0; l < labels; l += 16) __builtin_prefetch(weight + id + l);
}

template <class Change>
void each_weight(const ArcTemplateSet& templates, const Attributes& sentence, const Rows& rows,
                 Index labels, const float* change, std::size_t weights, Change apply) {
  check_rows(sentence, rows);
  const auto width = at(labels);
  const Extractor extractor(templates, sentence, table_size(weights, labels));
  Extractor::Found found;
  for (std::size_t r = 0; r < rows.head.size(); ++r) {
    const float* row = change + r * width;
    if (std::all_of(row, row + width, [](float x) { return x == 0.0f; })) continue;
    extractor.extract(rows, r, found);
    double sum = 0.0;
    for (std::size_t l = 0; l < width; ++l) sum += row[l];
    for (const auto id : found.plain) apply(id, static_cast<float>(sum));
    for (const auto id : found.labelled)
      for (std::size_t l = 0; l < width; ++l)
        if (row[l] != 0.0f) apply(id + l, row[l]);
  }
}

void add(const Learned& model, std::size_t i, float change) {
  model.weight[i] += change;
  if (!model.total.empty()) model.total[i] += model.time * change;
}

}  // namespace

void ArcTemplateSet::check(Index attributes) const {
  if (first.size() != kind.size() + 1 || first.front() != 0 ||
      static_cast<std::size_t>(first.back()) != role.size() || role.size() != offset.size() ||
      role.size() != attribute.size())
    throw std::invalid_argument("templates: arrays of different lengths");
  for (std::size_t t = 0; t < kind.size(); ++t) {
    if (first[t + 1] < first[t]) throw std::invalid_argument("templates: atoms out of order");
    for (auto a = at(first[t]); a < at(first[t + 1]); ++a) {
      if (role[a] < kHead || role[a] > kBetween || attribute[a] < 0 || attribute[a] >= attributes)
        throw std::invalid_argument("templates: unknown role or attribute");
      if (role[a] == kBetween && a + 1 != at(first[t + 1]))
        throw std::invalid_argument("templates: what is between comes last");
    }
  }
}

void score_rows(const ArcTemplateSet& templates, const Attributes& sentence, const Rows& rows,
                Index labels, std::span<const float> weight, float* out) {
  check_rows(sentence, rows);
  const auto width = at(labels);
  const Extractor extractor(templates, sentence, table_size(weight.size(), labels));
  Extractor::Found found[2];
  const auto count = rows.head.size();
  for (std::size_t r = 0; r <= count; ++r) {
    if (r < count) {
      extractor.extract(rows, r, found[r & 1]);
      prefetch(found[r & 1], weight.data(), width);
    }
    if (r == 0) continue;
    const auto& now = found[(r - 1) & 1];
    float plain = 0.0f;
    for (const auto id : now.plain) plain += weight[id];
    float* row = out + (r - 1) * width;
    std::fill(row, row + width, plain);
    add_blocks(now.labelled.data(), now.labelled.size(), weight.data(), width, row);
  }
}

void update_rows(const ArcTemplateSet& templates, const Attributes& sentence, const Rows& rows,
                 Index labels, const float* change, const Learned& model) {
  each_weight(templates, sentence, rows, labels, change, model.weight.size(),
              [&](std::size_t i, float x) { add(model, i, x); });
}

void descend_rows(const ArcTemplateSet& templates, const Attributes& sentence, const Rows& rows,
                  Index labels, const float* gradient, const Learned& model,
                  std::span<float> square, double rate) {
  each_weight(templates, sentence, rows, labels, gradient, model.weight.size(),
              [&](std::size_t i, float g) {
                square[i] += g * g;
                add(model, i, static_cast<float>(-rate * g / std::sqrt(square[i])));
              });
}

}  // namespace treewright::dependency

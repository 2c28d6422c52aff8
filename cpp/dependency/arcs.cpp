#include "dependency/arcs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "core/deadline.hpp"
#include "core/simd.hpp"

namespace treewright::dependency {
namespace {

constexpr std::size_t kRowsPerCheck = 256;
constexpr Key kFirstLength = 16;  // lengths are -8 to 8; 0 and 1 are the directions

// Signed: the head before the word is positive.
Index distance(Index head, Index word) {
  const Index length = std::abs(word - head);
  const Index bucket = length <= 5 ? length : length <= 10 ? 6 : length <= 20 ? 7 : 8;
  return head < word ? bucket : -bucket;
}

// The feature indices of rows of one sentence.
class Extractor {
 public:
  Extractor(const TemplateProgram& templates, const WordTable& sentence, std::size_t table)
      : templates_(templates), sentence_(sentence), mask_(table - 1) {
    sets_.resize(at(sentence.columns()));
    for (const TemplateGroup& group : templates.groups())
      for (const Atom& atom : group.support) between(atom.attribute);
  }

  struct Found {
    std::vector<std::uint32_t> labelled, plain;
  };

  void extract(const Rows& rows, std::size_t row, Found& out) const {
    out.labelled.clear();
    out.plain.clear();
    const Index where[] = {rows.head[row], rows.word[row], rows.sibling[row]};
    const Key far = kFirstLength + static_cast<Key>(distance(where[kHead], where[kWord]));
    const Key way = where[kHead] < where[kWord];
    // Positions outside of the sentence have a value, and so has a sibling that is not there.
    const auto value_of = [&](const Atom& atom) -> Key {
      const Index base = where[atom.place];
      return base < 0 ? kNowhere : sentence_.near(base + atom.offset, atom.attribute) + 3;
    };
    for (const TemplateGroup& group : templates_.groups()) {
      auto& ids = group.mark & kLabelled ? out.labelled : out.plain;
      const auto add = [&](Key hash) {
        if (group.mark & kWithoutDistance) ids.push_back(cut(mix(hash, way)));
        if (group.mark & kWithDistance) ids.push_back(cut(mix(hash, far)));
      };
      if (group.support.empty()) {
        group.each_hash(value_of, add);
        continue;
      }
      const Key values = set_between(group.support[0].attribute, where[kHead], where[kWord]);
      group.each_hash(value_of, [&](Key hash) {
        for (Key left = values; left; left &= left - 1)
          add(mix(hash, static_cast<Key>(std::countr_zero(left))));
      });
    }
  }

 private:
  std::uint32_t cut(Key hash) const { return static_cast<std::uint32_t>(finish(hash) & mask_); }

  Key set_between(Index attribute, Index a, Index b) const {
    const auto n = at(sentence_.words());
    return sets_[at(attribute)][at(std::min(a, b)) * n + at(std::max(a, b))];
  }

  // The set of values, modulo 64, strictly between any two positions.
  void between(Index attribute) {
    auto& sets = sets_[at(attribute)];
    const auto n = at(sentence_.words());
    sets.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 2; j < n; ++j)
        sets[i * n + j] =
            sets[i * n + j - 1] | Key{1} << (sentence_(static_cast<Index>(j - 1), attribute) & 63);
  }

  const TemplateProgram& templates_;
  const WordTable& sentence_;
  Key mask_;
  std::vector<std::vector<Key>> sets_;  // [attribute][i * n + j]
};

void check_rows(const WordTable& sentence, const Rows& rows) {
  const auto inside = [&](Index p, Index low) { return p >= low && p < sentence.words(); };
  if (rows.head.size() != rows.word.size() || rows.head.size() != rows.sibling.size())
    throw std::invalid_argument("heads, words and siblings differ in number");
  for (std::size_t r = 0; r < rows.head.size(); ++r)
    if (!inside(rows.head[r], 0) || !inside(rows.word[r], 0) || !inside(rows.sibling[r], -1))
      throw std::invalid_argument("row " + std::to_string(r) + " is outside of the sentence");
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
void each_weight(const TemplateProgram& templates, const WordTable& sentence, const Rows& rows,
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

void check_arc_templates(const TemplateProgram& templates) {
  templates.require(0, kArcPlaces, kArcMarks);
  const auto is_between = [](const Atom& atom) { return atom.place == kBetween; };
  for (const TemplateGroup& group : templates.groups())
    if (group.support.size() > 1 || !std::ranges::all_of(group.support, is_between) ||
        std::ranges::any_of(group.atoms, is_between))
      throw std::invalid_argument("templates: what is between is the support of its group");
}

void score_rows(const TemplateProgram& templates, const WordTable& sentence, const Rows& rows,
                Index labels, std::span<const float> weight, float* out) {
  check_rows(sentence, rows);
  const auto width = at(labels);
  const Extractor extractor(templates, sentence, table_size(weight.size(), labels));
  Extractor::Found found[2];
  const auto count = rows.head.size();
  for (std::size_t r = 0; r <= count; ++r) {
    if (r % kRowsPerCheck == 0) check_deadline();
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

void update_rows(const TemplateProgram& templates, const WordTable& sentence, const Rows& rows,
                 Index labels, const float* change, const Learned& model) {
  each_weight(templates, sentence, rows, labels, change, model.weight.size(),
              [&](std::size_t i, float x) { add(model, i, x); });
}

void descend_rows(const TemplateProgram& templates, const WordTable& sentence, const Rows& rows,
                  Index labels, const float* gradient, const Learned& model,
                  std::span<float> square, double rate) {
  each_weight(templates, sentence, rows, labels, gradient, model.weight.size(),
              [&](std::size_t i, float g) {
                square[i] += g * g;
                add(model, i, static_cast<float>(-rate * g / std::sqrt(square[i])));
              });
}

}  // namespace treewright::dependency

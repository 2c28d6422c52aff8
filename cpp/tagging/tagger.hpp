// Log-linear chain taggers: hashed features, sparse rows of weights, pruned lattices.
//
// A position has attributes, 64-bit numbers in columns (its word, its suffixes, its part of
// speech). Templates hash them to keys; a table maps keys to rows; a row has weights for tags.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/templates.hpp"

namespace treewright::tagging {

constexpr Index kMaxTags = 1 << 20;

// Sentences laid end to end.
struct TagInput {
  std::span<const Key> attributes;         // [positions][columns]
  std::span<const std::uint32_t> classes;  // [positions], bit sets: what anchors look for
  std::span<const Index> first_position;   // [sentences + 1]
  Index columns;

  Index positions() const { return first_position.back(); }
  void check() const;  // throws std::invalid_argument
};

// Templates of positions. Place 0 is the position itself; place p > 0 is the nearest position with
// a class, by scans[p - 1]: class bit, direction (-1 or 1). The one value is the distance to a
// place. A position has a feature for every template: places that are not there have a value as
// well.
class Templates {
 public:
  Templates(const TemplateProgram& program, std::span<const Index> scans);

  Index size() const { return static_cast<Index>(program_.templates()); }
  Index columns() const { return program_.limits().columns; }
  // out: [positions of the sentence][templates]
  void hash(const TagInput& input, Index sentence, Key* out) const;
  // The same for one position: places of its sentence, which anchors() fills, and its keys.
  void anchors(const TagInput& input, Index sentence, std::vector<Index>& places) const;
  void hash_position(const TagInput& input, Index sentence, Index position,
                     const std::vector<Index>& places, Key* out) const;

 private:
  struct Scan {
    std::uint32_t bit;
    Index step;
  };
  TemplateProgram program_;
  std::vector<Scan> scans_;
};

// Sets of tags that dictionaries allow; a position names one of them.
struct TagSets {
  std::vector<Index> first, tag;
  TagSets(std::span<const Index> first, std::span<const Index> tag, Index tags);
  Index size() const { return static_cast<Index>(first.size()) - 1; }
};

// Multinomial logistic regression over the sets' tags, one decision a position: minus the
// log-likelihood of gold as a function of the entries' weights.
class LocalObjective {
 public:
  LocalObjective(std::vector<Index> rows, Index templates, std::vector<Index> row_first,
                 std::vector<Index> row_tag, Index tags, const TagSets& sets,
                 std::vector<Index> set, std::vector<Index> gold);
  Index entries() const { return static_cast<Index>(row_tag_.size()); }
  Index positions() const { return static_cast<Index>(set_.size()); }
  // Adds to gradient [entries]. Positions begin .. end - 1.
  double evaluate(const double* weight, double* gradient, Index begin, Index end) const;
  // One pass of AdaGrad over the positions in this order; changes weights and sums of squares
  // [entries]. Returns the summed value before each step.
  struct Online {
    double rate, precision, dropout;  // precision: one over the prior's variance
    std::uint64_t seed;               // of the dropout
  };
  double pass(std::span<const Index> order, Online how, double* weight, double* square) const;

 private:
  void index_rows();
  template <class Work>
  void for_entries(const Index* rows, Index set, Work work) const;
  double local_probabilities(Index set, Index gold, const std::vector<double>& score,
                             std::vector<double>& out) const;

  std::vector<Index> rows_;
  Index templates_;
  std::vector<Index> row_first_, row_tag_;
  Index tags_;
  TagSets sets_;
  std::vector<Index> set_, gold_;
  std::vector<double> uses_;             // [rows], positions that have the feature
  std::vector<Index> dense_, entry_of_;  // long rows: number of the table, the tables
};

// How a lattice is pruned: the local model's tags with a probability of at least `beta` times the
// best one's, at least `least` and at most `most` of them.
struct Pruning {
  double beta;
  Index least, most;
};

// A pruned lattice of one or more sentences.
struct Lattice {
  std::vector<Index> first{0};   // [positions + 1]
  std::vector<Index> tag;        // [candidates], by number within a position
  std::vector<double> local;     // the local model's probability
  std::vector<double> emission;  // the chain's score
  std::vector<double> posterior;
  double power = 1;  // what the scores of transitions count
};

// The trained model.
class TaggerModel {
 public:
  TaggerModel(Templates templates, std::span<const Key> keys, std::span<const Index> row_first,
              std::span<const Index> row_tag, std::span<const float> local,
              std::span<const float> chain, Index tags, TagSets sets, std::span<const float> bigram,
              std::span<const Key> trigrams, std::span<const float> trigram, int order,
              int key_bits = 64);

  const Templates& templates() const { return templates_; }
  const TagSets& sets() const { return sets_; }
  Index tags() const { return tags_; }
  Index row_count() const { return static_cast<Index>(row_first_.size()) - 1; }
  // Throws std::invalid_argument where a set is out of range.
  void check(const TagInput& input, std::span<const Index> set) const;
  // The lattice of one sentence, posteriors included, added to `out`.
  void tag(const TagInput& input, Index sentence, std::span<const Index> set, Pruning pruning,
           Lattice& out) const;
  // Fills in the posteriors of a sentence's candidates from their emissions; returns log Z, -inf
  // where no sequence of tags has weight.
  double marginals(Lattice& lattice) const;
  // Numbers of rows [positions][templates], -1 where a feature is unknown.
  std::vector<Index> rows(const TagInput& input) const;
  // The entries that a candidate tag's score sums, in template order; adds to out.
  void entries(const Index* rows, Index tag, std::vector<Index>& out) const;

 private:
  struct Entry {
    Index tag;
    float local, chain;
  };
  using Ranked = std::vector<std::pair<double, Index>>;  // minus the score, tag
  void score(const Key* keys, std::vector<float>& local, std::vector<float>& chain,
             std::vector<Index>& row) const;
  void take_only(Index set, Lattice& out) const;
  void prune(Index set, const std::vector<float>& local, const std::vector<float>& chain,
             Pruning pruning, Ranked& ranked, Lattice& out) const;
  // These return log Z.
  double chain_posteriors(std::size_t begin, Lattice& out) const;
  double first_order(std::size_t begin, const std::vector<double>& weight, Lattice& out) const;
  double second_order(std::size_t begin, const std::vector<double>& weight, Lattice& out) const;
  std::size_t pair_at(Index a, Index b) const {
    return static_cast<std::size_t>(a + 1) * static_cast<std::size_t>(tags_ + 1) +
           static_cast<std::size_t>(b + 1);
  }
  // exp(power * score) of transitions
  double pair_weight(Index a, Index b, double power) const {
    return raised(bigram_[pair_at(a, b)], power);
  }
  double triple_weight(Index a, Index b, Index c, double power) const;
  static double raised(double weight, double power) {
    return power == 1 || weight == 1 ? weight : std::pow(weight, power);
  }

  Templates templates_;
  KeyTable table_;
  std::vector<Index> row_first_;
  std::vector<Entry> entries_;
  Index tags_;
  TagSets sets_;
  std::vector<double> bigram_;  // exp of the transition scores, [tags + 1][tags + 1], -1 first
  KeyTable trigram_table_;
  std::vector<double> trigram_;             // exp of the scores
  std::vector<std::uint8_t> ends_trigram_;  // pairs with which a known trigram ends: most do not
  int order_;
};

// The key of a trigram of tags; -1 is outside of the sentence.
inline Key trigram_key(Index a, Index b, Index c) {
  const auto digit = [](Index t) { return static_cast<Key>(t + 1); };
  return digit(a) << 42 | digit(b) << 21 | digit(c);
}

}  // namespace treewright::tagging

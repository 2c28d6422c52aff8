// Features of the parts of a constituency forest: 64-bit keys, numbered by a table.
#pragma once

#include "constituency/chart.hpp"
#include "constituency/keys.hpp"

namespace treewright::constituency {

// Numbers 0, 1, ... for keys, in the order in which they come.
class ConstKeys {
 public:
  explicit ConstKeys(std::size_t expected = 1024);
  Index find(Key key) const;  // -1: unknown
  Index add(Key key);         // its number, a new one if needed
  std::size_t size() const { return keys_.size(); }
  const std::vector<Key>& keys() const { return keys_; }

 private:
  std::size_t slot(Key key) const;
  void grow();
  std::vector<Index> slots_;
  std::vector<Key> keys_;
};

// What features see of symbols and rules.
class FeatureSpace {
 public:
  // `kind`: the number by which features know a symbol, [symbols]; several may share one.
  FeatureSpace(const TreebankGrammar& grammar, std::vector<Index> kind);

  // Calls emit(key) for all features of a part, given as a row of a SpanLayout::kSpans chart.
  template <class Emit>
  void keys_of(const SpanKeys& keys, const Index* part, Emit emit) const;
  void check(const Tokens& tokens, std::span<const Index> parts) const;

 private:
  template <class Emit>
  void binary_keys(const SpanKeys& keys, const Index* part, Emit emit) const;

  const TreebankGrammar& grammar_;
  std::vector<Index> kind_;
};

// Counts the features of parts.
class FeatureCounter {
 public:
  explicit FeatureCounter(const FeatureSpace& space) : space_(space) {}
  void add(const Tokens& tokens, std::span<const Index> parts);
  // The keys seen at least so often, in rising order.
  std::vector<Key> keys(Index least) const;

 private:
  const FeatureSpace& space_;
  ConstKeys table_;
  std::vector<Index> count_;
};

// Features by number; keys that are not in the table share 2^bits more numbers, or none if bits <
// 0.
class FeatureIndex {
 public:
  FeatureIndex(const FeatureSpace& space, std::span<const Key> keys, int bits);
  std::int64_t size() const;

  struct Matrix {
    std::vector<Index> first, local, vocabulary;
  };
  Matrix matrix(const Tokens& tokens, std::span<const Index> parts) const;
  std::vector<double> scores(const Tokens& tokens, std::span<const Index> parts,
                             std::span<const double> weight) const;

 private:
  Index number(Key key) const;
  const FeatureSpace& space_;
  ConstKeys table_;
  int bits_;
};

}  // namespace treewright::constituency

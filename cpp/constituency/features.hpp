// Features of the parts of a constituency forest: 64-bit keys, numbered by a table.
#pragma once

#include "constituency/chart.hpp"
#include "constituency/keys.hpp"

namespace treewright::constituency {

// What features see of symbols and rules.
class FeatureSpace {
 public:
  // `kind`: the number by which features know a symbol, [symbols]; several may share one.
  FeatureSpace(const TreebankGrammar& grammar, std::vector<Index> kind,
               const TemplateProgram& templates);

  SpanKeys keys(const Tokens& tokens) const { return {templates_, tokens}; }

  // Calls emit(key) for all features of a part, given as a row of a SpanLayout::kSpans chart.
  template <class Emit>
  void keys_of(const SpanKeys& keys, const Index* part, Emit emit) const;
  void check(const Tokens& tokens, std::span<const Index> parts) const;

 private:
  SpanKeys::Split split(const Index* part) const;

  const TreebankGrammar& grammar_;
  std::vector<Index> kind_;
  TemplateProgram templates_;
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
  KeyTable table_;
  std::vector<Key> keys_;
  std::vector<Index> count_;
};

// Features by number; keys that are not in the table share 2^bits more numbers, or none if bits is
// negative.
class FeatureIndex {
 public:
  FeatureIndex(const FeatureSpace& space, std::span<const Key> keys, int bits, int key_bits = 64);
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
  KeyTable table_;
  int bits_;
};

}  // namespace treewright::constituency

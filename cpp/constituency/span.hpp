// A fast log-linear model of labelled spans: what a richer parser need not look at.
//
// A tree is a set of spans, each with a class; a sentence's trees are all binary ones. The score of
// a class on a span is a sum of rows of a weight matrix, picked by the span's keys: rows of a
// boundary are added up once for all spans that share it. Inside and outside sums need no grammar:
//     I(i, j) = S(i, j) + log sum_k exp(I(i, k) + I(k, j)),   S(i, j) = log sum_c exp s(i, j, c)
#pragma once

#include <cstddef>
#include <vector>

#include "constituency/keys.hpp"

namespace treewright::constituency {

// Which classes fit where: class 0 is a word without a phrase.
enum class ClassKind : std::uint8_t { kWord, kPhrase, kArtificial };

struct Candidate {
  Index begin, end, label;
  float posterior;
};

class SpanModel {
 public:
  // 2^bits rows. Throws std::invalid_argument on sizes that make no sense.
  SpanModel(int bits, std::vector<ClassKind> classes, const TemplateProgram& templates);

  std::size_t rows() const { return std::size_t{1} << bits_; }
  std::size_t stride() const { return stride_; }
  Index classes() const { return static_cast<Index>(kinds_.size()); }
  std::vector<float>& weights() { return weights_; }
  const std::vector<float>& weights() const { return weights_; }

  // All spans' classes whose posterior is at least `threshold`, by span.
  std::vector<Candidate> candidates(const Tokens& tokens, double threshold) const;
  // The best tree.
  std::vector<Candidate> best(const Tokens& tokens) const;

 private:
  friend class SpanChart;
  friend class SpanTrainer;
  std::size_t row(Key key) const { return static_cast<std::size_t>(key & (rows() - 1)) * stride_; }
  bool fits(Index label, Index width, Index words) const;

  int bits_;
  TemplateProgram templates_;
  std::vector<ClassKind> kinds_;
  std::size_t stride_;
  std::vector<float> weights_;  // [rows][stride]
};

// A treebank for the model: sentences one after the other.
struct SpanCorpus {
  std::span<const Index> first_token;  // [sentences + 1]
  Tokens tokens;                       // of all sentences
  std::span<const Index> first_span;   // [sentences + 1]
  std::span<const Index> spans;        // [spans][3] begin, end, class of all gold nodes
  void check(Index classes) const;
  std::size_t sentences() const { return first_token.size() - 1; }
};

// AdaGrad on the log-likelihood, sentence by sentence.
class SpanTrainer {
 public:
  explicit SpanTrainer(SpanModel& model);
  // One pass in the given order; returns the summed log-likelihood before each update.
  double pass(const SpanCorpus& corpus, std::span<const Index> order, double rate);

 private:
  void update(std::size_t row, const float* gradient, float rate);
  SpanModel& model_;
  std::vector<float> squares_;
};

}  // namespace treewright::constituency

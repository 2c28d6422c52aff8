#include "constituency/span.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/deadline.hpp"
#include "core/simd.hpp"

namespace treewright::constituency {
namespace {

constexpr float kNegligible = 1e-5f;  // gradients below this are not worth their cache misses
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TREEWRIGHT_CLONES void add_row(float* to, const float* row, std::size_t size) {
  for (std::size_t c = 0; c < size; ++c) to[c] += row[c];
}

TREEWRIGHT_CLONES double log_sum_exp(const double* x, std::size_t size) {
  double most = -kInfinity, sum = 0;
  for (std::size_t k = 0; k < size; ++k) most = std::max(most, x[k]);
  if (most == -kInfinity) return most;
  for (std::size_t k = 0; k < size; ++k) sum += exp_nonpositive(x[k] - most);
  return most + std::log(sum);
}

// out[k] = a[k] + b[k]
TREEWRIGHT_CLONES void add(const double* a, const double* b, std::size_t size, double* out) {
  for (std::size_t k = 0; k < size; ++k) out[k] = a[k] + b[k];
}

TREEWRIGHT_CLONES void exponentials(double* x, std::size_t size, double less, double scale) {
  for (std::size_t k = 0; k < size; ++k) x[k] = scale * exp_nonpositive(std::min(0.0, x[k] - less));
}

TREEWRIGHT_CLONES void adagrad(float* weight, float* square, const float* gradient, float rate,
                               std::size_t size) {
  for (std::size_t c = 0; c < size; ++c) {
    square[c] += gradient[c] * gradient[c];
    weight[c] += rate * gradient[c] / std::sqrt(square[c] + 1e-8f);
  }
}

}  // namespace

// The scores of one sentence's spans, and sums over its trees.
class SpanChart {
 public:
  SpanChart(const SpanModel& model, const Tokens& tokens);

  Index words() const { return keys.size(); }
  std::size_t cell(Index i, Index j) const { return at(i) * at(words() + 1) + at(j); }
  const float* scores(Index i, Index j) const { return &score_[cell(i, j) * stride_]; }
  // The log of the summed weights of all trees.
  double inside();
  // Posteriors of spans, by cell; after inside().
  void outside();
  // Posteriors of a span's classes.
  void classes(Index i, Index j, std::vector<double>& posterior) const;
  template <class Emit>
  void trace_best(Emit emit);

  SpanKeys keys;
  std::vector<double> posterior;

 private:
  void score(const SpanModel& model);
  void allowed(Index i, Index j, std::vector<double>& score) const;

  const SpanModel& model_;
  std::size_t stride_;
  std::vector<float> score_;       // [cells][stride]
  std::vector<double> total_;      // S by cell
  std::vector<double> from_, to_;  // I by [i][j], and by [j][i]
  std::vector<double> splits_;     // log sum over splits, by cell
};

bool SpanModel::fits(Index label, Index width, Index words) const {
  const ClassKind kind = kinds_[at(label)];
  if (kind == ClassKind::kWord) return width == 1;
  return kind == ClassKind::kPhrase || (width > 1 && width < words);
}

SpanModel::SpanModel(int bits, std::vector<ClassKind> classes, const TemplateProgram& templates)
    : bits_(bits),
      templates_(templates),
      kinds_(std::move(classes)),
      stride_((kinds_.size() + 15) / 16 * 16) {
  templates.require(kSpanValues, kSpanPlaces, kSpanMarks);
  if (bits < 1 || bits > 24) throw std::invalid_argument("a span model has 2^1 to 2^24 rows");
  if (kinds_.size() < 2 || kinds_.size() > 1024)
    throw std::invalid_argument("a span model has 2 to 1024 classes");
  if (kinds_[0] != ClassKind::kWord || kinds_[1] != ClassKind::kPhrase)
    throw std::invalid_argument("class 0 is a word and class 1 a phrase");
  weights_.assign(rows() * stride_, 0.0f);
}

SpanChart::SpanChart(const SpanModel& model, const Tokens& tokens)
    : keys(model.templates_, tokens), model_(model), stride_(model.stride()) {
  const std::size_t cells = at(words() + 1) * at(words() + 1);
  score_.assign(cells * stride_, 0.0f);
  total_.assign(cells, -kInfinity);
  from_ = to_ = splits_ = total_;
  score(model);
}

void SpanChart::score(const SpanModel& model) {
  const float* w = model.weights().data();
  const std::size_t mask = model.rows() - 1, stride = stride_;
  std::vector<float> left(at(words()) * stride, 0.0f), right(at(words() + 1) * stride, 0.0f);
  for (Index i = 0; i < words(); ++i) {
    for (const Key key : keys.left(i))
      add_row(&left[at(i) * stride], w + (key & mask) * stride, stride);
    for (const Key key : keys.right(i + 1))
      add_row(&right[at(i + 1) * stride], w + (key & mask) * stride, stride);
  }
  for (Index i = 0; i < words(); ++i)
    for (Index j = i + 1; j <= words(); ++j) {
      float* to = &score_[cell(i, j) * stride];
      add_row(to, &left[at(i) * stride], stride);
      add_row(to, &right[at(j) * stride], stride);
      keys.span(i, j, [&](Key key) { add_row(to, w + (key & mask) * stride, stride); });
    }
}

void SpanChart::allowed(Index i, Index j, std::vector<double>& out) const {
  const float* s = scores(i, j);
  out.assign(at(model_.classes()), -kInfinity);
  for (Index c = 0; c < model_.classes(); ++c)
    if (model_.fits(c, j - i, words())) out[at(c)] = static_cast<double>(s[c]);
}

double SpanChart::inside() {
  const Index n = words();
  std::vector<double> scratch;
  for (Index width = 1; width <= n; ++width)
    for (Index i = 0; i + width <= n; ++i) {
      check_deadline();
      const Index j = i + width;
      allowed(i, j, scratch);
      total_[cell(i, j)] = log_sum_exp(scratch.data(), scratch.size());
      double sum = 0;
      if (width > 1) {
        scratch.resize(at(width - 1));
        add(&from_[cell(i, i + 1)], &to_[cell(j, i + 1)], scratch.size(), scratch.data());
        sum = log_sum_exp(scratch.data(), scratch.size());
      }
      splits_[cell(i, j)] = sum;
      from_[cell(i, j)] = to_[cell(j, i)] = total_[cell(i, j)] + sum;
    }
  return from_[cell(0, n)];
}

// P(k | i, j) = exp(I(i, k) + I(k, j) - log sum over splits), from the root down.
void SpanChart::outside() {
  const Index n = words();
  posterior.assign(total_.size(), 0.0);
  posterior[cell(0, n)] = 1.0;
  std::vector<double> scratch;
  for (Index width = n; width > 1; --width)
    for (Index i = 0; i + width <= n; ++i) {
      check_deadline();
      const Index j = i + width;
      const double here = posterior[cell(i, j)];
      if (here < 1e-9) continue;
      scratch.resize(at(width - 1));
      add(&from_[cell(i, i + 1)], &to_[cell(j, i + 1)], scratch.size(), scratch.data());
      exponentials(scratch.data(), scratch.size(), splits_[cell(i, j)], here);
      for (Index k = i + 1; k < j; ++k) {
        posterior[cell(i, k)] += scratch[at(k - i - 1)];
        posterior[cell(k, j)] += scratch[at(k - i - 1)];
      }
    }
}

void SpanChart::classes(Index i, Index j, std::vector<double>& out) const {
  allowed(i, j, out);
  exponentials(out.data(), out.size(), total_[cell(i, j)], posterior[cell(i, j)]);
}

template <class Emit>
void SpanChart::trace_best(Emit emit) {
  const Index n = words();
  std::vector<double> scratch, value(total_.size(), 0.0);
  std::vector<Index> label(total_.size(), 0), split(total_.size(), 0);
  for (Index width = 1; width <= n; ++width)
    for (Index i = 0; i + width <= n; ++i) {
      check_deadline();
      const Index j = i + width;
      const std::size_t here = cell(i, j);
      allowed(i, j, scratch);
      label[here] =
          static_cast<Index>(std::max_element(scratch.begin(), scratch.end()) - scratch.begin());
      double best = width > 1 ? -kInfinity : 0.0;
      for (Index k = i + 1; k < j; ++k)
        if (const double sum = value[cell(i, k)] + value[cell(k, j)]; sum > best)
          best = sum, split[here] = k;
      value[here] = scratch[at(label[here])] + best;
    }
  std::vector<std::pair<Index, Index>> agenda{{0, n}};
  while (!agenda.empty()) {
    const auto [i, j] = agenda.back();
    agenda.pop_back();
    emit(i, j, label[cell(i, j)]);
    if (j - i == 1) continue;
    agenda.push_back({split[cell(i, j)], j});
    agenda.push_back({i, split[cell(i, j)]});
  }
}

std::vector<Candidate> SpanModel::candidates(const Tokens& tokens, double threshold) const {
  tokens.check();
  SpanChart chart(*this, tokens);
  chart.inside();
  chart.outside();
  std::vector<Candidate> found;
  std::vector<double> scratch;
  for (Index i = 0; i < chart.words(); ++i)
    for (Index j = i + 1; j <= chart.words(); ++j) {
      if (chart.posterior[chart.cell(i, j)] < threshold) continue;
      chart.classes(i, j, scratch);
      for (Index c = 1; c < classes(); ++c)
        if (scratch[at(c)] >= threshold)
          found.push_back({i, j, c, static_cast<float>(scratch[at(c)])});
    }
  return found;
}

std::vector<Candidate> SpanModel::best(const Tokens& tokens) const {
  tokens.check();
  SpanChart chart(*this, tokens);
  std::vector<Candidate> found;
  chart.trace_best([&](Index i, Index j, Index c) { found.push_back({i, j, c, 1.0f}); });
  return found;
}

void SpanCorpus::check(Index classes) const {
  const auto fail = [](const char* what) { throw std::invalid_argument(what); };
  if (first_token.empty() || first_token.size() != first_span.size())
    fail("sentences and their spans differ in number");
  if ((tokens.table.columns() && tokens.table.words() != tokens.size()) || spans.size() % 3 != 0)
    fail("attributes and sorts of words differ in number");
  if (first_token.back() != tokens.size() || at(first_span.back()) * 3 != spans.size() ||
      first_token[0] != 0 || first_span[0] != 0)
    fail("sentences do not cover the corpus");
  for (std::size_t s = 0; s < sentences(); ++s) {
    const Index n = first_token[s + 1] - first_token[s];
    if (n < 1 || n > 2000 || first_span[s + 1] < first_span[s])
      fail("a sentence has 1 to 2000 words");
    for (Index k = first_span[s]; k < first_span[s + 1]; ++k) {
      const Index* row = &spans[3 * at(k)];
      if (row[0] < 0 || row[0] >= row[1] || row[1] > n || row[2] < 0 || row[2] >= classes)
        fail("a span is outside its sentence, or its class outside the model");
    }
  }
}

SpanTrainer::SpanTrainer(SpanModel& model)
    : model_(model), squares_(model.weights().size(), 0.0f) {}

void SpanTrainer::update(std::size_t row, const float* gradient, float rate) {
  adagrad(&model_.weights_[row], &squares_[row], gradient, rate, model_.stride());
}

double SpanTrainer::pass(const SpanCorpus& corpus, std::span<const Index> order, double rate) {
  corpus.check(model_.classes());
  const std::size_t stride = model_.stride();
  const auto step = static_cast<float>(rate);
  double value = 0;
  std::vector<double> scratch;
  std::vector<float> gradient, left, right;
  for (const Index s : order) {
    if (s < 0 || at(s) >= corpus.sentences()) throw std::invalid_argument("no such sentence");
    const Index begin = corpus.first_token[at(s)], size = corpus.first_token[at(s) + 1] - begin;
    const Tokens tokens{corpus.tokens.table.part(begin, size),
                        corpus.tokens.sort.subspan(at(begin), at(size))};
    SpanChart chart(model_, tokens);
    value -= chart.inside();
    chart.outside();
    const Index n = chart.words();
    std::vector<Index> gold((at(n) + 1) * (at(n) + 1), -1);
    for (Index k = corpus.first_span[at(s)]; k < corpus.first_span[at(s) + 1]; ++k) {
      const Index* row = &corpus.spans[3 * at(k)];
      gold[chart.cell(row[0], row[1])] = row[2];
      value += static_cast<double>(chart.scores(row[0], row[1])[row[2]]);
    }
    left.assign(at(n) * stride, 0.0f);
    right.assign(at(n + 1) * stride, 0.0f);
    gradient.assign(stride, 0.0f);
    for (Index i = 0; i < n; ++i)
      for (Index j = i + 1; j <= n; ++j) {
        const Index label = gold[chart.cell(i, j)];
        if (label < 0 && chart.posterior[chart.cell(i, j)] < kNegligible) continue;
        chart.classes(i, j, scratch);
        float most = 0;
        for (Index c = 0; c < model_.classes(); ++c) {
          gradient[at(c)] = static_cast<float>((c == label) - scratch[at(c)]);
          most = std::max(most, std::abs(gradient[at(c)]));
        }
        if (most < kNegligible) continue;
        add_row(&left[at(i) * stride], gradient.data(), stride);
        add_row(&right[at(j) * stride], gradient.data(), stride);
        chart.keys.span(i, j, [&](Key key) { update(model_.row(key), gradient.data(), step); });
      }
    for (Index i = 0; i < n; ++i) {
      for (const Key key : chart.keys.left(i)) update(model_.row(key), &left[at(i) * stride], step);
      for (const Key key : chart.keys.right(i + 1))
        update(model_.row(key), &right[at(i + 1) * stride], step);
    }
  }
  return value;
}

}  // namespace treewright::constituency

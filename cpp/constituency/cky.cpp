#include "constituency/cky.hpp"

#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/deadline.hpp"

namespace treewright::constituency {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

class DenseCky {
 public:
  DenseCky(const TreebankGrammar& grammar, std::span<const double> score, Index words)
      : grammar_(grammar),
        words_(words),
        symbols_(at(grammar.symbols())),
        by_left_(symbols_),
        over_tag_(at(grammar.tags())),
        best_(cells() * symbols_, kNone),
        back_(cells() * symbols_),
        active_(cells()),
        root_score_(symbols_, kNone) {
    for (Index r = 0; r < grammar.binary_rules(); ++r) {
      const Index* rule = grammar.binary(r);
      by_left_[at(rule[1])].push_back({rule[2], rule[0], score[at(r)]});
    }
    for (Index label = grammar.tags(); label < grammar.symbols(); ++label)
      for (Index tag = 0; tag < grammar.tags(); ++tag)
        if (const Index r = grammar.unary(label, tag); r >= 0)
          over_tag_[at(tag)].push_back({label, score[at(r)]});
    for (Index s = 0; s < grammar.symbols(); ++s)
      if (const Index r = grammar.root(s); r >= 0) root_score_[at(s)] = score[at(r)];
  }

  void enter(Index word, Index tag, double score) {
    offer(word, word + 1, tag, score, {kNoTail, kNoTail, kNoTail});
    for (const auto& [label, rule_score] : over_tag_[at(tag)])
      offer(word, word + 1, label, score + rule_score, {kNoTail, tag, kNoTail});
  }

  // best(A, i, j) = max over k, A -> B C of score(A -> B C) + best(B, i, k) + best(C, k, j)
  void fill() {
    for (Index width = 2; width <= words_; ++width)
      for (Index i = 0; i + width <= words_; ++i) {
        check_deadline();
        for (Index k = i + 1; k < i + width; ++k) combine(i, k, i + width);
      }
  }

  BestTree trace() const {
    const std::size_t top = cell(0, words_);
    BestTree out{kNone, {}};
    Index root = kNoTail;
    for (const Index s : active_[top])
      if (const double total = best_[top * symbols_ + at(s)] + root_score_[at(s)];
          total > out.score)
        out.score = total, root = s;
    std::vector<std::array<Index, 3>> agenda;
    if (root != kNoTail) agenda.push_back({0, words_, root});
    while (!agenda.empty()) {
      const auto [i, j, symbol] = agenda.back();
      agenda.pop_back();
      out.nodes.insert(out.nodes.end(), {i, j, symbol});
      const Back& back = back_[cell(i, j) * symbols_ + at(symbol)];
      if (back.split != kNoTail) {
        agenda.push_back({back.split, j, back.right});
        agenda.push_back({i, back.split, back.left});
      } else if (back.left != kNoTail) {
        agenda.push_back({i, j, back.left});
      }
    }
    return out;
  }

 private:
  struct Back {
    Index split, left, right;
  };
  struct Rule {
    Index right, parent;
    double score;
  };

  std::size_t cells() const { return at(words_ + 1) * at(words_ + 1); }
  std::size_t cell(Index i, Index j) const { return at(i) * at(words_ + 1) + at(j); }

  void offer(Index i, Index j, Index symbol, double score, const Back& back) {
    const std::size_t here = cell(i, j) * symbols_ + at(symbol);
    if (score <= best_[here]) return;
    if (best_[here] == kNone) active_[cell(i, j)].push_back(symbol);
    best_[here] = score;
    back_[here] = back;
  }

  void combine(Index i, Index k, Index j) {
    const double* left = &best_[cell(i, k) * symbols_];
    const double* right = &best_[cell(k, j) * symbols_];
    if (active_[cell(k, j)].empty()) return;
    for (const Index b : active_[cell(i, k)])
      for (const Rule& rule : by_left_[at(b)])
        if (const double r = right[rule.right]; r != kNone)
          offer(i, j, rule.parent, left[b] + r + rule.score, {k, b, rule.right});
  }

  const TreebankGrammar& grammar_;
  Index words_;
  std::size_t symbols_;
  std::vector<std::vector<Rule>> by_left_;
  std::vector<std::vector<std::pair<Index, double>>> over_tag_;
  std::vector<double> best_;  // [cells][symbols]
  std::vector<Back> back_;
  std::vector<std::vector<Index>> active_;
  std::vector<double> root_score_;
};

}  // namespace

BestTree cky_best(const TreebankGrammar& grammar, std::span<const double> score, Index words,
                  std::span<const Index> entry_word, std::span<const Index> entry_tag,
                  std::span<const double> entry_score) {
  if (words < 1 || words > 300) throw std::invalid_argument("dense CKY spans 1 to 300 words");
  if (score.size() != at(grammar.rules())) throw std::invalid_argument("one score for each rule");
  if (entry_word.size() != entry_tag.size() || entry_word.size() != entry_score.size())
    throw std::invalid_argument("entries need a word, a tag and a score each");
  DenseCky cky(grammar, score, words);
  for (std::size_t e = 0; e < entry_word.size(); ++e) {
    if (entry_word[e] < 0 || entry_word[e] >= words || entry_tag[e] < 0 ||
        entry_tag[e] >= grammar.tags())
      throw std::invalid_argument("entry " + std::to_string(e) +
                                  " is outside the sentence or tags");
    cky.enter(entry_word[e], entry_tag[e], entry_score[e]);
  }
  cky.fill();
  return cky.trace();
}

}  // namespace treewright::constituency

// The symbols in the coarse chart of a sentence: the pairs that combine, and their positions.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>

#include "ccg/chart.hpp"

namespace treewright::ccg {

constexpr std::size_t kBits = 64;

// The rules of pairs of symbols, in a table over those in the sentence, with a bit per pair that
// can have any: most have none, and are skipped 64 at a time.
class LocalPairs {
 public:
  struct Range {
    Index first, last;
  };
  explicit LocalPairs(const CcgGrammar& grammar)
      : grammar_(grammar), number_(at(grammar.symbols()), -1) {}

  Index local(Index symbol) {
    Index& number = number_[at(symbol)];
    if (number < 0) {
      number = static_cast<Index>(symbols_.size());
      symbols_.push_back(symbol);
      if (symbols_.size() > width_) grow();
      if (!grammar_.combines_left(symbol))
        std::fill_n(bits_.begin() + number * words(), words(), 0);
    }
    return number;
  }
  std::size_t symbols() const { return symbols_.size(); }
  // Symbols word * 64 .. word * 64 + 63 that can combine with `left`.
  std::uint64_t partners(Index left, std::size_t word) const {
    return bits_[at(left) * at(words()) + word];
  }
  Range of(Index left, Index right) {
    Range& range = table_[at(left) * width_ + at(right)];
    if (range.first == kNotYet) range = look_up(left, right);
    return range;
  }
  std::vector<Index> unknown() const { return unknown_; }

 private:
  static constexpr Index kNotYet = -1;

  std::ptrdiff_t words() const { return static_cast<std::ptrdiff_t>(width_ / kBits); }
  Range look_up(Index left, Index right) {
    const Index l = symbols_[at(left)], r = symbols_[at(right)];
    const auto found = grammar_.rules(l, r);
    if (!found.known) unknown_.insert(unknown_.end(), {l, r});
    if (found.first == found.last)
      bits_[at(left) * at(words()) + at(right) / kBits] &=
          ~(std::uint64_t{1} << (at(right) % kBits));
    return {found.first, found.last};
  }
  void grow() {
    const std::size_t old = width_, wider = std::max(kBits, 2 * old);
    std::vector<Range> table(wider * wider, Range{kNotYet, kNotYet});
    std::vector<std::uint64_t> bits(wider * wider / kBits, ~std::uint64_t{0});
    for (std::size_t l = 0; l < old; ++l) {
      std::copy_n(table_.begin() + offset(l * old), old, table.begin() + offset(l * wider));
      std::copy_n(bits_.begin() + offset(l * old / kBits), old / kBits,
                  bits.begin() + offset(l * wider / kBits));
    }
    table_ = std::move(table), bits_ = std::move(bits);
    width_ = wider;
  }
  static std::ptrdiff_t offset(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

  const CcgGrammar& grammar_;
  std::vector<Index> number_, symbols_, unknown_;
  std::vector<Range> table_;
  std::vector<std::uint64_t> bits_;
  std::size_t width_ = 0;
};

// The nodes of each span by symbol: a bit per symbol of the span, and its nodes.
class SymbolIndex {
 public:
  struct Cell {
    std::size_t first_word = 0, last_word = 0, first_group = 0, last_group = 0;
    double best = kNever;  // inside
  };
  struct Group {
    Index symbol, first, last;  // nodes, into by_symbol
    double best;
  };
  explicit SymbolIndex(std::size_t cells) : cells_(cells) {}

  const Cell& cell(std::size_t number) const { return cells_[number]; }
  const Group& group(std::size_t number) const { return groups_[number]; }
  Index node(Index i) const { return by_symbol_[at(i)]; }
  std::uint64_t present(std::size_t word) const { return present_[word]; }
  // The group of a symbol in the span.
  const Group& find(std::size_t word, int bit) const {
    const std::uint64_t below = present_[word] & ((std::uint64_t{1} << bit) - 1);
    return groups_[rank_[word] + static_cast<std::size_t>(std::popcount(below))];
  }

  // Takes in the nodes first .. symbol.size()-1 of a span; symbol, inside: of all nodes.
  void add(std::size_t number, Index first, const std::vector<Index>& symbol,
           const std::vector<double>& inside) {
    for (Index v = first; at(v) < symbol.size(); ++v) by_symbol_.push_back(v);
    std::stable_sort(by_symbol_.begin() + first, by_symbol_.end(),
                     [&](Index a, Index b) { return symbol[at(a)] < symbol[at(b)]; });
    Cell& cell = cells_[number];
    cell.first_word = present_.size(), cell.first_group = groups_.size();
    for (Index i = first; at(i) < by_symbol_.size(); ++i) {
      list(cell, i, symbol[at(node(i))], inside[at(node(i))]);
      cell.best = std::max(cell.best, inside[at(node(i))]);
    }
    cell.last_word = present_.size(), cell.last_group = groups_.size();
  }

 private:
  void list(const Cell& cell, Index i, Index symbol, double inside) {
    if (groups_.size() == cell.first_group || groups_.back().symbol != symbol) {
      while (present_.size() - cell.first_word <= at(symbol) / kBits)
        present_.push_back(0), rank_.push_back(groups_.size());
      present_.back() |= std::uint64_t{1} << (at(symbol) % kBits);
      groups_.push_back({symbol, i, i, kNever});
    }
    groups_.back().last = i + 1;
    groups_.back().best = std::max(groups_.back().best, inside);
  }

  std::vector<Cell> cells_;
  std::vector<Group> groups_;
  std::vector<std::uint64_t> present_;  // [words]
  std::vector<std::size_t> rank_;       // [words], the first group
  std::vector<Index> by_symbol_;        // [nodes]
};

}  // namespace treewright::ccg

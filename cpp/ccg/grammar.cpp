// Compiled CCG grammars: checked once, then only used for lookup.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "ccg/chart.hpp"

namespace treewright::ccg {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("CCG grammar: ") + what);
}

std::uint64_t pair_key(Index left, Index right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
         static_cast<std::uint32_t>(right);
}

// The keys of the pairs with rules (rows sorted by pair), then those of the empty ones.
std::vector<std::uint64_t> keys_of(std::span<const Index> rules, std::span<const Index> empty) {
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i + kRuleColumns <= rules.size(); i += kRuleColumns)
    if (const auto k = pair_key(rules[i], rules[i + 1]); keys.empty() || keys.back() != k)
      keys.push_back(k);
  for (std::size_t i = 0; i + 2 <= empty.size(); i += 2)
    keys.push_back(pair_key(empty[i], empty[i + 1]));
  return keys;
}

}  // namespace

CcgGrammar::CcgGrammar(std::span<const std::uint8_t> variables, std::span<const Index> category,
                       std::span<const std::uint8_t> root, std::span<const std::uint8_t> mark,
                       std::span<const Index> rules, std::span<const std::uint8_t> maps,
                       std::span<const Index> entry_symbol, std::span<const Index> first_slot,
                       std::span<const Index> slots, std::span<const Index> empty_pairs,
                       std::span<const double> rule_score, std::span<const double> root_score,
                       std::span<const double> prior, bool closed)
    : variables_(variables.begin(), variables.end()),
      root_(root.begin(), root.end()),
      mark_(mark.begin(), mark.end()),
      maps_(maps.begin(), maps.end()),
      as_left_(variables.size(), 0),
      rule_score_(rule_score.begin(), rule_score.end()),
      root_score_(root_score.begin(), root_score.end()),
      prior_(prior.begin(), prior.end()),
      best_as_left_(variables.size(), -std::numeric_limits<double>::infinity()),
      category_(category.begin(), category.end()),
      entry_symbol_(entry_symbol.begin(), entry_symbol.end()),
      first_slot_(first_slot.begin(), first_slot.end()),
      pairs_(keys_of(rules, empty_pairs)),
      unary_(variables.size(), Range{0, 0, true}),
      closed_(closed) {
  require(category.size() == variables.size() && root.size() == variables.size(),
          "one category and one root flag a symbol");
  require(root_score.size() == variables.size(), "one root score a symbol");
  require(prior.size() == variables.size(), "one prior a symbol");
  require(mark.empty() || mark.size() == variables.size(), "one mark a symbol");
  require(first_slot.size() == entry_symbol.size() + 1 && first_slot[0] == 0,
          "first_slot must have one entry more than there are entries");
  require(rules.size() % kRuleColumns == 0 && slots.size() % 2 == 0 && empty_pairs.size() % 2 == 0,
          "rows of rules, slots or pairs are cut short");
  require(at(first_slot.back()) == slots.size() / 2, "first_slot must end at the slots");
  for (std::size_t e = 0; e < entry_symbol.size(); ++e) {
    require(entry_symbol[e] >= 0 && entry_symbol[e] < symbols(), "an entry's symbol is unknown");
    require(first_slot[e] <= first_slot[e + 1] && first_slot[e + 1] <= first_slot.back(),
            "first_slot must not fall");
    require(first_slot[e + 1] - first_slot[e] <= kSlotsPerCell, "an entry has too many slots");
    for (Index s = first_slot[e]; s < first_slot[e + 1]; ++s)
      require(slots[2 * at(s)] >= 0 && slots[2 * at(s)] < this->variables(entry_symbol[e]),
              "a slot waits for an unknown variable");
  }
  for (std::size_t s = 0; s < slots.size(); s += 2) slots_.emplace_back(slots[s], slots[s + 1]);
  for (const std::uint8_t v : variables) require(v > 0, "a symbol has no head variable");
  read_rules(rules, empty_pairs);
}

void CcgGrammar::read_rules(std::span<const Index> rows, std::span<const Index> empty_pairs) {
  for (std::size_t i = 0; i < rows.size(); i += kRuleColumns) {
    const Index* r = &rows[i];
    require(r[4] >= 0 && r[4] <= 5 && (r[5] == 0 || r[5] == 1) && r[6] >= 0 && r[6] < 256,
            "a rule's form, head side or number of variables is out of range");
    rules_.push_back({r[0], r[1], r[2], r[3], static_cast<Form>(r[4]),
                      static_cast<std::uint8_t>(r[5]), static_cast<std::uint8_t>(r[6]), r[7],
                      r[8]});
    check_rule(rules_.back());
    const auto number = static_cast<Index>(rules_.size()) - 1;
    const bool again = i && rows[i - kRuleColumns] == r[0] && rows[i - kRuleColumns + 1] == r[1];
    require(i == 0 || again || rows[i - kRuleColumns] < r[0] ||
                (rows[i - kRuleColumns] == r[0] && rows[i - kRuleColumns + 1] < r[1]),
            "rules must be sorted by their left and right symbols");
    if (again)
      ranges_.back().second = number + 1;
    else
      ranges_.emplace_back(number, number + 1);
    if (r[1] < 0)
      unary_[at(r[0])] = {ranges_.back().first, ranges_.back().second, true};
    else
      take_left(rules_.back());
  }
  ranges_.resize(ranges_.size() + empty_pairs.size() / 2, {0, 0});
}

void CcgGrammar::take_left(const CcgRule& rule) {
  as_left_[at(rule.left)] = 1;
  double& best = best_as_left_[at(rule.left)];
  best = std::max(best, rule_score(rule) + prior(rule.result));
}

void CcgGrammar::check_rule(const CcgRule& rule) const {
  const auto known = [&](Index s) { return s >= 0 && s < symbols(); };
  require(known(rule.left) && known(rule.result) && (rule.right == -1 || known(rule.right)),
          "a rule has an unknown symbol");
  require(rule.number >= 0 && at(rule.number) < rule_score_.size(), "a rule has no score");
  const auto check_map = [&](Index first, Index symbol) {
    const auto count = static_cast<std::size_t>(variables(symbol));
    require(first >= 0 && at(first) + count <= maps_.size(), "a rule's map is out of range");
    for (std::size_t v = 0; v < count; ++v)
      require(maps_[at(first) + v] < rule.variables, "a rule's map names an unknown variable");
  };
  check_map(rule.left_map, rule.left);
  if (rule.right >= 0) check_map(rule.right_map, rule.right);
  require(variables(rule.result) <= rule.variables, "a rule's result has too many variables");
}

std::span<const std::pair<Index, Index>> CcgGrammar::slots(Index entry) const {
  const Index first = first_slot_[at(entry)];
  return {slots_.data() + first, at(first_slot_[at(entry) + 1] - first)};
}

CcgGrammar::Range CcgGrammar::rules(Index left, Index right) const {
  if (right < 0) return unary_[at(left)];
  const Index found = pairs_.find(pair_key(left, right));
  if (found < 0) return {0, 0, closed_};
  return {ranges_[at(found)].first, ranges_[at(found)].second, true};
}

}  // namespace treewright::ccg

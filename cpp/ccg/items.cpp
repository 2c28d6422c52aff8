// Items and their combination: grammar/heads.py on integers.
#include "ccg/items.hpp"

#include <array>

namespace treewright::ccg {

namespace {

constexpr std::size_t kPrefix = 2;  // coarse node, lexical head

}  // namespace

HeadSets::HeadSets(Index words) {
  sets_({});
  for (Index w = 0; w < words; ++w) sets_(std::array{w});
}

Index HeadSets::join(Index one, Index two) {
  if (one == two || two == 0) return one;
  if (one == 0) return two;
  scratch_.clear();
  std::ranges::set_union(sets_[one], sets_[two], std::back_inserter(scratch_));
  return sets_(scratch_);
}

Items::Items(const CcgGrammar& grammar, const CcgSentence& sentence, bool dependencies)
    : grammar_(grammar), sentence_(sentence), full_(dependencies), sets_(sentence.words) {
  for (Index w = 0; w < sentence.words; ++w)
    word_of_cell_.resize(at(sentence.first_cell[at(w) + 1]), w);
}

Index Items::lexical(Index coarse, Index cell) {
  const Index entry = sentence_.entry[at(cell)];
  const int variables = grammar_.variables(grammar_.entry_symbol(entry));
  scratch_.assign({coarse, 0, sets_.of(words_of(cell))});
  if (full_) {
    scratch_.resize(kPrefix + static_cast<std::size_t>(variables), 0);
    const auto slots = grammar_.slots(entry);
    for (std::size_t s = 0; s < slots.size(); ++s)
      if (slots[s].first > 0) {
        scratch_.push_back(cell * kSlotsPerCell + static_cast<Index>(s));
        scratch_.push_back(slots[s].first);
      }
  }
  return items_(scratch_);
}

Index Items::apply(Index coarse, const CcgRule& rule, Index left, Index right) {
  filled.clear();
  heads_.assign(rule.variables, 0);
  const int left_variables = full_ ? grammar_.variables(rule.left) : 1;
  const int right_variables = right < 0 ? 0 : full_ ? grammar_.variables(rule.right) : 1;
  const std::uint8_t* left_map = grammar_.map(rule.left_map);
  const std::uint8_t* right_map = right < 0 ? nullptr : grammar_.map(rule.right_map);
  take_heads(left_map, items_[left], left_variables);
  if (right >= 0) take_heads(right_map, items_[right], right_variables);
  const int kept = full_ ? grammar_.variables(rule.result) : 1;
  const Index lexical = word(rule.head == 1 && right >= 0 ? right : left);
  scratch_.assign({coarse, heads_[0] ? 0 : lexical + 1});
  scratch_.insert(scratch_.end(), heads_.begin(), heads_.begin() + kept);
  if (full_) {
    take_slots(left_map, items_[left], left_variables, kept);
    if (right >= 0) take_slots(right_map, items_[right], right_variables, kept);
  }
  return items_(scratch_);
}

void Items::take_heads(const std::uint8_t* map, std::span<const Index> item, int variables) {
  for (int v = 0; v < variables; ++v) {
    Index& target = heads_[map[v]];
    target = sets_.join(target, item[kPrefix + static_cast<std::size_t>(v)]);
  }
}

void Items::take_slots(const std::uint8_t* map, std::span<const Index> item, int variables,
                       int kept) {
  for (std::size_t i = kPrefix + static_cast<std::size_t>(variables); i < item.size(); i += 2) {
    const int variable = map[item[i + 1]];
    if (heads_[static_cast<std::size_t>(variable)]) {
      fill(item[i], heads_[static_cast<std::size_t>(variable)]);
    } else if (variable < kept) {
      scratch_.push_back(item[i]);
      scratch_.push_back(variable);
    }
  }
}

// No word is its own argument, although unification can produce this in odd coordinations.
void Items::fill(Index slot, Index set) {
  const Index cell = slot / kSlotsPerCell;
  const auto slots = grammar_.slots(sentence_.entry[at(cell)]);
  const Index relation = slots[at(slot % kSlotsPerCell)].second;
  for (const Index argument : sets_.words(set))
    if (argument != words_of(cell))
      filled.push_back(dependencies_(std::array{cell, relation, argument}));
}

Index Items::word(Index item) const {
  const auto sequence = items_[item];
  return sequence[kPrefix] ? sets_.first(sequence[kPrefix]) : sequence[1] - 1;
}

std::vector<Index> Items::dependencies() const {
  std::vector<Index> rows;
  for (Index i = 0; i < dependencies_.size(); ++i)
    rows.insert(rows.end(), dependencies_[i].begin(), dependencies_[i].end());
  return rows;
}

}  // namespace treewright::ccg

// Lookup of gold constituents and dependencies, and counts of dependencies across a split.
#include "ccg/gold.hpp"

namespace treewright::ccg {

namespace {

std::vector<Key> keys_of(std::span<const Index> rows, std::size_t columns) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i + columns <= rows.size(); i += columns)
    keys.push_back(hash_of(rows.subspan(i, columns)));
  return keys;
}

}  // namespace

CcgGold::CcgGold(const CcgGrammar& grammar, const CcgSentence& sentence)
    : grammar_(grammar),
      sentence_(sentence),
      known_(!sentence.gold_cell.empty()),
      root_(sentence.gold_node.empty() ? -1 : sentence.gold_node[sentence.gold_node.size() - 3]),
      nodes_(keys_of(sentence.gold_node, 6)),
      dependencies_(keys_of(sentence.gold_dependency, 3)) {
  if (!known_) return;
  const std::size_t width = at(sentence.words) + 1;
  links_.assign(width * width, 0);
  for (std::size_t i = 0; i + 3 <= sentence.gold_dependency.size(); i += 3) {
    const std::size_t a = at(sentence.gold_dependency[i]);
    const std::size_t b = at(sentence.gold_dependency[i + 2]);
    ++links_[(std::min(a, b) + 1) * width + std::max(a, b) + 1];
  }
  for (std::size_t a = 1; a < width; ++a)
    for (std::size_t b = 1; b < width; ++b)
      links_[a * width + b] +=
          links_[(a - 1) * width + b] + links_[a * width + b - 1] - links_[(a - 1) * width + b - 1];
}

bool CcgGold::has_node(Index begin, Index split, Index end, const CcgRule& rule) const {
  const Index right = rule.right < 0 ? -1 : grammar_.category(rule.right);
  const Index row[] = {
      begin, split, end, grammar_.category(rule.result), grammar_.category(rule.left), right};
  return nodes_.find(hash_of(row)) >= 0;
}

bool CcgGold::has_dependency(Index functor, Index relation, Index argument) const {
  const Index row[] = {functor, relation, argument};
  return dependencies_.find(hash_of(row)) >= 0;
}

// links(a, b): the number of dependencies whose first word is before a and last word before b.
Index CcgGold::across(Index begin, Index split, Index end) const {
  const std::size_t width = at(sentence_.words) + 1;
  const auto links = [&](Index a, Index b) { return links_[at(a) * width + at(b)]; };
  return links(split, end) - links(begin, end) - links(split, split) + links(begin, split);
}

}  // namespace treewright::ccg

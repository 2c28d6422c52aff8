#include "constituency/keys.hpp"

#include <algorithm>

namespace treewright::constituency {

void Tokens::check() const {
  if (sort.empty() || sort.size() > 2000)
    throw std::invalid_argument("a sentence has 1 to 2000 words");
  if (table.columns() && table.words() != size())
    throw std::invalid_argument("attributes and sorts of words differ in number");
  for (const Index s : sort)
    if (s < 0 || at(s) >= kSorts) throw std::invalid_argument("a word's sort is outside 0 to 6");
}

SpanKeys::SpanKeys(const TemplateProgram& templates, const Tokens& tokens)
    : templates_(templates),
      tokens_(tokens),
      left_(at(tokens.size())),
      right_(at(tokens.size()) + 1),
      seen_(at(tokens.size()) + 1) {
  if (tokens.table.columns() != templates.limits().columns)
    throw std::invalid_argument("templates and words have different attributes");
  for (Index i = 0; i < size(); ++i) {
    const Split word{i, i, i + 1};
    each_key(kAtBegin, word, [&](Key key) { left_[at(i)].push_back(key); });
    each_key(kAtEnd, word, [&](Key key) { right_[at(i) + 1].push_back(key); });
    seen_[at(i) + 1] = seen_[at(i)];
    ++seen_[at(i) + 1][at(tokens_.sort[at(i)])];
  }
}

// All words of a short span.
Key SpanKeys::inside(const Atom& atom, Index begin, Index end) const {
  if (end - begin > kShort) return 0;
  Key hash = seed(static_cast<Key>(end - begin));
  for (Index k = begin; k < end; ++k) hash = mix(hash, tokens_.table(k, atom.attribute));
  return hash | 1;
}

// Which marks a span holds: conjunction, commas, colon, verbs, brackets that lack their partner.
Key SpanKeys::content(Index i, Index j) const {
  const auto number = [&](Sort sort, Index most) {
    const auto s = static_cast<std::size_t>(sort);
    return static_cast<Key>(std::min(seen_[at(j)][s] - seen_[at(i)][s], most));
  };
  Index depth = 0, lowest = 0;
  if (number(Sort::kOpen, 1) + number(Sort::kClose, 1))
    for (Index k = i; k < j; ++k) {
      const auto sort = static_cast<Sort>(tokens_.sort[at(k)]);
      depth += (sort == Sort::kOpen) - (sort == Sort::kClose);
      lowest = std::min(lowest, depth);
    }
  Key found = number(Sort::kConjunction, 1);
  found = found * 3 + number(Sort::kComma, 2);
  found = found * 2 + number(Sort::kColon, 1);
  found = found * 3 + number(Sort::kVerb, 2);
  return 1 + found * 4 + 2 * (lowest < 0) + (depth - lowest > 0);
}

}  // namespace treewright::constituency

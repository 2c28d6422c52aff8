#include "constituency/keys.hpp"

#include <algorithm>
#include <stdexcept>

namespace treewright::constituency {

void Tokens::check() const {
  if (word.empty() || word.size() > 2000)
    throw std::invalid_argument("a sentence has 1 to 2000 words");
  if (tag.size() != word.size() || shape.size() != word.size() || sort.size() != word.size())
    throw std::invalid_argument("words, tags, shapes and sorts differ in number");
  for (const Index s : sort)
    if (s < 0 || s > static_cast<Index>(Sort::kColon))
      throw std::invalid_argument("a word's sort is outside 0 to 6");
}

Index length_bin(Index length) {
  if (length <= 5) return length;
  if (length <= 7) return 6;
  if (length <= 10) return 7;
  if (length <= 15) return 8;
  return length <= 25 ? 9 : 10;
}

SpanKeys::SpanKeys(const Tokens& tokens)
    : tokens_(tokens),
      left_(at(tokens.size())),
      right_(at(tokens.size()) + 1),
      seen_(at(tokens.size()) + 1) {
  for (Index i = 0; i < size(); ++i) {
    fill_left(i);
    fill_right(i + 1);
    seen_[at(i) + 1] = seen_[at(i)];
    ++seen_[at(i) + 1][at(tokens_.sort[at(i)])];
  }
}

void SpanKeys::fill_left(Index i) {
  const Index p2 = tag(i - 2), p1 = tag(i - 1), t0 = tag(i), t1 = tag(i + 1), t2 = tag(i + 2);
  const Index u1 = word(i - 1), w0 = word(i), w1 = word(i + 1);
  left_[at(i)] = {make_key(0, t0),           make_key(1, p1),          make_key(2, w0),
                  make_key(3, u1),           make_key(4, p1, t0),      make_key(5, t0, t1),
                  make_key(6, u1, t0),       make_key(7, p1, w0),      make_key(8, u1, w0),
                  make_key(9, p2, p1),       make_key(10, p1, t0, t1), make_key(11, t0, t1, t2),
                  make_key(12, w0, t1),      make_key(13, w0, w1),     make_key(14, shape(i)),
                  make_key(15, shape(i - 1))};
}

void SpanKeys::fill_right(Index j) {
  const Index t3 = tag(j - 3), t2 = tag(j - 2), t1 = tag(j - 1), n0 = tag(j), n1 = tag(j + 1);
  const Index v1 = word(j - 1), v2 = word(j - 2), w0 = word(j);
  right_[at(j)] = {make_key(20, t1),      make_key(21, n0),         make_key(22, v1),
                   make_key(23, w0),      make_key(24, t1, n0),     make_key(25, t2, t1),
                   make_key(26, v1, n0),  make_key(27, t1, w0),     make_key(28, v1, w0),
                   make_key(29, n0, n1),  make_key(30, t2, t1, n0), make_key(31, t3, t2, t1),
                   make_key(32, t2, v1),  make_key(33, v2, v1),     make_key(34, shape(j - 1)),
                   make_key(35, shape(j))};
}

// Which marks a span holds: conjunction, commas, colon, verbs, brackets that lack their partner.
Key SpanKeys::content(Index i, Index j) const {
  const auto number = [&](Sort sort, Index most) {
    const auto s = static_cast<std::size_t>(sort);
    return std::min(seen_[at(j)][s] - seen_[at(i)][s], most);
  };
  Index depth = 0, lowest = 0;
  for (Index k = i; k < j; ++k) {
    const auto sort = static_cast<Sort>(tokens_.sort[at(k)]);
    depth += (sort == Sort::kOpen) - (sort == Sort::kClose);
    lowest = std::min(lowest, depth);
  }
  const Index brackets = 2 * (lowest < 0) + (depth - lowest > 0);
  return make_key(52, number(Sort::kConjunction, 1), number(Sort::kComma, 2),
                  number(Sort::kColon, 1), number(Sort::kVerb, 2), brackets);
}

void SpanKeys::span(Index i, Index j, std::array<Key, kSpanKeys>& keys) const {
  const Index length = length_bin(j - i);
  const Index p = tag(i - 1), t = tag(i), e = tag(j - 1), n = tag(j);
  Key all = make_key(51, j - i);
  if (j - i <= 5)
    for (Index k = i; k < j; ++k) all = join(all, static_cast<Key>(tag(k)));
  const Key inner = content(i, j);
  keys = {make_key(40, length),
          make_key(41, t, e),
          make_key(42, p, n),
          make_key(43, t, e, length),
          make_key(44, p, t, e, n),
          make_key(45, word(i), word(j - 1)),
          make_key(46, word(i - 1), word(j)),
          make_key(47, t, length),
          make_key(48, e, length),
          make_key(49, word(i), n),
          make_key(50, word(i - 1), n),
          j - i <= 5 ? all : make_key(53, p, t, e),
          inner,
          join(join(inner, static_cast<Key>(t)), static_cast<Key>(length))};
}

}  // namespace treewright::constituency

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "tagging/tagger.hpp"

namespace treewright::tagging {
namespace {

constexpr Key kBefore = 1, kAfter = 2, kNowhere = 3;  // attributes outside of the sentence
constexpr Index kDistance = -1;                       // the column that is no column

Key mix(Key hash, Key value) {
  hash = (hash ^ value) * 0xBF58476D1CE4E5B9ull;
  hash ^= hash >> 29;
  hash *= 0x94D049BB133111EBull;
  return hash ^ (hash >> 32);
}

// Distances by their logarithm: 0, 1, 2, 3, 4-7, 8-15 ...
Key bucket(Index distance) {
  const auto d = static_cast<unsigned>(distance < 0 ? -distance : distance);
  return d < 4 ? d : 2u + static_cast<unsigned>(std::bit_width(d) - 1);
}

void check_offsets(std::span<const Index> first, std::size_t size, const char* name) {
  const std::string what(name);
  if (first.empty() || first.front() != 0 || static_cast<std::size_t>(first.back()) != size)
    throw std::invalid_argument(what + ": offsets must run from 0 to the number of entries");
  if (!std::is_sorted(first.begin(), first.end()))
    throw std::invalid_argument(what + ": offsets must not fall");
}

}  // namespace

void TagInput::check() const {
  if (columns <= 0) throw std::invalid_argument("tagger input: no columns");
  check_offsets(first_position, classes.size(), "tagger input: sentences");
  if (attributes.size() != classes.size() * static_cast<std::size_t>(columns))
    throw std::invalid_argument("tagger input: attributes must be [positions][columns]");
}

Templates::Templates(std::span<const Index> first_atom, std::span<const Index> atoms,
                     std::span<const Index> scans, Index columns)
    : first_atom_(first_atom.begin(), first_atom.end()), columns_(columns) {
  if (atoms.size() % 3 || scans.size() % 2)
    throw std::invalid_argument("templates: atoms are rows of 3, scans rows of 2");
  check_offsets(first_atom, atoms.size() / 3, "templates");
  for (std::size_t i = 0; i < scans.size(); i += 2) {
    if (scans[i] < 0 || scans[i] > 31) throw std::invalid_argument("templates: no such class");
    if (scans[i + 1] != 1 && scans[i + 1] != -1)
      throw std::invalid_argument("templates: a scan goes left or right");
    scans_.push_back({1u << scans[i], scans[i + 1]});
  }
  for (std::size_t i = 0; i < atoms.size(); i += 3) {
    const Atom atom{atoms[i], atoms[i + 1], atoms[i + 2]};
    if (atom.anchor < 0 || atom.anchor > static_cast<Index>(scans_.size()))
      throw std::invalid_argument("templates: no such anchor");
    if (atom.column < kDistance || atom.column >= columns)
      throw std::invalid_argument("templates: no such column");
    if (atom.offset < -100 || atom.offset > 100)
      throw std::invalid_argument("templates: an offset is at most 100");
    atoms_.push_back(atom);
  }
}

// The nearest position with the class, strictly before or after; outside of the sentence if none.
void Templates::anchors(const TagInput& input, Index sentence, std::vector<Index>& out) const {
  const Index begin = input.first_position[static_cast<std::size_t>(sentence)];
  const Index end = input.first_position[static_cast<std::size_t>(sentence) + 1];
  const auto n = static_cast<std::size_t>(end - begin);
  const std::size_t width = scans_.size() + 1;
  out.resize(n * width);
  for (std::size_t i = 0; i < n; ++i) out[i * width] = begin + static_cast<Index>(i);
  for (std::size_t a = 1; a < width; ++a) {
    const Scan scan = scans_[a - 1];
    Index found = scan.step < 0 ? end : begin - 1;  // cannot be confused: the other side's border
    for (Index k = 0; k < end - begin; ++k) {
      const Index i = scan.step < 0 ? begin + k : end - 1 - k;
      out[static_cast<std::size_t>(i - begin) * width + a] = found;
      if (input.classes[static_cast<std::size_t>(i)] & scan.bit) found = i;
    }
  }
}

void Templates::hash(const TagInput& input, Index sentence, Key* out) const {
  std::vector<Index> places;
  anchors(input, sentence, places);
  const Index end = input.first_position[static_cast<std::size_t>(sentence) + 1];
  for (Index i = input.first_position[static_cast<std::size_t>(sentence)]; i < end; ++i) {
    hash_position(input, sentence, i, places, out);
    out += size();
  }
}

void Templates::hash_position(const TagInput& input, Index sentence, Index i,
                              const std::vector<Index>& places, Key* out) const {
  const Index begin = input.first_position[static_cast<std::size_t>(sentence)];
  const Index end = input.first_position[static_cast<std::size_t>(sentence) + 1];
  const Index* at = &places[static_cast<std::size_t>(i - begin) * (scans_.size() + 1)];
  for (std::size_t t = 0; t + 1 < first_atom_.size(); ++t) {
    Key key = (t + 1) * 0x9E3779B97F4A7C15ull;
    for (Index x = first_atom_[t]; x < first_atom_[t + 1]; ++x) {
      const Atom& atom = atoms_[static_cast<std::size_t>(x)];
      const Index base = at[atom.anchor], j = base + atom.offset;
      Key value;
      if (base < begin || base >= end)
        value = kNowhere;
      else if (atom.column == kDistance)
        value = bucket(base - i);
      else if (j < begin)
        value = kBefore;
      else if (j >= end)
        value = kAfter;
      else
        value = input.attributes[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns_) +
                                 static_cast<std::size_t>(atom.column)];
      key = mix(key, value);
    }
    *out++ = key;
  }
}

KeyTable::KeyTable(std::span<const Key> keys) {
  const auto size = std::bit_ceil(std::max<std::size_t>(16, 2 * keys.size()));
  mask_ = size - 1;
  shift_ = 64 - std::countr_zero(size);
  key_.assign(size, 0);
  number_.assign(size, -1);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::size_t at = slot(keys[i]);
    while (number_[at] >= 0) {
      if (key_[at] == keys[i]) throw std::invalid_argument("a key stands twice in its table");
      at = (at + 1) & mask_;
    }
    key_[at] = keys[i];
    number_[at] = static_cast<Index>(i);
  }
}

TagSets::TagSets(std::span<const Index> first_, std::span<const Index> tag_, Index tags)
    : first(first_.begin(), first_.end()), tag(tag_.begin(), tag_.end()) {
  check_offsets(first, tag.size(), "sets of tags");
  for (std::size_t s = 0; s + 1 < first.size(); ++s)
    if (first[s] == first[s + 1]) throw std::invalid_argument("sets of tags: one is empty");
  for (const Index t : tag)
    if (t < 0 || t >= tags) throw std::invalid_argument("sets of tags: no such tag");
}

}  // namespace treewright::tagging

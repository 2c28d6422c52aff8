#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "tagging/tagger.hpp"

namespace treewright::tagging {
namespace {

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

Templates::Templates(const TemplateProgram& program, std::span<const Index> scans)
    : program_(program) {
  if (scans.size() % 2) throw std::invalid_argument("templates: scans are rows of 2");
  program.require(1, static_cast<Index>(scans.size()) / 2 + 1, 1);
  for (std::size_t i = 0; i < scans.size(); i += 2) {
    if (scans[i] < 0 || scans[i] > 31) throw std::invalid_argument("templates: no such class");
    if (scans[i + 1] != 1 && scans[i + 1] != -1)
      throw std::invalid_argument("templates: a scan goes left or right");
    scans_.push_back({1u << scans[i], scans[i + 1]});
  }
}

// The nearest position with the class, strictly before or after; outside of the sentence if none.
void Templates::anchors(const TagInput& input, Index sentence, std::vector<Index>& out) const {
  const Index begin = input.first_position[at(sentence)];
  const Index end = input.first_position[at(sentence) + 1];
  const std::size_t width = scans_.size() + 1;
  out.resize(at(end - begin) * width);
  for (Index i = begin; i < end; ++i) out[at(i - begin) * width] = i;
  for (std::size_t a = 1; a < width; ++a) {
    const Scan scan = scans_[a - 1];
    Index found = scan.step < 0 ? end : begin - 1;  // cannot be confused: the other side's border
    for (Index k = 0; k < end - begin; ++k) {
      const Index i = scan.step < 0 ? begin + k : end - 1 - k;
      out[at(i - begin) * width + a] = found;
      if (input.classes[at(i)] & scan.bit) found = i;
    }
  }
}

void Templates::hash(const TagInput& input, Index sentence, Key* out) const {
  std::vector<Index> places;
  anchors(input, sentence, places);
  const Index end = input.first_position[at(sentence) + 1];
  for (Index i = input.first_position[at(sentence)]; i < end; ++i) {
    hash_position(input, sentence, i, places, out);
    out += size();
  }
}

void Templates::hash_position(const TagInput& input, Index sentence, Index i,
                              const std::vector<Index>& places, Key* out) const {
  const Index begin = input.first_position[at(sentence)];
  const Index words = input.first_position[at(sentence) + 1] - begin;
  const std::size_t width = at(columns());
  const WordTable table(input.attributes.subspan(at(begin) * width, at(words) * width), columns());
  const Index* place = &places[at(i - begin) * (scans_.size() + 1)];
  const auto value_of = [&](const Atom& atom) -> Key {
    const Index base = place[atom.place] - begin;
    if (base < 0 || base >= words) return kNowhere;
    if (atom.is_value()) return bucket(base + begin - i) + 1;
    return std::max(table.near(base + atom.offset, atom.attribute), Key{1});
  };
  for (const TemplateGroup& group : program_.groups())
    group.each_hash(value_of, [&](Key hash) { *out++ = finish(hash); });
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

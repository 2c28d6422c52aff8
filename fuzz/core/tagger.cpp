// Programs of templates and tables of taggers of any content, then used on a sentence.
#include "tagging/tagger.hpp"

#include <cstddef>

#include "input.hpp"

using namespace treewright;
using namespace treewright::tagging;

namespace {

std::vector<Index> program(fuzz::Input& input) {
  if (input.flag()) return input.numbers<Index>(40, -2, 4);
  // One group: an atom or two, and a template that has them.
  return {0, 0, 2, 1, input.number(0, 2), 0, input.number(-1, 1), kFirstValue, 1, 0, 7, 2, 0, ~1};
}

void target(fuzz::Input& input) {
  const Templates templates(TemplateProgram(program(input), {3, 1, 2, 1}),
                            input.numbers<Index>(2, -1, 1));
  const auto words = static_cast<std::size_t>(input.number(0, 5));
  auto attributes = input.numbers<Key>(20, 0, 3);
  auto classes = input.numbers<std::uint32_t>(6, 0, 3);
  auto set = input.numbers<Index>(6, 0, 1);
  auto ends = input.offsets<Index>(3, 4);
  if (input.flag()) {
    attributes.resize(words * 3), classes.resize(words), set.resize(words);
    ends = {0, static_cast<Index>(words)};
  }
  const TagInput sentence{attributes, classes, ends, 3};
  sentence.check();
  const Index tags = input.number(-1, 4);
  std::vector<Key> keys = input.numbers<Key>(8, 0, 9);
  if (input.flag()) {
    keys.resize(words * at(templates.size()));
    for (std::size_t s = 0; s + 1 < ends.size(); ++s)
      templates.hash(sentence, static_cast<Index>(s),
                     keys.data() + at(ends[s]) * at(templates.size()));
  }
  std::vector<Index> first = input.offsets<Index>(9, 2), tag = input.numbers<Index>(20, 0, 3);
  if (input.flag()) first.resize(keys.size() + 1, static_cast<Index>(tag.size()));
  const auto weights = input.scores<float>(tag.size(), 1e30, false);
  const auto width = static_cast<std::size_t>(tags + 1);
  const auto bigram = input.scores<float>(input.flag() ? width * width : 3, 700);
  const auto trigrams = input.numbers<Key>(3, 0, 1 << 22);
  const TaggerModel model(templates, keys, first, tag, weights, weights, tags,
                          {input.offsets<Index>(4, 3), input.numbers<Index>(8, 0, 3), tags}, bigram,
                          trigrams, input.scores<float>(trigrams.size(), 700), input.number(0, 2),
                          input.number(15, 64));
  model.check(sentence, set);
  Lattice lattice;
  for (std::size_t s = 0; s + 1 < ends.size(); ++s)
    model.tag(sentence, static_cast<Index>(s), set,
              {0.01, input.number(-1, 3), input.number(-1, 3)}, lattice);
  const std::vector<Index> rows = model.rows(sentence);
  std::vector<Index> entries;
  for (Index t = 0; t < tags && !rows.empty(); ++t) model.entries(rows.data(), t, entries);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(target, data, size);
}

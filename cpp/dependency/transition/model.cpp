#include "dependency/transition/model.hpp"

#include <algorithm>
#include <stdexcept>

namespace treewright::dependency::transition {

namespace {
void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}
}  // namespace

TransitionModel::TransitionModel(Transitions transitions, const TemplateProgram& program,
                                 std::int32_t class_column, std::vector<std::uint8_t> classes,
                                 std::int32_t tag_column, std::int32_t tags,
                                 std::vector<std::int32_t> filter_first,
                                 std::vector<std::uint16_t> filter_labels)
    : transitions_(transitions),
      program_(program),
      class_column_(class_column),
      tag_column_(tag_column),
      tags_(tags),
      classes_(std::move(classes)),
      filter_first_(std::move(filter_first)),
      filter_labels_(std::move(filter_labels)) {
  program.require(kStateValues, kSlots, kStateMarks);
  require(
      0 <= class_column && class_column < columns() && 0 <= tag_column && tag_column < columns(),
      "transition model: no such column");
  require(tags > 1 && filter_first_.size() == at(tags) * at(tags) * 2 + 1 &&
              filter_first_.front() == 0 && at(filter_first_.back()) == filter_labels_.size() &&
              std::ranges::is_sorted(filter_first_),
          "transition model: the table of labels has the wrong size");
  require(std::ranges::adjacent_find(filter_first_) == filter_first_.end(),
          "transition model: two tags without a label");
  for (const std::uint16_t label : filter_labels_)
    require(label < transitions.labels(), "transition model: no such label");
  require(!classes_.empty(), "transition model: no classes");
}

Sentence TransitionModel::sentence(std::span<const Key> values) const {
  const WordTable table(values, columns());
  require(table.words() > 0, "a sentence has no words");
  require(table.words() <= kMaxWords, "a sentence is too long");
  require(std::ranges::all_of(values, [](Key v) { return v > 0; }),
          "the values of attributes begin at 1");
  Sentence made{table, table.words(), {}};
  made.class_counts.assign((at(made.words) + 1) * kClasses, 0);
  for (std::int32_t word = 1; word <= made.words; ++word) {
    const Key value = table(word - 1, class_column_);
    const unsigned bits = value < classes_.size() ? classes_[value] : 0;
    for (std::size_t c = 0; c < kClasses; ++c)
      made.class_counts[at(word) * kClasses + c] =
          made.class_counts[at(word - 1) * kClasses + c] + static_cast<int>(bits >> c & 1);
  }
  return made;
}

std::int32_t TransitionModel::tag(const Sentence& sentence, std::int32_t word) const {
  const Key value = sentence.table(word - 1, tag_column_);
  return value < static_cast<Key>(tags_) ? static_cast<std::int32_t>(value) : 1;
}

std::span<const std::uint16_t> TransitionModel::labels(const Sentence& sentence, std::int32_t head,
                                                       std::int32_t dependent, bool left) const {
  const std::size_t row =
      (at(tag(sentence, head)) * at(tags_) + at(tag(sentence, dependent))) * 2 + (left ? 0 : 1);
  const std::size_t first = at(filter_first_[row]), end = at(filter_first_[row + 1]);
  return {filter_labels_.data() + first, end - first};
}

}  // namespace treewright::dependency::transition

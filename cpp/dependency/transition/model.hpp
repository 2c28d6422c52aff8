// What a transition parser knows besides its weights: actions, templates, and which labels may link
// which tags. Checked once, shared by search and training.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dependency/transition/features.hpp"

namespace treewright::dependency::transition {

class TransitionModel {
 public:
  // classes: a number below 1 << kClasses for each value of the
  // column class_column, a bit for each class that `between` counts. filter_first and
  // filter_labels: the labels of left arcs, then of right ones, for each (tag of the head, tag of
  // the dependent), a CSR table of tags * tags * 2 rows. Throws std::invalid_argument.
  TransitionModel(Transitions transitions, const TemplateProgram& program,
                  std::int32_t class_column, std::vector<std::uint8_t> classes,
                  std::int32_t tag_column, std::int32_t tags,
                  std::vector<std::int32_t> filter_first, std::vector<std::uint16_t> filter_labels);

  const Transitions& transitions() const { return transitions_; }
  const TemplateProgram& program() const { return program_; }
  std::int32_t columns() const { return program_.limits().columns; }
  // Weights of one feature: its actions, then one for all left and one for all right arcs.
  std::int32_t outputs() const { return transitions_.actions() + 2; }

  // Throws std::invalid_argument on a table that is not one of this model's words.
  Sentence sentence(std::span<const Key> table) const;
  // The labels that an arc between two words may have; never none.
  std::span<const std::uint16_t> labels(const Sentence& sentence, std::int32_t head,
                                        std::int32_t dependent, bool left) const;

 private:
  std::int32_t tag(const Sentence& sentence, std::int32_t word) const;

  Transitions transitions_;
  TemplateProgram program_;
  std::int32_t class_column_, tag_column_, tags_;
  std::vector<std::uint8_t> classes_;
  std::vector<std::int32_t> filter_first_;
  std::vector<std::uint16_t> filter_labels_;
};

}  // namespace treewright::dependency::transition

#include "dependency/transition/score.hpp"

namespace treewright::dependency::transition {

TREEWRIGHT_CLONES void add_floats(float* to, const float* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

// Row 0 is the scratch row: a cache of a fixed size serves sentences of any length.
std::pair<std::size_t, bool> GroupCache::row(std::uint64_t key) {
  if (values_.empty()) values_.resize(width_);
  std::size_t i = key & (kSlots - 1);
  for (; slots_[i].stamp == stamp_; i = (i + 1) & (kSlots - 1))
    if (slots_[i].key == key) return {slots_[i].row, true};
  if (used_ >= kSlots / 2) return {0, false};
  slots_[i] = {key, static_cast<std::uint32_t>(++used_), stamp_};
  if (values_.size() < (used_ + 1) * width_) values_.resize((used_ + 1) * width_ * 2);
  return {used_, false};
}

}  // namespace treewright::dependency::transition

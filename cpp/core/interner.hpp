// Sequences of integers interned to numbers.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/hash.hpp"

namespace treewright {

// Sequences of integers, numbered in the order of their first appearance.
class Interner {
 public:
  Interner() : slot_(64, -1) {}

  Index size() const { return static_cast<Index>(end_.size()); }
  std::span<const Index> operator[](Index number) const {
    const auto i = static_cast<std::size_t>(number);
    const std::size_t begin = i ? end_[i - 1] : 0;
    return {pool_.data() + begin, end_[i] - begin};
  }
  // The number of a sequence; a new sequence gets the next one.
  Index operator()(std::span<const Index> sequence) {
    const Key hash = hash_of(sequence);
    std::size_t at = hash & (slot_.size() - 1);
    for (; slot_[at] >= 0; at = (at + 1) & (slot_.size() - 1))
      if (std::ranges::equal((*this)[slot_[at]], sequence)) return slot_[at];
    slot_[at] = size();
    pool_.insert(pool_.end(), sequence.begin(), sequence.end());
    end_.push_back(pool_.size());
    hash_.push_back(hash);
    if (2 * end_.size() > slot_.size()) grow();
    return size() - 1;
  }

 private:
  void grow() {
    slot_.assign(2 * slot_.size(), -1);
    for (std::size_t i = 0; i < hash_.size(); ++i) {
      std::size_t at = hash_[i] & (slot_.size() - 1);
      while (slot_[at] >= 0) at = (at + 1) & (slot_.size() - 1);
      slot_[at] = static_cast<Index>(i);
    }
  }
  std::vector<Index> pool_, slot_;
  std::vector<std::size_t> end_;
  std::vector<Key> hash_;
};

}  // namespace treewright

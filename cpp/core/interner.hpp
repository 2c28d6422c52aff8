// Hash tables over integers: sequences interned to numbers, and 64-bit keys to numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/forest.hpp"

namespace treewright {

// A good mix of 64 bits (the finaliser of splitmix64).
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  return mix(seed + 0x9e3779b97f4a7c15ULL + value * 0xd6e8feb86659fd93ULL);
}

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
  // The number of a sequence, a new one if it was not here before.
  Index operator()(std::span<const Index> sequence) {
    std::uint64_t hash = sequence.size();
    for (const Index value : sequence) hash = mix(hash, static_cast<std::uint32_t>(value));
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
  std::vector<std::uint64_t> hash_;
};

// 64-bit keys, each with a number; made once, then only read.
class KeyNumbers {
 public:
  // key[i] gets the number i; of equal keys the first one wins.
  explicit KeyNumbers(std::span<const std::uint64_t> key)
      : mask_(std::bit_ceil(2 * key.size() + 2) - 1), slot_(mask_ + 1) {
    for (std::size_t i = 0; i < key.size(); ++i) insert(key[i], static_cast<Index>(i));
  }
  Index find(std::uint64_t key) const {
    for (std::size_t at = mix(key) & mask_;; at = (at + 1) & mask_) {
      if (slot_[at].number < 0) return -1;
      if (slot_[at].key == key) return slot_[at].number;
    }
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Index number = -1;
  };
  void insert(std::uint64_t key, Index number) {
    std::size_t at = mix(key) & mask_;
    for (; slot_[at].number >= 0; at = (at + 1) & mask_)
      if (slot_[at].key == key) return;
    slot_[at] = {key, number};
  }
  std::size_t mask_;
  std::vector<Slot> slot_;
};

}  // namespace treewright

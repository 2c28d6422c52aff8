// Sparse weights: a feature's row holds a weight for each action that it has met.
//
// LearningRows grow and keep what averaging needs; FrozenRows are the averaged weights, 16 bits
// each, packed so that a feature costs two cache lines. Both hand out rows in two steps, so that a
// search can ask for many features at once and wait for memory once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

// The weights of a model as arrays: feature keys in order, and their rows as a CSR matrix.
struct WeightArrays {
  std::vector<std::uint64_t> keys;
  std::vector<std::int64_t> first;     // [keys + 1]
  std::vector<std::uint16_t> actions;  // [entries]
  std::vector<float> weights;          // [entries]
};

class LearningRows {
 public:
  LearningRows();
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[home(key)]); }
  // The slot of a feature, or nothing; its row is on the way to the cache.
  const void* find(std::uint64_t key) const {
    const Slot* slot = find_slot(key);
    if (slot) __builtin_prefetch(&entries_[slot->first]);
    return slot;
  }
  void add_row(const void* found, float* scores) const {
    const Slot& slot = *static_cast<const Slot*>(found);
    const Entry* row = &entries_[slot.first];
    for (std::uint32_t i = 0; i < slot.count; ++i) scores[row[i].action] += row[i].weight;
  }
  // w += amount, where `time` examples have been seen before.
  void update(std::uint64_t key, std::int32_t action, float amount, double time);
  // The average over `time` examples; weights of at most `threshold` are left out.
  WeightArrays averaged(double time, float threshold) const;
  WeightArrays current() const;
  std::size_t features() const { return features_; }

 private:
  struct Entry {
    std::uint32_t action;
    float weight;
    double moment;  // the sum of time * amount over updates: average = weight - moment / time
  };
  struct Slot {
    std::uint64_t key;
    std::uint32_t first;
    std::uint16_t count, capacity;  // a capacity of 0 is a free slot
  };
  std::size_t home(std::uint64_t key) const { return key & mask_; }
  const Slot* find_slot(std::uint64_t key) const {
    for (std::size_t i = home(key);; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.capacity == 0) return nullptr;
      if (slot.key == key) return &slot;
    }
  }
  Slot& own_slot(std::uint64_t key);
  Entry& own_entry(Slot& slot, std::int32_t action);
  void widen(Slot& slot);
  void rehash();

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
  std::vector<std::vector<std::uint32_t>> free_;  // abandoned rows, by the logarithm of their size
  std::size_t mask_, features_ = 0;
};

class FrozenRows {
 public:
  // Throws std::invalid_argument on arrays that do not fit together.
  FrozenRows(std::span<const std::uint64_t> keys, std::span<const std::int64_t> first,
             std::span<const std::uint16_t> actions, std::span<const float> weights,
             std::int32_t action_count);
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[home(key)]); }
  const void* find(std::uint64_t key) const {
    const auto check = static_cast<std::uint32_t>(key >> 32);
    for (std::size_t i = home(key);; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.first == kFree) return nullptr;
      if (slot.check != check) continue;
      __builtin_prefetch(&entries_[slot.first]);
      return &slot;
    }
  }
  void add_row(const void* found, float* scores) const {
    const Entry* row = &entries_[static_cast<const Slot*>(found)->first];
    const std::uint32_t count = row->action;  // the head of a row holds its length
    for (std::uint32_t i = 1; i <= count; ++i) scores[row[i].action] += row[i].weight;
  }
  float scale() const { return scale_; }
  std::size_t bytes() const {
    return slots_.size() * sizeof(Slot) + entries_.size() * sizeof(Entry);
  }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  struct Entry {
    std::uint16_t action;
    std::int16_t weight;
  };
  struct Slot {
    std::uint32_t check = 0, first = kFree;
  };
  std::size_t home(std::uint64_t key) const { return key & mask_; }

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
  std::size_t mask_;
  float scale_ = 1;  // a unit of the stored weights
};

}  // namespace treewright

// Sparse weights: a feature's row holds a weight for each action that it has met.
//
// LearningRows grow and keep what averaging needs; FrozenRows are the averaged weights, 16 bits
// each. A search asks for many features at once, and most of them have no row: both tables keep a
// byte for every slot that rules those out, and hand out rows in steps (prefetch, locate, find,
// add_row), each of which asks memory for what the next one reads.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/hash.hpp"
#include "core/huge_pages.hpp"

namespace treewright::dependency::transition {

// The weights of a model as arrays: feature keys in order, and their rows as a CSR matrix.
struct WeightArrays {
  std::vector<std::uint64_t> keys;
  std::vector<std::int64_t> first;     // [keys + 1]
  std::vector<std::uint16_t> actions;  // [entries]
  std::vector<float> weights;          // [entries]
};

// The same of weights that are being learned, with what averaging needs.
struct LearningArrays {
  WeightArrays rows;
  std::vector<double> moments;  // [entries]
};

// A byte for every slot of a hash table: 0 where it is free, else some bits of its key.
class Marks {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};
  explicit Marks(std::size_t size = 0) : bytes_(size, 0) {}
  std::size_t size() const { return bytes_.size(); }
  std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>(static_cast<unsigned __int128>(key) * bytes_.size() >> 64);
  }
  std::size_t after(std::size_t i) const { return i + 1 == bytes_.size() ? 0 : i + 1; }
  bool free(std::size_t i) const { return bytes_[i] == 0; }
  void set(std::size_t i, std::uint64_t key) { bytes_[i] = mark(key); }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&bytes_[home(key)]); }
  // The first slot from i on that may hold the key, or kNone.
  std::size_t next(std::size_t i, std::uint64_t key) const {
    const std::uint8_t wanted = mark(key);
    for (; bytes_[i] != wanted; i = after(i))
      if (bytes_[i] == 0) return kNone;
    return i;
  }

 private:
  static std::uint8_t mark(std::uint64_t key) { return static_cast<std::uint8_t>(key | 1); }
  HugeVector<std::uint8_t> bytes_;
};

class LearningRows {
 public:
  LearningRows();
  void prefetch(std::uint64_t key) const { marks_.prefetch(key); }
  std::size_t locate(std::uint64_t key) const {
    const std::size_t i = marks_.next(marks_.home(key), key);
    if (i != Marks::kNone) __builtin_prefetch(&slots_[i]);
    return i;
  }
  // The slot of a feature that `locate` may have found, or nothing.
  const void* find(std::uint64_t key, std::size_t i) const {
    const Slot* slot = find_slot(key, i);
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
  // All of it, and the way back into rows without features; throws std::invalid_argument on arrays
  // that do not fit together.
  LearningArrays state() const;
  void restore(std::span<const std::uint64_t> keys, std::span<const std::int64_t> first,
               std::span<const std::uint16_t> actions, std::span<const float> weights,
               std::span<const double> moments, std::int32_t action_count);
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
    std::uint16_t count, capacity;
  };
  const Slot* find_slot(std::uint64_t key, std::size_t i) const {
    while (i != Marks::kNone && slots_[i].key != key) i = marks_.next(marks_.after(i), key);
    return i == Marks::kNone ? nullptr : &slots_[i];
  }
  std::vector<const Slot*> slots_by_key() const;
  std::vector<Entry> row_by_action(const Slot& slot) const;
  Slot& own_slot(std::uint64_t key);
  Entry& own_entry(Slot& slot, std::int32_t action);
  Slot& insert(const Slot& slot);
  void widen(Slot& slot);
  void rehash();

  Marks marks_;
  HugeVector<Slot> slots_;
  HugeVector<Entry> entries_;
  std::vector<std::vector<std::uint32_t>> free_;  // abandoned rows, by the logarithm of their size
  std::size_t features_ = 0;
};

class FrozenRows {
 public:
  // Throws std::invalid_argument on arrays that do not fit together.
  FrozenRows(std::span<const std::uint64_t> keys, std::span<const std::int64_t> first,
             std::span<const std::uint16_t> actions, std::span<const float> weights,
             std::int32_t action_count, int key_bits = 64);
  void prefetch(std::uint64_t key) const { marks_.prefetch(own(key)); }
  std::size_t locate(std::uint64_t key) const {
    key = own(key);
    const std::size_t i = marks_.next(marks_.home(key), key);
    if (i != Marks::kNone) __builtin_prefetch(&slots_[i]);
    return i;
  }
  const void* find(std::uint64_t key, std::size_t i) const {
    key = own(key);
    const auto check = static_cast<std::uint32_t>(key);
    while (i != Marks::kNone && slots_[i].check != check) i = marks_.next(marks_.after(i), key);
    if (i == Marks::kNone) return nullptr;
    const Slot& slot = slots_[i];
    if (slot.entries[0].action == kElsewhere) __builtin_prefetch(&entries_[slot.first()]);
    return &slot;
  }
  void add_row(const void* found, float* scores) const {
    const Slot& slot = *static_cast<const Slot*>(found);
    const Entry* row = slot.entries;
    std::size_t count = kInline;
    if (row->action == kElsewhere) {
      count = static_cast<std::size_t>(row->weight);
      row = &entries_[slot.first()];
    }
    for (std::size_t i = 0; i < count; ++i) scores[row[i].action] += row[i].weight;
  }
  float scale() const { return scale_; }
  std::size_t bytes() const {
    return slots_.size() * (sizeof(Slot) + 1) + entries_.size() * sizeof(Entry);
  }

 private:
  static constexpr std::size_t kInline = 3;
  static constexpr std::uint16_t kElsewhere = 0xFFFF;  // in place of the first entry's action
  struct Entry {
    std::uint16_t action;
    std::int16_t weight;
  };
  // A row of up to three entries stands in its slot, filled up with weights of 0; of a longer one
  // the slot has the length and the place.
  struct Slot {
    std::uint32_t check = 0;
    Entry entries[kInline] = {};
    std::uint32_t first() const {
      return std::bit_cast<std::uint32_t>(std::array{entries[1].action, entries[2].action});
    }
  };
  void fill(Slot& slot, std::span<const Entry> row);
  // The key that a table of this model has for a hash: slots are found by its upper bits.
  std::uint64_t own(std::uint64_t hash) const {
    return mask_ == ~std::uint64_t{0} ? hash : (hash & mask_) * 0x9E3779B97F4A7C15u;
  }

  Marks marks_;
  HugeVector<Slot> slots_;
  HugeVector<Entry> entries_;
  float scale_ = 1;  // a unit of the stored weights
  std::uint64_t mask_;
};

}  // namespace treewright::dependency::transition

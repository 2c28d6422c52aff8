// The one hash of the core, and tables of what it gives: keys of features, sequences of integers.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/forest.hpp"

namespace treewright {

using Key = std::uint64_t;

// One step of the hash of a sequence. `finish` ends it: only then does every bit of the result
// depend on every value.
inline Key mix(Key hash, Key value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}
inline Key finish(Key hash) {
  hash *= 0xBF58476D1CE4E5B9u;
  return hash ^ (hash >> 32);
}
// The start of a hash, by number.
inline Key seed(Key number) { return finish(number + 0x51ED270B7A1F39C5u); }
inline Key hash_of(std::span<const Index> values) {
  Key hash = seed(values.size());
  for (const Index value : values) hash = mix(hash, static_cast<std::uint32_t>(value));
  return finish(hash);
}

// SplitMix64 (Steele, Lea and Flood 2014): the next number of a random sequence.
inline std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// Numbers 0, 1, ... for keys, in the order in which they come; open addressing.
class KeyTable {
 public:
  KeyTable() { resize(64); }
  explicit KeyTable(std::span<const Key> keys) {
    resize(std::bit_ceil(2 * keys.size() + 16));
    for (const Key key : keys) add(key);
  }
  // keys[i] has the number i. Throws std::invalid_argument where a key comes twice.
  static KeyTable distinct(std::span<const Key> keys) {
    KeyTable table(keys);
    if (at(table.size_) != keys.size()) throw std::invalid_argument("a key stands twice");
    return table;
  }
  Index size() const { return size_; }
  // -1 for keys that are not there.
  Index find(Key key) const { return slots_[place(key)].number; }
  // The key's number, a new one if it was not here before.
  Index add(Key key) {
    std::size_t i = place(key);
    if (slots_[i].number >= 0) return slots_[i].number;
    if (2 * at(size_) + 2 > slots_.size()) {
      grow();
      i = place(key);
    }
    slots_[i] = {key, size_};
    return size_++;
  }
  void prefetch(Key key) const { __builtin_prefetch(&slots_[home(key)]); }

 private:
  struct Slot {
    Key key = 0;
    Index number = -1;
  };
  std::size_t home(Key key) const { return (key * 0x9E3779B97F4A7C15u) >> shift_; }
  // Where the key is, or would be.
  std::size_t place(Key key) const {
    std::size_t i = home(key);
    while (slots_[i].number >= 0 && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void resize(std::size_t size) {
    slots_.assign(size, {});
    shift_ = 64 - std::countr_zero(size);
  }
  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    resize(2 * old.size());
    for (const Slot& slot : old)
      if (slot.number >= 0) slots_[place(slot.key)] = slot;
  }

  std::vector<Slot> slots_;
  Index size_ = 0;
  int shift_ = 0;
};

}  // namespace treewright

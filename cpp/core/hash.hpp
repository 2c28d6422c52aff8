// The hash function of the core, and hash tables: keys of features, sequences of integers.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/forest.hpp"

namespace treewright {

using Key = std::uint64_t;

// One step of the hash of a sequence; `finish` completes it, so that each bit depends on all
// values.
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

// The number of hash bits in a key of a packed model; 64: all. Throws std::invalid_argument.
inline Key key_mask(int bits) {
  if (bits < 1 || bits > 64) throw std::invalid_argument("a key has 1 to 64 bits");
  return ~Key{0} >> (64 - bits);
}

// Numbers keys 0, 1, ... in order of appearance, with open addressing. Keys of up to 32 bits take
// 14 bytes each.
class KeyTable {
 public:
  KeyTable() { resize(64); }
  // bits: the number of lower bits that distinguish keys.
  explicit KeyTable(std::span<const Key> keys, int bits = 64) : mask_(key_mask(bits)) {
    resize(keys.size() * 7 / 4 + 16);
    for (const Key key : keys) add(key);
  }
  // keys[i] gets the number i. Throws std::invalid_argument on a duplicate key.
  static KeyTable distinct(std::span<const Key> keys, int bits = 64) {
    KeyTable table(keys, bits);
    if (at(table.size_) != keys.size()) throw std::invalid_argument("a key stands twice");
    return table;
  }
  Index size() const { return size_; }
  // -1 for unknown keys.
  Index find(Key key) const { return slot_[place(key & mask_)].number; }
  // The key's number; a new key gets the next one.
  Index add(Key key) {
    key &= mask_;
    std::size_t i = place(key);
    if (slot_[i].number >= 0) return slot_[i].number;
    if (7 * (at(size_) + 1) > 4 * slot_.size()) {
      grow();
      i = place(key);
    }
    put(i, key, size_);
    return size_++;
  }
  void prefetch(Key key) const { __builtin_prefetch(&slot_[home(key & mask_)]); }

 private:
  struct Slot {
    std::uint32_t low = 0;  // the lower half of the key
    Index number = -1;
  };
  static std::uint32_t upper(Key key) { return static_cast<std::uint32_t>(key >> 32); }
  bool is_short() const { return upper(mask_) == 0; }
  std::size_t home(Key key) const {
    const auto spread = static_cast<unsigned __int128>(key * 0x9E3779B97F4A7C15u);
    return static_cast<std::size_t>(spread * slot_.size() >> 64);
  }
  bool holds(std::size_t i, Key key) const {
    return slot_[i].low == static_cast<std::uint32_t>(key) &&
           (high_.empty() || high_[i] == upper(key));
  }
  // The slot of the key, or the one where it would be inserted.
  std::size_t place(Key key) const {
    std::size_t i = home(key);
    while (slot_[i].number >= 0 && !holds(i, key)) i = i + 1 == slot_.size() ? 0 : i + 1;
    return i;
  }
  void put(std::size_t i, Key key, Index number) {
    slot_[i] = {static_cast<std::uint32_t>(key), number};
    if (!is_short()) high_[i] = upper(key);
  }
  void resize(std::size_t size) {
    slot_.assign(size, {});
    high_.assign(is_short() ? 0 : size, 0);
  }
  void grow() {
    const std::vector<Slot> slots = std::move(slot_);
    const std::vector<std::uint32_t> high = std::move(high_);
    resize(2 * slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (slots[i].number >= 0) {
        const Key key = (high.empty() ? Key{0} : Key{high[i]} << 32) | slots[i].low;
        put(place(key), key, slots[i].number);
      }
  }

  std::vector<Slot> slot_;
  std::vector<std::uint32_t> high_;  // the upper halves of keys, if they have any
  Key mask_ = ~Key{0};
  Index size_ = 0;
};

}  // namespace treewright

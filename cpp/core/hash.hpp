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

// The bits of a hash that a key of a packed model has; 64 are all. Throws std::invalid_argument.
inline Key key_mask(int bits) {
  if (bits < 1 || bits > 64) throw std::invalid_argument("a key has 1 to 64 bits");
  return ~Key{0} >> (64 - bits);
}

// Numbers 0, 1, ... for keys, in the order in which they come; open addressing.
class KeyTable {
 public:
  KeyTable() { resize(64); }
  // bits: how many of the lower bits tell keys apart.
  explicit KeyTable(std::span<const Key> keys, int bits = 64) : mask_(key_mask(bits)) {
    resize(std::bit_ceil(2 * keys.size() + 16));
    for (const Key key : keys) add(key);
  }
  // keys[i] has the number i. Throws std::invalid_argument where a key comes twice.
  static KeyTable distinct(std::span<const Key> keys, int bits = 64) {
    KeyTable table(keys, bits);
    if (at(table.size_) != keys.size()) throw std::invalid_argument("a key stands twice");
    return table;
  }
  Index size() const { return size_; }
  // -1 for keys that are not there.
  Index find(Key key) const { return number_[place(key & mask_)]; }
  // The key's number, a new one if it was not here before.
  Index add(Key key) {
    key &= mask_;
    std::size_t i = place(key);
    if (number_[i] >= 0) return number_[i];
    if (2 * at(size_) + 2 > key_.size()) {
      grow();
      i = place(key);
    }
    key_[i] = key;
    return number_[i] = size_++;
  }
  void prefetch(Key key) const { __builtin_prefetch(&number_[home(key & mask_)]); }

 private:
  std::size_t home(Key key) const { return (key * 0x9E3779B97F4A7C15u) >> shift_; }
  // Where the key is, or would be.
  std::size_t place(Key key) const {
    std::size_t i = home(key);
    while (number_[i] >= 0 && key_[i] != key) i = (i + 1) & (key_.size() - 1);
    return i;
  }
  void resize(std::size_t size) {
    key_.assign(size, 0);
    number_.assign(size, -1);
    shift_ = 64 - std::countr_zero(size);
  }
  void grow() {
    const std::vector<Key> keys = std::move(key_);
    const std::vector<Index> numbers = std::move(number_);
    resize(2 * keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (numbers[i] >= 0) {
        const std::size_t to = place(keys[i]);
        key_[to] = keys[i], number_[to] = numbers[i];
      }
  }

  // Most keys that are looked for are not there: their numbers alone say so, and stay in the cache.
  std::vector<Key> key_;
  std::vector<Index> number_;
  Key mask_ = ~Key{0};
  Index size_ = 0;
  int shift_ = 0;
};

}  // namespace treewright

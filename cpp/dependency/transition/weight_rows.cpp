#include "dependency/transition/weight_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace treewright::dependency::transition {

namespace {
constexpr std::size_t kFirstSlots = 1 << 16;
std::size_t log_size(std::uint32_t size) {
  return static_cast<std::size_t>(std::countr_zero(size));
}

void check_rows(std::span<const std::uint64_t> keys, std::span<const std::int64_t> first,
                std::span<const std::uint16_t> actions, std::span<const float> weights,
                std::int32_t action_count) {
  const auto entries = static_cast<std::int64_t>(actions.size());
  if (first.size() != keys.size() + 1 || first.front() != 0 || first.back() != entries ||
      weights.size() != actions.size() || !std::ranges::is_sorted(first))
    throw std::invalid_argument("weights: rows and entries do not fit together");
  if (actions.size() > UINT32_MAX) throw std::invalid_argument("weights: too many");
  for (const std::uint16_t action : actions)
    if (action >= action_count) throw std::invalid_argument("weights: no such action");
}
}  // namespace

LearningRows::LearningRows() : marks_(kFirstSlots), slots_(kFirstSlots), free_(17) {}

LearningRows::Slot& LearningRows::insert(const Slot& slot) {
  std::size_t i = marks_.home(slot.key);
  while (!marks_.free(i)) i = marks_.after(i);
  marks_.set(i, slot.key);
  return slots_[i] = slot;
}

void LearningRows::rehash() {
  HugeVector<Slot> old(slots_.size() * 2);
  Marks marks(old.size());
  old.swap(slots_);
  std::swap(marks, marks_);
  for (std::size_t i = 0; i < old.size(); ++i)
    if (!marks.free(i)) insert(old[i]);
}

LearningRows::Slot& LearningRows::own_slot(std::uint64_t key) {
  if (const Slot* found = find_slot(key, marks_.next(marks_.home(key), key)))
    return const_cast<Slot&>(*found);
  if (3 * features_ > 2 * slots_.size()) rehash();
  ++features_;
  Slot& slot = insert({key, 0, 0, 0});
  widen(slot);
  return slot;
}

// Gives a row twice its room, or its first two entries; the old room is used again.
void LearningRows::widen(Slot& slot) {
  const std::uint32_t capacity = slot.capacity ? 2u * slot.capacity : 2u;
  std::vector<std::uint32_t>& spare = free_[log_size(capacity)];
  std::uint32_t first;
  if (spare.empty()) {
    if (entries_.size() + capacity > UINT32_MAX) throw std::length_error("too many weights");
    first = static_cast<std::uint32_t>(entries_.size());
    entries_.resize(entries_.size() + capacity);
  } else {
    first = spare.back();
    spare.pop_back();
  }
  std::copy_n(&entries_[slot.first], slot.count, &entries_[first]);
  if (slot.capacity) free_[log_size(slot.capacity)].push_back(slot.first);
  slot.first = first;
  slot.capacity = static_cast<std::uint16_t>(capacity);
}

LearningRows::Entry& LearningRows::own_entry(Slot& slot, std::int32_t action) {
  const auto wanted = static_cast<std::uint32_t>(action);
  for (std::uint32_t i = 0; i < slot.count; ++i)
    if (entries_[slot.first + i].action == wanted) return entries_[slot.first + i];
  if (slot.count == slot.capacity) widen(slot);
  Entry& made = entries_[slot.first + slot.count++];
  made = {wanted, 0, 0};
  return made;
}

void LearningRows::update(std::uint64_t key, std::int32_t action, float amount, double time) {
  Entry& entry = own_entry(own_slot(key), action);
  entry.weight += amount;
  entry.moment += time * static_cast<double>(amount);
}

std::vector<const LearningRows::Slot*> LearningRows::slots_by_key() const {
  std::vector<const Slot*> order;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (!marks_.free(i)) order.push_back(&slots_[i]);
  std::ranges::sort(order, {}, [](const Slot* slot) { return slot->key; });
  return order;
}

std::vector<LearningRows::Entry> LearningRows::row_by_action(const Slot& slot) const {
  std::vector<Entry> row(&entries_[slot.first], &entries_[slot.first] + slot.count);
  std::ranges::sort(row, {}, &Entry::action);
  return row;
}

WeightArrays LearningRows::averaged(double time, float threshold) const {
  WeightArrays made;
  made.first.push_back(0);
  for (const Slot* slot : slots_by_key()) {
    for (const Entry& entry : row_by_action(*slot)) {
      const auto weight = static_cast<float>(entry.weight - (time > 0 ? entry.moment / time : 0));
      if (!(std::abs(weight) > threshold)) continue;
      made.actions.push_back(static_cast<std::uint16_t>(entry.action));
      made.weights.push_back(weight);
    }
    if (static_cast<std::int64_t>(made.actions.size()) == made.first.back()) continue;
    made.keys.push_back(slot->key);
    made.first.push_back(static_cast<std::int64_t>(made.actions.size()));
  }
  return made;
}

WeightArrays LearningRows::current() const { return averaged(0, 0); }

LearningArrays LearningRows::state() const {
  LearningArrays made;
  auto& [keys, first, actions, weights] = made.rows;
  first.push_back(0);
  for (const Slot* slot : slots_by_key()) {
    keys.push_back(slot->key);
    for (const Entry& entry : row_by_action(*slot)) {
      actions.push_back(static_cast<std::uint16_t>(entry.action));
      weights.push_back(entry.weight);
      made.moments.push_back(entry.moment);
    }
    first.push_back(static_cast<std::int64_t>(actions.size()));
  }
  return made;
}

void LearningRows::restore(std::span<const std::uint64_t> keys, std::span<const std::int64_t> first,
                           std::span<const std::uint16_t> actions, std::span<const float> weights,
                           std::span<const double> moments, std::int32_t action_count) {
  check_rows(keys, first, actions, weights, action_count);
  if (moments.size() != weights.size() || features_)
    throw std::invalid_argument("weights: moments do not fit, or there are weights already");
  // Keys in order would crowd the beginning of a table that grows with them.
  while (3 * keys.size() > 2 * slots_.size()) rehash();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    Slot& slot = own_slot(keys[k]);
    for (auto e = static_cast<std::size_t>(first[k]); e < static_cast<std::size_t>(first[k + 1]);
         ++e)
      own_entry(slot, actions[e]) = {actions[e], weights[e], moments[e]};
  }
  if (features_ != keys.size()) throw std::invalid_argument("weights: a feature has two rows");
}

FrozenRows::FrozenRows(std::span<const std::uint64_t> keys, std::span<const std::int64_t> first,
                       std::span<const std::uint16_t> actions, std::span<const float> weights,
                       std::int32_t action_count, int key_bits)
    : mask_(key_mask(key_bits)) {
  check_rows(keys, first, actions, weights, action_count);
  float largest = 0;
  for (const float weight : weights) {
    if (!std::isfinite(weight)) throw std::invalid_argument("weights: not finite");
    largest = std::max(largest, std::abs(weight));
  }
  constexpr float smallest = 1e-30f;  // below, weights count as 0: a unit would be denormal
  scale_ = largest > smallest ? largest / 32767.0f : 1.0f;
  marks_ = Marks(keys.size() * 3 / 2 + 16);
  slots_.resize(marks_.size());
  std::vector<Entry> row;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    row.clear();
    for (auto e = static_cast<std::size_t>(first[k]); e < static_cast<std::size_t>(first[k + 1]);
         ++e)
      row.push_back({actions[e], static_cast<std::int16_t>(std::lround(weights[e] / scale_))});
    const std::uint64_t key = own(keys[k]);
    std::size_t i = marks_.home(key);
    while (!marks_.free(i)) i = marks_.after(i);
    marks_.set(i, key);
    slots_[i].check = static_cast<std::uint32_t>(key);
    fill(slots_[i], row);
  }
}

void FrozenRows::fill(Slot& slot, std::span<const Entry> row) {
  if (row.size() <= kInline) {
    std::ranges::copy(row, slot.entries);
    return;
  }
  if (row.size() > 32767) throw std::invalid_argument("weights: a row is too long");
  const auto place =
      std::bit_cast<std::array<std::uint16_t, 2>>(static_cast<std::uint32_t>(entries_.size()));
  slot.entries[0] = {kElsewhere, static_cast<std::int16_t>(row.size())};
  slot.entries[1].action = place[0];
  slot.entries[2].action = place[1];
  entries_.insert(entries_.end(), row.begin(), row.end());
}

}  // namespace treewright::dependency::transition

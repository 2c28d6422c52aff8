// The lanes of sweeps that carry several real terms at once, and their memory.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "core/huge_pages.hpp"
#include "core/simd.hpp"

namespace treewright::counts {

// Eight numbers that the compiler keeps in one register, or in several where registers are short.
using Vector [[gnu::vector_size(64)]] = double;
using HalfVector [[gnu::vector_size(32)]] = double;
constexpr int kPerRegister = 8;

TREEWRIGHT_INLINE double total(HalfVector x) {
  const HalfVector y = x + __builtin_shufflevector(x, x, 2, 3, 0, 1);
  return y[0] + y[1];
}
TREEWRIGHT_INLINE double total(Vector x) {
  return total(__builtin_shufflevector(x, x, 0, 1, 2, 3) +
               __builtin_shufflevector(x, x, 4, 5, 6, 7));
}

// Real terms in some registers of one kind, which fill cache lines or halves of one.
template <int kRegisters, class Register = Vector>
struct alignas(sizeof(Register)) RealTerms {
  static constexpr int kLanes = static_cast<int>(sizeof(Register) / sizeof(double));
  static constexpr int kWidth = kRegisters * kLanes;
  Register x[kRegisters];

  TREEWRIGHT_INLINE void fill(double value) {
    for (auto& term : x) term = Register{} + value;
  }
  void set(int k, std::complex<double> z) { x[k / kLanes][k % kLanes] = z.real(); }
  std::complex<double> get(int k) const { return x[k / kLanes][k % kLanes]; }
  TREEWRIGHT_INLINE void add_scaled(double p, const RealTerms& tilt, const RealTerms& other) {
    for (int i = 0; i < kRegisters; ++i) x[i] += (p * tilt.x[i]) * other.x[i];
  }
  TREEWRIGHT_INLINE void add_product(const RealTerms& left, const RealTerms& right) {
    for (int i = 0; i < kRegisters; ++i) x[i] += left.x[i] * right.x[i];
  }
  TREEWRIGHT_INLINE void set_product(double p, const RealTerms& tilt, const RealTerms& other) {
    for (int i = 0; i < kRegisters; ++i) x[i] = (p * tilt.x[i]) * other.x[i];
  }
  TREEWRIGHT_INLINE void add(const RealTerms& other) {
    for (int i = 0; i < kRegisters; ++i) x[i] += other.x[i];
  }
  TREEWRIGHT_INLINE double sum() const {
    Register all = x[0];
    for (int i = 1; i < kRegisters; ++i) all += x[i];
    return total(all);
  }
};

using FourTerms = RealTerms<1, HalfVector>;

template <class Terms>
Terms* aligned_terms(HugeVector<std::byte>& memory, std::size_t how_many) {
  const std::size_t bytes = how_many * sizeof(Terms) + 64;
  if (memory.size() < bytes) memory = HugeVector<std::byte>(bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  return reinterpret_cast<Terms*>(memory.data() + (64 - address % 64) % 64);
}

}  // namespace treewright::counts

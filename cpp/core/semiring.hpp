// The semirings that the generic sweeps run over. Each gives a value type, zero, one, plus, times,
// and how a part's score becomes a value.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace treewright {

struct Log {
  using Value = double;
  static constexpr double zero() { return -std::numeric_limits<double>::infinity(); }
  static constexpr double one() { return 0.0; }
  double lift(double score) const { return score; }
  double times(double a, double b) const { return a + b; }
  double plus(double a, double b) const {
    if (a < b) std::swap(a, b);
    return b == zero() ? a : a + std::log1p(std::exp(b - a));
  }
};

struct Max {
  using Value = double;
  static constexpr double zero() { return -std::numeric_limits<double>::infinity(); }
  static constexpr double one() { return 0.0; }
  double lift(double score) const { return score; }
  double times(double a, double b) const { return a + b; }
  double plus(double a, double b) const { return std::max(a, b); }
};

// Counts modulo a prime below 2^62: a few of them give the exact number of derivations, however
// large, by the Chinese remainder theorem.
struct CountModulo {
  using Value = std::uint64_t;
  std::uint64_t prime;
  static constexpr std::uint64_t zero() { return 0; }
  static constexpr std::uint64_t one() { return 1; }
  std::uint64_t lift(double score) const { return score == Log::zero() ? 0 : 1; }
  std::uint64_t plus(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t sum = a + b;
    return sum >= prime ? sum - prime : sum;
  }
  std::uint64_t times(std::uint64_t a, std::uint64_t b) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % prime);
  }
};

// Real numbers m * 2^k with m in [1, 2) or 0: probabilities without logs and without underflow.
struct ScaledReal {
  struct Value {
    double m;
    std::int64_t k;
  };
  static constexpr Value zero() { return {0.0, 0}; }
  static constexpr Value one() { return {1.0, 0}; }
  static Value normal(double m, std::int64_t k) {
    if (m == 0.0) return zero();
    int shift;
    const double fraction = std::frexp(m, &shift);  // in [0.5, 1)
    return {2.0 * fraction, k + shift - 1};
  }
  Value lift(double score) const {
    if (score == Log::zero()) return zero();
    constexpr double ln2 = 0.6931471805599453094;
    const double k = std::floor(score / ln2);
    return normal(std::exp(score - k * ln2), static_cast<std::int64_t>(k));
  }
  Value times(Value a, Value b) const { return normal(a.m * b.m, a.k + b.k); }
  Value plus(Value a, Value b) const {
    if (a.m == 0.0) return b;
    if (b.m == 0.0) return a;
    if (a.k < b.k) std::swap(a, b);
    const std::int64_t gap = std::max<std::int64_t>(b.k - a.k, -1100);
    return normal(a.m + std::ldexp(b.m, static_cast<int>(gap)), a.k);
  }
};

}  // namespace treewright

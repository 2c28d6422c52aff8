// Function multi-versioning and the vectorised exponential.
//
// TREEWRIGHT_CLONES compiles a function for several instruction sets; the loader picks one at run
// time, so that a wheel built on one machine runs on another. Sanitizers cannot run the resolver,
// and other compilers lack the attribute: there the portable version is all there is. No exception
// may leave such a function: callers are compiled as if it could not throw.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(TREEWRIGHT_SANITIZE) && !defined(TREEWRIGHT_ARCH)
#define TREEWRIGHT_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TREEWRIGHT_CLONES
#endif

#define TREEWRIGHT_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace treewright {

// exp(x) for x <= 0, within 2 ulp; exactly 0 below -708 (and for -infinity). Branch-free, so loops
// over it vectorise.
TREEWRIGHT_INLINE double exp_nonpositive(double x) {
  constexpr double log2e = 1.4426950408889634074, shifter = 0x1.8p52;
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  const double shifted = x * log2e + shifter;  // its low bits are the nearest integer k
  const double k = shifted - shifter;
  const double r = (x - k * ln2_high) - k * ln2_low;  // |r| <= ln(2) / 2
  double y = 1.0 / 6227020800.0;
  y = y * r + 1.0 / 479001600.0;
  y = y * r + 1.0 / 39916800.0;
  y = y * r + 1.0 / 3628800.0;
  y = y * r + 1.0 / 362880.0;
  y = y * r + 1.0 / 40320.0;
  y = y * r + 1.0 / 5040.0;
  y = y * r + 1.0 / 720.0;
  y = y * r + 1.0 / 120.0;
  y = y * r + 1.0 / 24.0;
  y = y * r + 1.0 / 6.0;
  y = y * r + 0.5;
  y = y * r + 1.0;
  y = y * r + 1.0;
  const auto bits = (std::bit_cast<std::uint64_t>(shifted) + 1023u) << 52;  // 2^k
  return x < -708.0 ? 0.0 : y * std::bit_cast<double>(bits);
}

// Products of many small probabilities often fall below 1e-308; denormal arithmetic is a hundred
// times slower and such values do not matter. The caller's mode is restored.
class FlushDenormals {
 public:
#if defined(__x86_64__)
  FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040u); }
  ~FlushDenormals() { _mm_setcsr(saved_); }

 private:
  unsigned saved_;
#else
  FlushDenormals() {}
#endif
 public:
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

}  // namespace treewright

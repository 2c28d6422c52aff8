// Arrays of any length and content for the core, from the bytes of a fuzzer.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <vector>

namespace treewright::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  bool flag() { return bytes_.ConsumeBool(); }
  std::int32_t number(std::int32_t low, std::int32_t high) {
    return bytes_.ConsumeIntegralInRange(low, high);
  }
  // Numbers of a small range, where arrays that fit together are likely, or now and then any.
  template <class T>
  std::vector<T> numbers(std::size_t most, std::int64_t low, std::int64_t high) {
    std::vector<T> found(bytes_.ConsumeIntegralInRange<std::size_t>(0, most));
    const bool any = number(0, 15) == 0;
    for (T& each : found)
      each = any ? bytes_.ConsumeIntegral<T>()
                 : static_cast<T>(bytes_.ConsumeIntegralInRange<std::int64_t>(low, high));
    return found;
  }
  // Offsets that rise from 0, mostly.
  template <class T>
  std::vector<T> offsets(std::size_t most, std::int64_t step) {
    std::vector<T> found = numbers<T>(most, 0, step);
    std::int64_t sum = 0;
    if (number(0, 15) > 0)
      for (T& each : found)
        each = static_cast<T>(sum),
        sum = (sum + bytes_.ConsumeIntegralInRange<std::int64_t>(0, step)) % 1000;
    return found;
  }
  // Of the whole range that the bindings let pass, -infinity among them if that is allowed.
  template <class T>
  std::vector<T> scores(std::size_t size, double largest, bool forbidden = true) {
    static constexpr double kSpecial[] = {0, 1, -1, 1e-320, -700, 700, 1e17};
    std::vector<T> found(size);
    for (T& each : found) {
      const std::int32_t kind = number(0, 10);
      if (kind < 7)
        each = static_cast<T>(std::fmin(kSpecial[kind], largest));
      else if (kind < 9)
        each = static_cast<T>(bytes_.ConsumeFloatingPointInRange(-10.0, 10.0));
      else
        each = static_cast<T>(kind == 9   ? largest
                              : forbidden ? -std::numeric_limits<double>::infinity()
                                          : -largest);
    }
    return found;
  }

 private:
  FuzzedDataProvider bytes_;
};

// What must hold for every input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// Runs a target on an input; what the core refuses is no failure.
template <class Target>
int run(Target target, const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  try {
    target(input);
  } catch (const std::invalid_argument&) {
  } catch (const std::length_error&) {
  }
  return 0;
}

}  // namespace treewright::fuzz

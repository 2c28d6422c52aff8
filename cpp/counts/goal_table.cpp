#include "counts/goal_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace treewright::counts {
namespace {

constexpr double kLeastVariance = 0.3;  // counts are whole numbers

// A difference quotient between the neighbours of a place, as far as there are any.
struct Neighbours {
  std::int32_t low, here, high;
  Neighbours(double x, std::int32_t size) {
    here = std::clamp(static_cast<std::int32_t>(std::lround(x)), size > 2 ? 1 : 0,
                      std::max(size - 2, 0));
    low = std::max(here - 1, 0);
    high = std::min(here + 1, size - 1);
  }
  double width() const { return high - low; }
};

double quotient(double difference, double width) { return width > 0 ? difference / width : 0.0; }

}  // namespace

Expansion expand(const GoalTable& table, double n, double d) {
  const Neighbours i(n - table.n_low, table.rows), j(d - table.d_low, table.columns);
  const auto at = [&](std::int32_t row, std::int32_t column) {
    return table.log_g[static_cast<std::size_t>(row) * table.columns + column];
  };
  const auto second = [](double low, double here, double high, double width) {
    return width == 2 ? low - 2 * here + high : 0.0;
  };
  Expansion out{n, d, 0, 0, 0, 0, 0, 0};
  const double here = at(i.here, j.here);
  out.nn = second(at(i.low, j.here), here, at(i.high, j.here), i.width());
  out.dd = second(at(i.here, j.low), here, at(i.here, j.high), j.width());
  out.nd = quotient(at(i.high, j.high) - at(i.high, j.low) - at(i.low, j.high) + at(i.low, j.low),
                    i.width() * j.width());
  const double to_n = n - table.n_low - i.here, to_d = d - table.d_low - j.here;
  const double slope_n = quotient(at(i.high, j.here) - at(i.low, j.here), i.width());
  const double slope_d = quotient(at(i.here, j.high) - at(i.here, j.low), j.width());
  out.slope_n = slope_n + out.nn * to_n + out.nd * to_d;
  out.slope_d = slope_d + out.dd * to_d + out.nd * to_n;
  out.height = here + (slope_n + out.slope_n) / 2 * to_n + (slope_d + out.slope_d) / 2 * to_d;
  return out;
}

Frame::Frame(double mean_n, double mean_d, double var_n, double cov, double var_d)
    : n(mean_n), d(mean_d) {
  var_n = std::max(var_n, 0.0) + kLeastVariance;
  var_d = std::max(var_d, 0.0) + kLeastVariance;
  l_nn = std::sqrt(var_n);
  l_dn = cov / l_nn;
  l_dd = std::sqrt(std::max(var_d - l_dn * l_dn, 1e-3 * var_d));
}

}  // namespace treewright::counts

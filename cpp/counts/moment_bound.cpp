#include "counts/moment_bound.hpp"

#include <algorithm>
#include <cmath>

#include "core/simd.hpp"

namespace treewright::counts {
namespace {

constexpr int kMostPivots = 120;

TREEWRIGHT_CLONES void subtract_row(double* from, const double* row, double factor,
                                    std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) from[i] -= factor * row[i];
}

// Maximises c u over G u <= 1, u >= 0 by the simplex method from u = 0, where every constraint has
// a slack of its own. Rows: the constraints, then the objective with its sign changed.
class Simplex {
 public:
  Simplex(const std::vector<double>& entry, const std::vector<double>& gain, std::size_t rows)
      : rows_(rows), unknowns_(gain.size()), width_(gain.size() + rows + 1), basis_(rows) {
    table_.assign((rows + 1) * width_, 0.0);
    for (std::size_t j = 0; j < rows; ++j) {
      for (std::size_t s = 0; s < unknowns_; ++s) row(j)[s] = entry[s * rows + j];
      row(j)[unknowns_ + j] = 1;
      row(j)[width_ - 1] = 1;
      basis_[j] = unknowns_ + j;
    }
    for (std::size_t s = 0; s < unknowns_; ++s) row(rows_)[s] = -gain[s];
    enough_ = -1e-9 * *std::max_element(gain.begin(), gain.end());
  }

  void run() {
    for (int pivot = 0; pivot < kMostPivots; ++pivot) {
      double* objective = row(rows_);
      const auto enters =
          static_cast<std::size_t>(std::min_element(objective, objective + width_ - 1) - objective);
      if (!(objective[enters] < enough_)) return;
      const std::size_t leaves = leaving(enters);
      if (leaves == rows_) return;
      exchange(enters, leaves);
    }
  }

  double multiplier(std::size_t j) { return std::max(0.0, row(rows_)[unknowns_ + j]); }
  std::vector<double> solution() {
    std::vector<double> out(unknowns_, 0.0);
    for (std::size_t j = 0; j < rows_; ++j)
      if (basis_[j] < unknowns_) out[basis_[j]] = std::max(0.0, row(j)[width_ - 1]);
    return out;
  }

 private:
  double* row(std::size_t j) { return table_.data() + j * width_; }

  std::size_t leaving(std::size_t enters) {
    std::size_t best = rows_;
    double least = 0;
    for (std::size_t j = 0; j < rows_; ++j) {
      if (!(row(j)[enters] > 1e-11)) continue;
      const double ratio = row(j)[width_ - 1] / row(j)[enters];
      if (best == rows_ || ratio < least) best = j, least = ratio;
    }
    return best;
  }

  void exchange(std::size_t enters, std::size_t leaves) {
    const double scale = 1 / row(leaves)[enters];
    for (std::size_t i = 0; i < width_; ++i) row(leaves)[i] *= scale;
    for (std::size_t j = 0; j <= rows_; ++j)
      if (j != leaves && row(j)[enters] != 0)
        subtract_row(row(j), row(leaves), row(j)[enters], width_);
    basis_[leaves] = enters;
  }

  std::size_t rows_, unknowns_, width_;
  std::vector<std::size_t> basis_;
  std::vector<double> table_;
  double enough_;
};

}  // namespace

MomentBound::MomentBound(std::span<const LogMoment> moments, double n_low, double d_low,
                         std::int32_t rows, std::int32_t columns, const Outside& outside)
    : moments_(moments.size()),
      rows_(rows),
      columns_(columns),
      outer_rows_(outside.n.size()),
      outer_columns_(outside.d.size()),
      multiplier_(moments.size(), 0.0) {
  for (const auto& moment : moments)
    for (std::int32_t i = 0; i < rows; ++i)
      along_n_.push_back(std::exp(moment.rate_n * (n_low + i) - moment.log));
  for (const auto& moment : moments)
    for (std::int32_t j = 0; j < columns; ++j)
      along_d_.push_back(std::exp(moment.rate_d * (d_low + j)));
  const auto least = [](double rate, const Outside::Interval& x) {
    return std::exp(std::min(rate * x.low, rate * x.high));
  };
  for (const auto& moment : moments)
    for (const auto& interval : outside.n)
      outer_n_.push_back(least(moment.rate_n, interval) * std::exp(-moment.log));
  for (const auto& moment : moments)
    for (const auto& interval : outside.d) outer_d_.push_back(least(moment.rate_d, interval));
}

double MomentBound::factor(std::size_t j, std::uint32_t cell) const {
  const auto columns = static_cast<std::size_t>(columns_), rows = static_cast<std::size_t>(rows_);
  if (cell < rows * columns)
    return along_n_[j * rows + cell / columns] * along_d_[j * columns + cell % columns];
  const std::size_t rectangle = cell - rows * columns;
  return outer_n_[j * outer_rows_ + rectangle / outer_columns_] *
         outer_d_[j * outer_columns_ + rectangle % outer_columns_];
}

void MomentBound::add_cells(std::span<const std::uint32_t> cells) {
  for (const auto cell : cells) {
    const std::size_t at = entry_.size();
    for (std::size_t j = 0; j < moments_; ++j) entry_.push_back(factor(j, cell));
    largest_.push_back(
        *std::max_element(entry_.begin() + static_cast<std::ptrdiff_t>(at), entry_.end()));
    for (std::size_t j = at; j < entry_.size(); ++j) entry_[j] /= largest_.back();
    cells_.push_back(cell);
  }
}

double MomentBound::least(std::span<const double> error) const {
  double most = 0;
  for (const auto& law : laws_) {
    double mean = 0;
    for (std::size_t s = 0; s < law.size(); ++s) mean += law[s] * error[s];
    most = std::max(most, mean);
  }
  return most;
}

void MomentBound::solve(std::span<const double> error) {
  const std::size_t size = cells_.size();
  std::vector<double> gain(size);
  for (std::size_t s = 0; s < size; ++s) gain[s] = error[s] / largest_[s];
  Simplex simplex(entry_, gain, moments_);
  simplex.run();
  total_ = 0;
  for (std::size_t j = 0; j < moments_; ++j) total_ += multiplier_[j] = simplex.multiplier(j);
  laws_.push_back(simplex.solution());
  for (std::size_t s = 0; s < size; ++s) laws_.back()[s] /= largest_[s];
}

void MomentBound::majorant(std::int32_t row, double* out) const {
  std::fill_n(out, columns_, 0.0);
  for (std::size_t j = 0; j < moments_; ++j) {
    const double factor =
        multiplier_[j] *
        along_n_[j * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(row)];
    if (factor > 0)
      subtract_row(out, along_d_.data() + j * static_cast<std::size_t>(columns_), -factor,
                   static_cast<std::size_t>(columns_));
  }
}

double MomentBound::least_majorant(std::size_t rectangle) const {
  const std::size_t i = rectangle / outer_columns_, k = rectangle % outer_columns_;
  double sum = 0;
  for (std::size_t j = 0; j < moments_; ++j)
    sum += multiplier_[j] * outer_n_[j * outer_rows_ + i] * outer_d_[j * outer_columns_ + k];
  return sum;
}

}  // namespace treewright::counts

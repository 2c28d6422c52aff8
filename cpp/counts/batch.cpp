#include "counts/batch.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "core/simd.hpp"

namespace treewright::counts {

void Features::check(Index parts, std::int64_t features) const {
  const auto fail = [](const std::string& what) {
    throw std::invalid_argument("features: " + what);
  };
  if (first.size() != static_cast<std::size_t>(parts) + 1)
    fail("first must have parts + 1 entries");
  if (first.front() != 0 || static_cast<std::size_t>(first.back()) != local.size())
    fail("first must run from 0 to the number of entries");
  for (std::size_t i = 1; i < first.size(); ++i)
    if (first[i] < first[i - 1]) fail("part " + std::to_string(i - 1) + " ends before it begins");
  if (!value.empty() && value.size() != local.size()) fail("one value for each entry, or none");
  const auto known = static_cast<Index>(vocabulary.size());
  for (std::size_t i = 0; i < local.size(); ++i)
    if (local[i] < 0 || local[i] >= known)
      fail("entry " + std::to_string(i) + " is outside the vocabulary");
  if (features < 0) return;
  for (std::size_t i = 0; i < vocabulary.size(); ++i)
    if (vocabulary[i] < 0 || vocabulary[i] >= features)
      fail("feature " + std::to_string(vocabulary[i]) + " is outside the weights");
}

namespace {

TREEWRIGHT_CLONES void sum_features(const Features& features, const double* w, double* out) {
  const std::size_t parts = features.first.size() - 1;
  const Index* at = features.local.data();
  for (std::size_t i = 0; i < parts; ++i) {
    double sum = 0;
    if (features.value.empty())
      for (Index k = features.first[i]; k < features.first[i + 1]; ++k) sum += w[at[k]];
    else
      for (Index k = features.first[i]; k < features.first[i + 1]; ++k)
        sum += static_cast<double>(features.value[static_cast<std::size_t>(k)]) * w[at[k]];
    out[i] = sum;
  }
}

}  // namespace

void score_parts(const Features& features, const double* weight, std::vector<double>& local,
                 double* out) {
  local.resize(features.vocabulary.size());
  for (std::size_t k = 0; k < local.size(); ++k) local[k] = weight[features.vocabulary[k]];
  sum_features(features, local.data(), out);
}

void backpropagate(const Features& features, const double* gradient, std::vector<double>& local) {
  const std::size_t parts = features.first.size() - 1;
  local.assign(features.vocabulary.size(), 0.0);
  double* to = local.data();
  const Index* at = features.local.data();
  for (std::size_t i = 0; i < parts; ++i) {
    const double g = gradient[i];
    if (g == 0) continue;
    if (features.value.empty())
      for (Index k = features.first[i]; k < features.first[i + 1]; ++k) to[at[k]] += g;
    else
      for (Index k = features.first[i]; k < features.first[i + 1]; ++k)
        to[at[k]] += g * static_cast<double>(features.value[static_cast<std::size_t>(k)]);
  }
}

namespace {

// What the threads share: the next item to take, the next to finish, and the first failure.
class OrderedRun {
 public:
  OrderedRun(std::size_t count, const std::function<void(std::size_t, unsigned)>& work,
             const std::function<void(std::size_t)>& finish, StopFlag& stop)
      : count_(count), work_(work), finish_(finish), stop_(stop), done_(count, 0) {}

  void serve(unsigned thread) {
    for (std::size_t i; take(i);) {
      std::exception_ptr failure;
      try {
        work_(i, thread);
      } catch (...) {
        failure = std::current_exception();
      }
      report(i, failure);
    }
    const std::lock_guard lock(mutex_);
    --running_;
    changed_.notify_all();
  }

  void start(unsigned threads) { running_ = threads; }

  void wait(const std::function<bool()>& interrupted) {
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      if (running_ == 0 || stop_) continue;
      lock.unlock();
      if (interrupted()) stop_ = true;
      lock.lock();
      room_.notify_all();
    }
  }

  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  // A thread that is far ahead of the slowest forest waits, so that few results are kept.
  static constexpr std::size_t kAhead = 256;

  bool take(std::size_t& i) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return stop_ || next_ >= count_ || next_ < finished_ + kAhead; });
    if (stop_ || next_ >= count_) return false;
    i = next_++;
    return true;
  }

  void report(std::size_t i, const std::exception_ptr& failure) {
    const std::lock_guard lock(mutex_);
    if (failure != nullptr) {
      if (failure_ == nullptr || i < failed_) failure_ = failure, failed_ = i;
      stop_ = true;
    } else {
      done_[i] = 1;
      for (; finished_ < count_ && done_[finished_]; ++finished_) finish_(finished_);
    }
    room_.notify_all();
  }

  const std::size_t count_;
  const std::function<void(std::size_t, unsigned)>& work_;
  const std::function<void(std::size_t)>& finish_;
  StopFlag& stop_;
  std::vector<std::uint8_t> done_;
  std::size_t next_ = 0, finished_ = 0, failed_ = 0;
  unsigned running_ = 0;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable changed_, room_;
};

}  // namespace

void run_ordered(std::size_t count, unsigned threads,
                 const std::function<void(std::size_t, unsigned)>& work,
                 const std::function<void(std::size_t)>& finish, StopFlag& stop,
                 const std::function<bool()>& interrupted) {
  threads =
      std::max(1u, std::min(threads, static_cast<unsigned>(std::min<std::size_t>(count, 256))));
  OrderedRun run(count, work, finish, stop);
  run.start(threads);
  std::vector<std::jthread> pool;
  for (unsigned t = 0; t < threads; ++t) pool.emplace_back([&run, t] { run.serve(t); });
  run.wait(interrupted);
  pool.clear();
  run.rethrow();
}

namespace {

struct Scratch {
  Workspace work;
  std::vector<double> local, score, part_gradient;
};

// Scratch memory for some threads. It is kept from batch to batch: a pass over forests whose memory
// the system has to clear first takes a third longer.
class BorrowedScratch {
 public:
  explicit BorrowedScratch(std::size_t threads) {
    const std::lock_guard lock(mutex);
    while (mine_.size() < threads && !spare.empty()) {
      mine_.push_back(std::move(spare.back()));
      spare.pop_back();
    }
    while (mine_.size() < threads) mine_.push_back(std::make_unique<Scratch>());
  }
  ~BorrowedScratch() {
    const std::lock_guard lock(mutex);
    for (auto& each : mine_) spare.push_back(std::move(each));
  }
  BorrowedScratch(const BorrowedScratch&) = delete;
  BorrowedScratch& operator=(const BorrowedScratch&) = delete;

  Scratch& operator[](unsigned thread) const { return *mine_[thread]; }

 private:
  static inline std::mutex mutex;
  static inline std::vector<std::unique_ptr<Scratch>> spare;
  std::vector<std::unique_ptr<Scratch>> mine_;
};

}  // namespace

void check_scores(std::span<const double> score) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kMost = 1e290;  // so that the sum of 2^31 of them does not overflow
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (!(score[i] < kInfinity))
      throw std::invalid_argument("part " + std::to_string(i) + " has the score NaN or +infinity");
    if (score[i] > kMost || (score[i] < -kMost && score[i] > -kInfinity))
      throw std::invalid_argument("part " + std::to_string(i) + " has a score beyond 1e290");
  }
}

void evaluate_batch(std::span<const Item> items, std::span<const double> weight,
                    std::span<const std::int64_t> first, unsigned threads,
                    const std::function<bool()>& interrupted, double* value,
                    const std::function<void(std::size_t, const std::vector<double>&)>& add) {
  const BorrowedScratch scratch(std::max(1u, threads));
  std::vector<std::vector<double>> result(items.size());  // of finished forests not added yet
  StopFlag stop{false};
  const auto compute = [&](std::size_t i, Scratch& mine) {
    const Item& item = items[i];
    const auto parts = static_cast<std::size_t>(item.forest->parts());
    mine.score.resize(parts);
    mine.part_gradient.assign(parts, 0.0);
    const double* mine_weight = weight.data() + (first.empty() ? 0 : first[i]);
    score_parts(*item.features, mine_weight, mine.local, mine.score.data());
    check_scores(mine.score);
    value[i] = evaluate(*item.forest, item.gold, item.counts, *item.objective, mine.score.data(),
                        mine.work, stop, mine.part_gradient.data());
    backpropagate(*item.features, mine.part_gradient.data(), result[i]);
  };
  const auto work = [&](std::size_t i, unsigned thread) {
    try {
      compute(i, scratch[thread]);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("forest " + std::to_string(i) + ": " + error.what());
    }
  };
  const auto finish = [&](std::size_t i) {
    add(i, result[i]);
    std::vector<double>().swap(result[i]);
  };
  run_ordered(items.size(), threads, work, finish, stop, interrupted);
}

void SparseSum::add(std::span<const Index> vocabulary, const std::vector<double>& local) {
  std::size_t count = touched.size();
  touched.resize(count + vocabulary.size());
  for (std::size_t k = 0; k < vocabulary.size(); ++k) {
    const auto feature = static_cast<std::size_t>(vocabulary[k]);
    gradient[feature] += local[k];
    // No branch: whether a feature is new cannot be predicted.
    touched[count] = vocabulary[k];
    count += uses[feature]++ == 0;
  }
  touched.resize(count);
}

void SparseSum::take(std::vector<double>& gradient_there, std::vector<Index>& uses_there) {
  gradient_there.resize(touched.size());
  uses_there.resize(touched.size());
  for (std::size_t k = 0; k < touched.size(); ++k) {
    const auto feature = static_cast<std::size_t>(touched[k]);
    gradient_there[k] = std::exchange(gradient[feature], 0.0);
    uses_there[k] = std::exchange(uses[feature], 0);
  }
}

}  // namespace treewright::counts

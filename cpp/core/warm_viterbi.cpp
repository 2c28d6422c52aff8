#include "core/warm_viterbi.hpp"

#include <algorithm>

namespace treewright {
namespace {

// An edge in a heap costs several times one in a sweep: above this share a sweep is faster.
constexpr std::int64_t kSweepShare = 4;
// A search that was abandoned is likely to be abandoned again: the limit is lowered, down to this.
constexpr std::int64_t kLeastShare = 64;

}  // namespace

WarmViterbi::WarmViterbi(const Forest& forest, std::optional<std::int64_t> most_work)
    : forest_(forest),
      score_(static_cast<std::size_t>(forest.parts())),
      bound_(forest.nodes(), Max::zero()),
      choice_(forest.nodes(), -1),
      settled_(static_cast<std::size_t>(forest.nodes()), 0),
      most_work_(most_work.value_or(forest.edges() / kSweepShare)),
      allowed_(most_work_) {
  bound_[kNoTail] = Max::one();
}

void WarmViterbi::sweep() {
  best_edges(forest_, score_.data(), bound_, choice_);
  work_ += forest_.edges();
}

Derivation WarmViterbi::best(bool cold) {
  work_ = 0;
  if (cold) {
    allowed_ = most_work_;
    sweep();
  } else if (settle()) {
    allowed_ = std::min(2 * allowed_, most_work_);
  } else {
    allowed_ = std::max(allowed_ / 4, most_work_ * kSweepShare / kLeastShare);
    sweep();
  }
  return {bound_[forest_.goal()], trace(forest_, choice_)};
}

void WarmViterbi::open(Index v) {
  if (choice_[v] < 0)
    settled_[v] = round_;  // the bound is -infinity: nothing can be lower
  else
    frames_.push_back({v, choice_[v], pool_.size(), false});
}

void WarmViterbi::close(double bound, Index edge) {
  const Frame& frame = frames_.back();
  bound_[frame.node] = bound;
  choice_[frame.node] = edge;
  settled_[frame.node] = round_;
  pool_.resize(frame.heap);
  frames_.pop_back();
}

// The edge is worth less than its bound: continue with the next highest bound.
void WarmViterbi::try_next(Frame& frame) {
  const auto heap = static_cast<std::ptrdiff_t>(frame.heap);
  if (frame.scanned) {
    std::pop_heap(pool_.begin() + heap, pool_.end());
    pool_.back().value = value(frame.edge);
    std::push_heap(pool_.begin() + heap, pool_.end());
  } else {
    const Index first = forest_.first_edge[frame.node], last = forest_.first_edge[frame.node + 1];
    for (Index e = first; e < last; ++e) pool_.push_back({value(e), e});
    std::make_heap(pool_.begin() + heap, pool_.end());
    frame.scanned = true;
    work_ += last - first;
  }
  frame.edge = pool_[frame.heap].edge;
}

// Makes the goal's bound exact; false if that takes more work than a sweep. The choice of a node
// remains the first of its best edges: bounds only fall, so an earlier edge with the same bound was
// either tried before or has been below it.
bool WarmViterbi::settle() {
  ++round_;
  frames_.clear();
  pool_.clear();
  open(forest_.goal());
  while (!frames_.empty()) {
    if (++work_ > allowed_) return false;
    Frame& frame = frames_.back();
    const Index l = forest_.left[frame.edge], r = forest_.right[frame.edge];
    if (l != kNoTail && settled_[l] != round_) {
      open(l);
    } else if (r != kNoTail && settled_[r] != round_) {
      open(r);
    } else {
      const double claimed = frame.scanned ? pool_[frame.heap].value : bound_[frame.node];
      if (value(frame.edge) == claimed) {
        close(claimed, frame.edge);
        continue;
      }
      try_next(frame);
      if (pool_[frame.heap].value == Max::zero()) close(Max::zero(), -1);
    }
  }
  return true;
}

}  // namespace treewright

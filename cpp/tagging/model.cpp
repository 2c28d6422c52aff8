#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tagging/tagger.hpp"

namespace treewright::tagging {
namespace {

std::vector<double> exponentials(std::span<const float> scores) {
  std::vector<double> out;
  out.reserve(scores.size());
  for (const float s : scores) {
    if (!std::isfinite(s)) throw std::invalid_argument("tagger: a score is not finite");
    out.push_back(std::exp(static_cast<double>(s)));
  }
  return out;
}

// Scales to a sum of 1; returns the sum before.
double normalise(double* begin, double* end) {
  double sum = 0;
  for (const double* x = begin; x < end; ++x) sum += *x;
  for (double* x = begin; x < end; ++x) *x /= sum;
  return sum;
}

}  // namespace

TaggerModel::TaggerModel(Templates templates, std::span<const Key> keys,
                         std::span<const Index> row_first, std::span<const Index> row_tag,
                         std::span<const float> local, std::span<const float> chain, Index tags,
                         TagSets sets, std::span<const float> bigram, std::span<const Key> trigrams,
                         std::span<const float> trigram, int order, int key_bits)
    : templates_(std::move(templates)),
      table_(KeyTable::distinct(keys, key_bits)),
      row_first_(row_first.begin(), row_first.end()),
      tags_(tags),
      sets_(std::move(sets)),
      bigram_(exponentials(bigram)),
      trigram_table_(KeyTable::distinct(trigrams)),
      trigram_(exponentials(trigram)),
      order_(order) {
  if (tags < 1 || tags >= kMaxTags) throw std::invalid_argument("tagger: no tags, or too many");
  if (order < 0 || order > 2) throw std::invalid_argument("a tagger's order is 0, 1 or 2");
  if (row_first.size() != keys.size() + 1 || row_first.front() != 0 ||
      at(row_first.back()) != row_tag.size() || !std::is_sorted(row_first.begin(), row_first.end()))
    throw std::invalid_argument("tagger: rows must run from 0 to the number of entries");
  if (local.size() != row_tag.size() || chain.size() != row_tag.size())
    throw std::invalid_argument("tagger: every entry needs two weights");
  const std::size_t pairs = order == 0 ? 0 : at(tags + 1) * at(tags + 1);
  if (bigram_.size() != pairs || trigrams.size() != trigram.size() ||
      (order < 2 && !trigrams.empty()))
    throw std::invalid_argument("tagger: the transitions have the wrong size");
  ends_trigram_.assign(bigram_.size(), 0);
  for (const Key key : trigrams) {
    const auto b = static_cast<Index>(key >> 21 & 0x1FFFFF) - 1;
    const auto c = static_cast<Index>(key & 0x1FFFFF) - 1;
    if (b >= tags || c >= tags) throw std::invalid_argument("tagger: no such trigram");
    ends_trigram_[pair_at(b, c)] = 1;
  }
  entries_.reserve(row_tag.size());
  for (std::size_t e = 0; e < row_tag.size(); ++e) {
    if (row_tag[e] < 0 || row_tag[e] >= tags_) throw std::invalid_argument("tagger: no such tag");
    if (!std::isfinite(local[e]) || !std::isfinite(chain[e]))
      throw std::invalid_argument("tagger: a weight is not finite");
    entries_.push_back({row_tag[e], local[e], chain[e]});
  }
}

void TaggerModel::check(const TagInput& input, std::span<const Index> set) const {
  input.check();
  if (input.columns != templates_.columns())
    throw std::invalid_argument("tagger input: the templates want other columns");
  if (set.size() != input.classes.size())
    throw std::invalid_argument("tagger input: every position names a set of tags");
  for (const Index s : set)
    if (s < 0 || s >= sets_.size()) throw std::invalid_argument("tagger input: no such set");
}

std::vector<Index> TaggerModel::rows(const TagInput& input) const {
  std::vector<Key> keys(input.classes.size() * at(templates_.size()));
  Key* out = keys.data();
  for (std::size_t s = 0; s + 1 < input.first_position.size(); ++s) {
    templates_.hash(input, static_cast<Index>(s), out);
    out += at(input.first_position[s + 1] - input.first_position[s]) * at(templates_.size());
  }
  std::vector<Index> found;
  found.reserve(keys.size());
  for (const Key key : keys) found.push_back(table_.find(key));
  return found;
}

void TaggerModel::entries(const Index* rows, Index tag, std::vector<Index>& out) const {
  for (Index t = 0; t < templates_.size(); ++t) {
    if (rows[t] < 0) continue;
    const Entry *begin = entries_.data() + row_first_[at(rows[t])],
                *end = entries_.data() + row_first_[at(rows[t]) + 1];
    const Entry* found = std::lower_bound(
        begin, end, tag, [](const Entry& entry, Index wanted) { return entry.tag < wanted; });
    if (found < end && found->tag == tag)
      out.push_back(static_cast<Index>(found - entries_.data()));
  }
}

// Sums of rows over all tags, for both models.
void TaggerModel::score(const Key* keys, std::vector<float>& local, std::vector<float>& chain,
                        std::vector<Index>& row) const {
  const Index templates = templates_.size();
  row.resize(at(templates));
  for (Index t = 0; t < templates; ++t) {
    row[at(t)] = table_.find(keys[t]);
    if (row[at(t)] >= 0) __builtin_prefetch(&row_first_[at(row[at(t)])]);
  }
  for (Index t = 0; t < templates; ++t)
    if (row[at(t)] >= 0) __builtin_prefetch(entries_.data() + row_first_[at(row[at(t)])]);
  std::fill(local.begin(), local.end(), 0.0f);
  std::fill(chain.begin(), chain.end(), 0.0f);
  for (Index t = 0; t < templates; ++t) {
    if (row[at(t)] < 0) continue;
    const Index end = row_first_[at(row[at(t)]) + 1];
    for (Index e = row_first_[at(row[at(t)])]; e < end; ++e) {
      const Entry& entry = entries_[at(e)];
      local[at(entry.tag)] += entry.local;
      chain[at(entry.tag)] += entry.chain;
    }
  }
}

// Adds the candidates of one position, in the order of their numbers.
void TaggerModel::prune(Index set, const std::vector<float>& local, const std::vector<float>& chain,
                        Pruning pruning, Ranked& ranked, Lattice& out) const {
  ranked.clear();
  for (Index x = sets_.first[at(set)]; x < sets_.first[at(set) + 1]; ++x) {
    const Index tag = sets_.tag[at(x)];
    ranked.emplace_back(-static_cast<double>(local[at(tag)]), tag);
  }
  const auto most = std::min(ranked.size(), at(std::max(pruning.most, 1)));
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(most),
                    ranked.end());
  const double best = ranked[0].first, limit = best - std::log(pruning.beta);
  double z = 0;
  for (const auto& [minus, tag] : ranked) z += std::exp(best - minus);
  std::size_t keep = 1;
  while (keep < most && (ranked[keep].first <= limit || keep < at(std::max(pruning.least, 0))))
    ++keep;
  std::sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(keep),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  for (std::size_t k = 0; k < keep; ++k) {
    const auto [minus, tag] = ranked[k];
    out.tag.push_back(tag);
    out.local.push_back(std::exp(best - minus) / z);
    out.emission.push_back(static_cast<double>(chain[at(tag)]));
  }
  out.first.push_back(static_cast<Index>(out.tag.size()));
}

// Where the set leaves no choice there is nothing to score, unless a chain wants the emission.
void TaggerModel::take_only(Index set, Lattice& out) const {
  out.tag.push_back(sets_.tag[at(sets_.first[at(set)])]);
  out.local.push_back(1.0);
  out.emission.push_back(0.0);
  out.first.push_back(static_cast<Index>(out.tag.size()));
}

void TaggerModel::tag(const TagInput& input, Index sentence, std::span<const Index> set,
                      Pruning pruning, Lattice& out) const {
  const Index begin = input.first_position[at(sentence)];
  const Index end = input.first_position[at(sentence) + 1];
  const auto is_open = [&](Index i) {
    return order_ > 0 || sets_.first[at(set[at(i)]) + 1] - sets_.first[at(set[at(i)])] > 1;
  };
  std::vector<Index> places;
  templates_.anchors(input, sentence, places);
  const auto width = at(templates_.size());
  std::vector<Key> keys, ahead(width);
  keys.reserve(width);
  // Keys are made one open position ahead, so that their slots are in the cache when they are read.
  const auto prepare = [&](Index i) {
    while (i < end && !is_open(i)) ++i;
    if (i == end) return;
    templates_.hash_position(input, sentence, i, places, ahead.data());
    for (const Key key : ahead) table_.prefetch(key);
  };
  prepare(begin);
  std::vector<float> local(at(tags_)), chain(at(tags_));
  std::vector<Index> row;
  Ranked ranked;
  const std::size_t from = out.first.size() - 1;
  for (Index i = begin; i < end; ++i) {
    if (!is_open(i)) {
      take_only(set[at(i)], out);
      continue;
    }
    keys = ahead;
    prepare(i + 1);
    score(keys.data(), local, chain, row);
    prune(set[at(i)], local, chain, pruning, ranked, out);
  }
  if (begin < end) chain_posteriors(from, out);
}

double TaggerModel::marginals(Lattice& lattice) const {
  const double log_z = chain_posteriors(0, lattice);
  return std::isnan(log_z) ? -std::numeric_limits<double>::infinity() : log_z;
}

double TaggerModel::chain_posteriors(std::size_t begin, Lattice& out) const {
  out.posterior.resize(out.tag.size());
  // exp(emission) with the best of each position at 1
  std::vector<double> weight(out.tag.size() - at(out.first[begin]));
  double log_z = 0;
  for (std::size_t i = begin; i + 1 < out.first.size(); ++i) {
    const double best = *std::max_element(out.emission.begin() + out.first[i],
                                          out.emission.begin() + out.first[i + 1]);
    for (Index c = out.first[i]; c < out.first[i + 1]; ++c)
      weight[at(c - out.first[begin])] = std::exp(out.emission[at(c)] - best);
    log_z += best;
  }
  return log_z + (order_ == 2 ? second_order(begin, weight, out) : first_order(begin, weight, out));
}

// α(i, b) = w(i, b) Σ_a α(i-1, a) T(a, b);  β(i, a) = Σ_b T(a, b) w(i+1, b) β(i+1, b);
// the posterior is α β, scaled at every position. Order 0 has T = 1.
double TaggerModel::first_order(std::size_t begin, const std::vector<double>& weight,
                                Lattice& out) const {
  const std::size_t n = out.first.size() - 1 - begin;
  const Index base = out.first[begin];
  const auto first = [&](std::size_t i) { return out.first[begin + i] - base; };
  const auto tag = [&](Index c) { return out.tag[at(base + c)]; };
  const auto pair = [&](Index a, Index b) {
    return order_ == 0 ? 1.0 : pair_weight(a, b, out.power);
  };
  std::vector<double> forward(weight.size()), back(weight.size());
  double log_z = 0, last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (Index c = first(i); c < first(i + 1); ++c) {
      double sum = i == 0 ? pair(-1, tag(c)) : 0.0;
      if (i > 0)
        for (Index p = first(i - 1); p < first(i); ++p)
          sum += forward[at(p)] * pair(tag(p), tag(c));
      forward[at(c)] = sum * weight[at(c)];
    }
    log_z += std::log(normalise(&forward[at(first(i))], &forward[0] + first(i + 1)));
  }
  for (std::size_t i = n; i-- > 0;) {
    for (Index c = first(i); c < first(i + 1); ++c) {
      double sum = i + 1 == n ? pair(tag(c), -1) : 0.0;
      if (i + 1 < n)
        for (Index q = first(i + 1); q < first(i + 2); ++q)
          sum += pair(tag(c), tag(q)) * weight[at(q)] * back[at(q)];
      back[at(c)] = sum;
      if (i + 1 == n) last += forward[at(c)] * sum;
    }
    normalise(&back[at(first(i))], &back[0] + first(i + 1));
    for (Index c = first(i); c < first(i + 1); ++c)
      out.posterior[at(base + c)] = forward[at(c)] * back[at(c)];
    normalise(&out.posterior[at(base + first(i))], &out.posterior[0] + base + first(i + 1));
  }
  return log_z + std::log(last);
}

double TaggerModel::triple_weight(Index a, Index b, Index c, double power) const {
  if (!ends_trigram_[pair_at(b, c)]) return 1.0;
  const Index found = trigram_table_.find(trigram_key(a, b, c));
  return found < 0 ? 1.0 : raised(trigram_[at(found)], power);
}

// As above over pairs of tags: α(i, a, b) = w(i, b) Σ_z α(i-1, z, a) T(z, a, b), where
// T(z, a, b) = bigram(a, b) trigram(z, a, b). Transitions are looked up once and kept.
double TaggerModel::second_order(std::size_t begin, const std::vector<double>& weight,
                                 Lattice& out) const {
  const std::size_t n = out.first.size() - 1 - begin;
  const Index base = out.first[begin];
  // Position -1 and -2 have one candidate, the boundary.
  const auto size = [&](std::ptrdiff_t i) {
    return i < 0 ? 1u
                 : at(out.first[begin + static_cast<std::size_t>(i) + 1] -
                      out.first[begin + static_cast<std::size_t>(i)]);
  };
  const auto place = [&](std::ptrdiff_t i) {
    return at(out.first[begin + static_cast<std::size_t>(i)] - base);
  };
  const auto tag = [&](std::ptrdiff_t i, std::size_t k) {
    return i < 0 ? -1 : out.tag[at(base) + place(i) + k];
  };
  std::vector<std::vector<double>> forward(n), back(n), moves(n);
  std::vector<double> before{1.0};
  double log_z = 0, last = 0;
  const auto count = static_cast<std::ptrdiff_t>(n);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::size_t Z = size(i - 2), A = size(i - 1), B = size(i);
    auto &f = forward[static_cast<std::size_t>(i)], &m = moves[static_cast<std::size_t>(i)];
    f.assign(A * B, 0.0);
    m.resize(Z * A * B);
    for (std::size_t a = 0; a < A; ++a)
      for (std::size_t b = 0; b < B; ++b) {
        const double pair = pair_weight(tag(i - 1, a), tag(i, b), out.power) * weight[place(i) + b];
        double sum = 0;
        for (std::size_t z = 0; z < Z; ++z) {
          const double move =
              pair * triple_weight(tag(i - 2, z), tag(i - 1, a), tag(i, b), out.power);
          m[(z * A + a) * B + b] = move;
          sum += before[z * A + a] * move;
        }
        f[a * B + b] = sum;
      }
    log_z += std::log(normalise(f.data(), f.data() + f.size()));
    before = f;
  }
  for (std::ptrdiff_t i = count - 1; i >= 0; --i) {
    const std::size_t A = size(i - 1), B = size(i);
    auto& b_here = back[static_cast<std::size_t>(i)];
    b_here.assign(A * B, 0.0);
    for (std::size_t a = 0; a < A; ++a)
      for (std::size_t b = 0; b < B; ++b) {
        double sum = 0;
        if (i + 1 == count) {
          sum = pair_weight(tag(i, b), -1, out.power) *
                triple_weight(tag(i - 1, a), tag(i, b), -1, out.power);
          last += before[a * B + b] * sum;
        } else {
          const std::size_t C = size(i + 1);
          const double* move = &moves[static_cast<std::size_t>(i) + 1][(a * B + b) * C];
          const double* next = &back[static_cast<std::size_t>(i) + 1][b * C];
          for (std::size_t c = 0; c < C; ++c) sum += move[c] * next[c];
        }
        b_here[a * B + b] = sum;
      }
    normalise(b_here.data(), b_here.data() + b_here.size());
    double* posterior = &out.posterior[at(base) + place(i)];
    std::fill(posterior, posterior + B, 0.0);
    for (std::size_t a = 0; a < A; ++a)
      for (std::size_t b = 0; b < B; ++b)
        posterior[b] += forward[static_cast<std::size_t>(i)][a * B + b] * b_here[a * B + b];
    normalise(posterior, posterior + B);
  }
  return log_z + std::log(last);
}

}  // namespace treewright::tagging

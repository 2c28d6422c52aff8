// What threads share, under the thread sanitizer (`make tsan`): the pool that runs batches, and one
// tagger that many threads ask at once.
#include <atomic>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "counts/batch.hpp"
#include "tagging/tagger.hpp"

namespace treewright {
namespace {

constexpr unsigned kThreads = 8;

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// Results come in order, however threads take turns.
void test_pool() {
  std::vector<std::size_t> square(500, 0), order;
  counts::StopFlag stop{};
  counts::run_ordered(
      square.size(), kThreads, [&](std::size_t i, unsigned) { square[i] = i * i; },
      [&](std::size_t i) {
        require(square[i] == i * i, "finished before its work");
        order.push_back(i);
      },
      stop, [] { return false; });
  std::vector<std::size_t> expected(square.size());
  std::iota(expected.begin(), expected.end(), 0);
  require(order == expected, "out of order");
}

// The error of the first item is the one that is thrown; the others stop.
void test_errors() {
  counts::StopFlag stop{};
  bool thrown = false;
  try {
    counts::run_ordered(
        100, kThreads,
        [](std::size_t i, unsigned) {
          if (i >= 20) throw std::invalid_argument("an error");
        },
        [](std::size_t) {}, stop, [] { return false; });
  } catch (const std::invalid_argument&) {
    thrown = true;
  }
  require(thrown, "an error was lost");
}

tagging::TaggerModel small_tagger(const tagging::TagInput& input, std::vector<Key>& keys) {
  const Index code[] = {0, 0, 1, 1, 0, 0, 0, 0, 1, 0};  // one template: the word itself
  tagging::Templates templates(TemplateProgram(code, {1, 1, 1, 1}), {});
  keys.resize(at(input.positions()));
  templates.hash(input, 0, keys.data());
  std::vector<Index> first{0}, tag;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    tag.insert(tag.end(), {0, 1, 2});
    first.push_back(static_cast<Index>(tag.size()));
  }
  std::vector<float> weight(tag.size());
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<float>(i % 7) / 3;
  const std::vector<float> bigram(16, 0.25F);
  const Index all[] = {0, 1, 2}, ends[] = {0, 3};
  return {templates, keys, first, tag, weight, weight, 3, {ends, all, 3}, bigram, {}, {}, 1};
}

// Every thread's lattice is that of one.
void test_tagger() {
  std::vector<Key> words(40), keys;
  std::iota(words.begin(), words.end(), Key{1000});
  const std::vector<std::uint32_t> classes(words.size(), 0);
  const std::vector<Index> set(words.size(), 0);
  const Index ends[] = {0, static_cast<Index>(words.size())};
  const tagging::TagInput input{words, classes, ends, 1};
  const tagging::TaggerModel model = small_tagger(input, keys);
  const auto lattice = [&] {
    tagging::Lattice out;
    model.tag(input, 0, set, {0.001, 1, 3}, out);
    return out;
  };
  const tagging::Lattice expected = lattice();
  require(!expected.tag.empty(), "no candidates");
  std::atomic<int> different{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          const tagging::Lattice found = lattice();
          different += found.tag != expected.tag || found.posterior != expected.posterior;
        }
      });
  }
  require(different == 0, "threads tag otherwise");
}

}  // namespace
}  // namespace treewright

int main() {
  treewright::test_pool();
  treewright::test_errors();
  treewright::test_tagger();
  std::puts("threads: passed");
}

// Memory for large tables with random access: requests huge pages, without which most reads also
// miss the TLB.
#pragma once

#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace treewright {

template <class T>
struct HugePages {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{1} << 21;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
    void* const made = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
    if (!made) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    madvise(made, bytes, MADV_HUGEPAGE);  // a wish: refusal changes nothing
#endif
    return static_cast<T*>(made);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kPage)
      ::operator delete(memory);
    else
      std::free(memory);
  }
  bool operator==(const HugePages&) const = default;
};

template <class T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace treewright

#pragma once

#include <batches.hpp>
#include <cstdlib>
#include <cstring>
#include <emulated_device.hpp>
#include <memory>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/backend/cuda/gemm.hpp>
#include <utility>
#include <vector>

/// Tests of batched products run on an emulated device, or, where TENFOLD_TEST_DEVICE is `cuda`, on
/// the first GPU.
namespace tenfold::testing {

/// The machine of one test.
class tested_machine {
 public:
  tested_machine() {
    const char* const said = std::getenv("TENFOLD_TEST_DEVICE");
    if (said != nullptr && std::strcmp(said, "cuda") == 0)
      machine_ = on(device::cuda).machine;
    else
      emulated_ = std::make_unique<emulation::emulated_device>();
  }

  operator cuda::device_machine&() const { return emulated_ ? *emulated_ : *machine_; }
  bool is_emulated() const { return emulated_ != nullptr; }
  /// Whether so many texts were compiled since it was made; a GPU does not tell.
  bool has_compiled(int texts) const { return !emulated_ || emulated_->compiled() == texts; }
  /// From now on other threads go first, of no more than so many blocks. A GPU does as it likes.
  void reorder(std::uint64_t seed, index most_blocks) const {
    if (!emulated_) return;
    emulated_->seed = seed;
    emulated_->most_blocks = most_blocks;
  }
  /// f(T) for all four scalars; on a GPU, whose compiler takes half a second for a text, for two:
  /// a real and a complex one, in either precision.
  template <class F>
  void for_each_scalar(const F& f) const {
    if (is_emulated()) return testing::for_each_scalar(f);
    f(double{});
    f(std::complex<float>{});
  }

 private:
  std::unique_ptr<emulation::emulated_device> emulated_;
  cuda::device_machine* machine_ = nullptr;
};

/// Operands of products on the host that have a place in the memory of a machine, too, with nothing
/// around it: what `source` gives is copied there and back by `gemm`.
class memory_there {
 public:
  explicit memory_there(cuda::device_machine& on) : on_(on) {}
  memory_there(const memory_there&) = delete;
  ~memory_there() {
    for (const range& r : ranges_) on_.release(r.there);
  }

  memory_source source() {
    return [this](std::size_t bytes) {
      auto& here = here_.emplace_back(std::make_unique<std::byte[]>(bytes));
      ranges_.push_back({here.get(), static_cast<std::byte*>(on_.allocate(bytes)), bytes});
      return here.get();
    };
  }

  /// cuda::gemm of operands that lie in what `source` gave.
  template <class T>
  void gemm(const gemm_shape& s, const gemm_arguments<T>& here, void* stream = nullptr) {
    for (const range& r : ranges_)
      if (r.bytes > 0) on_.copy_in(r.there, r.here, r.bytes, stream);
    const index entries_of_c = s.m * s.n, entries_of_a = s.m * s.k, entries_of_b = s.k * s.n;
    gemm_arguments<T> there = here;
    move<T>(there.a, s.a, entries_of_a, here.count, stream);
    move<T>(there.b, s.b, entries_of_b, here.count, stream);
    move<T>(there.c, s.c, entries_of_c, here.count, stream);
    cuda::gemm(on_, s, there, stream);
    for (const range& r : ranges_)
      if (r.bytes > 0) on_.copy_out(r.here, r.there, r.bytes, stream);
    on_.wait(stream);
    for (void* const list : lists_) on_.release(list);
    lists_.clear();
  }

 private:
  struct range {
    std::byte *here, *there;
    std::size_t bytes;
  };

  /// Where an address of the host lies there.
  template <class P>
  P* moved(P* x) const {
    const auto* const at = reinterpret_cast<const std::byte*>(x);
    for (const range& r : ranges_)
      if (at >= r.here && at < r.here + r.bytes)
        return reinterpret_cast<P*>(r.there + (at - r.here));
    return x;
  }
  const void* copied(const void* list, std::size_t bytes, void* stream) {
    lists_.push_back(on_.allocate(bytes));
    if (bytes > 0) on_.copy_in(lists_.back(), list, bytes, stream);
    return lists_.back();
  }
  /// Makes the place of an operand one of there: entries, a list of their addresses, or a map.
  template <class T>
  void move(batch_place& x, const matrix_batch& how, index entries, index count, void* stream) {
    const auto problems = static_cast<std::size_t>(how.shared ? 1 : count);
    if (how.layout == batch_layout::pointers) {
      std::vector<T*> list(static_cast<T* const*>(x.data),
                           static_cast<T* const*>(x.data) + problems);
      for (T*& at : list) at = moved(at);
      x.data = copied(list.data(), list.size() * sizeof(T*), stream);
    } else {
      x.data = moved(static_cast<const std::byte*>(x.data));
    }
    if (how.layout == batch_layout::gathered)
      x.map = copied(x.map,
                     problems * static_cast<std::size_t>(entries) *
                         (x.wide_map ? sizeof(std::int64_t) : sizeof(std::int32_t)),
                     stream);
  }

  cuda::device_machine& on_;
  std::vector<std::unique_ptr<std::byte[]>> here_;
  std::vector<range> ranges_;
  std::vector<void*> lists_;
};

/// As wrong_products, of operands in such memory.
template <class T>
index wrong_products(memory_there& memory, product<T>& p) {
  p.c.put_back();
  const auto want = reference::gemm(p.shape, p.arguments);
  if (p.arguments.beta == T(0)) p.c.fill(not_a_number<T>());
  memory.gemm(p.shape, p.arguments);
  return p.judge(want);
}

}  // namespace tenfold::testing

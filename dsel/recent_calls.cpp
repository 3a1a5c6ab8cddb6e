#include <algorithm>
#include <bit>
#include <cstring>
#include <tenfold/dsel/recent_calls.hpp>

namespace tenfold {

call_key::call_key(std::string_view text, int operands, const call_settings& settings) {
  const bind_options& binding = settings.binding;
  add(text.size() | static_cast<std::uint64_t>(operands) << 32 |
      static_cast<std::uint64_t>(binding.numpy_semantics) << 48 |
      static_cast<std::uint64_t>(binding.accumulates) << 49 |
      static_cast<std::uint64_t>(binding.accumulate) << 50 |
      static_cast<std::uint64_t>(is_zero(settings.beta)) << 58);
  for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
    add(word);
  }
  const path_options& path = settings.path;
  add(static_cast<std::uint64_t>(path.method) | static_cast<std::uint64_t>(path.objective) << 8 |
      static_cast<std::uint64_t>(path.pair_count) << 16 |
      static_cast<std::uint64_t>(path.tries) << 32);
  add(path.seed);
  add(std::bit_cast<std::uint64_t>(path.largest_intermediate));
  for (int i = 0; i < std::min(path.pair_count, path_options::max_pairs); ++i)
    add(static_cast<std::uint64_t>(path.pairs[i][0]) | static_cast<std::uint64_t>(path.pairs[i][1])
                                                           << 8);
}

void call_key::add(const operand_shape<max_rank>& shape) {
  add_form(shape.type, shape.layout, shape.space, shape.conjugated, shape.symmetry, shape.rank);
  add(static_cast<std::uint64_t>(shape.block));
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i)
    add_axis(shape.extents[i], shape.strides[i]);
}

void call_key::add_twins(const void* const* data, int count) {
  for (int o = 1; o < count; ++o) {
    int first = 0;
    while (data[first] != data[o]) ++first;
    if (first != o) add(static_cast<std::uint64_t>(o) << 32 | static_cast<std::uint64_t>(first));
  }
}

recent_calls& recent_calls::of_this_thread() {
  thread_local recent_calls calls;
  return calls;
}

std::shared_ptr<const recent_call> recent_calls::find(const call_key& key) {
  for (std::size_t i = 0; i < places; ++i) {
    const std::size_t at = (last_ + i) % places;
    const entry& e = entries_[at];
    if (std::equal(key.begin(), key.end(), e.key.begin(), e.key.end())) {
      last_ = at;
      return e.call;
    }
  }
  return nullptr;
}

void recent_calls::keep(const call_key& key, std::shared_ptr<const recent_call> call) {
  last_ = next_;
  next_ = (next_ + 1) % places;
  entries_[last_] = {{key.begin(), key.end()}, std::move(call)};
}

}  // namespace tenfold

#include <cstdlib>
#include <cstring>
#include <deque>
#include <emulated_device.hpp>
#include <map>
#include <tenfold/dsel/on_device.hpp>
#include <test_device.hpp>

#include "copy_there.hpp"

namespace tenfold::testing {
namespace {

bool names(const char* machine) {
  const char* const said = std::getenv("TENFOLD_TEST_DEVICE");
  return said != nullptr && std::strcmp(said, machine) == 0;
}

/// The numbers of entries, from and to, that an operand reaches from its first one.
std::pair<index, index> reach_of(const operand_shape<max_rank>& x) {
  index low = 0, high = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.rank); ++i) {
    if (x.extents[i] == 0) return {0, 0};
    (x.strides[i] < 0 ? low : high) += (x.extents[i] - 1) * x.strides[i];
  }
  return {low, high};
}

}  // namespace

cuda::device_machine* named_device() {
  if (names("cuda")) return on(device::cuda).machine;
  return names("emulated") ? on(device::emulated).machine : nullptr;
}

void evaluate_there(const device_queue& where, std::string_view text,
                    const run_time_operand* inputs, int count,
                    const operand_shape<max_rank>& y_shape, void* y,
                    const call_settings& settings) {
  std::deque<copy_there<char>> copies;
  const auto copied = [&](const operand_shape<max_rank>& x, const void* data) {
    const auto size = static_cast<index>(bytes_of(x.type));
    const auto [low, high] = reach_of(x);
    copies.emplace_back(*where.machine, static_cast<const char*>(data) + low * size,
                        static_cast<std::size_t>((high - low) * size));
    return copies.back().data() - low * size;
  };
  std::map<const void*, const void*> known;  // by the address on the host
  std::vector<run_time_operand> there(inputs, inputs + count);
  for (run_time_operand& x : there) {
    const void*& at = known[x.data];
    if (at == nullptr) at = copied(x.shape, x.data);
    x.data = at;
  }
  char* const result = copied(y_shape, y);
  evaluate_on(where, text, there.data(), count, y_shape, result, settings);
  const auto [low, high] = reach_of(y_shape);
  const auto size = static_cast<index>(bytes_of(y_shape.type));
  copies.back().copy_back(static_cast<char*>(y) + low * size);
}

test_device::test_device(const std::optional<device_capabilities>& like)
    : like_(like),
      emulated_(names("cuda") ? nullptr
                              : std::make_unique<emulation::emulated_device>(
                                    like.value_or(h100_capabilities))),
      under_(names("cuda") ? named_device() : emulated_.get()) {}

test_device::~test_device() { workspaces.forget(*this); }

void test_device::reorder(std::uint64_t seed, index most_blocks) {
  if (emulated_ == nullptr) return;
  emulated_->seed = seed;
  emulated_->most_blocks = most_blocks;
}

}  // namespace tenfold::testing

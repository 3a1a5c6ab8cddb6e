#pragma once

#include <cstdint>
#include <emulated_device.hpp>
#include <emulation.hpp>
#include <fails_alone.hpp>
#include <stdexcept>
#include <string>

/// Device code, broken on purpose: the emulation must catch it.
namespace tenfold::emulation {

struct change {
  const char* header;
  std::string from, to;
};

/// Orders of threads that are tried.
constexpr int orders = 8;

/// In how many orders of threads something wrong is found in the code with this change:
/// `is_right(machine)` says that numbers are not what they should be, or an emulation_error holds
/// `error`. Where sanitizers watch, one order is run, in a process of its own.
template <class F>
int times_caught(const change& c, const std::string& error, const F& is_right) {
  bool found = false;
  emulated_device on(h100_capabilities, [&](const std::string& name, std::string& text) {
    if (name != c.header) return;
    const std::size_t at = text.find(c.from);
    if (at == std::string::npos) return;
    found = true;
    text.replace(at, c.from.size(), c.to);
  });
  if (!found) throw std::logic_error("what is to be broken is not there: " + c.from);
  on.most_blocks = 1;
  const auto catches = [&](std::uint64_t seed) {
    on.seed = seed;
    try {
      return !is_right(on) && error.empty();
    } catch (const emulation_error& e) {
      return !error.empty() && std::string(e.what()).find(error) != std::string::npos;
    }
  };
#if defined(TENFOLD_SANITIZED)
  return fails_alone([&] { return catches(1); }) ? orders : 0;
#else
  int caught = 0;
  for (int seed = 1; seed <= orders; ++seed) caught += catches(static_cast<std::uint64_t>(seed));
  return caught;
#endif
}

}  // namespace tenfold::emulation

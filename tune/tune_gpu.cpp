/// ./dev tune --device cuda: finds how batched products are cut on the first GPU.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <tenfold/backend/cuda/device_tunings.hpp>
#include <tenfold/backend/cuda/gpu.hpp>
#include <tenfold/tensor/error.hpp>
#include <thread>

#include "common/timing.hpp"
#include "search.hpp"
#include "tune_device.hpp"

namespace tenfold::tune {
namespace {

/// More than eight times the last-level cache of today's GPUs.
constexpr std::size_t operand_bytes = std::size_t{512} << 20;

/// Samples of some passes, so that waiting for the last one does not count.
constexpr bench::effort screening{3, 0.002}, careful_effort{9, 0.005};

/// Of wall-clock time: work that was started is waited for before the clock is read.
pass_timer timer_of(const device_queue& where) {
  return [where](const std::vector<std::function<void()>>& passes, bool careful) {
    std::vector<bench::candidate> candidates;
    for (const auto& pass : passes) candidates.push_back({"", pass});
    const auto now = [&] {
      where.wait();
      const auto since = std::chrono::steady_clock::now().time_since_epoch();
      return std::chrono::duration<double>(since).count();
    };
    std::vector<double> seconds;
    for (const bench::timing& t :
         bench::time_alternately(candidates, careful ? careful_effort : screening, now))
      seconds.push_back(t.seconds);
    return seconds;
  };
}

volatile std::sig_atomic_t wants_end = 0;

int run(device_options asked) {
  // Most of what is compiled is never used again, so it is not kept on disk.
  cuda::gpu gpu(0, cuda::image_cache(""));
  const std::string device = cuda::device_key(gpu.name());
  if (asked.out.empty()) asked.out = user_tuning_file(device);
  if (asked.out.empty())
    throw std::runtime_error("there is neither HOME nor XDG_DATA_HOME: name a file with --out");
  if (std::filesystem::is_directory(asked.out))
    throw std::runtime_error("the table cannot be written: " + asked.out.string() +
                             " is a directory");
  const device_queue where = on(gpu);
  std::printf("%s, GB/s\n", gpu.name().c_str());
  const bool shows_progress = isatty(STDERR_FILENO) != 0;
  device_search_options how;
  how.candidates = 64;
  how.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 16U));
  how.timer = timer_of(where);
  how.progress = [&](const std::string& what) {
    if (wants_end != 0) throw interrupted{};
    if (shows_progress) std::fprintf(stderr, "\r\033[K%s\r", what.c_str());
  };
  how.warn = [](const std::string& what) { std::fprintf(stderr, "tune: %s\n", what.c_str()); };
  device_arena memory(where, operand_bytes);
  return tune_device(asked, memory, device, how);
}

}  // namespace
}  // namespace tenfold::tune

int main(int argc, char** argv) {
  using namespace tenfold::tune;
  std::signal(SIGINT, [](int) { wants_end = 1; });
  try {
    const device_options asked = read_device_options(argc, argv);
    if (!asked.wants_help) return run(asked);
    std::printf("%s", device_usage);
    return 0;
  } catch (const tenfold::backend_error& missing) {
    std::fprintf(stderr, "%s\n", missing.what());
    return 1;
  } catch (const std::invalid_argument& wrong) {
    std::fprintf(stderr, "tune: %s\n", wrong.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tune: %s\n", e.what());
    return 1;
  }
}

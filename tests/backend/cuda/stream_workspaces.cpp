#include <tenfold/backend/cuda/stream_workspaces.hpp>

#include <doctest/doctest.h>

#include <emulated_device.hpp>
#include <map>
#include <string>
#include <tenfold/backend/cuda/gpu.hpp>
#include <tenfold/backend/cuda/program.hpp>
#include <thread>
#include <thrown.hpp>
#include <vector>

#include "fake_gpu.hpp"

// What programs of one stream leave from launch to launch.

namespace tenfold::testing {
namespace {

/// Counts its memory. It loads texts without compiling them, and of what is launched it keeps the
/// stream and the thread.
class counting_device final : public emulation::emulated_device {
 public:
  ~counting_device() override { workspaces.forget(*this); }
  cuda::device_function load(const std::string&, const char*, const cuda::device_use&) override {
    return {this};
  }
  void launch(cuda::device_function, const cuda::device_launch&, void**) override {
    launched.push_back(std::this_thread::get_id());
    std::this_thread::yield();
  }
  void* allocate(std::size_t bytes) override {
    void* const memory = emulated_device::allocate(bytes);
    lives[memory] = bytes;
    return memory;
  }
  void release(void* memory) noexcept override {
    lives.erase(memory);
    emulated_device::release(memory);
  }
  bool is_captured(void*) override { return captures; }

  bool captures = false;
  std::map<void*, std::size_t> lives;
  std::vector<std::thread::id> launched;
};

/// Several launches of a copy, which take so many entries of workspace.
device_program copies(int launches, index entries) {
  device_program made;
  device_phase phase;
  phase.steps.emplace_back();
  phase.threads = 32;
  made.phases.assign(static_cast<std::size_t>(launches), phase);
  made.workspace_entries = entries;
  return made;
}

void run(const cuda::ready_program& program, void* stream) {
  program.run(program_arguments<double>{}, stream);
}

}  // namespace

TEST_CASE("programs of one stream share a workspace, which grows and is not made anew") {
  counting_device machine;
  int first = 0, second = 0;
  for (const int launches : {1, 2}) {
    for (const index entries : {100, 50, 200, 100}) {
      const cuda::ready_program program(machine, copies(launches, entries), &first);
      run(program, &first);
    }
  }
  REQUIRE(machine.lives.size() == 1);
  CHECK(machine.lives.begin()->second == 8 * 200);
  void* const data = machine.lives.begin()->first;
  CHECK(machine.workspaces.hold(machine, &first, 1600).data == data);
  void* const other = machine.workspaces.hold(machine, &second, 8).data;
  CHECK(other != data);
  CHECK(machine.lives[other] == 8);
  CHECK(machine.workspaces.hold(machine, &second, 0).data == nullptr);
}

TEST_CASE("a program takes memory when it runs, not when it is made or explained") {
  counting_device machine;
  const cuda::ready_program huge(machine, copies(2, index{1} << 55), nullptr);
  CHECK(huge.explain().workspace_bytes == index{1} << 58);
  CHECK(machine.lives.empty());
}

TEST_CASE("what a graph may hold stays when a workspace grows") {
  counting_device machine;
  const auto hold = [&](std::size_t bytes) {
    return machine.workspaces.hold(machine, nullptr, bytes).data;
  };
  hold(100);
  machine.captures = true;
  void* const captured = hold(50);
  machine.captures = false;
  hold(100);
  hold(200);
  hold(300);
  void* const now = hold(400);
  CHECK(now != captured);
  REQUIRE(machine.lives.size() == 2);
  CHECK(machine.lives.at(captured) == 100);
  CHECK(machine.lives.at(now) == 400);
}

TEST_CASE("threads that run programs on one stream do not mix their launches") {
  counting_device machine;
  constexpr int launches = 5, times = 200;
  const cuda::ready_program one(machine, copies(launches, 10), nullptr),
      other(machine, copies(launches, 20), nullptr);
  std::vector<std::thread> threads;
  for (const auto* const program : {&one, &other, &one})
    threads.emplace_back([program] {
      for (int i = 0; i < times; ++i) run(*program, nullptr);
    });
  for (std::thread& x : threads) x.join();
  REQUIRE(machine.launched.size() == 3 * times * launches);
  int between = 0;
  for (std::size_t i = 0; i < machine.launched.size(); ++i)
    between += machine.launched[i] != machine.launched[i / launches * launches];
  CHECK(between == 0);
}

TEST_CASE("a workspace for which a device has no room is an error with its bytes") {
  if (!has_compiler()) return;
  fake_state() = {};
  {
    cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
    int stream = 0;
    const auto hold = [&](std::size_t bytes) {
      return gpu.workspaces.hold(gpu, &stream, bytes).data;
    };
    hold(1000);
    fake_state().most_bytes = 2000;
    CHECK(thrown_by<backend_error>([&] { hold(2001); }) ==
          "tenfold: no workspace of 2001 bytes for what the launches of this expression leave for "
          "one another: cuMemAlloc of 2001 bytes failed: out of memory");
    CHECK(fake_state().allocations == 0);
    CHECK(hold(2000) != nullptr);  // smaller ones are run after it
    fake_state().captured = &stream;
    hold(10);
    fake_state().captured = nullptr;
    fake_state().most_bytes = 3000;
    hold(3000);
    CHECK(fake_state().allocations == 2);
    CHECK(fake_state().contexts == 0);
  }
  CHECK(fake_state().allocations == 0);
}

}  // namespace tenfold::testing

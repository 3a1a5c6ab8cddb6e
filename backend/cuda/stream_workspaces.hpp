#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace tenfold::cuda {

class device_machine;

/// The workspace of a stream, for as long as nobody else may start on it what has one.
struct held_workspace {
  std::unique_lock<std::mutex> lock;
  void* data = nullptr;
};

/// What the launches of programs leave for one another: one workspace for each stream of a machine,
/// shared by all programs that run there, because work goes in order on a stream. It only grows,
/// which waits for the device, so a program that has run on the stream finds it large enough. A
/// graph that was captured on the stream holds the address of what it writes, and nobody says when
/// the graph ends: what one may hold stays until the machine ends. May be asked from several
/// threads at once.
class stream_workspaces {
 public:
  /// Of at least so many bytes; of 0 bytes nothing, which is held by nobody. Throws backend_error
  /// if the device has no room.
  held_workspace hold(device_machine& machine, void* stream, std::size_t bytes);

  /// Gives all memory back.
  void forget(device_machine& machine) noexcept;

 private:
  struct workspace {
    std::mutex mutex;
    void* data = nullptr;
    std::size_t bytes = 0;
    bool is_captured = false;     ///< a graph may hold it
    std::vector<void*> outgrown;  ///< what graphs may hold
  };

  std::mutex mutex_;
  std::map<void*, workspace> by_stream_;
};

}  // namespace tenfold::cuda

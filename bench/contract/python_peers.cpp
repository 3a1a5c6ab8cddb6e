#include "contract/python_peers.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <sstream>

namespace tenfold::bench {
namespace {

/// Memory that the process can open, as long as this is there.
class shared_memory {
 public:
  explicit shared_memory(std::size_t bytes)
      : bytes_(bytes), descriptor_(memfd_create("operand", MFD_CLOEXEC)) {
    if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) bytes_ = 0;
  }
  ~shared_memory() { close(descriptor_); }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;

  int descriptor() const { return descriptor_; }
  bool write(const void* from) const {
    return whole([&](std::size_t done) {
      return pwrite(descriptor_, static_cast<const char*>(from) + done, bytes_ - done,
                    static_cast<off_t>(done));
    });
  }
  bool read(void* to) const {
    return whole([&](std::size_t done) {
      return pread(descriptor_, static_cast<char*>(to) + done, bytes_ - done,
                   static_cast<off_t>(done));
    });
  }

 private:
  /// The system moves less than 2 GiB in one call.
  template <class F>
  bool whole(F&& some) const {
    for (std::size_t done = 0; done < bytes_;) {
      const ssize_t moved = some(done);
      if (moved <= 0) return false;
      done += static_cast<std::size_t>(moved);
    }
    return bytes_ > 0;
  }

  std::size_t bytes_;
  int descriptor_;
};

const std::string no_memory = "no memory to share operands in";

}  // namespace

python_peers::python_peers() {
  for (char** e = environ; *e != nullptr; ++e) environment_.emplace_back(*e);
}

python_peers::~python_peers() {
  if (socket_ >= 0) close(socket_);  // the end of its input ends the process
  if (process_ > 0 && !end_) waitpid(process_, nullptr, 0);
}

void python_peers::start() {
  if (process_ != 0 || end_) return;
  int both[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) {
    end_ = "could not be started";
    return;
  }
  socket_ = both[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, both[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, both[1], STDOUT_FILENO);
  std::vector<char*> environment;
  for (std::string& e : environment_) environment.push_back(e.data());
  environment.push_back(nullptr);
  const char* const named = std::getenv("TENFOLD_PYTHON");
  std::string program = named != nullptr && *named != '\0' ? named : "python3";
  std::string script = TENFOLD_BENCH_PYTHON_PEERS;
  char* const arguments[] = {program.data(), script.data(), nullptr};
  const int failed =
      posix_spawnp(&process_, program.c_str(), &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(both[1]);
  if (failed != 0) {
    process_ = 0;
    end_ = "could not be started";
    return;
  }
  std::istringstream words(answer().value_or(""));
  for (library l; words >> l.name >> l.version;) libraries_.push_back(l);
}

const std::vector<python_peers::library>& python_peers::libraries() {
  start();
  return libraries_;
}

std::optional<std::string> python_peers::answer() {
  std::string line;
  for (char c = 0; recv(socket_, &c, 1, 0) == 1; line += c)
    if (c == '\n') return line;
  int status = 0;
  waitpid(process_, &status, 0);
  end_ = WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                             : "ended with status " + std::to_string(WEXITSTATUS(status));
  return std::nullopt;
}

std::optional<std::string> python_peers::ask(const std::string& request) {
  start();
  if (end_) return std::nullopt;
  // A process that has ended is seen by the answer.
  [[maybe_unused]] const ssize_t sent =
      send(socket_, (request + '\n').data(), request.size() + 1, MSG_NOSIGNAL);
  return answer();
}

std::string python_peers::demand(const std::string& request) {
  const std::optional<std::string> said = ask(request);
  if (!said) return "the process " + *end_;
  return *said == "ok" ? "" : *said;
}

std::string python_peers::load(const std::string& text, char scalar,
                               const std::vector<operand>& operands) {
  std::string request = "load " + text + ' ' + scalar;
  std::vector<std::unique_ptr<shared_memory>> shared;
  for (const operand& x : operands) {
    shared.push_back(std::make_unique<shared_memory>(x.bytes));
    if (!shared.back()->write(x.data)) return no_memory;
    request += ' ' + std::to_string(shared.back()->descriptor()) + ':' + x.extents;
  }
  return demand(request);
}

std::string python_peers::run(const std::string& name) { return demand("run " + name); }

std::string python_peers::fetch(void* to, std::size_t bytes) {
  const shared_memory shared(bytes);
  std::string why = demand("store " + std::to_string(shared.descriptor()));
  if (why.empty() && !shared.read(to)) why = no_memory;
  return why;
}

void python_peers::forget() {
  if (process_ != 0 && !end_) ask("forget");
}

double python_peers::seconds() const {
  clockid_t clock{};
  std::timespec now{};
  if (end_ || clock_getcpuclockid(process_, &clock) != 0) return 0;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace tenfold::bench

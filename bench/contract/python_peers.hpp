#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/timing.hpp"
#include "contract/contraction.hpp"

namespace tenfold::bench {

/// numpy, torch and jax in a Python process of their own, which python_peers.py is: `python3`, or
/// what the environment variable TENFOLD_PYTHON names. It starts when it is first asked something.
class python_peers {
 public:
  struct library {
    std::string name, version;
  };

  /// Keeps the environment as it is: what is set later is meant for other libraries.
  python_peers();
  ~python_peers();
  python_peers(const python_peers&) = delete;
  python_peers& operator=(const python_peers&) = delete;

  /// Those that can be imported.
  const std::vector<library>& libraries();

  /// Gives the process copies of A and B. Empty, or why not: so of all that follow.
  template <class T>
  std::string load(const contraction_data<T>& data) {
    std::vector<operand> operands{{data.a.data(), bytes_of(data.a), extents_of(data.a)}};
    if (!data.x.b.empty())
      operands.push_back({data.b.data(), bytes_of(data.b), extents_of(data.b)});
    return load(data.x.text(), sizeof(T) == 8 ? 'd' : 's', operands);
  }
  /// Computes the contraction there, by the library of this name.
  std::string run(const std::string& name);
  /// Brings the last result here.
  template <class T>
  std::string fetch(dynamic_tensor<T>& c) {
    return fetch(c.data(), bytes_of(c));
  }
  /// Gives back what was loaded.
  void forget();

  /// Processor time of the process; of no use once it has ended.
  double seconds() const;
  /// How the process ended, if it did.
  const std::optional<std::string>& end() const { return end_; }

 private:
  struct operand {
    const void* data;
    std::size_t bytes;
    std::string extents;
  };
  template <class T>
  static std::size_t bytes_of(const dynamic_tensor<T>& t) {
    return static_cast<std::size_t>(t.size()) * sizeof(T);
  }
  template <class T>
  static std::string extents_of(const dynamic_tensor<T>& t) {
    std::string text;
    for (int i = 0; i < t.rank(); ++i) {
      if (i > 0) text += ',';
      text += std::to_string(t.extent(i));
    }
    return text;
  }

  void start();
  std::string load(const std::string& text, char scalar, const std::vector<operand>&);
  std::string fetch(void* to, std::size_t bytes);
  /// The answer to a request; nothing when the process has ended.
  std::optional<std::string> ask(const std::string& request);
  std::optional<std::string> answer();
  /// The same, empty where the answer is "ok".
  std::string demand(const std::string& request);

  std::vector<std::string> environment_;
  std::vector<library> libraries_;
  std::optional<std::string> end_;
  pid_t process_ = 0;  ///< 0 before it is started
  int socket_ = -1;
};

}  // namespace tenfold::bench

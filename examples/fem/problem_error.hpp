#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fem {

/// What was asked for cannot be done; `what()` is one clear sentence for the user.
class problem_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// 'word', as such sentences say it. (Of "'" + a string g++ 12 warns without reason.)
inline std::string quoted(std::string_view word) {
  std::string text(1, '\'');
  for (const char c : word) text += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  return text + '\'';
}

}  // namespace fem

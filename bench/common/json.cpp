#include "common/json.hpp"

#include <cmath>
#include <cstdio>
#include <ostream>

namespace tenfold::bench {

void json_writer::value(std::string_view key, std::string_view text) {
  next(key);
  quoted(text);
}

void json_writer::value(std::string_view key, double number) {
  next(key);
  if (!std::isfinite(number)) {
    out_ << "null";
    return;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  out_ << text;
}

void json_writer::value(std::string_view key, int number) {
  next(key);
  out_ << number;
}

void json_writer::open(std::string_view key, char bracket) {
  if (depth_ > 0) next(key);
  out_ << bracket;
  ++depth_;
  first_ = true;
}

void json_writer::close(char bracket) {
  --depth_;
  if (!first_) {
    out_ << '\n';
    for (int i = 0; i < depth_; ++i) out_ << "  ";
  }
  out_ << bracket;
  first_ = false;
  if (depth_ == 0) out_ << '\n';
}

void json_writer::next(std::string_view key) {
  if (!first_) out_ << ',';
  first_ = false;
  out_ << '\n';
  for (int i = 0; i < depth_; ++i) out_ << "  ";
  if (key.empty()) return;
  quoted(key);
  out_ << ": ";
}

void json_writer::quoted(std::string_view text) {
  out_ << '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out_ << '\\' << c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out_ << escaped;
    } else {
      out_ << c;
    }
  }
  out_ << '"';
}

}  // namespace tenfold::bench

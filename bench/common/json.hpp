#pragma once

#include <iosfwd>
#include <string_view>

namespace tenfold::bench {

/// Writes JSON: values with their separators and indentation. Objects and lists are opened and
/// closed in pairs; inside an object every value has a key.
class json_writer {
 public:
  explicit json_writer(std::ostream& out) : out_(out) {}

  void open_object(std::string_view key = {}) { open(key, '{'); }
  void close_object() { close('}'); }
  void open_list(std::string_view key = {}) { open(key, '['); }
  void close_list() { close(']'); }
  void value(std::string_view key, std::string_view text);
  void value(std::string_view key, const char* text) { value(key, std::string_view(text)); }
  /// Six significant digits; null when it is not finite, because JSON has no such numbers.
  void value(std::string_view key, double number);
  void value(std::string_view key, int number);

 private:
  void open(std::string_view key, char bracket);
  void close(char bracket);
  void next(std::string_view key);
  void quoted(std::string_view text);

  std::ostream& out_;
  int depth_ = 0;
  bool first_ = true;
};

}  // namespace tenfold::bench

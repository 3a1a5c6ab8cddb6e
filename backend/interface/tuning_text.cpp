#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <tenfold/backend/interface/tuning_text.hpp>

namespace tenfold {

namespace {

/// No table is as long; a file that is longer is damaged.
constexpr std::size_t most_bytes = 1 << 20;

std::string hash_of(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char digits[17];
  for (int i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[h >> (60 - 4 * i) & 15];
  return {digits, 16};
}

std::string first_line(const tuning_kind& kind) {
  return std::string(kind.title) + ' ' + std::to_string(kind.version);
}

}  // namespace

std::string framed(const tuning_kind& kind, const std::string& owner, const std::string& lines) {
  const std::string text =
      first_line(kind) + '\n' + std::string(kind.owner) + ' ' + owner + '\n' + lines;
  return text + "check " + hash_of(text) + '\n';
}

tuning_lines without_frame(const tuning_kind& kind, std::string_view text, const std::string& name,
                           const std::string& owner) {
  const auto refused = [&](const std::string& why) {
    return tuning_lines{{}, tuning_refused(name, why)};
  };
  const std::string_view whole = text;
  const std::string_view first = take_until(text, '\n');
  const std::string title = std::string(kind.title) + ' ';
  if (first.substr(0, title.size()) != title)
    return refused("it does not begin with '" + first_line(kind) + "'");
  if (first != first_line(kind))
    return refused("it is of version " + std::string(first.substr(title.size())) +
                   ", and this library reads " + std::to_string(kind.version));
  const std::size_t end = whole.rfind("check ");
  if (end == std::string_view::npos ||
      whole.substr(end) != "check " + hash_of(whole.substr(0, end)) + "\n")
    return refused("its check sum does not fit, so it is damaged");
  text = whole.substr(first.size() + 1, end - first.size() - 1);

  const std::string_view second = take_until(text, '\n');
  const std::string begin = std::string(kind.owner) + ' ';
  const std::string of(second.substr(0, begin.size()) == begin ? second.substr(begin.size()) : "");
  if (of != owner)
    return refused("it is for the " + std::string(kind.called) + " '" + of + "', and this is '" +
                   owner + "'");
  return {text, ""};
}

std::string tuning_refused(const std::string& name, const std::string& why) {
  return "the tuning table " + name + " is not used: " + why;
}

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t n = text.find(end);
  const std::string_view first = text.substr(0, n);
  text.remove_prefix(n == std::string_view::npos ? text.size() : n + 1);
  return first;
}

std::string take_number(std::string_view& line, const char* name, int least, int most, int& to) {
  const std::string_view word = take_until(line, ' ');
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), to);
  if (error == std::errc() && end == word.data() + word.size() && to >= least && to <= most)
    return "";
  return std::string(name) + " is '" + std::string(word) + "' and must be a number from " +
         std::to_string(least) + " to " + std::to_string(most);
}

tuning_origin load_tuning(
    const char* variable, const std::string& usual,
    const std::function<std::string(std::string_view text, const std::string& name)>& read) {
  const char* const named = std::getenv(variable);
  const std::string file = named != nullptr ? named : usual;
  if (file.empty() || (named != nullptr && file == "none")) return {};
  std::ifstream in(file, std::ios::binary);
  if (!in && named == nullptr) return {};
  std::string refusal;
  if (in) {
    std::string text(most_bytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    refusal = read(text, file);
  } else {
    refusal = tuning_refused(file, "it cannot be read");
  }
  if (refusal.empty()) return {file, ""};
  std::fprintf(stderr, "tenfold: %s\n", refusal.c_str());
  return {"", refusal};
}

std::string user_tuning_file(const std::string& key) {
  const char* const data = std::getenv("XDG_DATA_HOME");
  const char* const home = std::getenv("HOME");
  std::string folder;
  if (data != nullptr && data[0] == '/')
    folder = data;
  else if (home != nullptr && home[0] != '\0')
    folder = std::string(home) + "/.local/share";
  else
    return "";
  return folder + "/tenfold/tuning-" + key + ".txt";
}

}  // namespace tenfold

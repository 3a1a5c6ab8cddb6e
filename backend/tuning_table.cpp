#include <charconv>
#include <tenfold/backend/tuning_table.hpp>

namespace tenfold {

namespace {

constexpr char scalar_letters[] = {'s', 'd', 'c', 'z'};  // by scalar, as in BLAS
constexpr const char* set_names[instruction_set_count] = {"baseline", "avx2", "avx512"};

std::string hash_of(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char digits[17];
  for (int i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[h >> (60 - 4 * i) & 15];
  return {digits, 16};
}

std::string column_names() {
  std::string line = "class";
  for (const tuning_field& f : tuning_fields) line.append(" ").append(f.name);
  return line;
}

/// Takes the text up to the next `end` away from its front.
std::string_view take(std::string_view& text, char end) {
  const std::size_t n = text.find(end);
  const std::string_view first = text.substr(0, n);
  text.remove_prefix(n == std::string_view::npos ? text.size() : n + 1);
  return first;
}

bool read_set(std::string_view name, instruction_set& to) {
  for (int i = 0; i < instruction_set_count; ++i) {
    if (name != set_names[i]) continue;
    to = static_cast<instruction_set>(i);
    return true;
  }
  return false;
}

/// The values of one class; otherwise what is wrong.
std::string read_values(std::string_view line, tuned_class& to) {
  const std::string_view name = take(line, ' ');
  if (!read_class(name, to.which)) return std::string("'").append(name) + "' is no class of sizes";
  for (const tuning_field& f : tuning_fields) {
    const std::string_view word = take(line, ' ');
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < f.least ||
        value > f.most)
      return std::string(f.name) + " is '" + std::string(word) + "' and must be a number from " +
             std::to_string(f.least) + " to " + std::to_string(f.most);
    to.found.*f.value = value;
  }
  return line.empty() ? "" : "there is more after the last value";
}

}  // namespace

std::string name_of(const size_class& c) {
  return std::string(1, scalar_letters[static_cast<int>(c.type)]) +
         (c.interleaved ? "-interleaved-" : "-strided-") +
         (c.size == size_count - 1 ? "large" : std::to_string(2 << c.size));
}

bool read_class(std::string_view name, size_class& to) {
  for (int i = 0; i < class_count; ++i) {
    if (name != name_of(class_of(i))) continue;
    to = class_of(i);
    return true;
  }
  return false;
}

const char* name_of(instruction_set set) { return set_names[static_cast<int>(set)]; }

std::string text_of(const tuning_table& table) {
  std::string text =
      "tenfold tuning " + std::to_string(tuning_version) + "\ncpu " + table.cpu + '\n';
  for (int i = 0; i < instruction_set_count; ++i) {
    bool begun = false;
    for (const tuned_class& one : table.classes) {
      if (one.set != static_cast<instruction_set>(i)) continue;
      if (!begun)
        text.append("set ").append(set_names[i]).append("\n").append(column_names()).append("\n");
      begun = true;
      text += name_of(one.which);
      for (const tuning_field& f : tuning_fields) text += ' ' + std::to_string(one.found.*f.value);
      text += '\n';
    }
  }
  return text + "check " + hash_of(text) + '\n';
}

tuning_reading read_tuning(std::string_view text, const std::string& name, const std::string& cpu) {
  const auto refused = [&](const std::string& why) {
    return tuning_reading{{}, "the tuning table " + name + " is not used: " + why};
  };
  const std::string_view whole = text;
  const std::string version = "tenfold tuning " + std::to_string(tuning_version);
  const std::string_view first = take(text, '\n');
  if (first.substr(0, 15) != "tenfold tuning ")
    return refused("it does not begin with '" + version + "'");
  if (first != version)
    return refused("it is of version " + std::string(first.substr(15)) +
                   ", and this library reads " + std::to_string(tuning_version));
  const std::size_t end = whole.rfind("check ");
  if (end == std::string_view::npos ||
      whole.substr(end) != "check " + hash_of(whole.substr(0, end)) + "\n")
    return refused("its check sum does not fit, so it is damaged");
  text = whole.substr(first.size() + 1, end - first.size() - 1);

  tuning_reading result;
  const std::string_view of = take(text, '\n');
  result.table.cpu = of.substr(0, 4) == "cpu " ? of.substr(4) : "";
  if (result.table.cpu != cpu)
    return refused("it is for the CPU '" + result.table.cpu + "', and this is '" + cpu + "'");
  bool in_set = false;
  instruction_set set{};
  for (int number = 3; !text.empty(); ++number) {
    const std::string_view line = take(text, '\n');
    const auto wrong = [&](const std::string& why) {
      return refused("line " + std::to_string(number) + ": " + why);
    };
    if (line.substr(0, 4) == "set ") {
      in_set = read_set(line.substr(4), set);
      if (!in_set)
        return wrong(std::string("'").append(line.substr(4)) + "' is no instruction set");
    } else if (!in_set) {
      return wrong("there is no instruction set before");
    } else if (line.substr(0, 6) == "class ") {
      if (line != column_names()) return wrong("the values are not those of this library");
    } else {
      tuned_class one{set, {}, {}};
      if (const std::string why = read_values(line, one); !why.empty()) return wrong(why);
      result.table.classes.push_back(one);
    }
  }
  return result;
}

std::string header_of(const tuning_table& table) {
  std::string text =
      "// Found by ./dev tune on the CPU " + table.cpu +
      ".\n#pragma once\n\n#include <tenfold/backend/interface/tuning.hpp>\n\nnamespace tenfold "
      "{\n\n"
      "static_assert(tuning_version == " +
      std::to_string(tuning_version) +
      ", \"this header was written by ./dev tune of another version of Tenfold\");\n\n"
      "/// In the order of tuning_fields.\ninline constexpr tuned_class tuned_classes[] = {\n";
  for (const tuned_class& one : table.classes) {
    text += "    {instruction_set::" + std::string(name_of(one.set)) + ", class_of(" +
            std::to_string(number_of(one.which)) + "),  // " + name_of(one.which) + "\n     {";
    for (const tuning_field& f : tuning_fields)
      text += (&f == tuning_fields ? "" : ", ") + std::to_string(one.found.*f.value);
    text += "}},\n";
  }
  return text + "};\n\n}  // namespace tenfold\n";
}

}  // namespace tenfold

#include <tenfold/backend/interface/tuning_text.hpp>
#include <tenfold/backend/tuning_table.hpp>

namespace tenfold {

namespace {

constexpr const char* set_names[instruction_set_count] = {"baseline", "avx2", "avx512"};

constexpr tuning_kind kind{"tenfold tuning", tuning_version, "cpu", "CPU"};

std::string column_names() {
  std::string line = "class";
  for (const tuning_field& f : tuning_fields) line.append(" ").append(f.name);
  return line;
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
  const std::string_view name = take_until(line, ' ');
  if (!read_class(name, to.which)) return std::string("'").append(name) + "' is no class of sizes";
  for (const tuning_field& f : tuning_fields) {
    if (std::string why = take_number(line, f.name, f.least, f.most, to.found.*f.value);
        !why.empty())
      return why;
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
  std::string text;
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
  return framed(kind, table.cpu, text);
}

tuning_reading read_tuning(std::string_view text, const std::string& name, const std::string& cpu) {
  const tuning_lines between = without_frame(kind, text, name, cpu);
  if (!between.refusal.empty()) return {{}, between.refusal};
  text = between.lines;
  tuning_reading result{{cpu, {}}, ""};
  bool in_set = false;
  instruction_set set{};
  for (int number = 3; !text.empty(); ++number) {
    const std::string_view line = take_until(text, '\n');
    const auto wrong = [&](const std::string& why) {
      return tuning_reading{{},
                            tuning_refused(name, "line " + std::to_string(number) + ": " + why)};
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

#include <charconv>
#include <tenfold/backend/cuda/device_tunings.hpp>

namespace tenfold::cuda {
namespace {

constexpr tuning_kind kind{"tenfold device tuning", device_tuning_version, "device", "device"};

/// No product that is tuned is longer, in any direction.
constexpr int longest = 1 << 20;

std::string column_names() {
  std::string line = "product";
  for (const device_tiling_field& f : device_tiling_fields) line.append(" ").append(f.name);
  return line;
}

bool read_extent(std::string_view text, index& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size() && to >= 1 && to <= longest;
}

/// The tuning of one line; otherwise what is wrong.
std::string read_line(std::string_view line, device_tuning& to) {
  const std::string_view name = take_until(line, ' ');
  if (!read_product(name, to.product)) return std::string("'").append(name) + "' is no product";
  for (const device_tiling_field& f : device_tiling_fields) {
    if (std::string why = take_number(line, f.name, f.least, f.most, to.tiling.*f.value);
        !why.empty())
      return why;
  }
  return line.empty() ? "" : "there is more after the last value";
}

}  // namespace

std::string device_key(const std::string& name) {
  std::string key;
  for (const char c : name) {
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (is_word)
      key += c;
    else if (!key.empty() && key.back() != '-')
      key += '-';
  }
  return key;
}

std::string name_of(const tuned_product& p) {
  std::string name =
      std::string(1, scalar_letters[static_cast<int>(p.type)]) + '-' + std::to_string(p.m);
  if (p.n != p.m || p.k != p.m) name += 'x' + std::to_string(p.n) + 'x' + std::to_string(p.k);
  if (p.shared_a) name += "-sharedA";
  if (p.shared_b) name += "-sharedB";
  return name;
}

bool read_product(std::string_view name, tuned_product& to) {
  to = {};
  std::string_view rest = name;
  const std::string_view letter = take_until(rest, '-');
  bool is_known = false;
  for (const scalar type : {scalar::f32, scalar::f64, scalar::c32, scalar::c64}) {
    if (letter != std::string_view(&scalar_letters[static_cast<int>(type)], 1)) continue;
    to.type = type;
    is_known = true;
  }
  std::string_view extents = take_until(rest, '-');
  const std::string_view m = take_until(extents, 'x');
  if (!is_known || !read_extent(m, to.m)) return false;
  to.n = to.k = to.m;
  if (!extents.empty()) {
    const std::string_view n = take_until(extents, 'x');
    if (!read_extent(n, to.n) || !read_extent(extents, to.k)) return false;
  }
  to.shared_a = rest.find("sharedA") != std::string_view::npos;
  to.shared_b = rest.find("sharedB") != std::string_view::npos;
  return name == name_of(to);
}

std::string text_of(const std::vector<device_tuning>& tunings, const std::string& device) {
  std::string lines = column_names() + '\n';
  for (const device_tuning& one : tunings) {
    lines += name_of(one.product);
    for (const device_tiling_field& f : device_tiling_fields)
      lines += ' ' + std::to_string(one.tiling.*f.value);
    lines += '\n';
  }
  return framed(kind, device, lines);
}

device_tuning_reading read_device_tunings(std::string_view text, const std::string& name,
                                          const std::string& device) {
  const tuning_lines between = without_frame(kind, text, name, device);
  if (!between.refusal.empty()) return {{}, between.refusal};
  const auto wrong = [&](int number, const std::string& why) {
    return device_tuning_reading{
        {}, tuning_refused(name, "line " + std::to_string(number) + ": " + why)};
  };
  text = between.lines;
  if (take_until(text, '\n') != column_names())
    return wrong(3, "the values are not those of this library");
  device_tuning_reading result;
  for (int number = 4; !text.empty(); ++number) {
    device_tuning one;
    const std::string why = read_line(take_until(text, '\n'), one);
    if (!why.empty()) return wrong(number, why);
    result.tunings.push_back(one);
  }
  return result;
}

std::vector<device_tuning> load_device_tunings(const std::string& device) {
  std::vector<device_tuning> tunings;
  load_tuning("TENFOLD_DEVICE_TUNING", user_tuning_file(device),
              [&](std::string_view text, const std::string& name) {
                device_tuning_reading read = read_device_tunings(text, name, device);
                tunings = std::move(read.tunings);
                return read.refusal;
              });
  return tunings;
}

}  // namespace tenfold::cuda

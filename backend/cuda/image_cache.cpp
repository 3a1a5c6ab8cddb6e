#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <tenfold/backend/cuda/device_headers.hpp>
#include <tenfold/backend/cuda/image_cache.hpp>
#include <tenfold/backend/cuda/sha256.hpp>
#include <utility>
#include <vector>

namespace tenfold::cuda {
namespace {

namespace fs = std::filesystem;

/// What every entry begins with; the number is that of this format.
constexpr std::string_view magic = "tenfold image 1\n";
/// No image is as large; an entry that is longer is damaged.
constexpr off_t most_image_bytes = 1 << 26;

/// A file that closes itself.
class file {
 public:
  explicit file(int handle) : handle_(handle) {}
  ~file() {
    if (handle_ >= 0) close(handle_);
  }
  file(const file&) = delete;

  bool is_open() const { return handle_ >= 0; }
  int handle() const { return handle_; }
  /// Closes it; whether all that was written is there.
  bool finish() { return close(std::exchange(handle_, -1)) == 0; }

 private:
  int handle_;
};

/// Whether a folder is there, or can be made, that is this user's and nobody else's.
bool is_private_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder.parent_path(), ignored);
  mkdir(folder.c_str(), 0700);
  struct stat s {};
  return lstat(folder.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
         (s.st_mode & 077) == 0;
}

/// The whole of a file of this user, or nothing.
std::optional<std::string> contents(const fs::path& path) {
  const file f(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat s {};
  if (!f.is_open() || fstat(f.handle(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != geteuid() ||
      s.st_size > most_image_bytes)
    return {};
  std::string text(static_cast<std::size_t>(s.st_size), '\0');
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t n = read(f.handle(), text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    at += static_cast<std::size_t>(n);
  }
  futimens(f.handle(), nullptr);  // it was used now
  return text;
}

bool write_all(const file& f, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(f.handle(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// magic, key, hash of what follows; registers and spilled bytes in a line; the code.
std::string entry_of(const std::string& key, const device_image& image) {
  const std::string body = std::to_string(image.registers) + " " +
                           std::to_string(image.spilled_bytes) + "\n" + image.code;
  return std::string(magic) + key + "\n" + hexadecimal(sha256(body)) + "\n" + body;
}

std::optional<device_image> image_in(std::string_view entry, const std::string& key) {
  const std::string head = std::string(magic) + key + "\n";
  const std::size_t begin = head.size() + 65;
  if (entry.size() < begin || entry.substr(0, head.size()) != head) return {};
  const std::string_view body = entry.substr(begin);
  if (entry.substr(head.size(), 65) != hexadecimal(sha256(body)) + "\n") return {};
  const std::size_t line = body.find('\n'), space = body.find(' ');
  if (line == std::string_view::npos || space > line) return {};
  device_image image;
  image.registers = std::atoi(std::string(body.substr(0, space)).c_str());
  image.spilled_bytes = std::atoi(std::string(body.substr(space, line - space)).c_str());
  image.code = body.substr(line + 1);
  return image;
}

/// Whether a file has a name that `keep` gives: a key, and .image or, until it is whole, .XXXXXX.
bool is_entry(const std::string& name) {
  return name.find_first_not_of("0123456789abcdef") == 64 && name[64] == '.' &&
         (name.size() == 71 || name.substr(64) == ".image");
}

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

image_cache::image_cache(const fs::path& folder, std::uintmax_t most_bytes)
    : folder_(folder.lexically_normal()), most_bytes_(most_bytes) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();  // a/b/ is a/b
  if (!folder_.empty() && !is_private_folder(folder_)) folder_.clear();
}

fs::path image_cache::folder_of_user() {
  if (const std::string named = from_environment("TENFOLD_CACHE_DIR"); !named.empty()) return named;
  if (const std::string xdg = from_environment("XDG_CACHE_HOME"); !xdg.empty() && xdg[0] == '/')
    return fs::path(xdg) / "tenfold";
  const std::string home = from_environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "tenfold";
}

std::optional<device_image> image_cache::find(const std::string& key) const {
  if (!is_used()) return {};
  const auto entry = contents(folder_ / (key + ".image"));
  return entry ? image_in(*entry, key) : std::nullopt;
}

void image_cache::keep(const std::string& key, const device_image& image) const {
  if (!is_used()) return;
  std::string name = (folder_ / (key + ".XXXXXX")).string();
  file f(mkostemp(name.data(), O_CLOEXEC));  // 0600, and nobody else's
  if (!f.is_open()) return;
  if (!write_all(f, entry_of(key, image)) || !f.finish() ||
      rename(name.c_str(), (folder_ / (key + ".image")).c_str()) != 0) {
    unlink(name.c_str());
    return;
  }
  make_room();
}

void image_cache::remove(const std::string& key) const {
  if (is_used()) unlink((folder_ / (key + ".image")).c_str());
}

void image_cache::make_room() const {
  struct kept {
    fs::file_time_type used;
    std::uintmax_t bytes;
    fs::path path;
  };
  std::vector<kept> all;
  std::uintmax_t sum = 0;
  std::error_code failed;
  for (fs::directory_iterator i(folder_, failed), end; !failed && i != end; i.increment(failed)) {
    if (!is_entry(i->path().filename().string())) continue;
    std::error_code gone;
    const kept k{i->last_write_time(gone), gone ? 0 : i->file_size(gone), i->path()};
    if (gone) continue;
    all.push_back(k);
    sum += k.bytes;
  }
  std::sort(all.begin(), all.end(), [](const kept& x, const kept& y) { return x.used < y.used; });
  for (const kept& k : all) {
    if (sum <= most_bytes_) break;
    std::error_code ignored;
    fs::remove(k.path, ignored);
    sum -= k.bytes;
  }
}

std::string image_key(const std::string& text, int architecture, int nvrtc_version) {
  // Every part with its length, so that no two lists of parts are one text.
  std::string all;
  const auto add = [&](std::string_view part) {
    all += std::to_string(part.size()) + ":";
    all += part;
  };
  add(TENFOLD_VERSION);
  add(std::to_string(nvrtc_version));
  add(std::to_string(architecture));
  for (const std::string& option : compile_options(architecture)) add(option);
  for (const device_header& header : device_headers()) {
    add(header.name);
    add(header.text);
  }
  add(text);
  return hexadecimal(sha256(all));
}

device_image image_of(const std::string& text, int architecture, const nvrtc& compiler,
                      const image_cache& cache) {
  const std::string key = image_key(text, architecture, compiler.version());
  if (auto kept = cache.find(key)) return *std::move(kept);
  device_image image = compiler.compile(text, architecture);
  cache.keep(key, image);
  return image;
}

}  // namespace tenfold::cuda

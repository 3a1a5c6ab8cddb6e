#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tenfold/backend/cuda/nvrtc.hpp>

namespace tenfold::cuda {

/// Compiled images on disk, so that a text is compiled once and not in every run. It is never in
/// the way: whatever goes wrong with the disk, images are compiled as if there were no cache.
///
/// An entry is a file that is named by its key and carries the key and a hash of all that is in it:
/// one that is damaged, or that another version wrote, is not taken. Files come into being whole,
/// by renaming; several processes may share a folder. It must be a folder of this user that nobody
/// else may enter, or it is not used. When its entries are more than `most_bytes` those that were
/// not used for longest are removed; files of other names are let alone.
class image_cache {
 public:
  /// An empty path: no cache.
  explicit image_cache(const std::filesystem::path& folder, std::uintmax_t most_bytes = 256 << 20);

  /// TENFOLD_CACHE_DIR of the environment, else XDG_CACHE_HOME/tenfold, else ~/.cache/tenfold;
  /// empty without a home.
  static std::filesystem::path folder_of_user();

  bool is_used() const { return !folder_.empty(); }
  std::optional<device_image> find(const std::string& key) const;
  void keep(const std::string& key, const device_image& image) const;
  void remove(const std::string& key) const;

 private:
  void make_room() const;

  std::filesystem::path folder_;
  std::uintmax_t most_bytes_;
};

/// What tells the image of a text from all others: a hash of the text, of all device headers, of
/// the options, the architecture, and the versions of the compiler and of this library.
std::string image_key(const std::string& text, int architecture, int nvrtc_version);

/// The image of a text, from the cache or compiled and kept there. Throws backend_error if it does
/// not compile.
device_image image_of(const std::string& text, int architecture, const nvrtc& compiler,
                      const image_cache& cache);

}  // namespace tenfold::cuda

#pragma once

#include <string>
#include <string_view>
#include <tenfold/backend/interface/device_tuning.hpp>
#include <tenfold/backend/interface/tuning_text.hpp>
#include <vector>

/// What ./dev tune --device cuda found, as text:
///
///   tenfold device tuning 1
///   device NVIDIA-H200
///   product thread_rows thread_columns ...
///   d-8 2 4 8 0 0 0 0 2 4 16
///   d-36x6x4-sharedA 4 3 ...
///   check 90b1d6a5b0a7d0c1
///
/// A GPU reads its table when it is opened:
///   1. from the file that the environment variable TENFOLD_DEVICE_TUNING names; `none`: from no
///      file
///   2. from $XDG_DATA_HOME/tenfold/tuning-GPU.txt, by default ~/.local/share/tenfold/..., if there
///      is one, where GPU is device_key().
/// A file that is damaged, of another version or of another device is refused as a whole, with one
/// sentence on the standard error stream.
namespace tenfold::cuda {

/// A device's name as a word: "NVIDIA H200" is NVIDIA-H200.
std::string device_key(const std::string& name);

/// "d-8" of order 8, "d-36x6x4", "d-36x6x4-sharedA".
std::string name_of(const tuned_product&);
/// False if that is the name of no product.
bool read_product(std::string_view name, tuned_product& to);

std::string text_of(const std::vector<device_tuning>&, const std::string& device);

/// A table, or the sentence that says why there is none.
struct device_tuning_reading {
  std::vector<device_tuning> tunings;
  std::string refusal;  ///< empty: none
};
/// Reads a text that is called `name` in the refusal, for the device of this key.
device_tuning_reading read_device_tunings(std::string_view text, const std::string& name,
                                          const std::string& device);

/// The table of a device, as said above.
std::vector<device_tuning> load_device_tunings(const std::string& device);

}  // namespace tenfold::cuda

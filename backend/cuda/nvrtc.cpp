#include <cstdlib>
#include <span>
#include <tenfold/backend/cuda/device_headers.hpp>
#include <tenfold/backend/cuda/nvrtc.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold::cuda {
namespace {

constexpr const char* names[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

shared_library open(int cuda) {
  const char* const what = "NVRTC, which compiles device code,";
  if (cuda > 0 && cuda < 13000) {
    try {
      return shared_library(what, std::span(names).subspan(1));
    } catch (const backend_error&) {
      // There may be a later one, which is better than none.
    }
  }
  return shared_library(what, names);
}

/// The whole number before `words`, 0 if they do not occur.
int number_before(const std::string& log, const char* words) {
  const std::size_t end = log.find(words);
  if (end == std::string::npos) return 0;
  const std::size_t begin = log.find_last_not_of("0123456789", end - 1) + 1;
  return std::atoi(log.substr(begin, end - begin).c_str());
}

}  // namespace

device_image read_log(const std::string& log) {
  device_image image;
  image.registers = number_before(log, " registers");
  image.spilled_bytes =
      number_before(log, " bytes spill stores") + number_before(log, " bytes spill loads");
  return image;
}

// -default-device: constexpr functions of headers that the host reads too are device functions.
// --fmad=false: device code says fma where it means it, as all code here does.
std::vector<std::string> compile_options(int architecture) {
  return {"--fmad=false", "--ptxas-options=-v", "-arch=sm_" + std::to_string(architecture),
          "-default-device", "-std=c++20"};
}

nvrtc::nvrtc(int cuda) : library_(open(cuda)) {
  library_.find("nvrtcGetErrorString", error_text_);
  library_.find("nvrtcCreateProgram", create_);
  library_.find("nvrtcDestroyProgram", destroy_);
  library_.find("nvrtcCompileProgram", compile_);
  library_.find("nvrtcGetProgramLogSize", log_size_);
  library_.find("nvrtcGetProgramLog", log_);
  library_.find("nvrtcGetCUBINSize", code_size_);
  library_.find("nvrtcGetCUBIN", code_);
  int (*get_version)(int*, int*) = nullptr;
  library_.find("nvrtcVersion", get_version);
  int major = 0, minor = 0;
  require(get_version(&major, &minor), "nvrtcVersion");
  version_ = major * 1000 + minor * 10;
}

void nvrtc::require(int code, const char* call) const {
  if (code != 0)
    throw backend_error(std::string("tenfold: ") + call + " failed: " + error_text_(code));
}

device_image nvrtc::compile(const std::string& text, int architecture) const {
  std::vector<const char*> header_names, header_texts;
  for (const device_header& h : device_headers()) {
    header_names.push_back(h.name);
    header_texts.push_back(h.text);
  }
  const auto texts = compile_options(architecture);
  std::vector<const char*> options;
  options.reserve(texts.size());
  for (const std::string& o : texts) options.push_back(o.c_str());

  struct owned {
    const nvrtc& by;
    program p = nullptr;
    ~owned() {
      if (p != nullptr) by.destroy_(&p);
    }
  } made{*this};
  require(create_(&made.p, text.c_str(), "tenfold.cu", static_cast<int>(header_names.size()),
                  header_texts.data(), header_names.data()),
          "nvrtcCreateProgram");
  const int result = compile_(made.p, static_cast<int>(options.size()), options.data());

  std::size_t bytes = 0;
  require(log_size_(made.p, &bytes), "nvrtcGetProgramLogSize");
  std::string log(bytes, '\0');
  require(log_(made.p, log.data()), "nvrtcGetProgramLog");
  if (result != 0)
    throw backend_error("tenfold: NVRTC cannot compile for sm_" + std::to_string(architecture) +
                        " (" + error_text_(result) + "):\n" + log.c_str());

  device_image image = read_log(log);
  require(code_size_(made.p, &bytes), "nvrtcGetCUBINSize");
  image.code.resize(bytes);
  require(code_(made.p, image.code.data()), "nvrtcGetCUBIN");
  return image;
}

}  // namespace tenfold::cuda

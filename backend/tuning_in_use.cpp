#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/backend/tuning_in_use.hpp>
#include <tenfold/backend/tuning_table.hpp>

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstring>
#endif

namespace tenfold {

namespace {

/// No table is as long; a file that is longer is damaged.
constexpr std::size_t most_bytes = 1 << 20;

struct loaded_tuning {
  tuning of[instruction_set_count];
  std::string source, refusal;

  loaded_tuning() {
    for (int i = 0; i < instruction_set_count; ++i)
      of[i] = select::shipped(static_cast<instruction_set>(i), processor_here());
    const char* const named = std::getenv("TENFOLD_TUNING");
    const std::string file = named != nullptr ? named : user_tuning_file();
    if (file.empty() || (named != nullptr && file == "none")) return;
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      if (named != nullptr) refuse("the tuning table " + file + " is not used: it cannot be read");
      return;
    }
    std::string text(most_bytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    const tuning_reading read = read_tuning(text, file, cpu_key());
    if (!read.refusal.empty()) {
      refuse(read.refusal);
      return;
    }
    source = file;
    for (const tuned_class& one : read.table.classes)
      of[static_cast<int>(one.set)].classes[number_of(one.which)] = one.found;
  }

  void refuse(const std::string& why) {
    refusal = why;
    std::fprintf(stderr, "tenfold: %s\n", why.c_str());
  }
};

/// What the CPU says of itself; no vendor: the architecture does not tell.
struct cpu_identity {
  std::string vendor;
  unsigned family = 0, model = 0, stepping = 0;
  bool has_avx512 = false;
};

cpu_identity identity_here() {
  cpu_identity id;
#if defined(__x86_64__)
  unsigned most = 0, vendor[3] = {}, signature = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &most, &vendor[0], &vendor[2], &vendor[1]) == 0 ||
      __get_cpuid(1, &signature, &b, &c, &d) == 0)
    return id;
  char name[13] = {};
  std::memcpy(name, vendor, 12);
  const unsigned base = signature >> 8 & 15;
  id.vendor = name;
  id.family = base == 15 ? base + (signature >> 20 & 255) : base;
  id.model = (signature >> 4 & 15) + (base == 6 || base == 15 ? signature >> 12 & 240 : 0);
  id.stepping = signature & 15;
  unsigned a = 0;
  id.has_avx512 = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_AVX512F) != 0;
#endif
  return id;
}

const loaded_tuning& loaded() {
  static const loaded_tuning all;
  return all;
}

}  // namespace

const tuning& tuning_in_use(instruction_set set) { return loaded().of[static_cast<int>(set)]; }
const std::string& tuning_source() { return loaded().source; }
const std::string& tuning_refusal() { return loaded().refusal; }

std::string cpu_key() {
  const cpu_identity id = identity_here();
  if (id.vendor.empty()) return "generic";
  return id.vendor + '-' + std::to_string(id.family) + '-' + std::to_string(id.model) + '-' +
         std::to_string(id.stepping);
}

processor processor_here() {
  const cpu_identity id = identity_here();
  if (id.vendor != "AuthenticAMD" || !id.has_avx512) return processor::other;
  return id.family == 25   ? processor::zen4  // without AVX-512: Zen 3
         : id.family == 26 ? processor::zen5
                           : processor::other;
}

std::string user_tuning_file() {
  const char* const data = std::getenv("XDG_DATA_HOME");
  const char* const home = std::getenv("HOME");
  std::string folder;
  if (data != nullptr && data[0] == '/')
    folder = data;
  else if (home != nullptr && home[0] != '\0')
    folder = std::string(home) + "/.local/share";
  else
    return "";
  return folder + "/tenfold/tuning-" + cpu_key() + ".txt";
}

}  // namespace tenfold

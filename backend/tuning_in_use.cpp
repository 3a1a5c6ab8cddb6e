#include <tenfold/backend/interface/select.hpp>
#include <tenfold/backend/interface/tuning_text.hpp>
#include <tenfold/backend/tuning_in_use.hpp>
#include <tenfold/backend/tuning_table.hpp>

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstring>
#endif

namespace tenfold {

namespace {

struct loaded_tuning {
  tuning of[instruction_set_count];
  tuning_origin from;

  loaded_tuning() {
    for (int i = 0; i < instruction_set_count; ++i)
      of[i] = select::shipped(static_cast<instruction_set>(i), processor_here());
    from = load_tuning("TENFOLD_TUNING", user_tuning_file(),
                       [this](std::string_view text, const std::string& name) {
                         const tuning_reading read = read_tuning(text, name, cpu_key());
                         for (const tuned_class& one : read.table.classes)
                           of[static_cast<int>(one.set)].classes[number_of(one.which)] = one.found;
                         return read.refusal;
                       });
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
const std::string& tuning_source() { return loaded().from.file; }
const std::string& tuning_refusal() { return loaded().from.refusal; }

std::string cpu_key() {
  const cpu_identity id = identity_here();
  if (id.vendor.empty()) return "generic";
  return id.vendor + '-' + std::to_string(id.family) + '-' + std::to_string(id.model) + '-' +
         std::to_string(id.stepping);
}

processor processor_here() {
  const cpu_identity id = identity_here();
  if (id.vendor != "AuthenticAMD") return processor::other;
  if (id.family == 25) return id.has_avx512 ? processor::zen4 : processor::zen3;
  return id.family == 26 && id.has_avx512 ? processor::zen5 : processor::other;
}

std::string user_tuning_file() { return user_tuning_file(cpu_key()); }

}  // namespace tenfold

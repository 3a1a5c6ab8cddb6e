#include "tune_device.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <tenfold/backend/cuda/device_tunings.hpp>

#include "files.hpp"
#include "search.hpp"

namespace tenfold::tune {
namespace {

/// Cuts of a product, however little time there is.
constexpr int least_candidates = 2;
/// That a cut takes, before any was tried.
constexpr double first_seconds = 0.05;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void print(const device_finding& f) {
  std::printf("%-20s %8.0f %8.0f %6.2f  ", cuda::name_of(f.product).c_str(), f.shipped * 1e-9,
              f.rate * 1e-9, f.rate / f.shipped);
  if (!f.is_better) std::printf(" as shipped");
  for (const device_tiling_field& field : device_tiling_fields) {
    if (f.is_better && f.found.*field.value != device_tiling{}.*field.value)
      std::printf(" %s=%d", field.name, f.found.*field.value);
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// The table with what was found now instead of what it says of the same products.
void write_table(const std::vector<device_finding>& all, const std::filesystem::path& file,
                 const std::string& device) {
  std::vector<device_tuning> table =
      cuda::read_device_tunings(text_of_file(file), file, device).tunings;
  for (const device_finding& f : all) {
    std::erase_if(table, [&](const device_tuning& one) { return one.product == f.product; });
    if (f.is_better) table.push_back({f.product, f.found});
  }
  write_file(file, cuda::text_of(table, device));
}

void summarize(const std::vector<device_finding>& all) {
  double sum = 0;
  int better = 0;
  for (const device_finding& f : all) {
    sum += std::log(f.rate / f.shipped);
    better += f.is_better;
  }
  std::printf("%zu products, %d of them faster than as shipped; in geometric mean of all %.3f\n",
              all.size(), better, std::exp(sum / static_cast<double>(all.size())));
}

}  // namespace

int tune_device(const device_options& asked, device_arena& memory, const std::string& device,
                device_search_options how) {
  std::printf("%-20s %8s %8s %6s   tiling\n", "product", "shipped", "found", "ratio");
  const double start = seconds_now();
  std::vector<device_finding> all;
  const int most_candidates = how.candidates;
  int tried = 0, status = 0;
  const auto finish = [&] {
    if (all.empty()) return;
    summarize(all);
    write_table(all, asked.out, device);
  };
  try {
    for (const tuned_product& product : asked.products) {
      const double used = seconds_now() - start, left = asked.seconds - used;
      if (left < 0) {
        std::printf("the time is over: %zu products are left out\n",
                    asked.products.size() - all.size());
        break;
      }
      const double of_product = left / static_cast<double>(asked.products.size() - all.size());
      const double of_candidate = tried > 0 ? used / tried : first_seconds;
      how.candidates = static_cast<int>(
          std::clamp<double>(of_product / of_candidate, least_candidates, most_candidates));
      all.push_back(search(product, memory, how));
      tried += all.back().tried + 1;
      print(all.back());
    }
  } catch (const interrupted&) {
    std::printf("interrupted: %zu of %zu products were tried\n", all.size(), asked.products.size());
    status = 130;
  } catch (...) {
    finish();
    throw;
  }
  finish();
  return status;
}

}  // namespace tenfold::tune

#include "device/device_suite.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <utility>

#include "common/buffer.hpp"

namespace tenfold::bench {
namespace {

/// Of wall-clock time, all of it: work that was started is waited for before the clock is read.
std::function<double()> clock_of(const device_queue& where) {
  return [where] {
    where.wait();
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  };
}

/// Samples of some forty copies, so that waiting for the last one does not count.
effort effort_of(const options& settings) { return {settings.quick ? 5 : 9, 0.005}; }

constexpr std::ptrdiff_t most_sampled = 16;

void append(std::string& to, const std::string& name, double ratio) {
  char text[16];
  std::snprintf(text, sizeof text, " %.2f", ratio);
  to += (to.empty() ? "" : ", ") + name + text;
}

}  // namespace

device_suite::device_suite(report& out, const device_queue& where, std::string name)
    : out_(out), where_(where) {
  copy_.emplace(where, bytes());
  peer_.emplace(out, where);
  tensor_peer_.emplace(out, where);
  const std::vector<candidate> copies = copy_->passes();
  const std::vector<timing> timings =
      time_alternately(copies, effort_of(out.settings()), clock_of(where));
  std::size_t fastest = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const double rate = copy_->bytes() / timings[i].seconds * 1e-9;
    out.note("copy by " + copies[i].name + ": " + std::to_string(std::lround(rate)) + " GB/s");
    if (timings[i].seconds < timings[fastest].seconds) fastest = i;
  }
  fastest_copy_ = copies[fastest];
  out.describe({std::move(name), where.machine->capabilities(),
                copy_->bytes() / timings[fastest].seconds * 1e-9});
}

bool device_suite::begins(const std::string& name, char scalar, bool quick) {
  if (out_.settings().quick && !quick) return false;
  const std::string label = name + ' ' + scalar;
  if (!out_.settings().wants(label)) return false;
  out_.progress(label);
  return true;
}

std::ptrdiff_t device_suite::problems(double bytes_of_problem) const {
  if (emulated()) return 5;
  return std::max<std::ptrdiff_t>(
      static_cast<std::ptrdiff_t>(static_cast<double>(bytes()) / bytes_of_problem), 1);
}

void device_suite::run(device_case x) {
  std::vector<candidate> right;
  for (candidate& tried : x.candidates) {
    x.poison();
    try {
      tried.pass();
      where_.wait();
    } catch (const backend_error& e) {
      if (right.empty()) throw;  // Tenfold's own
      out_.note(x.name + ' ' + x.scalar + " without " + tried.name + ": " + e.what());
      continue;
    }
    x.compare(tried.name);
    right.push_back(std::move(tried));
  }
  ++right_;
  if (emulated()) return;
  right.push_back(fastest_copy_);
  std::vector<timing> timings =
      time_alternately(right, effort_of(out_.settings()), clock_of(where_));
  const double copy = copy_->bytes() / timings.back().seconds * 1e-9;
  right.pop_back();
  timings.pop_back();
  row r = rates(x.name, x.scalar, "strided", "memory", x.work, right, timings,
                {copy * x.work / x.bytes, "copy"});
  r.unit = x.unit;
  note_aims(r, x);
  out_.add(std::move(r));
}

void device_suite::note_aims(const row& r, const device_case& x) {
  const std::string name = r.case_name + ' ' + r.scalar;
  if (r.tenfold < x.of_copy * r.bound.value) append(below_copy_, name, r.tenfold / r.bound.value);
  for (const auto& [peer, rate] : r.peers)
    if (r.tenfold < x.ahead * rate) append(behind_peer_, name + " / " + peer, r.tenfold / rate);
}

int device_suite::finish() {
  if (emulated()) {
    std::printf(
        "Right on an emulated device: %d cases. Its times mean nothing, so there are none.\n",
        right_);
    return 0;
  }
  const auto say = [&](const char* aim, const std::string& misses) {
    out_.note(std::string(aim) + (misses.empty() ? "all rows." : "all rows but " + misses + '.'));
  };
  say("At least 0.85 of the copy, of fused kernels 0.80: ", below_copy_);
  if (peer() != nullptr || tensor_peer() != nullptr)
    say("Never slower than cuBLAS and cuTENSOR, of large squares 0.9 of them, and at n <= 12 twice "
        "as fast: ",
        behind_peer_);
  out_.note("Of each case " + std::to_string(most_sampled) +
            " problems were compared with plain loops: the first, the last, and some between.");
  return out_.finish() ? 0 : 1;
}

std::vector<std::ptrdiff_t> sampled_problems(std::ptrdiff_t count) {
  std::set<std::ptrdiff_t> chosen{0, count - 1};
  std::mt19937_64 next(1);
  while (static_cast<std::ptrdiff_t>(chosen.size()) < std::min(count, most_sampled))
    chosen.insert(static_cast<std::ptrdiff_t>(next() % static_cast<std::uint64_t>(count)));
  return {chosen.begin(), chosen.end()};
}

template <class T>
device_numbers<T>::device_numbers(const device_queue& where, std::size_t bytes)
    : all_(where, bytes / sizeof(T)) {
  buffer<T> here(bytes / sizeof(T));
  here.fill(1);
  all_.copy_from(view<const T, dyn>(here.data(), all_.size()));
  where.wait();
}

template <class T>
const T* device_numbers<T>::take(std::ptrdiff_t count) {
  constexpr auto line = static_cast<std::ptrdiff_t>(256 / sizeof(T));
  const T* const here = all_.data() + taken_;
  taken_ += (count + line - 1) / line * line;
  if (taken_ > all_.size()) throw std::length_error("bench device: too few numbers for a case");
  return here;
}

template class device_numbers<double>;
template class device_numbers<float>;

}  // namespace tenfold::bench

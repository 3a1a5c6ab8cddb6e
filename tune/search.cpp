#include "search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/tuning_table.hpp>

#include "common/timing.hpp"

namespace tenfold::tune {

namespace {

/// Of one thread its time on the processor, without the turns of others; of all threads the time of
/// day.
double seconds_now(place where) {
  if (where != place::threads) return bench::cpu_seconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct timed {
  std::unique_ptr<trial> what;
  sample on;
  double pass_seconds = 0;  ///< about
};

struct effort {
  int rounds;
  double sample_seconds;
};
constexpr effort screening{3, 0.0005}, careful{13, 0.002}, thorough{31, 0.003};

/// Rates of two tunings on one sample.
struct pair_of_rates {
  double ratio, noise, rate;
};

class searching {
 public:
  /// `fixed`: on static sizes, otherwise on all others.
  searching(const size_class& c, const gemm_tuning& start, arena& memory,
            const search_options& options, bool fixed)
      : class_(c), options_(options), best_(start), start_(start) {
    caps_ = capabilities_of(options.set);
    for (const sample& s : samples_of(c)) {
      if ((s.where == place::threads && options.cores < 2) || (s.where == place::fixed) != fixed)
        continue;
      say(name_of(c) + ": check");
      std::unique_ptr<trial> made = make_trial(s, c, options.set, memory);
      if (made == nullptr) continue;
      trials_.push_back({std::move(made), s});
      timed& t = trials_.back();
      require_right(t, start);
      t.pass_seconds = seconds_of(t, start, 1);
    }
    end_ = std::chrono::steady_clock::now() +
           std::chrono::milliseconds(static_cast<int>(1000 * options.seconds));
  }

  /// Adds what it compares in the end to `compared`.
  gemm_tuning run(const std::vector<knob>& knobs, std::vector<finding::comparison>& compared) {
    for (const knob& k : knobs) turn(k);
    std::vector<finding::comparison> last;
    while (!compare_all(last) && !taken_.empty()) {
      best_ = taken_.back();
      taken_.pop_back();
    }
    compared.insert(compared.end(), last.begin(), last.end());
    return best_;
  }

  /// The given values beside those to start from, without a search.
  void compare_with(const gemm_tuning& found, std::vector<finding::comparison>& compared) {
    best_ = found;
    for (timed& t : trials_) require_right(t, found);
    std::vector<finding::comparison> all;
    compare_all(all);
    compared.insert(compared.end(), all.begin(), all.end());
  }

 private:
  void say(const std::string& what) {
    doing_ = what;
    options_.progress(doing_);
  }

  void require_right(timed& t, const gemm_tuning& by) const {
    if (t.what->is_right(by)) return;
    throw std::runtime_error("results of " + name_of(class_) + " are wrong at " +
                             std::to_string(t.on.m) + " x " + std::to_string(t.on.n) + " x " +
                             std::to_string(t.on.k) + " by the values given");
  }

  /// Slower by more than noise; beyond 4 % nothing counts as noise.
  static bool is_loss(const pair_of_rates& r) {
    return r.ratio < 1 - 0.01 - std::min(r.noise, 0.03);
  }

  /// The best so far beside what the search started from, on all samples; false if it is slower on
  /// one.
  bool compare_all(std::vector<finding::comparison>& to) {
    to.clear();
    bool is_slower = false;
    for (timed& t : trials_) {
      say(name_of(class_) + ": compare");
      const bool alike = runs_alike(t, best_, start_);
      pair_of_rates r = compare(t, best_, start_, alike ? screening : careful);
      if (alike) r = {1, 0, r.rate};
      if (is_loss(r)) r = compare(t, best_, start_, thorough);
      is_slower = is_slower || is_loss(r);
      to.push_back({t.on, r.rate, r.ratio, r.noise});
    }
    return !is_slower;
  }

  bool has_time() const { return std::chrono::steady_clock::now() < end_; }

  bool runs_alike(const timed& t, const gemm_tuning& x, const gemm_tuning& y) const {
    return way_of(t.on, class_, caps_, x) == way_of(t.on, class_, caps_, y);
  }

  static double seconds_of(timed& t, const gemm_tuning& by, int passes) {
    const place where = t.on.where;
    const double before = seconds_now(where);
    const auto run = [&] {
      for (int i = 0; i < passes; ++i) t.what->run(by);
    };
    if (where == place::threads)
      run();
    else
      cpu::run_on_threads(1, run);
    return seconds_now(where) - before;
  }

  /// The rate by x over that by y: the median of the ratios within rounds, which take turns in who
  /// comes first.
  pair_of_rates compare(timed& t, const gemm_tuning& x, const gemm_tuning& y, effort e) const {
    const place where = t.on.where;
    const int passes = where == place::memory
                           ? 1
                           : std::max(1, static_cast<int>(std::ceil(
                                             e.sample_seconds / std::max(t.pass_seconds, 1e-7))));
    const auto seconds = [&](const gemm_tuning& by) { return seconds_of(t, by, passes) / passes; };
    std::vector<double> ratios, own;
    for (int round = 0; round < e.rounds; ++round) {
      double of_x = 0, of_y = 0;
      if (round % 2 == 0) of_x = seconds(x);
      of_y = seconds(y);
      if (round % 2 != 0) of_x = seconds(x);
      ratios.push_back(of_y / of_x);
      own.push_back(of_x);
    }
    options_.progress(doing_);
    // The median of n values with this inter-quartile range varies by about 0.93 of it / sqrt(n);
    // twice that.
    const double ratio = bench::median(ratios);
    const double noise = 1.9 * bench::spread_of(ratios) * ratio / std::sqrt(double(e.rounds));
    return {ratio, noise, t.what->flops() / bench::median(own) * 1e-9};
  }

  struct judged {
    gemm_tuning tuning;
    double mean = 1;  ///< rate over that of the best so far
  };

  /// Whether a sample is one of those on which choices for a place are compared: what is meant for
  /// memory must also do for L3.
  static bool belongs(const sample& s, place where) {
    return s.is_screened && (s.where == where || (s.where == place::l3 && where == place::memory));
  }

  /// Geometric mean over the screened samples of a place; below 0 if one is slower beyond noise.
  double judge(const gemm_tuning& x, place where, effort e, bool strict) {
    double sum = 0, noise = 0;
    int count = 0;
    for (timed& t : trials_) {
      if (!belongs(t.on, where)) continue;
      ++count;
      if (runs_alike(t, x, best_)) continue;
      const pair_of_rates r = compare(t, x, best_, e);
      if (strict && is_loss(r)) return -1;
      sum += std::log(r.ratio);
      noise += r.noise * r.noise;
    }
    if (count == 0) return 1;
    const double mean = std::exp(sum / count);
    return strict ? mean - std::sqrt(noise) / count : mean;
  }

  bool changes(const gemm_tuning& x, place where) const {
    return std::any_of(trials_.begin(), trials_.end(), [&](const timed& t) {
      return belongs(t.on, where) && !runs_alike(t, x, best_);
    });
  }
  /// Whether another choice does the same on all samples.
  bool is_repeated(const gemm_tuning& x, const std::vector<judged>& others) const {
    return std::any_of(others.begin(), others.end(), [&](const judged& y) {
      return std::all_of(trials_.begin(), trials_.end(),
                         [&](const timed& t) { return runs_alike(t, x, y.tuning); });
    });
  }
  bool is_right(const gemm_tuning& x, const knob& k) {
    for (timed& t : trials_) {
      if (runs_alike(t, x, best_) || t.what->is_right(x)) continue;
      options_.warn(name_of(class_) + ": results are wrong with another " + k.name +
                    ", which is left out");
      return false;
    }
    return true;
  }

  void turn(const knob& k) {
    std::vector<judged> choices;
    for (const auto& set : k.choices) {
      say(name_of(class_) + ": " + k.name);
      judged one{best_};
      set(one.tuning);
      if (!has_time() || !changes(one.tuning, k.where) || is_repeated(one.tuning, choices))
        continue;
      if (!is_right(one.tuning, k)) continue;
      one.mean = judge(one.tuning, k.where, screening, false);
      choices.push_back(one);
    }
    std::sort(choices.begin(), choices.end(),
              [](const judged& x, const judged& y) { return x.mean > y.mean; });
    if (choices.size() > 2) choices.resize(2);
    judged winner{best_};
    for (judged& one : choices) {
      if (one.mean < 0.99) continue;
      one.mean = judge(one.tuning, k.where, careful, true);
      if (one.mean > winner.mean + (winner.tuning == best_ ? 0.005 : 0)) winner = one;
    }
    if (winner.tuning == best_) return;
    taken_.push_back(best_);
    best_ = winner.tuning;
  }

  size_class class_;
  const search_options& options_;
  capabilities caps_;
  gemm_tuning best_, start_;
  std::vector<gemm_tuning> taken_;  ///< what was the best before each choice that was taken
  std::vector<timed> trials_;
  std::string doing_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

finding search(const size_class& c, const gemm_tuning& start, arena& memory,
               const search_options& options) {
  const gemm_tuning shipped = select::shipped(c, options.set, options.model);
  finding result{c, start, select::shipped_static(c, options.set, options.model), {}};
  result.found = searching(c, start, memory, options, false).run(knobs_of(c), result.compared);
  const gemm_tuning fixed =
      searching(c, result.fixed, memory, options, true).run({fixed_knob(c)}, result.compared);
  result.fixed = for_fixed(fixed, result.found, shipped);
  return result;
}

finding compare(const size_class& c, const gemm_tuning& start, const gemm_tuning& found,
                arena& memory, const search_options& options) {
  const gemm_tuning fixed = for_fixed(select::shipped_static(c, options.set, options.model), found,
                                      select::shipped(c, options.set, options.model));
  finding result{c, found, fixed, {}};
  searching(c, start, memory, options, false).compare_with(found, result.compared);
  return result;
}

}  // namespace tenfold::tune

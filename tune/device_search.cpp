#include "device_search.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <tenfold/backend/cuda/device_tunings.hpp>
#include <tenfold/backend/cuda/gemm_text.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>
#include <tenfold/tensor/error.hpp>
#include <thread>

namespace tenfold::tune {
namespace {

/// What a cut must gain to be more than noise.
constexpr double gain = 1.02;
/// Cuts that are timed longer.
constexpr std::size_t finalists = 3;

struct candidate {
  device_tiling tiling;
  double score = 0;  ///< by the model
  cuda::ready_gemm ready;
  bool is_right = false;
  double ratio = 0;  ///< of its rate to that without a table
};
using candidates = std::vector<candidate>;

class device_searching {
 public:
  device_searching(const tuned_product& product, device_arena& memory,
                   const device_search_options& options)
      : product_(product),
        shape_(shape_of(product)),
        machine_(*memory.where().machine),
        options_(options) {
    say("check");
    trial_ = make_device_trial(product, memory);
    const auto choice = select::device_product(shape_, machine_.capabilities());
    shipped_ = made_of(choice);
    shipped_.ready.function = machine_.load(text_of(shipped_), cuda::gemm_entry);
    if (!trial_->is_right(shipped_.ready))
      throw std::runtime_error("results of " + cuda::name_of(product_) + " are wrong as shipped");
    shipped_.ratio = 1;
    known_.push_back(shipped_.ready.cut);
  }

  device_finding run() {
    const auto most = static_cast<std::size_t>(options_.candidates);
    candidates all;
    select::for_each_device_cut(
        shape_, machine_.capabilities(), {}, 0, {},
        [&](const select::device_product_choice& choice) { offer(choice, all); });
    keep_best(all, (most + 1) / 2);
    screen(all);
    candidates others = neighbours_of(all);
    keep_best(others, most - std::min(most, all.size()));
    screen(others);
    device_finding result{
        product_, shipped_.tiling, false, 0, 0, static_cast<int>(all.size() + others.size())};
    all.insert(all.end(), others.begin(), others.end());
    choose(all, result);
    return result;
  }

 private:
  void say(const std::string& what) const {
    options_.progress(cuda::name_of(product_) + ": " + what);
  }
  void warn(const std::string& what) const {
    options_.warn(cuda::name_of(product_) + ": " + what + ", so it is left out");
  }

  candidate made_of(const select::device_product_choice& choice) const {
    candidate one{choice.tiling, choice.score, {}};
    one.ready.shape = shape_;
    one.ready.cut = choice.cut;
    return one;
  }
  std::string text_of(const candidate& x) const {
    return cuda::gemm_text(product_.type, x.ready.cut);
  }

  /// Adds what a tiling makes of the product, if that is something new.
  void offer(const select::device_product_choice& choice, candidates& to) {
    if (!choice.possible || !is_valid(choice.tiling)) return;
    const candidate one =
        made_of(select::device_laid_out(choice, product_.type, machine_.capabilities()));
    if (std::find(known_.begin(), known_.end(), one.ready.cut) != known_.end()) return;
    known_.push_back(one.ready.cut);
    to.push_back(one);
  }

  static void keep_best(candidates& all, std::size_t most) {
    std::stable_sort(all.begin(), all.end(),
                     [](const candidate& x, const candidate& y) { return x.score > y.score; });
    if (all.size() > most) all.resize(most);
  }

  /// The two fastest so far, each with one value otherwise.
  candidates neighbours_of(const candidates& all) {
    candidates fastest = all;
    fastest.push_back(shipped_);
    sort_by_ratio(fastest);
    if (fastest.size() > 2) fastest.resize(2);
    candidates made;
    for (const candidate& from : fastest) {
      const device_gemm& cut = from.ready.cut;
      const auto try_values = [&](int device_tiling::*value, std::initializer_list<int> choices) {
        for (const int choice : choices) {
          if (choice < 1) continue;
          device_tiling other = from.tiling;
          other.*value = choice;
          offer(select::device_cut(shape_, {}, other, 0, machine_.capabilities()), made);
        }
      };
      try_values(&device_tiling::groups, {1, 2, 4, 8});
      try_values(&device_tiling::problems, {cut.problems / 2, cut.problems - 1, 2 * cut.problems});
      try_values(&device_tiling::panel, {cut.k, (cut.k + 1) / 2, (cut.k + 3) / 4});
      try_values(&device_tiling::buffers, {1, 2, 3});
      try_values(&device_tiling::unroll, {1, 2, 8});
      try_values(&device_tiling::block, {1});
    }
    return made;
  }

  static void sort_by_ratio(candidates& all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const candidate& x, const candidate& y) { return x.ratio > y.ratio; });
  }

  /// Compiles, on several threads; without a function: it does not compile.
  void load(candidates& all) const {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < all.size(); i = next++) {
        try {
          all[i].ready.function = machine_.load(text_of(all[i]), cuda::gemm_entry);
        } catch (const backend_error&) {
        }
      }
    };
    std::vector<std::jthread> others;
    for (int i = 1; i < options_.threads; ++i) others.emplace_back(work);
    work();
  }

  /// Leaves of some cuts those that are right, with a ratio.
  void screen(candidates& some) {
    if (some.empty()) return;
    say("compile");
    load(some);
    say("check");
    std::erase_if(some, [&](candidate& x) {
      if (x.ready.function.handle == nullptr) {
        warn("a cut does not compile");
        return true;
      }
      if (trial_->is_right(x.ready)) return false;
      warn("results of a cut are wrong");
      return true;
    });
    say("time");
    const std::vector<double> seconds = timed(some, false);
    for (std::size_t i = 0; i < some.size(); ++i) some[i].ratio = seconds[0] / seconds[i + 1];
  }

  /// The cut without a table, and these.
  std::vector<double> timed(const candidates& some, bool careful) const {
    std::vector<std::function<void()>> passes{[this] { trial_->run(shipped_.ready); }};
    for (const candidate& x : some) passes.emplace_back([this, &x] { trial_->run(x.ready); });
    return options_.timer(passes, careful);
  }

  void choose(candidates& all, device_finding& result) {
    sort_by_ratio(all);
    if (all.size() > finalists) all.resize(finalists);
    say("time the best");
    const std::vector<double> seconds = timed(all, true);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].ratio = seconds[0] / seconds[i + 1];
    sort_by_ratio(all);
    result.shipped = result.rate = trial_->bytes() / seconds[0];
    for (const candidate& x : all) {
      if (x.ratio <= gain) return;
      if (!trial_->agrees(x.ready, shipped_.ready)) {
        warn("results of a cut are wrong in a large batch");
        continue;
      }
      result.found = x.tiling;
      result.is_better = true;
      result.rate = x.ratio * result.shipped;
      return;
    }
  }

  tuned_product product_;
  gemm_shape shape_;
  cuda::device_machine& machine_;
  const device_search_options& options_;
  std::unique_ptr<device_trial> trial_;
  candidate shipped_;
  std::vector<device_gemm> known_;  ///< that were offered, so that none is timed twice
};

}  // namespace

device_finding search(const tuned_product& product, device_arena& memory,
                      const device_search_options& options) {
  return device_searching(product, memory, options).run();
}

}  // namespace tenfold::tune

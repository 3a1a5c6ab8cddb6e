#include "device_search.hpp"

#include <doctest/doctest.h>

#include <emulated_device.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <temporary.hpp>
#include <tenfold/backend/cuda/device_tunings.hpp>
#include <tenfold/backend/cuda/gemm_text.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>

#include "device_options.hpp"
#include "files.hpp"
#include "search.hpp"
#include "tune_device.hpp"

// The search for tilings of a device, on an emulated one and by a clock that says what it shall.

namespace tenfold::tune {
namespace {

using testing::temporary_folder;

template <class E, class F>
std::string thrown_by(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "(nothing was thrown)";
}

/// An emulated device that knows what it ran, and spoils the last result of one text.
class watched_machine final : public emulation::emulated_device {
 public:
  cuda::device_function load(const std::string& text, const char* entry,
                             const cuda::device_use& use) override {
    const cuda::device_function f = emulated_device::load(text, entry, use);
    texts_[f.handle] = text;
    return f;
  }
  void launch(cuda::device_function f, const cuda::device_launch& how, void** arguments) override {
    emulated_device::launch(f, how, arguments);
    launched = texts_[f.handle];
    const auto& g = *static_cast<const device_gemm_arguments<double>*>(arguments[0]);
    if (launched == spoiled && g.count >= spoiled_from)
      static_cast<double*>(const_cast<void*>(g.c.data))[g.count * g.c.problem - 1] += 0.5;
  }

  std::string launched, spoiled;
  index spoiled_from = 0;  ///< problems

 private:
  std::map<void*, std::string> texts_;
};

/// A search whose clock says of each text how long it takes: 1, if nothing else is said.
struct searched {
  watched_machine machine;
  std::map<std::string, double> seconds;
  std::vector<std::string> timed;  ///< the texts of the first turn, that without a table first
  std::set<std::string> warnings;
  tuned_product product{scalar::f64, 16, 16, 16};

  device_search_options options(int candidates) {
    device_search_options how;
    how.candidates = candidates;
    how.timer = [this](const std::vector<std::function<void()>>& passes, bool) {
      std::vector<double> all;
      std::vector<std::string> texts;
      for (const auto& pass : passes) {
        pass();
        texts.push_back(machine.launched);
        const auto known = seconds.find(machine.launched);
        all.push_back(known == seconds.end() ? 1 : known->second);
      }
      if (timed.empty()) timed = texts;
      return all;
    };
    how.progress = [](const std::string&) {};
    how.warn = [this](const std::string& what) { warnings.insert(what); };
    return how;
  }
  device_finding run() {
    device_arena memory(on(machine), std::size_t{2} << 20);
    return search(product, memory, options(4));
  }
  /// The text that products run by with a tiling in the table.
  std::string text_by(const device_tiling& tiling) {
    const device_tuning one{product, tiling};
    return cuda::gemm_text(
        product.type,
        select::device_product(shape_of(product), machine.capabilities(), {}, 0, {}, {&one, 1})
            .cut);
  }
};

device_options options_of(std::vector<const char*> words) {
  words.insert(words.begin(), "tune");
  return read_device_options(static_cast<int>(words.size()), words.data());
}
std::string refusal_of(const std::vector<const char*>& words) {
  return thrown_by<std::invalid_argument>([&] { options_of(words); });
}

}  // namespace

TEST_CASE("a search takes the fastest cut, and never one with wrong results") {
  searched s;
  const std::string shipped = cuda::gemm_text(
      s.product.type, select::device_product(shape_of(s.product), h100_capabilities).cut);

  // All alike: nothing is taken.
  device_finding found = s.run();
  CHECK(!found.is_better);
  CHECK(found.rate == found.shipped);
  CHECK(found.tried == 4);
  REQUIRE(s.timed.size() == 3);
  CHECK(s.timed[0] == shipped);
  const std::string first = s.timed[1], second = s.timed[2];

  // Faster by no more than noise.
  s.seconds = {{first, 0.99}};
  CHECK(!s.run().is_better);

  s.seconds = {{first, 0.8}, {second, 0.5}};
  found = s.run();
  CHECK(found.is_better);
  CHECK(found.rate == doctest::Approx(2 * found.shipped));
  CHECK(s.text_by(found.found) == second);
  CHECK(s.warnings.empty());

  // The last result of the small batch is wrong: it is not even timed.
  s.machine.spoiled = second;
  s.timed.clear();
  found = s.run();
  CHECK(found.is_better);
  CHECK(s.text_by(found.found) == first);
  CHECK(s.timed == std::vector<std::string>{shipped, first});
  CHECK(s.warnings == std::set<std::string>{"d-16: results of a cut are wrong, so it is left out"});

  // That of the large one alone.
  s.machine.spoiled_from = 300;
  s.warnings.clear();
  found = s.run();
  CHECK(found.is_better);
  CHECK(s.text_by(found.found) == first);
  CHECK(s.warnings == std::set<std::string>{
                          "d-16: results of a cut are wrong in a large batch, so it is left out"});

  s.machine.spoiled = shipped;
  s.machine.spoiled_from = 0;
  CHECK(thrown_by<std::runtime_error>([&] { s.run(); }) == "results of d-16 are wrong as shipped");
}

TEST_CASE("the cut that is fastest so far is tried with other values") {
  searched s;
  s.run();
  REQUIRE(s.timed.size() == 3);
  const std::string first = s.timed[1];
  // All but what was considered anyway is fast.
  s.seconds = {{s.timed[0], 2}, {first, 1.5}, {s.timed[2], 2}};
  const device_finding found = s.run();
  CHECK(found.is_better);
  CHECK(s.text_by(found.found) != first);
}

TEST_CASE("what was found is written, with what was known of other products") {
  const temporary_folder folder;
  watched_machine machine;
  device_arena memory(on(machine), 1 << 13);
  const device_tuning known{{scalar::c32, 5, 5, 5}, {.thread_rows = 2}},
      renewed{{scalar::f64, 3, 3, 3}, {.thread_rows = 8, .unroll = 32}};
  device_options asked;
  asked.out = folder.write("table.txt", cuda::text_of({known, renewed}, "X1"));
  asked.products = {{scalar::f64, 3, 3, 3}, {scalar::c64, 2, 2, 3, true}};
  device_search_options how;
  how.candidates = 2;
  how.timer = [](const std::vector<std::function<void()>>& passes, bool) {
    std::vector<double> seconds;  // the later the faster
    for (const auto& pass : passes) {
      pass();
      seconds.push_back(1.0 / static_cast<double>(seconds.size() + 1));
    }
    return seconds;
  };
  how.progress = [](const std::string&) {};
  how.warn = [](const std::string& what) { FAIL(what); };
  const auto table = [&] {
    const auto read = cuda::read_device_tunings(text_of_file(asked.out), "", "X1");
    CHECK(read.refusal.empty());
    return read.tunings;
  };

  // Interrupted at the second product.
  how.progress = [](const std::string& what) {
    if (what[0] == 'z') throw interrupted{};
  };
  CHECK(tune_device(asked, memory, "X1", how) == 130);
  REQUIRE(table().size() == 2);
  CHECK(table()[0] == known);
  CHECK(table()[1].product == asked.products[0]);
  CHECK(table()[1].tiling != renewed.tiling);

  how.progress = [](const std::string&) {};
  CHECK(tune_device(asked, memory, "X1", how) == 0);
  REQUIRE(table().size() == 3);
  CHECK(table()[0] == known);
  CHECK(table()[2].product == asked.products[1]);

  // No time for the second one; the first is as shipped now.
  asked.seconds = 1e-6;
  how.timer = [](const std::vector<std::function<void()>>& passes, bool) {
    return std::vector<double>(passes.size(), 1.0);
  };
  CHECK(tune_device(asked, memory, "X1", how) == 0);
  REQUIRE(table().size() == 2);
  CHECK(table()[1].product == asked.products[1]);
}

TEST_CASE("the command line of a search on a device is read, or refused with a sentence") {
  CHECK(options_of({"--device", "cuda"}).products == tuned_products());
  CHECK(options_of({"--device", "cuda", "--help"}).wants_help);
  const device_options some = options_of({"--device", "cuda", "--class", "d-8", "--class",
                                          "s-36x6x4-sharedA", "--seconds", "1.5", "--out", "FILE"});
  CHECK(some.products ==
        std::vector<tuned_product>{{scalar::f64, 8, 8, 8}, {scalar::f32, 36, 6, 4, true}});
  CHECK(some.seconds == 1.5);
  CHECK(some.out == "FILE");

  CHECK(refusal_of({"--device", "hip"}) == "--device is 'hip' and must be cuda");
  CHECK(refusal_of({"--device"}) == "--device needs a value");
  CHECK(refusal_of({"--device", "cuda", "--fresh"}) ==
        "with --device there is no option '--fresh'");
  CHECK(refusal_of({"--device", "cuda", "--seconds", "0"}) ==
        "--seconds is '0' and must be a positive number");
  for (const char* const wrong : {"d-strided-16", "d-65", "d-2x2x4097"})
    CHECK(refusal_of({"--device", "cuda", "--class", wrong}) ==
          "--class: '" + std::string(wrong) +
              "' is no product that is tuned; there are d-8, d-36x6x4, d-36x6x4-sharedA, the same "
              "with s, c and z; results have up to 4096 entries, sums up to 4096 terms");
}

TEST_CASE("the products that are tuned differ from each other and have names") {
  std::set<std::string> names;
  for (const tuned_product& p : tuned_products()) {
    CHECK(names.insert(cuda::name_of(p)).second);
    CHECK(options_of({"--device", "cuda", "--class", cuda::name_of(p).c_str()}).products[0] == p);
  }
  CHECK(names.contains("s-32"));
  CHECK(names.contains("z-16"));
  CHECK(!names.contains("z-17"));
  CHECK(names.contains("d-36x6x5-sharedA"));
}

}  // namespace tenfold::tune

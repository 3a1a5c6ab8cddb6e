#include "trial.hpp"

#include "fixed_trial.hpp"
#include "typed_trial.hpp"

namespace tenfold::tune {

arena::arena(std::size_t ring_bytes, std::size_t l2_bytes)
    : all_(std::make_unique<contents>(ring_bytes, l2_bytes)) {}
arena::~arena() = default;

namespace {

template <class T>
std::unique_ptr<trial> trial_of(const sample& s, const size_class& c, instruction_set set,
                                arena& memory) {
  if (s.where == place::fixed) return make_fixed_trial<T>(s, c, set, memory);
  return std::make_unique<typed_trial<T>>(s, c, set, memory);
}

}  // namespace

std::unique_ptr<trial> make_trial(const sample& s, const size_class& c, instruction_set set,
                                  arena& memory) {
  switch (c.type) {
    case scalar::f32:
      return trial_of<float>(s, c, set, memory);
    case scalar::f64:
      return trial_of<double>(s, c, set, memory);
    case scalar::c32:
      return trial_of<std::complex<float>>(s, c, set, memory);
    case scalar::c64:
      break;
  }
  return trial_of<std::complex<double>>(s, c, set, memory);
}

}  // namespace tenfold::tune

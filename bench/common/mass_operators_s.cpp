#include "common/mass_operators.hpp"

namespace tenfold::bench {

template mass_operator<float> hand_mass_operator(int, mass_layout, bool);
template mass_operator<float> plain_mass_operator(int, mass_layout);
template mass_operator<float> tenfold_mass_operator(int, mass_layout);

}  // namespace tenfold::bench

// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "solve_degree.hpp"

namespace fem {

template outcome solve<7>(const request&);
template outcome solve<8>(const request&);

}  // namespace fem

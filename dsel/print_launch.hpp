#pragma once

#include <cstddef>
#include <string>
#include <tenfold/backend/interface/explained_launch.hpp>

namespace tenfold::printing {

/// One launch of a program on a device: what its threads do, how many there are, and what bounds
/// it.
std::string launch(const explained_device& on, std::size_t at);

}  // namespace tenfold::printing

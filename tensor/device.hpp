/// Where data lies and where work is done.
#pragma once

namespace tenfold {

/// A memory space and the machine that computes in it. `opencl` has no implementation today.
enum class device : unsigned char { cpu, cuda, opencl };

}  // namespace tenfold

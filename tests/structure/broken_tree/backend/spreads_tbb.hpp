#include <oneapi/tbb/parallel_for.h>
#include <xsimd/xsimd.hpp>

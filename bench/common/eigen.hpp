#pragma once

/// Eigen, and TENFOLD_BENCH_EIGEN, where it is installed.
#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define TENFOLD_BENCH_EIGEN
#elif __has_include(<eigen3/Eigen/Core>)
#include <eigen3/Eigen/Core>
#define TENFOLD_BENCH_EIGEN
#endif

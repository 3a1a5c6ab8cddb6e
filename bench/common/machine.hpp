#pragma once

#include <cstddef>
#include <string>

namespace tenfold::bench {

/// Where the figures were taken.
struct machine {
  std::string cpu;
  int cores;  ///< that this process may use
  std::string compiler;
  std::string flags;
  std::string isa;         ///< the instruction set this program was compiled for
  std::size_t l1, l2, l3;  ///< bytes of data cache that one core sees
  std::size_t memory;      ///< bytes of main memory that are free
};

machine describe_machine();

/// Confines this process to the core it runs on, so that every candidate has one core: threads that
/// a library starts later inherit it. False where the system cannot.
bool keep_to_one_core();

}  // namespace tenfold::bench

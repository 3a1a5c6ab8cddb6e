#pragma once

/// Does it fit? Asked before anything is allocated.

#include "topology.hpp"

namespace fem {

/// The bytes that solving with degree p on n x n x n elements in each hexahedron takes, writing a
/// file or not. A double, because what does not fit may not fit in an integer either.
double needed_bytes(int p, const topology& shared, int n, bool output);

/// The bytes that this process can still have: what the machine has left, or what the limits on
/// the process or its container leave, whichever is less.
double available_bytes();

/// Throws problem_error if the problem cannot fit into `available` bytes, or has more nodes than
/// the map's 32-bit numbers can name.
void check_memory(int p, const topology& shared, int n, bool output, double available);
/// The same for conjugate gradients for fields of so many components, with Q1D points along each
/// axis of an element and so many numbers stored at each.
void check_memory_of_bake_off(int p, int components, const topology& shared, int n, int Q1D,
                              int numbers, double available);

}  // namespace fem

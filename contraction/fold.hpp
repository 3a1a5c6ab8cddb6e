#pragma once

#include <tenfold/backend/interface/program.hpp>

/// Fewer loops for the same index space.
namespace tenfold {

/// Merges loops that continue one another and drops those of extent 1; keeps the order of the
/// rest. Returns the new count. Several `lists` of loops over one index space, `apart` loops from
/// one another, are merged alike: what continues in all.
constexpr int fold(step_loop* loops, int count, int lists = 1, int apart = 0) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    if (loops[i].extent == 1) continue;
    for (int l = 0; l < lists; ++l) loops[l * apart + kept] = loops[l * apart + i];
    ++kept;
  }
  for (bool merged = true; merged;) {
    merged = false;
    for (int i = 0; i < kept && !merged; ++i) {
      for (int j = 0; j < kept && !merged; ++j) {
        if (i == j) continue;
        merged = true;
        for (int l = 0; l < lists && merged; ++l)
          merged = continues(loops[l * apart + i], loops[l * apart + j]);
        if (!merged) continue;
        for (int l = 0; l < lists; ++l) {
          step_loop* const list = loops + l * apart;
          list[j].extent *= list[i].extent;
          for (int k = i; k + 1 < kept; ++k) list[k] = list[k + 1];
        }
        --kept;
      }
    }
  }
  return kept;
}

/// Takes loop `at` out of `count` loops.
constexpr step_loop take(step_loop* loops, int& count, int at) {
  const step_loop taken = loops[at];
  --count;
  for (int i = at; i < count; ++i) loops[i] = loops[i + 1];
  return taken;
}

/// Takes the longest of the loops.
constexpr step_loop take_longest(step_loop* loops, int& count) {
  int best = 0;
  for (int i = 1; i < count; ++i) {
    if (loops[i].extent > loops[best].extent) best = i;
  }
  return take(loops, count, best);
}

/// Takes the loop along which entries of the result are neighbours, or else the longest.
constexpr step_loop take_neighbours(step_loop* loops, int& count) {
  for (int i = 0; i < count; ++i) {
    if (loops[i].c == 1) return take(loops, count, i);
  }
  return take_longest(loops, count);
}

/// Takes the loop along which an operand is nearest.
constexpr step_loop take_nearest(step_loop* loops, int& count, index step_loop::*along) {
  const auto length = [](index x) { return x < 0 ? -x : x; };
  int best = 0;
  for (int i = 1; i < count; ++i) {
    if (length(loops[i].*along) < length(loops[best].*along)) best = i;
  }
  return take(loops, count, best);
}

/// Takes the loop that steps farthest in the result.
constexpr step_loop take_farthest(step_loop* loops, int& count) {
  const auto length = [](index x) { return x < 0 ? -x : x; };
  int best = 0;
  for (int i = 1; i < count; ++i) {
    if (length(loops[i].c) > length(loops[best].c)) best = i;
  }
  return take(loops, count, best);
}

}  // namespace tenfold

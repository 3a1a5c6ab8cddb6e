#pragma once

#include <tenfold/backend/interface/program.hpp>

/// Programs written by hand.
namespace tenfold::testing {

using small_program = program<3, 8, 8>;

/// C[i][e] = sum_j A[i][j] B[j][e], lanes along e in place: A (m, k), B (k, n), C (m, n).
constexpr small_program product_in_place(scalar type, index m, index k, index n, int width) {
  small_program p;
  p.type = type;
  p.phase_count = p.step_count = 1;
  p.phases[0].step_count = 1;
  p.phases[0].width = width;
  p.phases[0].lane = {n, 0};
  program_step& s = p.steps[0];
  s.finish = epilogue::update;
  s.a = {buffer::input, 0};
  s.b = {buffer::input, 1, lane_access::lanes, 0, 1};
  s.c = {buffer::output, 0, lane_access::lanes, 0, 1};
  s.m = {m, k, 0, n};
  s.k = {k, 1, n, 0};
  return p;
}

/// y[e][i] = sum_j A[i][j] x[e][j]: lanes along e, packed and unpacked, any number of e.
constexpr small_program product_packed(scalar type, index m, index k, int width) {
  small_program p;
  p.type = type;
  p.phase_count = 1;
  p.step_count = 3;
  program_phase& phase = p.phases[0];
  phase.step_count = 3;
  phase.width = width;
  phase.partial = true;
  phase.lane = {dyn, 2};
  phase.scratch_entries = (k + m) * width;
  program_step& in = p.steps[0];
  in.kind = step_kind::pack;
  in.a = {buffer::input, 1, lane_access::lanes, 0, k};
  in.a.type = type;
  in.c = {buffer::scratch, 0, lane_access::lanes, 0};
  in.n = {k, 1, 0, width};
  program_step& s = p.steps[1];
  s.a = {buffer::input, 0};
  s.b = {buffer::scratch, 0, lane_access::lanes, 0};
  s.c = {buffer::scratch, 0, lane_access::lanes, k * width};
  s.m = {m, k, 0, width};
  s.k = {k, 1, width, 0};
  program_step& out = p.steps[2];
  out.kind = step_kind::unpack;
  out.finish = epilogue::update;
  out.a = {buffer::scratch, 0, lane_access::lanes, k * width};
  out.c = {buffer::output, 0, lane_access::lanes, 0, m};
  out.c.type = type;
  out.n = {m, width, 0, 1};
  return p;
}

/// The same as product_packed of width 1, its loop of `dyn` values a tile loop.
constexpr small_program over_tile_loop(small_program p) {
  program_phase& phase = p.phases[0];
  phase.partial = false;
  phase.tile_count = 1;
  phase.tiles[0] = phase.lane;
  phase.lane = {};
  p.steps[0].a.tile_stride[0] = p.steps[0].a.lane_stride;
  p.steps[2].c.tile_stride[0] = p.steps[2].c.lane_stride;
  return p;
}

}  // namespace tenfold::testing

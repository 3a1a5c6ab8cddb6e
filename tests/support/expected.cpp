#include <expected.hpp>

#include <map>
#include <reading.hpp>
#include <string>

namespace tenfold::testing {
namespace {

using wide = std::complex<long double>;
using nest = reference::loop_nest<64, 32>;

/// The entries of an operand and their absolute values, at the distances that they have.
struct copied {
  std::vector<wide> values;
  std::vector<long double> sizes;
  index origin = 0;

  explicit copied(const run_time_operand& x) {
    index low = 0, high = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.shape.rank); ++i) {
      if (x.shape.extents[i] == 0) return;
      const index reach = (x.shape.extents[i] - 1) * x.shape.strides[i];
      (reach < 0 ? low : high) += reach;
    }
    origin = -low;
    for (index at = low; at <= high; ++at) {
      values.push_back(reference::entry_at<wide>(x.data, at, x.shape.type, x.shape.conjugated));
      sizes.push_back(std::abs(values.back()));
    }
  }
};

/// The loops of one term: first those of the output, then those of the labels that it sums.
nest loops_of(const reading& read, std::size_t term, const operand_list& operands,
              const std::vector<index>& output_extents) {
  nest loops;
  std::map<std::string, std::size_t> loop_of;
  for (std::size_t d = 0; d < read.output.size(); ++d) {
    loop_of[read.output[d]] = d;
    loops.extent[d] = output_extents[d];
  }
  loops.loops = loops.kept = static_cast<int>(read.output.size());
  for (std::size_t o = 0; o < operands.size(); ++o) {
    if (read.term[o] != term) continue;
    for (std::size_t i = 0; i < read.inputs[o].size(); ++i) {
      const std::string& label = read.inputs[o][i];
      const auto next = static_cast<std::size_t>(loops.loops);
      const auto [at, is_new] = loop_of.try_emplace(label, next);
      if (is_new) {
        loops.extent[next] = 1;
        ++loops.loops;
      }
      const index given = operands[o].shape.extents[i];
      if (at->second >= read.output.size() && given != 1) loops.extent[at->second] = given;
    }
  }
  for (std::size_t o = 0; o < operands.size(); ++o) {
    if (read.term[o] != term) continue;
    auto& stride = loops.stride[static_cast<std::size_t>(loops.operands++)];
    for (std::size_t i = 0; i < read.inputs[o].size(); ++i) {
      const std::size_t l = loop_of[read.inputs[o][i]];
      const bool repeated = operands[o].shape.extents[i] == 1;
      if (!repeated) stride[l] += operands[o].shape.strides[i];
    }
  }
  const std::vector<index> strides = sample<double>::row_major(output_extents);
  std::copy(strides.begin(), strides.end(), loops.output_stride.begin());
  return loops;
}

}  // namespace

expectation expect(std::string_view text, const operand_list& operands) {
  std::vector<int> ranks;
  bool complex = false;
  std::vector<copied> x;
  for (const auto& o : operands) {
    ranks.push_back(o.shape.rank);
    complex = complex || is_complex(o.shape.type);
    x.emplace_back(o);
  }
  const reading read = read_subscripts(text, ranks);

  expectation result;
  std::size_t count = 1;
  for (const auto& label : read.output) {
    index extent = 1;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      for (std::size_t i = 0; i < read.inputs[o].size(); ++i) {
        const index given = operands[o].shape.extents[i];
        if (read.inputs[o][i] == label && given != 1) extent = given;
      }
    }
    result.extents.push_back(extent);
    count *= static_cast<std::size_t>(extent);
  }
  result.sum.resize(count);
  result.magnitude.resize(count);
  for (std::size_t t = 0; t < read.signs.size(); ++t) {
    const nest loops = loops_of(read, t, operands, result.extents);
    std::vector<const copied*> own;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      if (read.term[o] == t) own.push_back(&x[o]);
    }
    const auto at_of = [&](int o, index at) {
      return static_cast<std::size_t>(at + own[static_cast<std::size_t>(o)]->origin);
    };
    const auto value = [&](int o, index at) {
      return own[static_cast<std::size_t>(o)]->values[at_of(o, at)];
    };
    const long double sign = read.signs[t];
    if (complex) {
      reference::contract_entries(loops, value, result.sum.data(), wide(sign), wide(1));
    } else {
      std::vector<long double> sum(count);
      reference::contract_entries(
          loops, [&](int o, index at) { return value(o, at).real(); }, sum.data(), sign, 0.0L);
      for (std::size_t n = 0; n < count; ++n) result.sum[n] += sum[n];
    }
    reference::contract_entries(
        loops,
        [&](int o, index at) { return own[static_cast<std::size_t>(o)]->sizes[at_of(o, at)]; },
        result.magnitude.data(), 1.0L, 1.0L);
  }
  return result;
}

}  // namespace tenfold::testing

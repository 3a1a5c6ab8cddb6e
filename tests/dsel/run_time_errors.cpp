#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/reusable_plan.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <thrown.hpp>
#include <vector>

namespace tenfold {
namespace {

using testing::thrown_by;

/// An operand that no backend of today can read: gathered through a map, or on a device.
template <batch_layout Layout, device Space>
struct elsewhere : tensor<double, 3> {};

template <class T, index... E>
tensor<T, E...> ones() {
  tensor<T, E...> x;
  x.fill(1);
  return x;
}

template <class... X>
std::string subscript_fault(std::string_view text, const X&... x) {
  return thrown_by<subscript_error>([&] { einsum(text, x...); });
}
template <class... X>
std::string shape_fault(std::string_view text, const X&... x) {
  return thrown_by<shape_error>([&] { einsum(text, x...); });
}

/// The same into a y that must stay as it is.
template <class E, class Y, class... X>
std::string fault_into(std::string_view text, Y& y, const X&... x) {
  y.fill(7);
  const Y before = y;
  const std::string message = thrown_by<E>([&] { einsum(text, into(y), x..., beta(2)); });
  for (index i = 0; i < y.size(); ++i) CHECK(y.data()[i] == before.data()[i]);
  return message;
}

const tensor<double, 2, 3> a = ones<double, 2, 3>();
const tensor<double, 3, 4> b = ones<double, 3, 4>();
const tensor<double, 3> v = ones<double, 3>();

}  // namespace

template <batch_layout Layout, device Space>
struct operand_traits<elsewhere<Layout, Space>> : operand_traits<tensor<double, 3>> {
  static constexpr batch_layout layout = Layout;
  static constexpr device space = Space;
};
template <batch_layout Layout, device Space>
struct operand_traits<const elsewhere<Layout, Space>> : operand_traits<const tensor<double, 3>> {
  static constexpr batch_layout layout = Layout;
  static constexpr device space = Space;
};

TEST_CASE("a message names the subscripts, the label and its position") {
  CHECK(subscript_fault("ij,jk->im", a, b) ==
        "tenfold: \"ij,jk->im\": output label 'm' at position 8 is in no operand");
  CHECK(subscript_fault("[row]j,jk->[row][col]", a, b) ==
        "tenfold: \"[row]j,jk->[row][col]\": output label 'col' at position 17 is in no operand");
}

TEST_CASE("run-time subscripts that cannot be read throw subscript_error") {
  CHECK(subscript_fault("ij;jk->ik", a, b) ==
        "tenfold: \"ij;jk->ik\": character ';' at position 2 is neither a label, ',', '+', "
        "'-', '...' nor '->'");
  CHECK(subscript_fault("ij,jk>ik", a, b) ==
        "tenfold: \"ij,jk>ik\": '>' at position 5 is half an arrow: the output stands behind '->'");
  CHECK(subscript_fault("ij,jk->i->k", a, b) ==
        "tenfold: \"ij,jk->i->k\": a second '->' at position 8: there is one output");
  CHECK(subscript_fault("ij,jk->i,k", a, b) ==
        "tenfold: \"ij,jk->i,k\": ',' at position 8 stands in the output: there is one output");
  CHECK(subscript_fault("ij,j[k->ik", a, b) ==
        "tenfold: \"ij,j[k->ik\": '[' at position 4 is not closed by ']'");
  CHECK(subscript_fault("i[],jk->ik", a, b) ==
        "tenfold: \"i[],jk->ik\": '[]' at position 1 names no label");
  CHECK(subscript_fault("ij,jk->iki", a, b) ==
        "tenfold: \"ij,jk->iki\": output label 'i' at position 9 stands in the output twice");
}

TEST_CASE("what cannot be seen in the subscripts is written out") {
  using namespace std::string_view_literals;
  CHECK(
      subscript_fault("ij\0,jk->ik"sv, a, b) ==
      "tenfold: \"ij\\x00,jk->ik\": character '\\x00' at position 2 is neither a label, ',', '+', "
      "'-', '...' nor '->'");
}

TEST_CASE("run-time subscripts beyond the large limits throw subscript_error") {
  std::string operands = "i";
  for (int i = 0; i < 32; ++i) operands += ",i";
  CHECK(subscript_fault(operands, v) == "tenfold: \"" + operands + "\": more than 32 operands");

  std::string labels;
  for (int i = 0; i < 65; ++i)
    labels += (i % 20 == 19 ? "," : "") + ("[l" + std::to_string(i)) + "]";
  CHECK(subscript_fault(labels, v) == "tenfold: \"" + labels + "\": label 'l64' at position " +
                                          std::to_string(labels.find("l64")) +
                                          " is one more than 64 different labels");

  const std::string rank(33, 'i');
  CHECK(subscript_fault(rank, v) ==
        "tenfold: \"" + rank +
            "\": label 'i' at position 32 is one more than 32 labels in "
            "one operand");
}

TEST_CASE("operands that do not fit run-time subscripts throw shape_error") {
  CHECK(shape_fault("ij,jk->ik", a) ==
        "tenfold: \"ij,jk->ik\": the subscripts name 2 operands, 1 were given");
  CHECK(shape_fault("ij->i", a, b) ==
        "tenfold: \"ij->i\": the subscripts name 1 operands, 2 were given");
  CHECK(shape_fault("ij->i") == "tenfold: \"ij->i\": the subscripts name 1 operands, 0 were given");
  CHECK(shape_fault("ij->i", alpha(2)) ==
        "tenfold: \"ij->i\": the subscripts name 1 operands, 0 were given");
  CHECK(shape_fault("ij,jkl->ik", a, b) ==
        "tenfold: \"ij,jkl->ik\": operand 1 has rank 2, its subscripts name 3 labels");
  CHECK(shape_fault("ij,kj->ik", a, b) ==
        "tenfold: \"ij,kj->ik\": label 'j' at position 4 has extent 4 in operand 1 and extent 3 in "
        "operand 0");
  CHECK(shape_fault("ii->", a) ==
        "tenfold: \"ii->\": label 'i' at position 1 has extent 3 in operand 0 and extent 2 in "
        "operand 0");
  CHECK(shape_fault("ij,j->i", a, ones<float, 3>()) ==
        "tenfold: \"ij,j->i\": operand 1 and operand 0 differ in precision: accumulate<double> "
        "computes in "
        "the wider one");
}

TEST_CASE("arguments in the wrong place throw subscript_error, as they stop the compiler") {
  CHECK(subscript_fault("ij,jk->ik", a, b, beta(1)) ==
        "tenfold: \"ij,jk->ik\": argument 2 is beta, which needs a destination: einsum(into(y), "
        "...)");
  CHECK(subscript_fault("ij,jk->ik", a, b, alpha(1), alpha(2)) ==
        "tenfold: \"ij,jk->ik\": argument 3 says an option a second time");
  CHECK(subscript_fault("ij,jk->ik", a, alpha(1), b) ==
        "tenfold: \"ij,jk->ik\": argument 2 is an operand behind an option: operands stand first");
  CHECK(subscript_fault("ij,j->i", a, v, sublist{0, 1}) != "(nothing was thrown)");
  tensor<double, 2, 4> y;
  CHECK(thrown_by<subscript_error>([&] {
          einsum("ij,jk->ik", into(y), a, b, alpha(1), alpha(2));
        }) == "tenfold: \"ij,jk->ik\": argument 4 says an option a second time");
  const auto p = plan("ij,jk->ik", like(a), like(b));
  CHECK(thrown_by<subscript_error>([&] { p(a, b, beta(1)); }).starts_with("tenfold: "));
}

TEST_CASE("operands that no backend computes throw backend_error") {
  const auto fault = [](const auto&... x) {
    return thrown_by<backend_error>([&] { einsum("i,i->", x...); });
  };
  CHECK(fault(elsewhere<batch_layout::strided, device::cuda>{}, v) ==
        "tenfold: \"i,i->\": operand 0 is not a strided tensor in host memory");
}

TEST_CASE("a plan refuses batches without strides, as operands and as results") {
  const tensor<double, 3, 4> A = ones<double, 3, 4>();
  tensor<double, dyn, 2, 3> u(5);
  tensor<double, dyn, 2, 4> y(5);
  u.fill(1);
  y.fill(7);
  const auto before = y;
  double* list[5];
  std::vector<std::int32_t> numbers(5 * 8);
  for (int k = 0; k < 40; ++k) numbers[static_cast<std::size_t>(k)] = k;
  const auto refuses = [&](const auto& in, auto& out) {
    CHECK(thrown_by<backend_error>([&] { plan("eij,jk->eik", like(in), like(A)); }) ==
          "tenfold: \"eij,jk->eik\": operand 0 is not a strided tensor in host memory");
    CHECK(thrown_by<backend_error>([&] { plan("jk,eij->eik", like(A), like(conj(in))); }) ==
          "tenfold: \"jk,eij->eik\": operand 1 is not a strided tensor in host memory");
    CHECK(thrown_by<backend_error>([&] {
            plan("eij,jk->eik", into(like(out)), like(u), like(A));
          }) == "tenfold: \"eij,jk->eik\": the output is not a strided tensor in host memory");
    const auto p = plan("eij,jk->eik", like(u), like(A));
    CHECK(thrown_by<shape_error>([&] { p(into(out), u, A); }) ==
          "tenfold: \"eij,jk->eik\": the output is not like the one that was planned for");
    CHECK(std::equal(y.data(), y.data() + y.size(), before.data()));
  };
  const auto point_into = [&](double* memory, index size) {
    for (double*& p : list) {
      p = memory;
      memory += size;
    }
  };
  interleaved<double, 8, 2, 4> blocks(5);
  for (index k = 0; k < blocks.mapping().size(); ++k) blocks.data()[k] = 7;
  refuses(interleaved<double, 8, 2, 3>(5), blocks);
  for (index k = 0; k < blocks.mapping().size(); ++k) CHECK(blocks.data()[k] == 7);
  point_into(y.data(), 8);
  pointers<double, 2, 4> scattered(list, 5);
  refuses(pointers<const double, 2, 3>(list, 5), scattered);
  gathered<double, 2, 4> mapped(y.data(), index_map(numbers.data(), 5, 8, 40));
  refuses(gathered<const double, 2, 3>(y.data(), index_map(numbers.data(), 5, 6, 40)), mapped);
}

TEST_CASE("a destination that does not fit run-time subscripts throws and stays as it is") {
  tensor<double, 2, 4> y;
  tensor<double, 2, 5> wide;
  tensor<double, 8> flat;
  tensor<float, 2, 4> single;
  const auto z = ones<std::complex<double>, 2, 3>();
  CHECK(fault_into<shape_error>("ij,jk->ik", y, z, b) ==
        "tenfold: \"ij,jk->ik\": operand 0 is complex, the output is real");
  CHECK(fault_into<subscript_error>("ij,jk->ij?", y, a, b) ==
        "tenfold: \"ij,jk->ij?\": character '?' at position 9 is neither a label, ',', '+', "
        "'-', '...' nor '->'");
  CHECK(fault_into<shape_error>("ij,jk->ik", flat, a, b) ==
        "tenfold: \"ij,jk->ik\": the output has rank 1, its subscripts name 2 labels");
  CHECK(
      fault_into<shape_error>("ij,jk->ik", wide, a, b) ==
      "tenfold: \"ij,jk->ik\": label 'k' at position 8 has extent 5 in the output and extent 4 in "
      "the operands");
  CHECK(
      fault_into<shape_error>("ij,jk->ki", y, a, b) ==
      "tenfold: \"ij,jk->ki\": label 'k' at position 7 has extent 2 in the output and extent 4 in "
      "the operands");
  CHECK(fault_into<shape_error>("ij,jk->ik", single, a, b) ==
        "tenfold: \"ij,jk->ik\": the output and operand 0 differ in precision: accumulate<double> "
        "computes "
        "in the wider one");
}

TEST_CASE("a destination whose entries coincide throws and stays as it is") {
  tensor<double, 12> memory;
  const auto fault = [&]<class E>(E*, index row, index column) {
    memory.fill(7);
    const std::string message = thrown_by<E>([&] {
      einsum("ij,jk->ik",
             into(strided_view<double, dyn, dyn>(memory.data(), {2, 4}, {row, column})), a, b);
    });
    for (index i = 0; i < memory.size(); ++i) CHECK(memory(i) == 7);
    return message;
  };
  constexpr shape_error* shape = nullptr;
  constexpr overlap_error* overlap = nullptr;
  CHECK(fault(shape, 0, 1) ==
        "tenfold: \"ij,jk->ik\": label 'i' at position 7 has stride 0 in the output: its entries "
        "coincide");
  CHECK(fault(shape, 4, 0) ==
        "tenfold: \"ij,jk->ik\": label 'k' at position 8 has stride 0 in the output: its entries "
        "coincide");
  CHECK(fault(overlap, 1, 1) ==
        "tenfold: \"ij,jk->ik\": the strides of the output do not keep its entries apart");
  CHECK(fault(overlap, 3, 1) ==
        "tenfold: \"ij,jk->ik\": the strides of the output do not keep its entries apart");
  CHECK(fault(overlap, 2, 1) ==
        "tenfold: \"ij,jk->ik\": the strides of the output do not keep its entries apart");
}

TEST_CASE("run-time extents that do not fit subscripts in the type throw and leave y as it is") {
  const tensor<double, dyn, 3> x(5);
  tensor<double, dyn, 4> y(6);
  y.fill(7);
  CHECK(
      thrown_by<shape_error>([&] { einsum<"ij,jk->ik">(into(y), x, b); }) ==
      "tenfold: \"ij,jk->ik\": label 'i' at position 7 has extent 6 in the output and extent 5 in "
      "the operands");
  for (index i = 0; i < y.size(); ++i) CHECK(y.data()[i] == 7);
  CHECK(thrown_by<shape_error>([&] { einsum<"ij,ik->jk">(x, y); }) ==
        "tenfold: \"ij,ik->jk\": label 'i' at position 3 has extent 6 in operand 1 and extent 5 in "
        "operand 0");
}

TEST_CASE("a result of more entries than an index counts throws shape_error") {
  const double one = 1;
  const index n = index{1} << 40;
  const strided_view<const double, dyn> x(&one, {n}, {0});
  CHECK(
      shape_fault("i,j->ij", x, x) ==
      "tenfold: the extents 1099511627776 x 1099511627776 multiply to more than 2^63 - 1 entries");
  CHECK(
      thrown_by<shape_error>([&] { einsum<"i,j->ij">(x, x); }) ==
      "tenfold: the extents 1099511627776 x 1099511627776 multiply to more than 2^63 - 1 entries");
}

}  // namespace tenfold

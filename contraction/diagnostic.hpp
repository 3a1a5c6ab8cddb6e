#pragma once

#include <array>
#include <string_view>
#include <tenfold/tensor/extents.hpp>

/// The one table of what may be wrong: a name, the error that is thrown (subscript_error, ...), and
/// the sentence with what is filled in at run time: {label}, {position}, {0}..{3}. At compile time
/// the sentence stands as it is in a static_assert and the numbers in the name of a type beside it.
#define TENFOLD_DIAGNOSES(X)                                                                       \
  X(unexpected_character, subscript,                                                               \
    "character '{label}' at position {position} is neither a label, ',', '+', '-', '...' nor "     \
    "'->'")                                                                                        \
  X(broken_arrow, subscript,                                                                       \
    "'{label}' at position {position} is half an arrow: the output stands behind '->'")            \
  X(second_arrow, subscript, "a second '->' at position {position}: there is one output")          \
  X(comma_in_output, subscript,                                                                    \
    "',' at position {position} stands in the output: there is one output")                        \
  X(sign_in_output, subscript,                                                                     \
    "'{label}' at position {position} stands in the output: a sum stands before '->'")             \
  X(open_bracket, subscript, "'[' at position {position} is not closed by ']'")                    \
  X(empty_bracket, subscript, "'[]' at position {position} names no label")                        \
  X(broken_ellipsis, subscript,                                                                    \
    "'{label}' at position {position} is part of an ellipsis, which is '...'")                     \
  X(second_ellipsis, subscript,                                                                    \
    "a second ellipsis at position {position}: an operand, or the output, has one at most")        \
  X(too_many_operands, subscript, "more than {0} operands")                                        \
  X(too_many_terms, subscript, "more than {0} terms in a sum")                                     \
  X(too_many_labels, subscript,                                                                    \
    "label '{label}' at position {position} is one more than {0} different labels")                \
  X(too_high_rank, subscript,                                                                      \
    "label '{label}' at position {position} is one more than {0} labels in one operand")           \
  X(output_label_unknown, subscript,                                                               \
    "output label '{label}' at position {position} is in no operand")                              \
  X(output_label_repeated, subscript,                                                              \
    "output label '{label}' at position {position} stands in the output twice")                    \
  X(terms_disagree, subscript,                                                                     \
    "the labels that occur once in term {0} of the sum are not those of term 0: write the output " \
    "behind '->'")                                                                                 \
  X(term_lacks_label, subscript,                                                                   \
    "term {0} of the sum lacks the output label '{label}' at position {position}")                 \
  X(operand_count, shape, "the subscripts name {0} operands, {1} were given")                      \
  X(operand_rank, shape, "operand {0} has rank {1}, its subscripts name {2} labels")               \
  X(ellipsis_rank, shape,                                                                          \
    "operand {0} has rank {1}, its subscripts name {2} labels beside the ellipsis")                \
  X(ellipsis_not_in_output, subscript,                                                             \
    "the ellipsis at position {position} stands for {0} axes: the output needs an ellipsis, too")  \
  X(output_rank, shape, "the output has rank {0}, its subscripts name {1} labels")                 \
  X(extent_mismatch, shape,                                                                        \
    "label '{label}' at position {position} has extent {0} in operand {1} and extent {2} in "      \
    "operand {3}")                                                                                 \
  X(output_extent, shape,                                                                          \
    "label '{label}' at position {position} has extent {0} in the output and extent {1} in the "   \
    "operands")                                                                                    \
  X(mixed_scalars, shape,                                                                          \
    "operand {0} and operand 0 differ in precision: accumulate<double> computes in the wider one") \
  X(output_scalar, shape,                                                                          \
    "the output and operand 0 differ in precision: accumulate<double> computes in the wider one")  \
  X(accumulate_narrower, shape, "operand {0} is wider than what accumulate<float> computes in")    \
  X(complex_into_real, shape, "operand {0} is complex, the output is real")                        \
  X(complex_factor, shape, "alpha or beta is complex, the output is real")                         \
  X(unsupported_layout, backend, "operand {0} is not a strided tensor in host memory")             \
  X(unsupported_output, backend, "the output is not a strided tensor in host memory")              \
  X(zero_stride_output, shape,                                                                     \
    "label '{label}' at position {position} has stride 0 in the output: its entries coincide")     \
  X(null_operand, shape, "operand {0} has entries, but its address is null")                       \
  X(null_output, shape, "the output has entries, but its address is null")                         \
  X(overlap, overlap, "the output overlaps operand {0} in memory")                                 \
  X(output_coincides, overlap, "the strides of the output do not keep its entries apart")          \
  X(no_path, backend,                                                                              \
    "no order of multiplication: the given pairs fit no operands, or every order that was tried "  \
    "has an intermediate above the limit")                                                         \
  X(unlike_planned, shape, "operand {0} is not like the one that was planned for")                 \
  X(output_unlike_planned, shape, "the output is not like the one that was planned for")           \
  X(too_long_program, backend, "the expression is too long to be run")                             \
  X(unknown_argument, subscript,                                                                   \
    "argument {0} is neither an operand (tensor_like) nor alpha, beta, accumulate, "               \
    "numpy_semantics or optimize")                                                                 \
  X(late_operand, subscript, "argument {0} is an operand behind an option: operands stand first")  \
  X(repeated_option, subscript, "argument {0} says an option a second time")                       \
  X(beta_by_value, subscript,                                                                      \
    "argument {0} is beta, which needs a destination: einsum(into(y), ...)")                       \
  X(no_output, subscript, "no statement assigns to an output: declare output<\"v\"> v")            \
  X(second_output, subscript,                                                                      \
    "'{label}' at position {position} is a second output: a kernel has one")                       \
  X(unbound, subscript, "'{label}' at position {position} is bound by no argument of the call")    \
  X(bound_twice, subscript,                                                                        \
    "'{label}' at position {position} is bound by two arguments of the call")                      \
  X(unknown_name, subscript,                                                                       \
    "argument {0} of the call binds a name that the kernel does not have")                         \
  X(input_assigned, subscript, "'{label}' at position {position} is an input, and is assigned to") \
  X(output_read, subscript,                                                                        \
    "output '{label}' at position {position} is read: keep it in a local first")                   \
  X(local_unwritten, subscript,                                                                    \
    "local '{label}' at position {position} is read before it is written")                         \
  X(local_labels, subscript,                                                                       \
    "local '{label}' at position {position} needs as many labels as where it is written, all "     \
    "different, the batch label in the same place")                                                \
  X(target_relabelled, subscript,                                                                  \
    "'{label}' at position {position} is added to under other labels than those it was written "   \
    "with")                                                                                        \
  X(assigned_twice, subscript,                                                                     \
    "'{label}' at position {position} is assigned to a second time: add to it with +=")            \
  X(batch_absent, subscript, "output '{label}' at position {position} lacks the batch label")      \
  X(batch_summed, subscript,                                                                       \
    "the batch label '{label}' at position {position} is summed: the left side of statement {0} "  \
    "lacks it")                                                                                    \
  X(kernel_extent, shape,                                                                          \
    "label '{label}' at position {position} has extent {0}, at position {2} it has extent {1}")    \
  X(kernel_rank, shape,                                                                            \
    "'{label}' at position {position} has rank {0}, its labels ask for rank {1}")                  \
  X(kernel_precision, shape,                                                                       \
    "'{label}' at position {position} differs in precision from the output")                       \
  X(kernel_complex, shape, "'{label}' at position {position} is complex, the output is real")      \
  X(kernel_layout, backend,                                                                        \
    "'{label}' at position {position} is neither a strided nor a gathered tensor in host memory")  \
  X(map_without_batch, subscript,                                                                  \
    "'{label}' at position {position} is gathered: its first label is the batch label")            \
  X(kernel_null, shape, "'{label}' at position {position} has entries, but its address is null")   \
  X(kernel_unlike, shape,                                                                          \
    "'{label}' at position {position} is not like the one that was planned for")                   \
  X(kernel_overlap, overlap, "the output overlaps '{label}' at position {position} in memory")     \
  X(two_roles, subscript,                                                                          \
    "'{label}' at position {position} is an input, an output and a local at once: a name has one " \
    "role")                                                                                        \
  X(no_triangle, shape,                                                                            \
    "'{label}' at position {position} stores {0} entries where a triangle has 1, 3, 6, 10, ...")   \
  X(stack_range, shape,                                                                            \
    "label '{label}' at position {position} has extent {1}: its stack has no slice {0}")           \
  X(unrolled_output, subscript,                                                                    \
    "label '{label}' at position {position} is that of a stack or of a symmetric matrix: the "     \
    "output cannot have it")                                                                       \
  X(unknown_extent, shape,                                                                         \
    "label '{label}' at position {position} is that of a stack, and no operand tells its extent")  \
  X(identity_labels, subscript,                                                                    \
    "label '{label}' at position {position} is one of a unit or diagonal matrix whose two labels " \
    "cannot become one: both stay, or none does, or a local would have one twice")                 \
  X(zero_output, subscript,                                                                        \
    "'{label}' at position {position} is zero: all its terms lie off the diagonals of factors")

namespace tenfold {

enum class diagnosis : unsigned char {
  none,
#define TENFOLD_DIAGNOSIS_NAME(name, kind, sentence) name,
  TENFOLD_DIAGNOSES(TENFOLD_DIAGNOSIS_NAME)
#undef TENFOLD_DIAGNOSIS_NAME
};

/// The sentence of a diagnosis, with its places still open.
constexpr std::string_view sentence_of(diagnosis d) {
  switch (d) {
    case diagnosis::none:
      return "no error";
#define TENFOLD_DIAGNOSIS_SENTENCE(name, kind, sentence) \
  case diagnosis::name:                                  \
    return sentence;
      TENFOLD_DIAGNOSES(TENFOLD_DIAGNOSIS_SENTENCE)
#undef TENFOLD_DIAGNOSIS_SENTENCE
  }
  return "";
}

/// What is wrong, and where: returned, never thrown, by everything that is constexpr.
struct diagnostic {
  diagnosis code = diagnosis::none;
  int position = -1;  ///< in the text, from 0; -1 when no place in the text is to blame
  int length = 0;     ///< of what stands there
  std::array<index, 4> numbers{};

  constexpr explicit operator bool() const { return code != diagnosis::none; }
  friend constexpr bool operator==(const diagnostic&, const diagnostic&) = default;
};

}  // namespace tenfold

#pragma once

#include <samples.hpp>
#include "kernel_case.hpp"

namespace tenfold::testing {

/// Draws kernels like operators of finite elements: values with the batch and two or three axes of
/// one extent; chains of a product along an axis, products entry by entry of what it makes, and the
/// product along the same axis of one of their sums, mixed with sums of all of these under axes in
/// any order. What a chain leaves may be read again behind it.
class operator_drawing {
 public:
  explicit operator_drawing(generator& g)
      : g_(g),
        axes_(static_cast<int>(between(g, 2, 3))),
        renames_(chance(g, 0.3)    ? 0
                 : chance(g, 0.25) ? 0.6
                                   : 0.2) {}

  kernel_case draw() {
    const index n = chance(g_, 0.75) ? 3 : between(g_, 2, 6);
    c_.extent = {between(g_, 1, 20)};
    c_.extent.insert(c_.extent.end(), static_cast<std::size_t>(axes_ + 1), n);
    c_.k.batch = 0;
    c_.k.label_count = axes_ + 2;
    for (const char* name : {"A", "B"}) c_.add_operand(name, operand_role::input, {1, 1});
    for (const char* name : {"u", "w", "D"})
      readable_.push_back(c_.add_operand(name, operand_role::input, with_batch(all_axes())));
    const index locals = between(g_, 3, 9);
    for (index i = 0; i < locals; ++i) {
      target_ = mixed(all_axes(), renames_ / 2);
      const int made = c_.add_operand(std::string(1, static_cast<char>('f' + i)),
                                      operand_role::local, with_batch(target_));
      c_.add_statement(access_to(made, with_batch(target_)));
      add_terms(made);
      // What the links of a chain leave is mostly for the chain alone, which then runs as one.
      if (link_ == link::none || chance(g_, 0.3)) readable_.push_back(made);
    }
    target_ = all_axes();
    const int v = c_.add_operand("v", operand_role::output, with_batch(target_));
    c_.add_statement(access_to(v, with_batch(target_)), chance(g_, 0.2));
    add_terms(-1);
    return std::move(c_);
  }

 private:
  /// Where a chain stands: behind its first step, or behind products of what that made.
  enum class link : unsigned char { none, across, entry_wise };

  /// Those of the statement that makes a local; -1: of the last one.
  void add_terms(int made) {
    if (link_ == link::across && chance(g_, 0.75)) {
      add_product(chained_, any());
      if (chance(g_, 0.3)) add_product(late(), any());
      if (chance(g_, 0.5)) link_ = link::entry_wise;
      if (made >= 0 && chance(g_, 0.8)) chained_ = made;
    } else if (link_ == link::entry_wise && chance(g_, 0.75)) {
      add_along(chained_, axis_, true, 0);
      for (index more = between(g_, 0, 2); more > 0; --more) add_any();
      link_ = link::none;
    } else if (made >= 0 && chance(g_, 0.5)) {
      axis_ = any_axis();
      add_along(late(), axis_, false, chance(g_, 0.8) ? 0 : 1);
      chained_ = made;
      link_ = link::across;
    } else {
      for (index count = between(g_, 1, 3); count > 0; --count) {
        if (chance(g_, 0.5)) {
          add_any();
        } else {
          add_product(late(), chance(g_, 0.5) ? late() : any());
        }
      }
    }
  }

  void add_any() {
    if (chance(g_, 0.5)) {
      add_along(late(), any_axis(), chance(g_, 0.5), static_cast<int>(between(g_, 0, 1)));
    } else {
      c_.add_term(sign(), {read(late(), renames_)});
    }
  }
  void add_product(int a, int b) {
    c_.add_term(sign(), {read(a, renames_), read(b, renames_ / 3)});
  }
  /// The matrix, or its transpose, along one axis of a value.
  void add_along(int value, int axis, bool transposed, int matrix) {
    const int sum = axes_ + 1;
    std::vector<int> labels = target_;
    std::replace(labels.begin(), labels.end(), axis, sum);
    const std::vector<int> sides =
        transposed ? std::vector<int>{sum, axis} : std::vector<int>{axis, sum};
    c_.add_term(sign(), {access_to(matrix, sides),
                         access_to(value, with_batch(mixed(labels, renames_ / 3)))});
  }

  kernel_access read(int value, double renames) {
    return access_to(value, with_batch(mixed(target_, renames)));
  }
  std::vector<int> mixed(std::vector<int> labels, double probability) {
    if (chance(g_, probability)) std::shuffle(labels.begin(), labels.end(), g_);
    return labels;
  }
  std::vector<int> all_axes() const {
    return axes_ == 2 ? std::vector<int>{1, 2} : std::vector<int>{1, 2, 3};
  }
  static std::vector<int> with_batch(std::vector<int> labels) {
    labels.insert(labels.begin(), 0);
    return labels;
  }
  int any_axis() { return static_cast<int>(between(g_, 1, axes_)); }
  int sign() { return chance(g_, 0.8) ? 1 : -1; }
  int any() {
    return readable_[static_cast<std::size_t>(
        between(g_, 0, static_cast<index>(readable_.size()) - 1))];
  }
  /// Any value, more often one of the last four.
  int late() {
    const auto count = static_cast<index>(readable_.size());
    if (chance(g_, 0.3)) return any();
    return readable_[static_cast<std::size_t>(count - between(g_, 1, std::min<index>(4, count)))];
  }

  generator& g_;
  int axes_;
  double renames_;  ///< how probably a value is read under other labels than those it has
  kernel_case c_;
  std::vector<int> readable_, target_;
  link link_ = link::none;
  int chained_ = -1, axis_ = 0;
};

inline kernel_case draw_operator(generator& g) { return operator_drawing(g).draw(); }

}  // namespace tenfold::testing

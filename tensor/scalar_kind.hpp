#pragma once

/// Which of the four scalars, as data. Device code reads this header too, so it includes nothing.
namespace tenfold {

/// The scalar of an operand, as data: real and complex, single and double precision.
enum class scalar : unsigned char { f32, f64, c32, c64 };

}  // namespace tenfold

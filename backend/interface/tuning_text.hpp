#pragma once

#include <functional>
#include <string>
#include <string_view>

/// The frame of a tuning table as text, which is the same for CPUs and devices, and the files that
/// such a text is found in.
///
///   tenfold tuning N              title and version
///   cpu GenuineIntel-6-143-8      of whom it is
///   ...                           its lines
///   check 90b1d6a5b0a7d0c1        the FNV-1a hash of all before it
namespace tenfold {

/// What tells one kind of table from others.
struct tuning_kind {
  std::string_view title;  ///< "tenfold tuning"
  int version = 1;
  std::string_view owner;   ///< what the second line begins with: "cpu"
  std::string_view called;  ///< the same in sentences: "CPU"
};

/// The lines of a table in their frame.
std::string framed(const tuning_kind&, const std::string& owner, const std::string& lines);

/// What lies between the frame, from line 3 on; or why it is not used.
struct tuning_lines {
  std::string_view lines;  ///< of the text that was given
  std::string refusal;     ///< empty: none
};
tuning_lines without_frame(const tuning_kind&, std::string_view text, const std::string& name,
                           const std::string& owner);

/// The sentence on a table that is called `name`.
std::string tuning_refused(const std::string& name, const std::string& why);

inline constexpr char scalar_letters[] = {'s', 'd', 'c', 'z'};  ///< by scalar, as in BLAS

/// Takes the text up to the next `end` away from its front.
std::string_view take_until(std::string_view& text, char end);

/// Takes the next word away and reads it as a number from `least` to `most`; otherwise what is
/// wrong with it, as a value that is called `name`.
std::string take_number(std::string_view& line, const char* name, int least, int most, int& to);

/// What a table was read from, or why it was refused; both empty: there was none.
struct tuning_origin {
  std::string file, refusal;
};
/// Gives `read` the text and the name of the file that the variable of the environment names,
/// `none` being no file; without the variable of the `usual` one, if it is there. What `read`
/// returns, empty or a refusal, is said on the standard error stream, as is that the file named
/// cannot be read.
tuning_origin load_tuning(
    const char* variable, const std::string& usual,
    const std::function<std::string(std::string_view text, const std::string& name)>& read);

/// $XDG_DATA_HOME/tenfold/tuning-KEY.txt, by default ~/.local/share/tenfold/...; empty if the
/// environment names no home.
std::string user_tuning_file(const std::string& key);

}  // namespace tenfold

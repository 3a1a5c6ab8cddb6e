#pragma once

#include <string>
#include <tenfold/backend/interface/tuning.hpp>

/// The tuning that batched products of run-time sizes go by. It is read once, at the first of them:
///   1. from the file that the environment variable TENFOLD_TUNING names; `none`: from no file
///   2. from $XDG_DATA_HOME/tenfold/tuning-CPU.txt, by default ~/.local/share/tenfold/..., if there
///      is one, where CPU is cpu_key()
///   3. what is not said there is as shipped (select::shipped).
/// A file that is damaged, of another version or of another CPU is refused as a whole, with one
/// sentence on the standard error stream, and what is shipped is used. The order of operations, and
/// with it the last bit of a result, may depend on the table; never on threads, count or position.
namespace tenfold {

/// Valid for as long as the program runs.
const tuning& tuning_in_use(instruction_set);

/// Where the tuning in use comes from: a file; empty: as shipped.
const std::string& tuning_source();

/// Why a file was refused; empty: none was.
const std::string& tuning_refusal();

/// Vendor, family, model and stepping of this CPU, "GenuineIntel-6-143-8"; "generic" where the
/// architecture does not tell.
std::string cpu_key();

/// Of this CPU, for what is shipped.
processor processor_here();

/// The second place of above; empty if the environment names no home.
std::string user_tuning_file();

}  // namespace tenfold

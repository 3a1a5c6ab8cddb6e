#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search.hpp"

/// What a search has found so far, as text, so that it can go on after an interruption:
///
///   tenfold tune 1 GenuineIntel-6-143-8 avx512 shipped
///   found d-strided-16 16 4 8 6 ...
///   fixed 16 4 8 6 ...
///   on 16 16 16 own cache 61.2 1.04 0.006
///   ...
///   end d-strided-16
namespace tenfold::tune {

/// The first line: what findings must agree in to belong together. `from` is one word.
std::string journal_title(const std::string& cpu, instruction_set, const std::string& from);

std::string text_of(const finding&);

/// The findings of a journal of this title, up to the first line that is not understood; a finding
/// without its end is none. Of a class that was found twice the later one counts.
std::vector<finding> read_journal(std::string_view text, const std::string& title);

}  // namespace tenfold::tune

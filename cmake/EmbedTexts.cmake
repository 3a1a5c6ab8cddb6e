# cmake -DOUTPUT=file.cpp -DROOTS="root;root" -DNAMES="tenfold/a.hpp;tenfold/b.hpp" -P EmbedTexts.cmake
#
# Writes a source that holds the texts of headers under the names by which they are included: what a
# compiler at run time reads (backend/cuda/device_headers.hpp).
cmake_minimum_required(VERSION 3.25)

set(entries "")
foreach(name IN LISTS NAMES)
  set(found FALSE)
  foreach(root IN LISTS ROOTS)
    if(EXISTS "${root}/${name}")
      file(READ "${root}/${name}" text)
      set(found TRUE)
    endif()
  endforeach()
  if(NOT found)
    message(FATAL_ERROR "there is no header ${name}")
  endif()
  string(APPEND entries "    {\"${name}\", R\"__(${text})__\"},\n")
endforeach()
file(
  WRITE "${OUTPUT}.new"
  "#include <tenfold/backend/cuda/device_headers.hpp>

namespace tenfold::cuda {

std::span<const device_header> device_headers() {
  static constexpr device_header all[] = {
${entries}  };
  return all;
}

}  // namespace tenfold::cuda
")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUTPUT}.new")
file(TOUCH_NOCREATE "${OUTPUT}")

# Install: the rooms merge into include/tenfold, and find_package(tenfold) gives tenfold::tenfold.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tenfold")
get_property(rooms GLOBAL PROPERTY TENFOLD_ROOM_TARGETS)
install(
  TARGETS ${rooms}
  EXPORT tenfoldTargets
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT tenfoldTargets NAMESPACE tenfold:: DESTINATION "${package_dir}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/tenfoldConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/tenfoldConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/tenfoldConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/tenfoldConfig.cmake"
        "${PROJECT_BINARY_DIR}/tenfoldConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/TenfoldDependencies.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/TenfoldSimdNote.cmake"
  DESTINATION "${package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

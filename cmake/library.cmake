# library.cmake: libpinfold.so, and the files that `cmake --install` installs for its users.
# Invariant: the objects are the program's own; only symbols with PINFOLD_API are exported.
# Not here: the program's own targets (CMakeLists.txt).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The bubblewrap backend starts the program inside the sandbox, also for programs that use the library.
file(RELATIVE_PATH PINFOLD_PROGRAM_FROM_LIBRARY /prefix/${CMAKE_INSTALL_LIBDIR} /prefix/${CMAKE_INSTALL_BINDIR}/pinfold)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/app/library.cc PROPERTIES
  COMPILE_DEFINITIONS PINFOLD_PROGRAM_FROM_LIBRARY="${PINFOLD_PROGRAM_FROM_LIBRARY}")

add_library(pinfold_library SHARED $<TARGET_OBJECTS:pinfold_objects>)
set_target_properties(pinfold_library PROPERTIES
  OUTPUT_NAME pinfold EXPORT_NAME pinfold VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib LINKER_LANGUAGE CXX)
target_compile_features(pinfold_library INTERFACE cxx_std_20)
target_include_directories(pinfold_library INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(pinfold_library PUBLIC tl::expected PRIVATE ${PINFOLD_SODIUM} ${PINFOLD_CARES} ${PINFOLD_RE2_SHARED})
# No undefined symbols, no exported symbols of other archives, no unused sections.
target_link_options(pinfold_library PRIVATE -Wl,-z,defs -Wl,--gc-sections
  -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/pinfold.map)
set_target_properties(pinfold_library PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/pinfold.map)

install(TARGETS pinfold pinfold_web RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS pinfold_library EXPORT pinfoldTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/pinfold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(PINFOLD_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pinfold)
install(EXPORT pinfoldTargets NAMESPACE pinfold:: DESTINATION ${PINFOLD_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/pinfoldConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/pinfoldConfig.cmake
  INSTALL_DESTINATION ${PINFOLD_CMAKE_DIR})
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/pinfoldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/pinfoldConfig.cmake ${CMAKE_BINARY_DIR}/cmake/pinfoldConfigVersion.cmake
  DESTINATION ${PINFOLD_CMAKE_DIR})

configure_file(${CMAKE_CURRENT_LIST_DIR}/pinfold.pc.in ${CMAKE_BINARY_DIR}/cmake/pinfold.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/pinfold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The manual page and the completions: the program prints its own.
set(PINFOLD_PRINTED
  "man-page|${CMAKE_INSTALL_MANDIR}/man1/pinfold.1"
  "completions bash|${CMAKE_INSTALL_DATADIR}/bash-completion/completions/pinfold"
  "completions zsh|${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_pinfold"
  "completions fish|${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/pinfold.fish")
foreach(printed ${PINFOLD_PRINTED})
  string(REGEX MATCH "^(.*)\\|(.*)/(.*)$" whole ${printed})
  string(REPLACE " " ";" words ${CMAKE_MATCH_1})
  set(directory ${CMAKE_MATCH_2})
  set(made ${CMAKE_BINARY_DIR}/printed/${CMAKE_MATCH_3})
  add_custom_command(OUTPUT ${made} COMMAND pinfold ${words} > ${made} DEPENDS pinfold VERBATIM)
  list(APPEND PINFOLD_PRINTED_FILES ${made})
  install(FILES ${made} DESTINATION ${directory})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/printed)
add_custom_target(pinfold_printed ALL DEPENDS ${PINFOLD_PRINTED_FILES})

# tests.cmake: what is pure in the folders of other systems, tested where we are: two readers judge macOS profiles.
# Not here: building for those systems.
find_package(GTest REQUIRED)
find_library(PINFOLD_RAPIDCHECK rapidcheck REQUIRED)
file(GLOB PLATFORM_PURE CONFIGURE_DEPENDS ${ROOT}/src/backend/darwin/sbpl*.cc ${ROOT}/src/backend/darwin/coverage.cc
  ${ROOT}/src/backend/darwin/denials.cc ${ROOT}/src/backend/windows/pure/*.cc)
set(PLATFORM_TESTS ${PLATFORM_PURE})
list(FILTER PLATFORM_PURE EXCLUDE REGEX "_test\\.cc$")
list(FILTER PLATFORM_TESTS INCLUDE REGEX "_test\\.cc$")
add_executable(platform_tests ${PLATFORM_TESTS} ${PLATFORM_PURE})
target_compile_options(platform_tests PRIVATE -O1)
target_compile_definitions(platform_tests PRIVATE PINFOLD_ROOT="${ROOT}")
target_link_libraries(platform_tests PRIVATE pinfold_core ${PINFOLD_RAPIDCHECK} GTest::gtest_main)

# tests.cmake: tests of the pure code in the folders of other systems, run on Linux; two readers check macOS profiles.
# Not here: building for those systems.
find_package(GTest REQUIRED)
find_library(PINFOLD_RAPIDCHECK rapidcheck REQUIRED)
set(DARWIN_PURE ${ROOT}/src/backend/darwin/sbpl.cc ${ROOT}/src/backend/darwin/sbpl_text.cc ${ROOT}/src/backend/darwin/coverage.cc
  ${ROOT}/src/backend/darwin/arguments.cc ${ROOT}/src/backend/darwin/denials.cc)
set(PLUGIN_PURE ${ROOT}/src/plugin/confine.cc ${ROOT}/src/plugin/manifest.cc ${ROOT}/src/plugin/manifest_permissions.cc
  ${ROOT}/src/plugin/permissions.cc ${ROOT}/src/plugin/json_tree.cc ${ROOT}/src/plugin/runtime.cc ${ROOT}/src/settings/files.cc
  ${ROOT}/src/settings/trust.cc)
add_executable(platform_tests ${ROOT}/tests/platforms/sbpl_test.cc ${ROOT}/tests/platforms/sbpl_plugin_test.cc ${ROOT}/tests/platforms/sbpl_property_test.cc
  ${ROOT}/tests/platforms/sha256_test.cc ${DARWIN_PURE} ${PLUGIN_PURE})
target_compile_definitions(platform_tests PRIVATE PINFOLD_ROOT="${ROOT}")
target_link_libraries(platform_tests PRIVATE pinfold_core ${PINFOLD_RAPIDCHECK} GTest::gtest_main)

# windows.cmake: the program for Windows: its folders, the command line of every system, and the tests that wine runs.
target_link_options(pinfold_options INTERFACE -fstack-protector-strong)  # or the guard itself is not linked
# The newest Windows whose names are used at compile time; functions that older ones lack are looked up at run time.
target_compile_definitions(pinfold_options INTERFACE UNICODE _UNICODE NOMINMAX _WIN32_WINNT=0x0A00)
set(PINFOLD_SHARED_CLI advice_view check cli complain completions completions_fish completions_zsh advice_gate explain help man_page
  options parse policy_check policy_show policy_why prepare redact values why why_host)
list(TRANSFORM PINFOLD_SHARED_CLI REPLACE "(.+)" "${ROOT}/src/cli/\\1.cc")
file(GLOB PINFOLD_WINDOWS CONFIGURE_DEPENDS ${ROOT}/src/backend/windows/*.cc ${ROOT}/src/backend/windows/os/*.cc
  ${ROOT}/src/sys/windows/*.cc ${ROOT}/src/supervisor/windows/*.cc ${ROOT}/src/cli/windows/*.cc ${ROOT}/src/settings/*.cc)
list(FILTER PINFOLD_WINDOWS EXCLUDE REGEX "_test\\.cc$|/settings/(starter|trust_change)\\.cc$")
list(APPEND PINFOLD_WINDOWS ${PINFOLD_SHARED_CLI} ${ROOT}/src/supervisor/choose.cc ${ROOT}/src/supervisor/admit.cc
  ${ROOT}/src/sys/event_loop_timers.cc)
add_library(pinfold_windows STATIC ${PINFOLD_WINDOWS})
target_link_libraries(pinfold_windows PUBLIC pinfold_core advapi32)
target_precompile_headers(pinfold_windows REUSE_FROM pinfold_core)
pinfold_together(pinfold_windows 12 ${PINFOLD_WINDOWS})

# This g++ warns about a length that cannot occur.
set_source_files_properties(${ROOT}/src/base/domain.cc PROPERTIES COMPILE_OPTIONS -Wno-stringop-overread)

add_executable(pinfold ${ROOT}/src/app/windows/main.cc)
target_link_libraries(pinfold PRIVATE pinfold_windows)
target_link_options(pinfold PRIVATE -municode)

# For wine. GoogleTest is Debian's, from its sources: there is no library of it for Windows.
set(GOOGLETEST /usr/src/googletest/googletest)
add_library(gtest STATIC ${GOOGLETEST}/src/gtest-all.cc)
target_include_directories(gtest SYSTEM PUBLIC ${GOOGLETEST}/include PRIVATE ${GOOGLETEST})
target_compile_options(gtest PRIVATE -O0)
file(GLOB PINFOLD_WINE_TESTS CONFIGURE_DEPENDS ${ROOT}/src/backend/windows/*_test.cc ${ROOT}/src/base/windows_paths_test.cc)
add_executable(pinfold_wine_tests ${ROOT}/tests/platforms/wine/wine_test.cc ${ROOT}/tests/platforms/wine/start_test.cc
  ${PINFOLD_WINE_TESTS})
target_compile_options(pinfold_wine_tests PRIVATE -O0)
pinfold_together(pinfold_wine_tests 12 ${PINFOLD_WINE_TESTS})
target_link_libraries(pinfold_wine_tests PRIVATE pinfold_windows gtest shell32)
add_executable(echo-argv ${ROOT}/tests/platforms/wine/echo_argv.cc)
target_link_libraries(echo-argv PRIVATE pinfold_options shell32)
target_link_options(echo-argv PRIVATE -municode)

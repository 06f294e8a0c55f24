# darwin.cmake: the program for macOS: the core, the folders that need an operating system, and the folders of macOS.
# Not in this build, and refused with an error: sessions, the web page, plugins, MCP, the file tools, learn (docs/reference/macos.md).
file(GLOB DARWIN CONFIGURE_DEPENDS ${ROOT}/src/sys/*.cc ${ROOT}/src/settings/*.cc ${ROOT}/src/net/*.cc ${ROOT}/src/supervisor/*.cc
  ${ROOT}/src/session/*.cc ${ROOT}/src/cli/*.cc ${ROOT}/src/*/darwin/*.cc)
list(FILTER DARWIN EXCLUDE REGEX "_test\\.cc$|/sys/(open_how|event_loop|mask_directory)\\.cc$|/net/resolver\\.cc$|/supervisor/signals\\.cc$")
list(FILTER DARWIN EXCLUDE REGEX "/session/(live_approvals|live_session|broadcaster)\\.cc$")
list(FILTER DARWIN EXCLUDE REGEX "/cli/(memory|learn|learn_output|web|web_[a-z_]*|session_[a-z]*|plugin[a-z_]*|files_[a-z]*)\\.cc$")
list(APPEND DARWIN ${ROOT}/src/control/fields.cc)
add_executable(pinfold ${DARWIN})
target_compile_options(pinfold PRIVATE -include ${ROOT}/src/sys/darwin/missing.h)
target_link_libraries(pinfold PRIVATE pinfold_core)
target_precompile_headers(pinfold PRIVATE ${PINFOLD_COMMON_HEADERS})
pinfold_together(pinfold 12 ${DARWIN})

# For tests/platforms/checklist on a Mac: the attempts of tests/escape that are not specific to Linux.
set(PROBE ${ROOT}/tests/escape/probe)
add_executable(escape_probe ${PROBE}/main.cc ${PROBE}/files.cc ${PROBE}/environment.cc ${PROBE}/sockets.cc ${PROBE}/themes_darwin.cc)
target_compile_definitions(escape_probe PRIVATE MSG_FASTOPEN=0)  # such a connection cannot be tried
target_compile_options(escape_probe PRIVATE -include ${ROOT}/src/sys/darwin/missing.h)
target_link_libraries(escape_probe PRIVATE pinfold_options)

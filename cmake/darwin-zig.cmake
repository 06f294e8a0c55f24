# darwin-zig.cmake: cross-compiles for macOS with zig's clang, headers and linker (platforms/zig installs them).
#   -DPINFOLD_ARCH=aarch64 (Apple silicon, and the default) or x86_64
# On a Mac use no toolchain file: its own compiler works.
set(CMAKE_SYSTEM_NAME Darwin)
set(PINFOLD_ARCH aarch64 CACHE STRING "aarch64 or x86_64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PINFOLD_ARCH)
set(CMAKE_SYSTEM_PROCESSOR ${PINFOLD_ARCH})
get_filename_component(PINFOLD_TOOLS ${CMAKE_CURRENT_LIST_DIR}/../platforms ABSOLUTE)
set(CMAKE_CXX_COMPILER ${PINFOLD_TOOLS}/zig c++)
set(CMAKE_CXX_COMPILER_TARGET ${PINFOLD_ARCH}-macos.13.0)
set(CMAKE_AR ${PINFOLD_TOOLS}/zig-ar)
set(CMAKE_RANLIB ${PINFOLD_TOOLS}/zig-ranlib)
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "")
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

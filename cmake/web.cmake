# web.cmake: pinfold-web, the program behind `pinfold web` and `--ask web`. A separate program: it has threads and is
# linked dynamically; `pinfold` has no threads and is static.

get_filename_component(PINFOLD_ROOT ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)

# cpp-httplib is a shared library in Debian; its headers need the macros that it was built with.
find_library(PINFOLD_HTTPLIB NAMES cpp-httplib REQUIRED)
find_package(Threads REQUIRED)

# The files of the page, as one source file.
set(PINFOLD_PAGE ${PINFOLD_ROOT}/src/web/page)
set(PINFOLD_ASSETS "")
foreach(asset "/|index.html|text/html" "/page.css|page.css|text/css" "/page.js|page.js|text/javascript"
    "/dom.js|dom.js|text/javascript" "/cards.js|cards.js|text/javascript" "/activity.js|activity.js|text/javascript"
    "/lists.js|lists.js|text/javascript" "/icon.svg|icon.svg|image/svg+xml"
    "/review|review.html|text/html" "/review.css|review.css|text/css" "/review.js|review.js|text/javascript")
  string(REPLACE "|" ";" asset "${asset}")
  list(GET asset 0 path)
  list(GET asset 1 file)
  list(GET asset 2 type)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PINFOLD_PAGE}/${file})
  file(READ ${PINFOLD_PAGE}/${file} text)
  string(APPEND PINFOLD_ASSETS "    {\"${path}\", \"${type}; charset=utf-8\", R\"_asset_(${text})_asset_\"},\n")
endforeach()
configure_file(${PINFOLD_ROOT}/cmake/assets.cc.in ${CMAKE_BINARY_DIR}/web/assets.cc @ONLY)

file(GLOB PINFOLD_WEB_SOURCES CONFIGURE_DEPENDS ${PINFOLD_ROOT}/src/web/*.cc)
list(FILTER PINFOLD_WEB_SOURCES EXCLUDE REGEX "_test\\.cc$|/main\\.cc$")
add_library(pinfold_web_core STATIC ${PINFOLD_WEB_SOURCES} ${CMAKE_BINARY_DIR}/web/assets.cc)
target_compile_definitions(pinfold_web_core PUBLIC CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT CPPHTTPLIB_BROTLI_SUPPORT)
target_link_libraries(pinfold_web_core PUBLIC pinfold_core ${PINFOLD_HTTPLIB} Threads::Threads
  PRIVATE nlohmann_json::nlohmann_json pinfold_options)

add_executable(pinfold_web ${PINFOLD_ROOT}/src/web/main.cc)
set_target_properties(pinfold_web PROPERTIES OUTPUT_NAME pinfold-web)
target_link_libraries(pinfold_web PRIVATE pinfold_web_core pinfold_options nlohmann_json::nlohmann_json)

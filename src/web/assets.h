// assets.h: the files of the page (src/web/page), built into the program.
#pragma once

#include <span>
#include <string_view>

namespace pinfold::web {

struct Asset {
  std::string_view path;  // "/page.js"
  std::string_view type;
  std::string_view text;
};

std::span<const Asset> assets();

}  // namespace pinfold::web

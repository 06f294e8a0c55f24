// paths.cc: lexical work on absolute paths.
// Invariant: one pass, no host.
// Not here: symlinks.
#include "base/paths.h"

#include <algorithm>

namespace pinfold::paths {

std::string normal(std::string_view absolute) {
  std::string out;
  out.reserve(absolute.size() + 1);
  std::size_t begin = 0;
  while (begin < absolute.size()) {
    std::size_t end = absolute.find('/', begin);
    if (end == std::string_view::npos) end = absolute.size();
    const std::string_view name = absolute.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      const std::size_t slash = out.rfind('/');
      out.resize(slash == std::string::npos ? 0 : slash);
      continue;
    }
    out += '/';
    out += name;
  }
  if (out.empty()) out += '/';
  return out;
}

bool beneath(std::string_view child, std::string_view parent_path) {
  if (parent_path == "/") return child.size() > 1;
  return child.size() > parent_path.size() && child[parent_path.size()] == '/' && child.starts_with(parent_path);
}

bool at_or_beneath(std::string_view child, std::string_view parent_path) {
  return child == parent_path || beneath(child, parent_path);
}

std::size_t depth(std::string_view path) {
  if (path.size() <= 1) return 0;
  return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

std::string_view parent(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return "/";
  return path.substr(0, slash);
}

std::string_view basename(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string join(std::string_view directory, std::string_view name) {
  std::string out;
  out.reserve(directory.size() + name.size() + 1);
  out += directory;
  if (out.empty() || out.back() != '/') out += '/';
  out += name;
  return out;
}

std::string_view relative(std::string_view path, std::string_view ancestor) {
  if (path.size() <= ancestor.size()) return {};
  return path.substr(ancestor == "/" ? 1 : ancestor.size() + 1);
}

}  // namespace pinfold::paths

// paths.h: lexical work on absolute paths.
// Invariant: never reads the host; beneath() compares whole components ("/ab" is not beneath "/a").
// Not here: symlinks (HostView::resolve), patterns (glob.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pinfold::paths {

// Limits of Linux: PATH_MAX without its NUL, NAME_MAX.
inline constexpr std::size_t kLongestPath = 4095;
inline constexpr std::size_t kLongestName = 255;

// Collapses "//", "." and ".."; ".." at the top stays at "/". The text must be absolute.
std::string normal(std::string_view absolute);

// Strictly below.
bool beneath(std::string_view child, std::string_view parent);
bool at_or_beneath(std::string_view child, std::string_view parent);

// "/" is 0, "/a/b" is 2.
std::size_t depth(std::string_view path);
// "/" for "/" and "/a".
std::string_view parent(std::string_view path);
// Empty for "/".
std::string_view basename(std::string_view path);
std::string join(std::string_view directory, std::string_view name);
// What follows `ancestor` in `path`, without a leading slash; `path` must be at or beneath it.
std::string_view relative(std::string_view path, std::string_view ancestor);

// Calls visit("/"), visit("/a"), … visit(path): everything at or above the path, from the top.
template <typename Visit>
void each_at_or_above(std::string_view path, Visit&& visit) {
  visit(std::string_view("/"));
  for (std::size_t i = 1; i < path.size(); ++i)
    if (path[i] == '/') visit(path.substr(0, i));
  if (path.size() > 1) visit(path);
}

// FNV-1a, one byte at a time, so that the hashes of all prefixes of a path cost one pass.
inline constexpr std::uint64_t kHashStart = 0xcbf29ce484222325U;
constexpr std::uint64_t hash_step(std::uint64_t hash, char byte) {
  return (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
}
constexpr std::uint64_t hash(std::string_view text) {
  std::uint64_t value = kHashStart;
  for (const char byte : text) value = hash_step(value, byte);
  return value;
}

}  // namespace pinfold::paths

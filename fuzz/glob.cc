// glob.cc: hostile patterns on hostile paths: the pattern is the first line, the path is the rest.
// Invariant: no crash, and no input of a few hundred bytes takes more than half a second of processor time.
// Not here: whether matches are right (base_property_test.cc).
#include "base/glob.h"

#include <cstddef>
#include <cstdint>
#include <ctime>

#include "base/paths.h"
#include "world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pinfold::fuzz::promise;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  const std::string_view path = end == std::string_view::npos ? "" : text.substr(end + 1);
  const std::clock_t began = std::clock();
  const auto glob = pinfold::Glob::parse(text.substr(0, end));
  if (!glob) {
    pinfold::fuzz::check_words(glob.error());
    return 0;
  }
  const bool matched = glob->matches(path);
  if (glob->by_name())
    promise(glob->matches_name(path.substr(path.rfind('/') + 1)) == matched || path.empty(), "by name");
  if (matched && glob->absolute())
    promise(pinfold::paths::at_or_beneath("/" + std::string(path), glob->fixed_prefix()),
            "a match lies below the prefix");
  promise(std::clock() - began < CLOCKS_PER_SEC / 2, "matching is cheap");
  return 0;
}

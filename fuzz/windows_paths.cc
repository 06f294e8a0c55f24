// windows_paths.cc: hostile paths, as a project's pinfold.toml could name them, on Windows.
// Invariant: an accepted path names one file and survives a round trip; an ambiguous one is refused with an error text.
// Not here: names on the disk (sys/windows/host.cc).
#include "base/windows_paths.h"

#include <cstddef>
#include <cstdint>

#include "base/paths.h"
#include "base/utf8.h"
#include "world.h"

namespace {

using pinfold::fuzz::promise;
namespace windows_paths = pinfold::windows_paths;

void check_names(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == "." || name == "..") continue;
    promise(name.find_first_of(":\\<>\"|?*") == std::string_view::npos, "no stream, no pattern, no second separator");
    promise(name.back() != '.' && name.back() != ' ', "nothing that Windows drops");
    promise(!windows_paths::is_device_name(name), "no device");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto core = windows_paths::to_core(text);
  if (!core) {
    pinfold::fuzz::check_words(core.error());
    return 0;
  }
  promise(pinfold::is_utf8(*core), "text");
  promise(!core->starts_with("//"), "on this machine");
  check_names(core->starts_with('~') ? std::string_view(*core).substr(1) : std::string_view(*core));
  promise(windows_paths::to_core(*core).value_or("?") == *core, "what the core has is taken as it is");
  const windows_paths::BaseDirectories base{"/c/Users/ada/ws", "/c/Users/ada"};
  if (!core->starts_with('/')) {
    if (!windows_paths::to_core(text, base)) return 0;
    const bool at_home = *core == "~" || core->starts_with("~/");
    const std::string whole =
        at_home ? std::string(base.home) + core->substr(1) : pinfold::paths::join(base.directory, *core);
    promise(pinfold::paths::at_or_beneath(pinfold::paths::normal(whole), "/c"), "on its drive");
    return 0;
  }
  const std::string normal = pinfold::paths::normal(*core);
  const auto windows = windows_paths::to_windows(normal);
  promise(windows || normal == "/", "below a drive");
  if (!windows) return 0;
  promise(windows->find('/') == std::string::npos && windows->size() > 2 && (*windows)[1] == ':', "a path of Windows");
  promise(normal.substr(0, 2) == core->substr(0, 2), "on the drive that was said");
  promise(windows_paths::to_core(*windows).value_or("?") == normal, "there and back");
  return 0;
}

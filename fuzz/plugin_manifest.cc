// plugin_manifest.cc: hostile text as a plugin's manifest, and as the file of approvals.
// Invariant: it is refused with an error text without control characters, or prints and reads back as itself.
// Not here: folders (src/plugin/folder.cc).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "plugin/approvals.h"
#include "plugin/manifest.h"

namespace {

void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

bool is_plain(std::string_view text) {
  for (const char c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pinfold::plugin;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto manifest = read_manifest(text, "m.json")) {
    const auto again = read_manifest(print_manifest(*manifest), "again");
    promise(again.has_value(), "a manifest prints as a manifest");
    promise(permissions_hash(again->permissions) == permissions_hash(manifest->permissions),
            "permissions stay the same");
    promise(!difference(manifest->permissions, again->permissions).grew, "nothing grows by printing");
    promise(manifest->entry.find("..") == std::string::npos || manifest->entry.find("../") == std::string::npos,
            "the entry stays inside");
  } else {
    promise(is_plain(manifest.error().text()), "an error is plain text");
  }
  if (const auto approvals = parse_approvals(text)) {
    const auto again = parse_approvals(print_approvals(*approvals));
    promise(again.has_value() && print_approvals(*again) == print_approvals(*approvals), "approvals read back");
  } else {
    promise(is_plain(approvals.error().text()), "a damage report is plain text");
  }
  return 0;
}

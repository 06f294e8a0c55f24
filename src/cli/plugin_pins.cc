// plugin_pins.cc: compares a plugin's tools with those of its approval.
// Invariant: the stored definitions must match the hashes in the approval. Not here: pins (mcp/pin.h).
#include "cli/plugin_pins.h"

#include <map>

#include "base/paths.h"
#include "base/try.h"
#include "plugin/approvals.h"
#include "sys/files.h"

namespace pinfold::cli {

namespace {

constexpr const char* kInstructions = "(instructions)";  // no tool has a name with brackets
constexpr std::size_t kMaxPinsFile = std::size_t{32} << 20;

std::map<std::string, std::string> hashes_of(const mcp::Pins& pins) {
  std::map<std::string, std::string> out;
  for (const auto& [name, pin] : pins.tools) out[name] = pin.hash;
  out[kInstructions] = pins.instructions.hash;
  return out;
}

std::string folder_of(const plugin::ApprovalStore& store) {
  return paths::join(std::string(paths::parent(store.path())), "plugin-tools");
}

Result<void> pin(const std::string& id, const mcp::Pins& now, plugin::ApprovalStore& store) {
  const std::string folder = folder_of(store);
  PF_TRY(directory, sys::make_directory(folder));
  PF_CHECK(sys::publish_file(directory.raw(), id + ".json", mcp::write_pins(now), paths::join(folder, id + ".json")));
  return store.update([&](plugin::Approvals& all) {
    const auto found = all.approved.find(id);
    if (found != all.approved.end()) found->second.tools = hashes_of(now);
  });
}

}  // namespace

Result<std::vector<mcp::PinChange>> compare_with_pinned(const std::string& id, const mcp::Pins& now,
                                                        const PluginCatalog& catalog, HostView& host) {
  plugin::ApprovalStore store(catalog.caller, host);
  PF_TRY(approvals, store.read());
  const auto approval = approvals.approved.find(id);
  if (approval == approvals.approved.end())
    return fail(ErrorKind::kRefused, id + " is no longer allowed", "pinfold plugin review " + id);
  if (approval->second.tools.empty()) {
    PF_CHECK(pin(id, now, store), "saving the hashes of its tools");
    return std::vector<mcp::PinChange>{};
  }
  const std::string again = "review it again: pinfold plugin review " + id;
  auto file = sys::read_file_below(folder_of(store), id + ".json", Links::kStayInside, kMaxPinsFile);
  if (!file)
    return fail(ErrorKind::kRefused, "the saved tool definitions cannot be read: " + file.error().text(), again);
  auto approved = mcp::read_pins(file->text);
  if (!approved)
    return fail(ErrorKind::kRefused, "the saved tool definitions are invalid: " + approved.error().text(), again);
  if (hashes_of(*approved) != approval->second.tools)
    return fail(ErrorKind::kRefused, "the saved tool definitions do not match its approval", again);
  return mcp::compare_pins(*approved, now);
}

}  // namespace pinfold::cli

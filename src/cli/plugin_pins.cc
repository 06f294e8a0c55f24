// plugin_pins.cc: are a plugin's tools still what they were when it was allowed?
// Invariant: what is shown as approved is what the hashes in the approvals are of. Not here: what a pin is (mcp/pin.h).
#include "cli/plugin_pins.h"

#include <map>

#include "base/paths.h"
#include "base/try.h"
#include "plugin/approvals.h"
#include "sys/files.h"

namespace pinfold::cli {

namespace {

constexpr const char* kInstructions = "(instructions)";  // no tool has a name with brackets
constexpr std::size_t kLongestPins = std::size_t{32} << 20;

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
  PF_TRY(directory, sys::make_directory(folder), "");
  PF_CHECK(sys::publish_file(directory.raw(), id + ".json", mcp::write_pins(now), paths::join(folder, id + ".json")),
           "");
  return store.update([&](plugin::Approvals& all) {
    const auto found = all.approved.find(id);
    if (found != all.approved.end()) found->second.tools = hashes_of(now);
  });
}

}  // namespace

Result<std::vector<mcp::PinChange>> compare_with_pinned(const std::string& id, const mcp::Pins& now,
                                                        const PluginDesk& desk, HostView& host) {
  plugin::ApprovalStore store(desk.caller, host);
  PF_TRY(approvals, store.read(), "");
  const auto approval = approvals.approved.find(id);
  if (approval == approvals.approved.end())
    return fail(ErrorKind::kRefused, id + " is not allowed any more", "pinfold plugin review " + id);
  if (approval->second.tools.empty()) {
    PF_CHECK(pin(id, now, store), "remembering its tools");
    return std::vector<mcp::PinChange>{};
  }
  const std::string again = "look at it again, and agree: pinfold plugin review " + id;
  auto file = sys::read_file_below(folder_of(store), id + ".json", Links::kStayInside, kLongestPins);
  if (!file) return fail(ErrorKind::kRefused, "what its tools were is lost: " + file.error().text(), again);
  auto approved = mcp::read_pins(file->text);
  if (!approved) return fail(ErrorKind::kRefused, "what its tools were: " + approved.error().text(), again);
  if (hashes_of(*approved) != approval->second.tools)
    return fail(ErrorKind::kRefused, "the record of its tools is not the one of its approval", again);
  return mcp::compare_pins(*approved, now);
}

}  // namespace pinfold::cli

// import_parts.h: helpers shared by the parsers of foreign formats.
// Not here: the interface for other folders (import.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host_view.h"
#include "plugin/import.h"
#include "policy/node.h"

namespace pinfold::plugin {

const policy::Node* member_of(const policy::Table& table, std::string_view key);  // or null
std::optional<std::string> text_of(const policy::Table& table, std::string_view key);
Result<std::vector<std::string>> texts_of(const policy::Table& table, std::string_view key);

// An unpacked bundle, by its manifest.json.
Result<ImportResult> read_bundle(const policy::Table& root, const std::string& file, HostView& host);

}  // namespace pinfold::plugin

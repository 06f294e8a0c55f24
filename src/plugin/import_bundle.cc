// import_bundle.cc: the manifest.json of an unpacked MCPB bundle (manifest 0.2 and 0.3).
// Invariant: user settings without a default are noted, never invented.
// Not here: entries of a client's configuration (import.cc).
#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "plugin/import_parts.h"

namespace pinfold::plugin {
namespace {

using policy::Member;
using policy::Node;
using policy::Table;
using text::shown;

const Table* table_of(const Table& table, std::string_view key) {
  const Node* node = member_of(table, key);
  return node == nullptr ? nullptr : std::get_if<Table>(&node->value);
}

Result<Runtime> runtime_of(const std::string& type, std::vector<std::string>& notes) {
  if (type == "node") return Runtime::kNode;
  if (type == "python") return Runtime::kPython;
  if (type == "binary") return Runtime::kBinary;
  if (type == "uv") {
    notes.emplace_back("it is of type uv, which fetches packages at the start; put them into a .venv in its folder");
    return Runtime::kPython;
  }
  return fail(ErrorKind::kInvalid, "server.type " + shown(type) + " is not known", "node, python, binary or uv");
}

// "" if the bundle has no default that can be an argument.
std::string default_of(const Table* settings, const std::string& key) {
  const Table* one = settings == nullptr ? nullptr : table_of(*settings, key);
  const Node* value = one == nullptr ? nullptr : member_of(*one, "default");
  if (value == nullptr) return {};
  if (const auto* text = std::get_if<std::string>(&value->value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value->value)) return std::to_string(*number);
  if (const auto* flag = std::get_if<bool>(&value->value)) return *flag ? "true" : "false";
  return {};
}

// Inserts the defaults of user settings. False: one of them has no default.
bool fill_in(std::string& argument, const Table* settings) {
  constexpr std::string_view kStart = "${user_config.";
  for (std::size_t at = 0; (at = argument.find(kStart, at)) != std::string::npos;) {
    const std::size_t end = argument.find('}', at);
    if (end == std::string::npos) return false;
    const std::string value = default_of(settings, argument.substr(at + kStart.size(), end - at - kStart.size()));
    if (value.empty() || value.find(kStart) != std::string::npos) return false;
    argument.replace(at, end + 1 - at, value);
    at += value.size();
  }
  return true;
}

void add_arguments(std::vector<std::string> all, const Table* settings, ImportResult& out) {
  const std::string entry = "${__dirname}/" + out.manifest.entry;
  bool found = false;
  for (std::string& argument : all) {
    if (!found && (argument == entry || argument == out.manifest.entry || argument == "./" + out.manifest.entry)) {
      found = true;
      continue;
    }
    const std::string requested = argument;
    if (fill_in(argument, settings))
      out.manifest.args.push_back(std::move(argument));
    else
      out.notes.push_back("the argument " + shown(requested) +
                          " is left out: it stands for a setting without a default");
  }
}

}  // namespace

Result<ImportResult> read_bundle(const Table& root, const std::string& file, HostView& host) {
  ImportResult out;
  const Table* server = table_of(root, "server");
  if (server == nullptr) return fail(ErrorKind::kInvalid, shown(file) + ": server is not an object");
  const std::string name = text_of(root, "name").value_or("");
  out.manifest.name = text_of(root, "display_name").value_or(name);
  out.manifest.id = id_from(name);
  out.manifest.version = text_of(root, "version").value_or("0");
  out.manifest.description = text_of(root, "description").value_or("");
  if (const Table* author = table_of(root, "author")) out.manifest.author = text_of(*author, "name").value_or("");
  PF_TRY(runtime, runtime_of(text_of(*server, "type").value_or(""), out.notes), shown(file));
  out.manifest.runtime = runtime;
  out.manifest.entry = text_of(*server, "entry_point").value_or("");
  if (out.manifest.entry.starts_with("./")) out.manifest.entry.erase(0, 2);
  out.from = paths::parent(file);
  if (host.kind(paths::join(out.from, kManifestFile)) != HostKind::kMissing)
    return fail(ErrorKind::kRefused, shown(out.from) + " holds a " + kManifestFile + " already",
                "it is a plugin: copy or link its folder into ~/.config/pinfold/plugins");
  const Table* settings = table_of(root, "user_config");
  if (const Table* config = table_of(*server, "mcp_config")) {
    PF_TRY(args, texts_of(*config, "args"), shown(file));
    add_arguments(std::move(args), settings, out);
    if (const Table* variables = table_of(*config, "env"))
      for (const Member& one : *variables) out.variables.push_back(one.key);
  }
  return out;
}

}  // namespace pinfold::plugin

// import.cc: reads entries of a client's mcpServers.
// Invariant: a part that cannot be imported exactly is refused or noted, never guessed.
// Not here: MCPB bundles (import_bundle.cc).
#include "plugin/import.h"

#include <algorithm>
#include <array>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "plugin/import_parts.h"
#include "plugin/json_tree.h"
#include "plugin/runtime.h"

namespace pinfold::plugin {
namespace {

using policy::List;
using policy::Member;
using policy::Node;
using policy::Table;
using std::string_view;
using text::shown;

struct ServerEntry {
  std::string name;
  std::string command;
  std::vector<std::string> args;
};

bool is_python(string_view program) {
  return program.starts_with("python") &&
         program.find_first_not_of("0123456789.", string_view("python").size()) == string_view::npos;
}

// Programs that download code at each start: the user could not review it before it runs.
Result<void> refuse_fetchers(const ServerEntry& entry) {
  const string_view program =
      paths::basename(entry.command).empty() ? string_view(entry.command) : paths::basename(entry.command);
  for (const string_view one : {"npx", "bunx", "pnpx", "yarn", "npm", "pnpm"})
    if (program == one)
      return fail(ErrorKind::kRefused,
                  shown(entry.name) + " is started with " + std::string(one) + ", which fetches code each time",
                  "install it first (npm install --prefix DIR PACKAGE), and import {\"command\": \"node\", \"args\": "
                  "[\"DIR/node_modules/PACKAGE/…js\"]}");
  for (const string_view one : {"uvx", "uv", "pipx"})
    if (program == one)
      return fail(ErrorKind::kRefused,
                  shown(entry.name) + " is started with " + std::string(one) + ", which fetches code each time",
                  "install it into a folder with a virtual environment (.venv), and import {\"command\": \"python3\", "
                  "\"args\": [\"DIR/server.py\"]}");
  for (const string_view one : {"docker", "podman", "deno", "bun", "sh", "bash", "cmd", "powershell"})
    if (program == one)
      return fail(ErrorKind::kRefused,
                  shown(entry.name) + " is started with " + std::string(one) + ", which is not a runtime of plugins",
                  "write a pinfold.plugin.json for the program that it runs: see docs/guides/plugins.md");
  return {};
}

Result<std::string> whole_path(const std::string& text, const std::string& directory, const Caller& caller) {
  if (text.starts_with("~/")) return paths::normal(caller.home + text.substr(1));
  if (text.starts_with('/')) return paths::normal(text);
  return paths::normal(paths::join(directory, text));
}

// Chooses the directory to copy with a script: its package, or the node_modules around it.
void choose_source(const std::string& script, const Caller& caller, HostView& host, ImportResult& out) {
  if (const std::size_t at = script.find("/node_modules/"); at != std::string::npos) {
    out.from = script.substr(0, at) + "/node_modules";
    out.into = "node_modules";
    out.manifest.entry = script.substr(at + 1);
    return;
  }
  for (string_view directory = paths::parent(script); directory != "/" && directory != caller.home;
       directory = paths::parent(directory)) {
    const bool package = [&] {
      for (const char* mark : {"package.json", "pyproject.toml", "setup.py", "requirements.txt", ".venv"})
        if (host.kind(paths::join(directory, mark)) != HostKind::kMissing) return true;
      return false;
    }();
    if (!package) continue;
    out.from = directory;
    out.manifest.entry = paths::relative(script, directory);
    return;
  }
  out.from = script;
  out.one_file = true;
  out.manifest.entry = paths::basename(script);
}

Result<void> read_script(const ServerEntry& entry, const std::string& directory, const Caller& caller, HostView& host,
                         ImportResult& out) {
  if (entry.args.empty() || entry.args[0].starts_with('-'))
    return fail(
        ErrorKind::kRefused,
        shown(entry.name) + ": " + shown(entry.command) + " is not followed by a script" +
            (entry.args.empty() ? "" : ", but by " + shown(entry.args[0])),
        "name the file that is run: {\"command\": \"" + shown(entry.command) + "\", \"args\": [\"/x/server\"]}");
  PF_TRY(script, whole_path(entry.args[0], directory, caller));
  auto info = host.resolve(script);
  if (!info || info->kind != HostKind::kFile)
    return fail(ErrorKind::kInvalid, shown(entry.name) + ": the script " + shown(script) + " is not there");
  choose_source(info->canonical, caller, host, out);
  out.manifest.args.assign(entry.args.begin() + 1, entry.args.end());
  return {};
}

Result<void> read_program(const ServerEntry& entry, const std::string& directory, const Caller& caller, HostView& host,
                          ImportResult& out) {
  std::string program = entry.command;
  if (program.find('/') == std::string::npos) {
    program = find_on_path(entry.command, host);
    if (program.empty())
      return fail(ErrorKind::kInvalid, shown(entry.name) + ": the program " + shown(entry.command) + " was not found");
  }
  PF_TRY(path, whole_path(program, directory, caller));
  auto info = host.resolve(path);
  if (!info || info->kind != HostKind::kFile)
    return fail(ErrorKind::kInvalid, shown(entry.name) + ": the program " + shown(path) + " is not there");
  const auto head = host.read_file(info->canonical, 2);
  if (head && *head == "#!")
    return fail(ErrorKind::kRefused,
                shown(entry.name) + ": " + shown(path) + " is a script, which needs its interpreter",
                "import {\"command\": \"node\" or \"python3\", \"args\": [\"" + shown(path) + "\"]}");
  out.manifest.runtime = Runtime::kBinary;
  out.from = info->canonical;
  out.one_file = true;
  out.manifest.entry = paths::basename(info->canonical);
  out.manifest.args = entry.args;
  return {};
}

const Table* servers_of(const Table& root) {
  for (const char* key : {"mcpServers", "servers"})
    if (const Node* node = member_of(root, key))
      if (const auto* table = std::get_if<Table>(&node->value)) return table;
  return nullptr;
}

Result<ImportResult> read_entry(const Member& server, const std::string& file, const Caller& caller, HostView& host) {
  const auto* table = std::get_if<Table>(&server.node.value);
  const auto command = table == nullptr ? std::nullopt : text_of(*table, "command");
  if (!command) {
    const bool remote = table != nullptr && member_of(*table, "url") != nullptr;
    return fail(ErrorKind::kRefused,
                shown(server.key) +
                    (remote ? " is a server elsewhere (url): there is nothing to run here" : " has no command"));
  }
  ServerEntry entry{server.key, *command, {}};
  ImportResult out;
  PF_TRY(args, texts_of(*table, "args"), shown(server.key));
  entry.args = std::move(args);
  if (const Node* variables = member_of(*table, "env"))
    if (const auto* all = std::get_if<Table>(&variables->value))
      for (const Member& one : *all) out.variables.push_back(one.key);
  PF_CHECK(refuse_fetchers(entry));
  out.manifest.name = server.key;
  out.manifest.id = id_from(server.key);
  out.manifest.version = "0";
  const std::string directory(paths::parent(file));
  const string_view last =
      entry.command.find('/') == std::string::npos ? string_view(entry.command) : paths::basename(entry.command);
  if (last == "node" || last == "nodejs" || is_python(last)) {
    out.manifest.runtime = is_python(last) ? Runtime::kPython : Runtime::kNode;
    if (entry.command.find('/') != std::string::npos)
      out.notes.push_back("it was started with " + shown(entry.command) +
                          "; Pinfold uses the interpreter that it finds itself");
    PF_CHECK(read_script(entry, directory, caller, host, out));
  } else {
    PF_CHECK(read_program(entry, directory, caller, host, out));
  }
  return out;
}

Result<ImportResult> read_client(const Table& servers, const std::string& file, const std::optional<std::string>& name,
                                 const Caller& caller, HostView& host) {
  std::string known;
  for (const Member& one : servers) known += (known.empty() ? "" : ", ") + shown(one.key);
  if (servers.empty()) return fail(ErrorKind::kInvalid, shown(file) + " names no server");
  if (!name && servers.size() > 1)
    return fail(ErrorKind::kInvalid, shown(file) + " names several servers",
                "say which: pinfold plugin import FILE NAME; there are: " + known);
  for (const Member& one : servers)
    if (!name || one.key == *name) return read_entry(one, file, caller, host);
  return fail(ErrorKind::kInvalid, shown(file) + " names no server " + shown(*name), "there are: " + known);
}

}  // namespace

const Node* member_of(const Table& table, string_view key) {
  for (const Member& one : table)
    if (one.key == key) return &one.node;
  return nullptr;
}

std::optional<std::string> text_of(const Table& table, string_view key) {
  const Node* node = member_of(table, key);
  const auto* text = node == nullptr ? nullptr : std::get_if<std::string>(&node->value);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

Result<std::vector<std::string>> texts_of(const Table& table, string_view key) {
  std::vector<std::string> out;
  const Node* node = member_of(table, key);
  if (node == nullptr) return out;
  const auto* list = std::get_if<List>(&node->value);
  if (list == nullptr) return fail(ErrorKind::kInvalid, std::string(key) + " is not a list");
  for (const Node& one : *list) {
    const auto* text = std::get_if<std::string>(&one.value);
    if (text == nullptr)
      return fail(ErrorKind::kInvalid, "an entry of " + std::string(key) + " is " + std::string(kind_of(one)));
    out.push_back(*text);
  }
  return out;
}

std::string id_from(string_view name) {
  constexpr std::size_t kLongest = 64;
  std::string out;
  for (const char c : name) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool plain = (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9');
    const bool joins = !out.empty() && (out.back() == '.' || out.back() == '-' || out.back() == '_');
    if (plain)
      out += low;
    else if (!out.empty() && !joins)
      out += low == '.' || low == '_' ? low : '-';
  }
  out = out.substr(0, kLongest);
  while (!out.empty() && (out.back() == '-' || out.back() == '.' || out.back() == '_')) out.pop_back();
  return out;
}

Result<ImportResult> read_import(string_view text, const std::string& file, const std::optional<std::string>& name,
                                 const Caller& caller, HostView& host) {
  const policy::ParsedText parsed = read_json(text);
  if (parsed.root.empty() && !parsed.mistakes.empty()) {
    const policy::Mistake& first = parsed.mistakes[0];
    return fail(ErrorKind::kInvalid, shown(file) + ":" + std::to_string(first.location.line) + ":" +
                                         std::to_string(first.location.column) + ": " + first.what);
  }
  const Table* servers = servers_of(parsed.root);
  const bool bundle = member_of(parsed.root, "server") != nullptr;
  if (servers == nullptr && !bundle)
    return fail(ErrorKind::kInvalid, shown(file) + " has neither mcpServers nor the server of an MCPB bundle",
                "name a client's configuration, or the manifest.json of an unpacked bundle");
  Result<ImportResult> out =
      bundle ? read_bundle(parsed.root, file, host) : read_client(*servers, file, name, caller, host);
  if (out && out->manifest.id.empty())
    return fail(ErrorKind::kInvalid, "no id can be made of the name " + shown(out->manifest.name));
  if (!out) return out;
  // The imported manifest must be valid when it is read again.
  PF_CHECK(read_manifest(print_manifest(out->manifest), file), "the imported manifest is not valid");
  return out;
}

}  // namespace pinfold::plugin

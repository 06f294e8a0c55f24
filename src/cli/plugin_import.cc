// plugin_import.cc: `pinfold plugin import FILE [NAME]`: copies an MCP server into the plugins directory.
// Invariant: the copy appears whole or not at all, and asks for no permission; the source is not changed.
// Not here: reading foreign formats (plugin/import.h).
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plugins.h"
#include "cli/process_io.h"
#include "plugin/files_hash.h"
#include "plugin/import.h"
#include "report/table.h"
#include "safety/redaction/secret_names.h"
#include "sys/call.h"
#include "sys/files.h"
#include "sys/host.h"
#include "sys/remove_tree.h"

namespace pinfold::cli {

namespace {

using Json = nlohmann::ordered_json;
using report::visible;
using text::shown;

Result<void> fill(const plugin::ImportResult& imported, const std::string& folder) {
  const auto make = [](const std::string& path) -> Result<void> {
    PF_TRY(made, sys::call("mkdir", path, [&] { return ::mkdir(path.c_str(), 0755); }));
    static_cast<void>(made);
    return {};
  };
  if (imported.one_file) {
    PF_CHECK(make(folder));
    const std::string directory(paths::parent(imported.from));
    const std::string name(paths::basename(imported.from));
    constexpr std::size_t kMaxProgram = std::size_t{512} << 20U;
    PF_TRY(file, sys::read_file_below(directory, name, Links::kStayInside, kMaxProgram));
    const std::string copy = paths::join(folder, imported.manifest.entry);
    PF_CHECK(sys::create_file(copy, file.text));
    PF_TRY(moded,
           sys::call("chmod", copy, [&] { return ::chmod(copy.c_str(), (file.mode & 0111U) != 0 ? 0755 : 0644); }));
    static_cast<void>(moded);
  } else if (imported.into.empty()) {
    PF_CHECK(plugin::copy_folder(imported.from, folder));
  } else {
    PF_CHECK(make(folder));
    PF_CHECK(plugin::copy_folder(imported.from, paths::join(folder, imported.into)));
  }
  return sys::create_file(paths::join(folder, plugin::kManifestFile), plugin::print_manifest(imported.manifest));
}

Result<std::string> install(const plugin::ImportResult& imported, const std::string& directory) {
  PF_CHECK(sys::make_directory(directory));
  const std::string folder = paths::join(directory, imported.manifest.id);
  const std::string hidden = paths::join(directory, ".import-" + std::to_string(::getpid()));
  auto done = fill(imported, hidden);
  if (done && ::renameat2(AT_FDCWD, hidden.c_str(), AT_FDCWD, folder.c_str(), RENAME_NOREPLACE) != 0)
    done = errno == EEXIST
               ? Result<void>(fail(ErrorKind::kInvalid, shown(folder) + " exists already",
                                   "remove it first, or see it: pinfold plugin show " + imported.manifest.id))
               : tl::unexpected<Error>(sys::os_error("rename", folder, errno));
  if (done) return folder;
  static_cast<void>(sys::remove_tree(hidden));
  return tl::unexpected<Error>(std::move(done).error());
}

std::string advice(const plugin::ImportResult& imported, const std::string& folder) {
  std::string out = fmt::format("imported: {} into {}\n", visible(imported.manifest.id), visible(folder));
  for (const std::string& note : imported.notes) out += "  note: " + visible(note) + "\n";
  out += "It asks for no permissions yet.\n";
  for (const std::string& name : imported.variables)
    out += fmt::format(
        "  the original configuration sets {}; to pass it to the plugin: \"{}\": [\"{}\"]\n", visible(name),
        redaction::name_kind(name) == redaction::NameKind::kOrdinary ? "environment" : "secrets", visible(name));
  out += fmt::format(
      "To find out which permissions it needs, allow it without any, run it, and list its denials:\n"
      "  pinfold plugin allow {0}; pinfold plugin run {0}; pinfold log --denied\n"
      "Add the permissions to \"permissions\" in {1}, then: pinfold plugin review {0}\n",
      imported.manifest.id, visible(paths::join(folder, plugin::kManifestFile)));
  return out;
}

Result<void> import(const CommandLine& parsed, Context& context) {
  if (parsed.words.empty() || parsed.words.size() > 2)
    return fail(ErrorKind::kInvalid, "`pinfold plugin import` needs a file", "pinfold plugin import FILE [NAME]");
  PF_TRY(caller, sys::find_caller(context.host));
  PF_TRY(directory, plugins_directory_of(parsed, caller, context.host));
  if (directory.empty()) return fail(ErrorKind::kInvalid, "the home directory is not known", "set HOME");
  PF_TRY(path, absolute(parsed.words[0], "FILE", caller));
  auto info = context.host.resolve(path);
  if (!info) return fail(ErrorKind::kInvalid, info.error().text());
  PF_TRY(file, sys::read_file_below(std::string(paths::parent(info->canonical)),
                                    std::string(paths::basename(info->canonical)), Links::kStayInside,
                                    plugin::kLongestImport));
  std::optional<std::string> name;
  if (parsed.words.size() == 2) name = parsed.words[1];
  PF_TRY(imported, plugin::read_import(file.text, info->canonical, name, caller, context.host));
  PF_TRY(folder, install(imported, directory), "importing a plugin");
  if (has_flag(parsed, Id::kJson))
    print(STDOUT_FILENO, Json{{"id", imported.manifest.id},
                              {"folder", valid_utf8(folder)},
                              {"variables", imported.variables},
                              {"notes", imported.notes}}
                                 .dump(2, ' ', false, Json::error_handler_t::replace) +
                             "\n");
  else
    print(STDOUT_FILENO, advice(imported, folder));
  return {};
}

}  // namespace

int plugin_import(const CommandLine& parsed, Context& context) {
  const auto done = import(parsed, context);
  return done ? 0 : complain(done.error(), context.host);
}

}  // namespace pinfold::cli

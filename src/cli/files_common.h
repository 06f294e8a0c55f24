// files_common.h: code that the commands of `pinfold files` share: the tools for these flags, results as JSON.
// Invariant: every JSON result has one shape: {"ok": true, …} or {"ok": false, "error": {…}}, on stdout.
// Not here: the file tools (files/tools.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "cli/parse.h"
#include "files/tools.h"

namespace pinfold::cli {

using FilesJson = nlohmann::ordered_json;

// Sets "path", and "path_base64" if the bytes are not UTF-8; the same for any other key.
void put_bytes(FilesJson& out, std::string_view key, std::string_view bytes);

// A flag's whole number, or `otherwise` if the flag is absent.
Result<std::size_t> number_of(const CommandLine& parsed, Id id, std::size_t otherwise);

struct FilesResult {
  std::string text;
  FilesJson json = FilesJson::object();
  std::vector<std::string> notes;  // printed on stderr
  int code = 0;
};
// Opens the tools, runs `body`, prints its result or the error, and returns the exit code.
int files_command(const CommandLine& parsed, Context& context,
                  const std::function<Result<FilesResult>(files::Tools&)>& body);

// A diff, with added and removed lines coloured if stdout is a terminal.
std::string painted(std::string_view diff, Context& context);

inline constexpr int kNothingFound = 1;

}  // namespace pinfold::cli

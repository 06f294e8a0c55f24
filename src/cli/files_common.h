// files_common.h: what the commands of `pinfold files` share: the tools for these flags, answers as JSON.
// Invariant: one shape for every answer of a program: {"ok": true, …} or {"ok": false, "error": {…}}, on stdout.
// Not here: what the tools do (files/tools.h).
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

// "path" and, where that is no UTF-8, "path_base64"; the same for any other key.
void put_bytes(FilesJson& out, std::string_view key, std::string_view bytes);

// A flag's whole number, or `otherwise` where it is not given.
Result<std::size_t> number_of(const Parsed& parsed, Id id, std::size_t otherwise);

struct FilesAnswer {
  std::string text;
  FilesJson json = FilesJson::object();
  std::vector<std::string> notes;  // for people, on stderr
  int code = 0;
};
// Opens the tools, runs `body`, prints its answer, or the error; the exit code.
int files_command(const Parsed& parsed, Context& context,
                  const std::function<Result<FilesAnswer>(files::Tools&)>& body);

// A diff with its added and removed lines painted, where stdout is a terminal.
std::string painted(std::string_view diff, Context& context);

inline constexpr int kNothingFound = 1;

}  // namespace pinfold::cli

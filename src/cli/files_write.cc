// files_write.cc: `pinfold files write` and `edit`.
// Invariant: stdin is read whole before anything is touched.
// Not here: writing (files/change_file.cc).
#include <unistd.h>

#include <array>

#include <fmt/format.h>

#include "base/encode.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/files_common.h"
#include "cli/options.h"
#include "sys/call.h"

namespace pinfold::cli {

namespace {

using text::shown;

constexpr std::size_t kMaxInput = std::size_t{256} << 20;

Result<std::string> read_input() {
  std::string out;
  std::array<char, 65536> buffer;  // NOLINT: filled by read
  for (;;) {
    PF_TRY(got, sys::call("read", "stdin", [&] { return ::read(STDIN_FILENO, buffer.data(), buffer.size()); }));
    if (got == 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(got));
    if (out.size() > kMaxInput)
      return fail(ErrorKind::kInvalid, "stdin is larger than 256 MiB",
                  "write such a file with a command: pinfold run -- COMMAND");
  }
}

std::string first_word(const CommandLine& parsed) { return parsed.words.empty() ? std::string() : parsed.words[0]; }

Result<void> one_path(const CommandLine& parsed) {
  if (parsed.words.size() == 1) return {};
  return fail(ErrorKind::kInvalid,
              fmt::format("`pinfold {}` takes one path, but got {}", info(parsed.command).name, parsed.words.size()),
              fmt::format("pinfold {}", info(parsed.command).usage));
}

FilesResult changed_answer(const FileChange& changed, const CommandLine& parsed, Context& context) {
  FilesResult out;
  put_bytes(out.json, "path", changed.path);
  out.json["created"] = changed.created;
  out.json["size"] = changed.size;
  if (parsed.command == Command::kFilesEdit) out.json["replaced"] = changed.replaced;
  out.json["dry_run"] = has_flag(parsed, Id::kDryRun);
  put_bytes(out.json, "diff", changed.diff);
  out.json["notes"] = changed.notes;
  out.notes = changed.notes;
  const bool show = parsed.command == Command::kFilesEdit || has_flag(parsed, Id::kDryRun);
  if (show) out.text = painted(changed.diff, context);
  if (parsed.command == Command::kFilesWrite && !has_flag(parsed, Id::kDryRun))
    out.notes.insert(out.notes.begin(), fmt::format("{} {} ({} bytes)", changed.created ? "created" : "replaced",
                                                    shown(changed.path), changed.size));
  return out;
}

WriteOptions write_options(const CommandLine& parsed) {
  WriteOptions out;
  out.create_only = has_flag(parsed, Id::kCreateOnly);
  out.parents = has_flag(parsed, Id::kParents);
  out.dry_run = has_flag(parsed, Id::kDryRun);
  out.exact = has_flag(parsed, Id::kBase64);
  return out;
}

// {"old": "…", "new": "…", "all": true}, or a list of them.
Result<std::vector<Edit>> edits_of(const std::string& input) {
  constexpr std::string_view kShape = R"({"old": "…", "new": "…"}, or a list of them)";
  const FilesJson json = FilesJson::parse(input, nullptr, false);
  const auto wrong = [&](std::string what) {
    return fail(ErrorKind::kInvalid, "stdin: " + std::move(what), std::string(kShape));
  };
  if (json.is_discarded()) return wrong("not JSON");
  std::vector<Edit> out;
  const FilesJson list = json.is_array() ? json : FilesJson::array({json});
  for (const FilesJson& one : list) {
    if (!one.is_object()) return wrong("an edit is an object");
    Edit edit;
    for (const auto& [key, value] : one.items()) {
      if (key == "old" && value.is_string())
        edit.old_text = value.get<std::string>();
      else if (key == "new" && value.is_string())
        edit.new_text = value.get<std::string>();
      else if (key == "all" && value.is_boolean())
        edit.all = value.get<bool>();
      else
        return wrong("\"" + shown(key) + "\" is not a key of an edit, or its value has the wrong type");
    }
    if (!one.contains("old") || !one.contains("new")) return wrong("an edit needs \"old\" and \"new\"");
    out.push_back(std::move(edit));
  }
  return out;
}

Result<std::vector<Edit>> wanted_edits(const CommandLine& parsed) {
  const FlagValue* old_text = find_flag_value(parsed, Id::kOld);
  const FlagValue* new_text = find_flag_value(parsed, Id::kNew);
  if ((old_text == nullptr) != (new_text == nullptr))
    return fail(ErrorKind::kInvalid, "--old and --new must be given together", "--old TEXT --new TEXT");
  const bool all = has_flag(parsed, Id::kOfAll);
  if (old_text != nullptr) return std::vector<Edit>{{std::string(old_text->value), std::string(new_text->value), all}};
  PF_TRY(input, read_input());
  PF_TRY(edits, edits_of(input));
  for (Edit& edit : edits) edit.all = edit.all || all;
  return edits;
}

}  // namespace

int files_write(const CommandLine& parsed, Context& context) {
  return files_command(parsed, context, [&](files::Tools& tools) -> Result<FilesResult> {
    PF_CHECK(one_path(parsed));
    PF_TRY(input, read_input());
    if (has_flag(parsed, Id::kBase64)) {
      while (input.ends_with('\n')) input.pop_back();
      auto bytes = from_base64(input);
      if (!bytes) return fail(ErrorKind::kInvalid, "stdin is not base64", "base64 -w0 FILE | pinfold files write …");
      input = std::move(*bytes);
    }
    PF_TRY(changed, tools.write(first_word(parsed), input, write_options(parsed)));
    return changed_answer(changed, parsed, context);
  });
}

int files_edit(const CommandLine& parsed, Context& context) {
  return files_command(parsed, context, [&](files::Tools& tools) -> Result<FilesResult> {
    PF_CHECK(one_path(parsed));
    PF_TRY(edits, wanted_edits(parsed));
    PF_TRY(changed, tools.edit(first_word(parsed), edits, write_options(parsed)));
    return changed_answer(changed, parsed, context);
  });
}

}  // namespace pinfold::cli

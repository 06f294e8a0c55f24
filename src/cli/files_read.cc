// files_read.cc: `pinfold files read` and `list`.
// Invariant: bytes are written to a pipe unchanged, and escaped to a terminal.
// Not here: reading (files/read_file.cc).
#include <unistd.h>

#include <fmt/format.h>

#include "base/encode.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "base/try.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/files_common.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "files/content.h"
#include "report/table.h"

namespace pinfold::cli {

namespace {

using text::shown;

Result<std::string> only_word(const CommandLine& parsed, std::string_view usage) {
  if (parsed.words.size() == 1) return parsed.words[0];
  return fail(ErrorKind::kInvalid,
              fmt::format("`pinfold {}` takes one path, but got {}", info(parsed.command).name, parsed.words.size()),
              std::string(usage));
}

Result<ReadOptions> read_options(const CommandLine& parsed) {
  ReadOptions options;
  PF_TRY(offset, number_of(parsed, Id::kOffset, 1));
  PF_TRY(lines, number_of(parsed, Id::kLimit, options.lines));
  options.offset = offset;
  options.lines = lines;
  if (const FlagValue* most = find_flag_value(parsed, Id::kMaxBytes)) {
    PF_TRY(bytes, units::parse_size(most->value), "--max-bytes");
    options.bytes = bytes;
  }
  return options;
}

// The lines, with their numbers if `numbers`, escaped if `escape`.
std::string lines_of(const FileText& text, bool numbers, bool escape) {
  if (!numbers && !escape) return text.bytes;
  std::string out;
  std::size_t number = text.first_line;
  for (std::string_view rest = text.bytes; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (escape && line.ends_with('\r')) line.remove_suffix(1);
    if (numbers) out += fmt::format("{:>6}\t", number++);
    out += escape ? report::visible(line) : std::string(line);
    if (end < rest.size()) out += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (escape && !out.empty() && !out.ends_with('\n')) out += '\n';
  return out;
}

Result<FilesResult> read_answer(const CommandLine& parsed, files::Tools& tools) {
  PF_TRY(path, only_word(parsed, "pinfold files read PATH"));
  PF_TRY(options, read_options(parsed));
  PF_TRY(text, tools.read(path, options));
  FilesResult out;
  const bool encode = has_flag(parsed, Id::kBase64);
  put_bytes(out.json, "path", text.path);
  out.json["size"] = text.size;
  out.json["content"] = files::word(text.content);
  out.json["line_ends"] = files::word(text.ends);
  out.json["first_line"] = text.first_line;
  out.json["lines"] = text.lines;
  out.json["more"] = text.more;
  out.json["cut"] = text.cut;
  if (text.content == Content::kBinary || encode)
    out.json["base64"] = base64(text.bytes);
  else
    put_bytes(out.json, "text", text.bytes);
  if (encode)
    out.text = base64(text.bytes) + "\n";
  else if (text.content != Content::kBinary)
    out.text = lines_of(text, has_flag(parsed, Id::kNumbers), is_terminal(STDOUT_FILENO));
  if (text.content == Content::kBinary && !encode)
    out.notes.push_back(fmt::format("{} is a binary file of {} bytes; to print it: --base64", shown(path), text.size));
  if (text.lines == 0 && text.first_line > 1 && text.content != Content::kBinary)
    out.notes.push_back(fmt::format("{} has fewer than {} lines", shown(path), text.first_line));
  if (text.more && (encode || text.content != Content::kBinary))
    out.notes.push_back(
        text.content == Content::kBinary || encode
            ? fmt::format("the first {} of {} bytes; for all: --max-bytes {}", text.bytes.size(), text.size, text.size)
        : text.cut ? fmt::format("line {} is cut: {} bytes were read in all; for more: --max-bytes {}",
                                 text.first_line + text.lines - 1, text.bytes.size(),
                                 units::format_size(text.bytes.size() * 2))
                   : fmt::format("lines {} to {} of a file of {} bytes; for more: --offset {}", text.first_line,
                                 text.first_line + text.lines - 1, text.size, text.first_line + text.lines));
  return out;
}

std::string_view word(EntryType type) {
  switch (type) {
    case EntryType::kFile: return "file";
    case EntryType::kDirectory: return "directory";
    case EntryType::kSymlink: return "symlink";
    case EntryType::kOther: break;
  }
  return "other";
}

Result<FilesResult> list_answer(const CommandLine& parsed, files::Tools& tools, report::Colour colour) {
  const std::string path = parsed.words.empty() ? "." : parsed.words[0];
  if (parsed.words.size() > 1)
    return fail(ErrorKind::kInvalid, "`pinfold files list` takes one directory", "pinfold files list DIR");
  PF_TRY(listed, tools.list(path, has_flag(parsed, Id::kOfAll)));
  FilesResult out;
  put_bytes(out.json, "path", listed.path);
  out.json["entries"] = FilesJson::array();
  std::vector<std::vector<report::Cell>> rows;
  for (const ListingEntry& entry : listed.entries) {
    FilesJson one = FilesJson::object();
    put_bytes(one, "name", entry.name);
    one["type"] = word(entry.type);
    one["size"] = entry.size;
    one["modified"] = entry.modified;
    one["mode"] = fmt::format("{:04o}", entry.mode);
    if (entry.type == EntryType::kSymlink) put_bytes(one, "target", entry.target);
    one["ignored"] = entry.ignored;
    out.json["entries"].push_back(std::move(one));
    const bool directory = entry.type == EntryType::kDirectory;
    std::string name = report::visible(entry.name) + (directory ? "/" : "");
    if (entry.type == EntryType::kSymlink) name += " -> " + report::visible(entry.target);
    if (entry.ignored) name += "  (ignored)";
    rows.push_back({{std::string(word(entry.type)), report::Paint::kDim},
                    {directory ? "" : units::format_size(entry.size)},
                    {timestamp(Moment(std::chrono::seconds(entry.modified))).substr(0, 16)},
                    {std::move(name), entry.ignored ? report::Paint::kDim
                                      : directory   ? report::Paint::kBold
                                                    : report::Paint::kNone}});
  }
  out.json["withheld"] = listed.withheld;
  out.text = report::table(rows, 0, colour);
  if (listed.withheld > 0)
    out.notes.push_back(fmt::format(
        "{} more are hidden by the policy, private, or ignored by git (to list ignored ones: --all)", listed.withheld));
  return out;
}

}  // namespace

int files_read(const CommandLine& parsed, Context& context) {
  return files_command(parsed, context, [&](files::Tools& tools) { return read_answer(parsed, tools); });
}

int files_list(const CommandLine& parsed, Context& context) {
  const report::Colour colour = colour_for(STDOUT_FILENO, context.host);
  return files_command(parsed, context, [&](files::Tools& tools) { return list_answer(parsed, tools, colour); });
}

}  // namespace pinfold::cli

// files_search.cc: `pinfold files glob` and `search`.
// Invariant: without a match the exit code is 1, as with grep; a note names every omission.
// Not here: searching (files/find_files.cc).
#include <unistd.h>

#include <fmt/format.h>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/files_common.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "report/table.h"

namespace pinfold::cli {

namespace {

// Escaped on a terminal, unchanged elsewhere.
std::string shown_as(std::string_view text, bool terminal) {
  return terminal ? report::visible(text) : std::string(text);
}

Result<FilesResult> glob_answer(const CommandLine& parsed, files::Tools& tools) {
  if (parsed.words.empty() || parsed.words.size() > 2)
    return fail(ErrorKind::kInvalid, "`pinfold files glob` takes a pattern and at most one directory",
                "pinfold files glob '**/*.cc' src");
  GlobOptions options;
  if (parsed.words.size() == 2) options.below = parsed.words[1];
  PF_TRY(limit, number_of(parsed, Id::kLimit, 0));
  options.limit = limit;
  PF_TRY(found, tools.glob(parsed.words[0], options));
  FilesResult out;
  out.json["paths"] = FilesJson::array();
  for (const std::string& path : found.paths) {
    FilesJson one = FilesJson::object();
    put_bytes(one, "path", path);
    out.json["paths"].push_back(std::move(one));
    out.text += shown_as(path, is_terminal(STDOUT_FILENO)) + "\n";
  }
  out.json["more"] = found.more;
  if (found.more) out.notes.push_back(fmt::format("only the first {} paths; for more: --limit N", found.paths.size()));
  if (is_terminal(STDERR_FILENO)) out.notes.insert(out.notes.end(), found.notes.begin(), found.notes.end());
  out.code = found.paths.empty() ? kNothingFound : 0;
  return out;
}

Result<SearchOptions> search_options(const CommandLine& parsed) {
  SearchOptions out;
  out.paths.assign(parsed.words.begin() + 1, parsed.words.end());
  out.fixed = has_flag(parsed, Id::kFixed);
  out.ignore_case = has_flag(parsed, Id::kIgnoreCase);
  out.words = has_flag(parsed, Id::kWord);
  out.names_only = has_flag(parsed, Id::kFilesOnly);
  out.counts_only = has_flag(parsed, Id::kCount);
  if (out.names_only && out.counts_only)
    return fail(ErrorKind::kInvalid, "--files and --count are both given", "keep one of them");
  PF_TRY(context, number_of(parsed, Id::kContext, 0));
  PF_TRY(per_file, number_of(parsed, Id::kMaxCount, 0));
  PF_TRY(limit, number_of(parsed, Id::kLimit, 0));
  out.context = context;
  out.per_file = per_file;
  out.limit = limit;
  for (const FlagValue& one : parsed.flags)
    if (one.flag->id == Id::kGlob) out.globs.emplace_back(one.value);
  return out;
}

std::string with_hits(const Line& line, report::Colour colour, bool terminal) {
  if (colour == report::Colour::kOff || line.hits.empty()) return shown_as(line.text, terminal);
  std::string out;
  std::size_t at = 0;
  const std::string_view text = line.text;
  for (const auto& [begin, length] : line.hits) {
    out += report::visible(text.substr(at, begin - at));
    out += report::paint(report::visible(text.substr(begin, length)), report::Paint::kBad, colour);
    at = begin + length;
  }
  return out + report::visible(text.substr(at));
}

// The format of grep: "path:12:line" for a match, "path-13-line" for a context line.
std::string text_of(const SearchResult& found, const SearchOptions& options, report::Colour colour) {
  const bool terminal = is_terminal(STDOUT_FILENO);
  std::string out;
  bool first = true;
  for (const FileMatches& file : found.files) {
    const std::string name = report::paint(shown_as(file.path, terminal), report::Paint::kBold, colour);
    if (options.names_only) {
      out += name + "\n";
      continue;
    }
    if (options.counts_only) {
      out += fmt::format("{}:{}\n", name, file.count);
      continue;
    }
    std::size_t before = 0;
    for (const Line& line : file.lines) {
      if (options.context > 0 && !first && line.number != before + 1) out += "--\n";
      first = false;
      before = line.number;
      const char mark = line.hits.empty() ? '-' : ':';
      out += fmt::format("{}{}{}{}{}\n", name, mark, line.number, mark, with_hits(line, colour, terminal));
    }
  }
  return out;
}

FilesJson json_of(const SearchResult& found, const SearchOptions& options) {
  FilesJson out = FilesJson::object();
  out["files"] = FilesJson::array();
  for (const FileMatches& file : found.files) {
    FilesJson one = FilesJson::object();
    put_bytes(one, "path", file.path);
    if (!options.names_only) one["count"] = file.count;
    if (!options.names_only && !options.counts_only) {
      one["lines"] = FilesJson::array();
      for (const Line& line : file.lines) {
        FilesJson each = {{"number", line.number}};
        put_bytes(each, "text", line.text);
        each["hits"] = FilesJson::array();
        for (const auto& [begin, length] : line.hits) each["hits"].push_back({begin, length});
        one["lines"].push_back(std::move(each));
      }
    }
    out["files"].push_back(std::move(one));
  }
  out["lines"] = found.lines;
  out["searched"] = found.searched;
  out["binary"] = found.binary;
  out["unreadable"] = found.unreadable;
  out["left_out"] = found.ignored;
  out["more"] = found.more;
  return out;
}

Result<FilesResult> search_answer(const CommandLine& parsed, files::Tools& tools, report::Colour colour) {
  if (parsed.words.empty())
    return fail(ErrorKind::kInvalid, "`pinfold files search` takes a pattern", "pinfold files search PATTERN [PATH]…");
  PF_TRY(options, search_options(parsed));
  PF_TRY(found, tools.search(parsed.words[0], options));
  FilesResult out;
  if (has_flag(parsed, Id::kJson))
    out.json = json_of(found, options);
  else
    out.text = text_of(found, options, colour);
  if (found.more)
    out.notes.push_back(fmt::format("only the first {} matching lines; for more: --limit N", found.lines));
  if (found.binary > 0 && found.files.empty())
    out.notes.push_back(fmt::format("{} binary files were not searched", found.binary));
  if (found.unreadable > 0)
    out.notes.push_back(fmt::format("{} files and directories could not be read", found.unreadable));
  out.code = found.files.empty() ? kNothingFound : 0;
  return out;
}

}  // namespace

int files_glob(const CommandLine& parsed, Context& context) {
  return files_command(parsed, context, [&](files::Tools& tools) { return glob_answer(parsed, tools); });
}

int files_search(const CommandLine& parsed, Context& context) {
  const report::Colour colour = colour_for(STDOUT_FILENO, context.host);
  return files_command(parsed, context, [&](files::Tools& tools) { return search_answer(parsed, tools, colour); });
}

}  // namespace pinfold::cli

// find_files.cc: files by name, and lines of files.
// Invariant: results are sorted by path, in any order of the threads; a reached limit is reported.
// Not here: walking directories (traverse.cc), one file's lines (search_file.cc).
#include <fcntl.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

#include "base/glob.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "files/ignore_pattern.h"
#include "files/search_file.h"
#include "files/tools.h"
#include "files/traverse.h"

namespace pinfold::files {
namespace {

using std::string_view;
using text::shown;

// "src/lib" of "src/lib/*.cc": where to begin.
std::string fixed_directories(string_view pattern) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t slash = pattern.find('/', at);
    if (slash == string_view::npos || is_pattern(pattern.substr(at, slash - at))) break;
    end = slash;
    at = slash + 1;
  }
  return std::string(pattern.substr(0, end));
}

bool has_dots(string_view pattern) {
  for (std::size_t at = 0; at <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('/', at), pattern.size());
    if (pattern.substr(at, end - at) == "..") return true;
    at = end + 1;
  }
  return false;
}

// "-g": lines of a .gitignore, of which the last that matches decides.
class NameFilter {
 public:
  static Result<NameFilter> parse(const std::vector<std::string>& globs) {
    NameFilter out;
    for (const std::string& glob : globs) {
      auto pattern = IgnorePattern::parse(glob);
      if (!pattern) return fail(ErrorKind::kInvalid, "--glob " + shown(glob) + ": matches nothing", "-g '*.cc'");
      out.only_ = out.only_ || !pattern->negated();
      out.patterns_.push_back(std::move(*pattern));
    }
    return out;
  }
  bool empty() const { return patterns_.empty(); }
  bool takes(string_view relative) const {
    for (auto one = patterns_.rbegin(); one != patterns_.rend(); ++one) {
      // A directory that matches stands for its entries.
      for (std::size_t end = relative.find('/');; end = relative.find('/', end + 1)) {
        const string_view part = relative.substr(0, end);
        const bool whole = end == string_view::npos;
        if (!(whole && one->directories_only()) && one->matches(part)) return !one->negated();
        if (whole) break;
      }
    }
    return !only_;
  }

 private:
  std::vector<IgnorePattern> patterns_;
  bool only_ = false;
};

// The state that the threads of one search share, and each thread's own.
struct Search {
  const SearchOptions& options;
  const NameFilter& filter;
  std::string base;  // the directory that globs start from
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> lines{0};
  struct Worker {
    std::optional<FileSearcher> searcher;
    std::vector<FileMatches> found;
    std::size_t searched = 0, binary = 0, unreadable = 0;
  };
  std::vector<Worker> workers;
};

void search_one(Search& search, Search::Worker& worker, int directory, const std::string& name, std::string path,
                bool any_links) {
  const sys::Fd fd = sys::Fd::adopt(open_name(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.raw(), &info) != 0) {
    ++worker.unreadable;
    return;
  }
  // A file with several names may lie elsewhere, too (Tools::check_regular()).
  if (!S_ISREG(info.st_mode) || (info.st_nlink > 1 && !any_links)) {
    ++worker.unreadable;
    return;
  }
  FileMatches matches;
  ++worker.searched;
  if (info.st_size == 0 && info.st_blocks == 0) return;
  switch (worker.searcher->search(fd.raw(), static_cast<std::size_t>(info.st_size), matches)) {
    case FileSearcher::Outcome::kBinary: ++worker.binary; return;
    case FileSearcher::Outcome::kUnreadable: ++worker.unreadable; return;
    case FileSearcher::Outcome::kSearched: break;
  }
  if (matches.count == 0) return;
  matches.path = std::move(path);
  const std::size_t before = search.lines.fetch_add(matches.count, std::memory_order_relaxed);
  if (search.options.limit > 0 && before + matches.count > search.options.limit) search.stop = true;
  worker.found.push_back(std::move(matches));
}

// Exactly `limit` matching lines, in the order in which they are shown.
void cut(SearchResult& out, std::size_t limit) {
  std::size_t lines = 0;
  for (std::size_t i = 0; i < out.files.size(); ++i) {
    FileMatches& file = out.files[i];
    if (lines + file.count <= limit) {
      lines += file.count;
      continue;
    }
    std::size_t kept = 0;
    file.count = limit - lines;
    std::erase_if(file.lines, [&](const Line& line) { return (kept += line.hits.empty() ? 0U : 1U) > file.count; });
    out.files.resize(file.count > 0 ? i + 1 : i);
    out.more = true;
    out.lines = limit;
    return;
  }
}

}  // namespace

Result<GlobResult> Tools::glob(string_view pattern, const GlobOptions& options) {
  PF_TRY(glob, Glob::parse(pattern));
  if (has_dots(pattern))
    return fail(ErrorKind::kInvalid, "the pattern " + shown(pattern) + " has \"..\" in it",
                "name the directory: pinfold files glob '*.cc' ../other");
  std::string below = options.below.empty() ? std::string(".") : options.below;
  const bool at_any_depth = pattern.find('/') == string_view::npos;
  if (glob.absolute()) {
    if (!options.below.empty())
      return fail(ErrorKind::kInvalid, "an absolute pattern and a directory are both given", "keep one of them");
    below = glob.fixed_prefix();
  } else if (const std::string fixed = fixed_directories(pattern); !fixed.empty() && !at_any_depth) {
    below = paths::join(below, fixed);
  }
  PF_TRY(start, reach(below, Access::kRead, LastLink::kFollow));
  GlobResult out;
  if (!start.is_directory()) return out;
  std::string base = "/";
  if (!glob.absolute()) {
    PF_TRY(top, reach(options.below.empty() ? "." : options.below, Access::kRead, LastLink::kFollow));
    base = top.path;
  }
  // If symlinks lead out of the base, the pattern cannot be matched from it.
  const bool straight = paths::at_or_beneath(start.path, base);
  if (!straight)
    return fail(ErrorKind::kInvalid, shown(below) + " leads out of " + shown(base), "pass that directory as DIR");
  std::mutex lock;
  std::atomic<bool> stop{false};
  Traversal traversal(access_, walker_);
  traversal.run(
      std::move(start),
      [&](const VisitedFile& one) {
        const std::string path = one.path();
        if (!glob.matches(paths::relative(path, base))) return;
        const std::lock_guard<std::mutex> hold(lock);
        out.paths.push_back(shown_path(path));
      },
      stop);
  std::sort(out.paths.begin(), out.paths.end());
  if (options.limit > 0 && out.paths.size() > options.limit) {
    out.paths.resize(options.limit);
    out.more = true;
  }
  if (const std::size_t left = traversal.skipped().ignored; left > 0)
    out.notes.push_back(std::to_string(left) + " files and directories left out: ignored by git, private or hidden");
  return out;
}

Result<SearchResult> Tools::search(string_view pattern, const SearchOptions& options) {
  PF_TRY(filter, NameFilter::parse(options.globs));
  Search search{options, filter, caller_.working_dir, {}, {}, std::vector<Search::Worker>(Traversal::workers())};
  for (Search::Worker& worker : search.workers) {
    PF_TRY(matcher, Matcher::compile(pattern, options));
    worker.searcher.emplace(std::move(matcher), options);
  }
  SearchResult out;
  const std::vector<std::string> here = {"."};
  for (const std::string& path : options.paths.empty() ? here : options.paths) {
    PF_TRY(entry, reach(path, Access::kRead, LastLink::kFollow));
    if (!entry.is_directory()) {
      PF_CHECK(check_regular(entry, Access::kRead, path));
      search_one(search, search.workers[0], entry.directory.raw(), entry.name, shown_path(entry.path), true);
      continue;
    }
    const std::string base = entry.path;
    Traversal traversal(access_, walker_);
    traversal.run(
        std::move(entry),
        [&](const VisitedFile& one) {
          if (one.type != EntryType::kFile) return;
          std::string full = one.path();
          if (!search.filter.empty() && !search.filter.takes(paths::relative(full, base))) return;
          const bool any_links = access_.scope().look_up(full).access != Access::kWrite;
          search_one(search, search.workers[one.worker], one.directory.fd.raw(), one.name, shown_path(full), any_links);
        },
        search.stop);
    out.ignored += traversal.skipped().ignored;
    out.unreadable += traversal.skipped().unreadable;
  }
  for (Search::Worker& worker : search.workers) {
    out.searched += worker.searched;
    out.binary += worker.binary;
    out.unreadable += worker.unreadable;
    std::move(worker.found.begin(), worker.found.end(), std::back_inserter(out.files));
  }
  std::sort(out.files.begin(), out.files.end(),
            [](const FileMatches& a, const FileMatches& b) { return a.path < b.path; });
  out.lines = search.lines;
  if (options.limit > 0) cut(out, options.limit);
  return out;
}

}  // namespace pinfold::files

// ignore_rules.cc: the .gitignore files of one repository, and their decision about a path.
// Invariant: pure; as git decides. Not here: reading the files (ignore_finder.cc).
#include "files/ignore_rules.h"

#include <algorithm>

#include "base/paths.h"
#include "base/text.h"

namespace pinfold::files {

using std::string_view;

std::shared_ptr<const IgnoreFile> IgnoreFile::parse(string_view text, std::string base, std::string shown) {
  auto out = std::make_shared<IgnoreFile>();
  out->base_ = std::move(base);
  out->shown_ = std::move(shown);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (auto pattern = IgnorePattern::parse(line)) out->lines_.push_back({std::move(*pattern), number});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

const IgnoreFile::Line* IgnoreFile::match(string_view path, EntryKind kind) const {
  const string_view relative = paths::relative(path, base_);
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    if (line->pattern.directories_only() && kind != EntryKind::kDirectory) continue;
    if (line->pattern.matches(relative)) return &*line;
  }
  return nullptr;
}

Ignores with(Ignores above, std::shared_ptr<const IgnoreFile> file) {
  if (file == nullptr || file->empty()) return above;
  return std::make_shared<const IgnoreChain>(IgnoreChain{std::move(file), std::move(above)});
}

IgnoreMatch ignored_by(const Ignores& ignores, string_view path, EntryKind kind) {
  for (const IgnoreChain* one = ignores.get(); one != nullptr; one = one->above.get()) {
    const IgnoreFile::Line* line = one->file->match(path, kind);
    if (line == nullptr) continue;
    if (line->pattern.negated()) return {};
    return {one->file.get(), line};
  }
  return {};
}

std::string words_of(const IgnoreMatch& ignored) {
  return "git-ignored (" + text::shown(ignored.file->shown()) + ":" + std::to_string(ignored.line->number) + ": " +
         text::shown(ignored.line->pattern.line()) + ")";
}

}  // namespace pinfold::files

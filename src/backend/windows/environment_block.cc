// environment_block.cc: sorts and joins.
#include "backend/windows/environment_block.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/utf16.h"

namespace pinfold::backend::on_windows {
namespace {

using text::shown;

// Folds ASCII letters only. Windows folds others by a table; two names that differ only in those stay two.
std::u16string folded(const std::u16string& name) {
  std::u16string out = name;
  for (char16_t& c : out)
    if (c >= u'a' && c <= u'z') c = static_cast<char16_t>(c - u'a' + u'A');
  return out;
}

}  // namespace

Result<std::u16string> environment_block(const std::vector<Variable>& variables) {
  std::vector<std::pair<std::u16string, std::u16string>> lines;  // folded name, whole line
  lines.reserve(variables.size());
  for (const Variable& one : variables) {
    if (one.name.empty() || one.name.find('=') != std::string::npos)
      return fail(ErrorKind::kInvalid, "no variable can have the name \"" + shown(one.name) + "\"", "rename it");
    if ((one.name + one.value).find('\0') != std::string::npos)
      return fail(ErrorKind::kInvalid, "the variable " + shown(one.name) + " contains a NUL byte", "remove it");
    const auto name = to_utf16(one.name);
    const auto value = to_utf16(one.value);
    if (!name || !value)
      return fail(ErrorKind::kInvalid, "the variable " + shown(one.name) + " is not UTF-8", "convert it first");
    lines.emplace_back(folded(*name), *name + u"=" + *value);
  }
  std::sort(lines.begin(), lines.end());
  std::u16string block;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 && lines[i].first == lines[i - 1].first)
      return fail(ErrorKind::kInvalid,
                  "the variable " + shown(to_utf8(lines[i].first).value_or("")) + " is given twice, in another case",
                  "on Windows these are one: keep one of them");
    block += lines[i].second;
    block += u'\0';
  }
  if (lines.empty()) block += u'\0';
  block += u'\0';
  return block;
}

}  // namespace pinfold::backend::on_windows

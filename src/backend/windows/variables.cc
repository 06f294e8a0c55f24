// variables.cc: converts PATH, HOME and TMPDIR from the core's notation; other variables are unchanged.
#include "backend/windows/variables.h"

#include <algorithm>

#include "base/windows_paths.h"

namespace pinfold::backend::on_windows {
namespace {

std::string folded(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return name;
}

void put(std::vector<Variable>& out, Variable variable) {
  const std::string name = folded(variable.name);
  for (Variable& one : out)
    if (folded(one.name) == name) {
      one = std::move(variable);
      return;
    }
  out.push_back(std::move(variable));
}

}  // namespace

std::vector<Variable> variables_for(const Plan& plan, const std::vector<Variable>& extra,
                                    const PrivateDirectories& directories) {
  std::vector<Variable> out;
  const auto add = [&](const Variable& one) {
    if (one.name == "PATH" && one.value.starts_with('/'))
      put(out, {one.name, windows_paths::search_to_windows(one.value), one.origin});
    else if (one.name == "HOME" && one.value.starts_with('/'))
      for (const char* name : {"HOME", "USERPROFILE"})
        put(out, {name, directories.home.empty() ? windows_paths::to_windows(one.value).value_or("") : directories.home,
                  one.origin});
    else if (one.name == "TMPDIR" && one.value.starts_with('/'))
      for (const char* name : {"TEMP", "TMP", "TMPDIR"}) put(out, {name, directories.tmp, one.origin});
    else if (!(one.origin.source == Source::kPreset &&
               one.value.starts_with('/')))  // a preset's path for Linux: GOPATH
      put(out, one);
  };
  for (const Step& step : plan.steps)
    if (const auto* environment = std::get_if<Environment>(&step.body))
      for (const Variable& one : environment->variables) add(one);
  if (!directories.home.empty())
    for (const char* name : {"APPDATA", "LOCALAPPDATA"}) put(out, {name, directories.home, {}});
  for (const Variable& one : extra) add(one);
  return out;
}

}  // namespace pinfold::backend::on_windows

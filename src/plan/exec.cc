// exec.cc: which programs can be executed.
// Invariant: programs are canonical, visible files; a command that cannot be found is an error, never left out.
// Not here: how execution is refused (backend).
#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "plan/draft.h"

namespace pinfold::plan {
namespace {

using std::string_view;
using text::shown;

// As the kernel: an interpreter may itself be a script, up to a bounded depth.
constexpr int kDeepestScript = 5;
constexpr std::size_t kScriptHead = 256;

class Programs {
 public:
  explicit Programs(Draft& draft) : draft_(draft) {
    for (const Variable& variable : draft_.variables)
      if (variable.name == "PATH") path_ = variable.value;
  }

  // The canonical file that executing `command` would run, or empty.
  std::string find(const std::string& command) {
    if (command.find('/') != std::string::npos)
      return usable(command[0] == '/' ? command : paths::join(draft_.working_dir, command));
    for (std::size_t begin = 0; begin <= path_.size();) {
      const std::size_t end = std::min(path_.find(':', begin), path_.size());
      const string_view directory = string_view(path_).substr(begin, end - begin);
      begin = end + 1;
      if (directory.empty() || directory[0] != '/') continue;
      if (std::string found = usable(paths::join(directory, command)); !found.empty()) return found;
    }
    return {};
  }

  // Adds the program and the interpreter that its first line names.
  Result<void> add(const std::string& program, int depth = 0) {
    if (std::find(out_.begin(), out_.end(), program) != out_.end()) return {};
    out_.push_back(program);
    auto head = draft_.host.read_file(program, kScriptHead);
    if (!head || !string_view(*head).starts_with("#!")) return {};
    if (depth >= kDeepestScript)
      return fail(ErrorKind::kInvalid, shown(program) + " is interpreted by too many scripts");
    std::vector<std::string> words;
    const string_view line = string_view(*head).substr(2, head->find('\n') - 2);
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t begin = line.find_first_not_of(" \t\r", at);
      if (begin == string_view::npos) break;
      at = std::min(line.find_first_of(" \t\r", begin), line.size());
      words.emplace_back(line.substr(begin, at - begin));
    }
    if (words.empty()) return {};
    PF_CHECK(interpreter(program, words[0], depth));
    // "#!/usr/bin/env -S VAR=x python3": env runs the first word that is neither an option nor an assignment.
    if (paths::basename(words[0]) != "env") return {};
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i][0] != '-' && words[i].find('=') == std::string::npos) return interpreter(program, words[i], depth);
    return {};
  }

  const std::vector<std::string>& all() const { return out_; }

 private:
  std::string usable(const std::string& path) {
    if (!draft_.host.executable(path)) return {};
    auto info = draft_.host.resolve(path);
    if (!info || info->kind != HostKind::kFile || !draft_.visible(info->canonical)) return {};
    for (const HostLink& link : info->links) remember(link.at);
    return std::move(info->canonical);
  }
  // Directories of programs are replaced by directories that hold only the allowed programs: a program's other names
  // (sh for dash) must be made there again. Where the link's directory is shown as it is, the backend leaves this out.
  void remember(const std::string& at) {
    auto target = draft_.host.read_link(at);
    if (!target || !draft_.visible(at) || !linked_.insert(at).second) return;
    draft_.paths.push_back(
        Draft::step(MakeLink{at, std::move(*target)}, Need::kRequired, draft_.scope.policy().exec.origin));
  }
  Result<void> interpreter(const std::string& script, const std::string& name, int depth) {
    const std::string found = find(name);
    if (found.empty())
      return fail(ErrorKind::kInvalid, shown(script) + " needs " + shown(name) + ", which is not in the sandbox's view",
                  "--read the directory that holds it");
    return add(found, depth + 1);
  }

  Draft& draft_;
  std::string path_;
  std::vector<std::string> out_;
  std::unordered_set<std::string> linked_;
};

// Where code is mapped from but nothing should be started. /usr/lib as a whole would bring along the programs that lie
// in it (git-core, gcc, jvm…), which the dynamic loader could then run.
std::vector<std::string> libraries(Draft& draft, const std::vector<std::string>& programs) {
  std::vector<std::string> out;
  const auto offer = [&](const std::string& directory) {
    auto info = draft.host.resolve(directory);
    if (!info || info->kind != HostKind::kDirectory || !draft.visible(info->canonical)) return;
    if (std::find(out.begin(), out.end(), info->canonical) == out.end()) out.push_back(std::move(info->canonical));
  };
  for (const char* directory :
       {"/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/local/lib", "/lib32", "/lib64", "/libx32"})
    offer(directory);
  // Debian keeps libraries below a name of the architecture; interpreters keep native modules below their own.
  if (auto entries = draft.host.list("/usr/lib"))
    for (const HostEntry& entry : *entries)
      if (entry.kind == HostKind::kDirectory &&
          (entry.name.find("-linux-") != std::string::npos || entry.name.starts_with("python") ||
           entry.name == "ruby" || entry.name.starts_with("perl") || entry.name == "node_modules" ||
           entry.name == "nodejs"))
        offer("/usr/lib/" + entry.name);
  // Other systems keep them in /usr/lib itself.
  if (std::none_of(out.begin(), out.end(),
                   [](const std::string& each) { return each.find("-linux-") != std::string::npos; }))
    offer("/usr/lib");
  for (const std::string& program : programs) {
    const string_view bin = paths::parent(program);
    const string_view prefix = paths::parent(bin);
    if (paths::basename(bin) != "bin" || prefix == "/usr" || prefix == "/usr/local" || prefix == "/") continue;
    offer(paths::join(prefix, "lib"));
    offer(paths::join(prefix, "lib64"));
  }
  return out;
}

}  // namespace

Result<void> add_exec_limit(Draft& draft) {
  const ExecRule& rule = draft.scope.policy().exec;
  const std::vector<std::string>& argv = draft.invocation.argv;
  ExecLimit limit{rule.mode, {}, {}};
  if (rule.mode != ExecMode::kAny) {
    Programs programs(draft);
    bool listed = rule.mode == ExecMode::kNone || draft.invocation.implied_shell || argv.empty();
    std::string command;
    if (!argv.empty()) {
      command = programs.find(argv[0]);
      if (command.empty())
        return fail(ErrorKind::kNotFound, shown(argv[0]) + ": command not found in the sandbox's view",
                    "check the name, or --read the directory that holds it");
    }
    for (const std::string& name : rule.commands) {
      const std::string found = programs.find(name);
      if (found.empty())
        return fail(ErrorKind::kInvalid,
                    shown(rule.origin.where) + ": the command " + shown(name) + " was not found in the sandbox's view",
                    "check the name, or --read the directory that holds it");
      PF_CHECK(programs.add(found), shown(rule.origin.where));
      listed = listed || found == command;
    }
    if (!listed)
      return fail(ErrorKind::kRefused, shown(argv[0]) + " is not in the list of programs that may run",
                  "--exec " + text::shell_word(argv[0]));
    if (!command.empty()) PF_CHECK(programs.add(command));
    limit.programs = programs.all();
    limit.libraries = libraries(draft, limit.programs);
  }
  draft.first.push_back(Draft::step(std::move(limit), Need::kRequired, rule.origin));
  return {};
}

}  // namespace pinfold::plan

// sbpl.cc: plan → SBPL.
// Invariant: see the header; each rule has its origin as a comment in the profile, which people read after a denial.
// Not here: quoting (sbpl_text.cc), rules that every program needs (sbpl_base.h).
#include "backend/darwin/sbpl.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "backend/darwin/sbpl_base.h"
#include "backend/darwin/sbpl_text.h"
#include "base/glob.h"
#include "base/paths.h"

namespace pinfold::backend::darwin {
namespace {

using std::string;
using std::string_view;

constexpr string_view kReadAll = "file-read* file-map-executable";
constexpr string_view kEverything = "file-read* file-write* file-map-executable process-exec*";

// The effect of a path step in the profile.
// kReadOnly: no writes; kNoCreate: no writes and no creation, in any spelling.
enum class Effect { kRead, kWrite, kHide, kReadOnly, kNoCreate };
struct Rule {
  string path;
  Effect effect = Effect::kHide;
  bool whole = true;  // and all below it
  bool exec = false;  // programs in it may be executed
  string why{};
};

bool is_writable(View view) { return view == View::kWrite || view == View::kWriteExec; }
bool is_executable(View view) { return view == View::kReadExec || view == View::kWriteExec; }

string origin_of(const Step& step) { return step.origin.where.empty() ? string("the plan") : step.origin.where; }

// A comment ends at the newline: text from a policy file must not add a rule on the next line.
string comment(string_view text) {
  string out;
  for (const char c : text) out += c >= ' ' && c != 0x7f ? c : '?';
  return out;
}

class Writer {
 public:
  Writer(const Plan& plan, const RunPaths& run_paths, const string& tag, std::uint16_t proxy_port)
      : plan_(plan), run_paths_(run_paths), tag_(tag), proxy_port_(proxy_port) {}

  Profile make() && {
    gather();
    text_ = fmt::format("(version 1)\n(deny default (with message {}))\n", sbpl_string(tag_));
    text_ += kProcessRules;
    write_paths();
    write_exec();
    write_devices();
    write_network();
    Profile out{std::move(text_), {}};
    if (!run_paths_.tmp.empty()) out.parameters.emplace_back("TMP", canonical(run_paths_.tmp));
    if (!run_paths_.terminal.empty()) out.parameters.emplace_back("TERMINAL", run_paths_.terminal);
    return out;
  }

 private:
  void gather() {
    for (const Step& step : plan_.steps) {
      if (const auto* show = std::get_if<ShowPath>(&step.body)) {
        rules_.push_back({canonical(show->host), is_writable(show->view) ? Effect::kWrite : Effect::kRead,
                          show->kind == EntryKind::kDirectory, is_executable(show->view), origin_of(step)});
      } else if (const auto* hide = std::get_if<HidePath>(&step.body)) {
        rules_.push_back({canonical(hide->at), Effect::kHide, true, false,
                          hide->pattern.empty() ? origin_of(step) : hide->pattern + ", " + origin_of(step)});
      } else if (const auto* keep = std::get_if<ProtectPath>(&step.body)) {
        rules_.push_back({canonical(keep->at), Effect::kReadOnly, true, false, "protected, " + origin_of(step)});
      } else if (const auto* name = std::get_if<ProtectName>(&step.body)) {
        rules_.push_back({canonical(paths::join(name->parent, name->name)), Effect::kNoCreate, true, false,
                          "protected, " + origin_of(step)});
      } else if (const auto* tmp = std::get_if<PrivateTmp>(&step.body)) {
        for (const string& at : tmp->at)
          if (at != "/dev/shm") rules_.push_back({canonical(at), Effect::kHide, true, false, "private to the run"});
        tmp_exec_ = tmp->exec;
      } else if (const auto* link = std::get_if<MakeLink>(&step.body)) {
        if (!is_in_home(link->at)) metadata_paths_.insert(link->at);
      } else if (const auto* network = std::get_if<Network>(&step.body)) {
        network_ = network;
      } else if (const auto* exec = std::get_if<ExecLimit>(&step.body)) {
        exec_ = exec;
      }
    }
    std::stable_sort(rules_.begin(), rules_.end(), [](const Rule& a, const Rule& b) {
      return paths::depth(a.path) != paths::depth(b.path) ? paths::depth(a.path) < paths::depth(b.path)
                                                          : a.path < b.path;
    });
  }

  // Links into the private home are left out: HOME names another directory here.
  bool is_in_home(string_view path) const {
    const ShowPath* home = private_home(plan_);
    return home != nullptr && paths::beneath(path, paths::parent(home->at));
  }

  void line(string_view verb, string_view operations, string_view filter) {
    text_ += fmt::format("({} {} {})\n", verb, operations, filter);
  }
  void deny(string_view operations, string_view filter) {
    text_ += fmt::format("(deny {} {} (with message {}))\n", operations, filter, sbpl_string(tag_));
  }
  static string filter_of(const Rule& rule) {
    return fmt::format("({} {})", rule.whole ? "subpath" : "literal", sbpl_string(rule.path));
  }

  void write_paths() {
    text_ += "\n; Granted and hidden paths, shallow to deep: the last rule that matches decides.\n";
    for (const Rule& rule : rules_) {
      text_ += "; " + comment(rule.why) + "\n";
      const string filter = filter_of(rule);
      switch (rule.effect) {
        case Effect::kHide: deny(kEverything, filter); break;
        case Effect::kRead:
          line("allow", kReadAll, filter);
          deny("file-write*", filter);
          allow_exec(rule, filter);
          break;
        case Effect::kWrite:
          line("allow", "file-read* file-write* file-map-executable", filter);
          allow_exec(rule, filter);
          break;
        case Effect::kReadOnly: deny("file-write*", filter); break;
        case Effect::kNoCreate:
          deny("file-write*", filter);
          deny("file-write*",
               fmt::format("(regex {})", sbpl_string(any_case(paths::parent(rule.path), paths::basename(rule.path)))));
          break;
      }
    }
    if (!run_paths_.tmp.empty()) {
      text_ += "; the run's own directory for temporary files\n";
      line("allow", "file-read* file-write* file-map-executable", "(subpath (param \"TMP\"))");
      if (tmp_exec_)
        line("allow", "process-exec*", "(subpath (param \"TMP\"))");
      else
        deny("process-exec*", "(subpath (param \"TMP\"))");
    }
    write_names();
    write_ancestors();
    write_pins();
  }
  void allow_exec(const Rule& rule, const string& filter) {
    if (rule.exec)
      line("allow", "process-exec*", filter);
    else
      deny("process-exec*", filter);
  }

  // Names that patterns hide, whether a file exists or not. Each rule is exact, so it may follow all path rules.
  void write_names() {
    if (!plan_.names.empty())
      text_ += "\n; Patterns: every path with such a name, whether it existed at the start or not.\n";
    for (const HideNames& names : plan_.names) {
      const auto glob = Glob::parse(names.root == "/" ? canonical(names.glob) : names.glob);
      if (!glob) continue;  // no policy has one
      text_ += "; " + comment(names.glob + ", " + names.origin.where) + "\n";
      const string tail = "/" + glob->expression() + "(/|$)";
      write_names_below(names.root == "/" ? string() : canonical(names.root), tail, names);
      if (glob->by_name())
        for (const string& shown : names.except) write_names_below(canonical(shown), tail, names);
    }
  }
  void write_names_below(const string& root, const string& tail, const HideNames& names) {
    const string expression = "(regex " + sbpl_string("^" + regex_literal(root) + tail) + ")";
    string without;
    for (const string& shown : names.except)
      if (const string path = canonical(shown); root.empty() || paths::beneath(path, root))
        without += " (require-not (subpath " + sbpl_string(path) + "))";
    deny(kEverything, without.empty() ? expression : "(require-all " + expression + without + ")");
  }

  // The directories above granted paths: getcwd() and realpath() stat() each of them. Metadata only, not their
  // entries. The dynamic loader lists "/".
  void write_ancestors() {
    metadata_paths_.insert({"/tmp", "/var", "/etc", "/private"});
    const auto add = [&](string_view path) {
      for (string_view up = paths::parent(path); up.size() > 1; up = paths::parent(up)) metadata_paths_.emplace(up);
    };
    for (const Rule& rule : rules_)
      if (rule.effect == Effect::kRead || rule.effect == Effect::kWrite) add(rule.path);
    if (!run_paths_.tmp.empty()) add(canonical(run_paths_.tmp));
    text_ += "\n; Directories above granted paths: metadata only, not their entries.\n";
    line("allow", "file-read*", "(literal \"/\")");
    for (const string& path : metadata_paths_)
      line("allow", "file-read-metadata file-test-existence", "(literal " + sbpl_string(path) + ")");
  }

  // A rule matches a path: a process that renames a directory above it would escape the rule.
  void write_pins() {
    std::set<string> pins;
    const auto add = [&](string_view path) {
      string_view root;
      for (const Rule& rule : rules_)
        if (rule.effect == Effect::kWrite && paths::beneath(path, rule.path) &&
            (root.empty() || rule.path.size() < root.size()))
          root = rule.path;
      if (root.empty()) return;
      for (string_view up = paths::parent(path); paths::beneath(up, root); up = paths::parent(up)) pins.emplace(up);
    };
    for (const Rule& rule : rules_)
      if (rule.effect != Effect::kWrite) add(rule.path);
    if (pins.empty()) return;
    text_ += "\n; Directories that contain a path with a rule cannot be renamed.\n";
    for (const string& pin : pins) deny("file-write-unlink", "(literal " + sbpl_string(pin) + ")");
  }

  void write_exec() {
    text_ += "\n; Programs.\n";
    const ExecMode mode = exec_ == nullptr ? ExecMode::kAny : exec_->mode;
    if (mode == ExecMode::kNone)
      text_ += "; no process-fork: the command has no children\n";
    else
      text_ += "(allow process-fork)\n";
    if (mode == ExecMode::kAny) return;
    for (const string& program : exec_->programs)
      line("allow", "process-exec* file-read* file-map-executable",
           "(literal " + sbpl_string(canonical(program)) + ")");
  }

  void write_devices() {
    deny("file-read* file-write* process-exec* file-map-executable", "(subpath \"/dev\")");
    text_ += kDeviceRules;
    if (!run_paths_.terminal.empty()) {
      text_ += "; the terminal of this run\n";
      line("allow", "file-read* file-write* file-ioctl", "(literal (param \"TERMINAL\"))");
    }
  }

  void write_network() {
    const NetworkMode mode = network_ == nullptr ? NetworkMode::kNone : network_->mode;
    if (mode == NetworkMode::kFull) {
      text_ += kFullNetworkRules;
    } else if (mode == NetworkMode::kDomains && proxy_port_ != 0) {
      text_ += "\n; The proxy of this run, which decides by name; no other destination.\n";
      line("allow", "network-outbound", fmt::format("(remote ip \"localhost:{}\")", proxy_port_));
    } else {
      text_ += "\n; No network.\n";
    }
  }

  const Plan& plan_;
  const RunPaths& run_paths_;
  const string& tag_;
  std::uint16_t proxy_port_;
  string text_;
  std::vector<Rule> rules_;
  std::set<string> metadata_paths_;  // stat() is allowed, reading is not
  const Network* network_ = nullptr;
  const ExecLimit* exec_ = nullptr;
  bool tmp_exec_ = true;
};

}  // namespace

Profile make_profile(const Plan& plan, const RunPaths& run_paths, const std::string& tag, std::uint16_t proxy_port) {
  return Writer(plan, run_paths, tag, proxy_port).make();
}

const ShowPath* private_home(const Plan& plan) {
  for (const Step& step : plan.steps)
    if (const auto* show = std::get_if<ShowPath>(&step.body); show != nullptr && show->host != show->at) return show;
  return nullptr;
}

}  // namespace pinfold::backend::darwin

// infer.cc: error text → denials, by looking up each name of an error line in the plan.
// Invariant: bounded: one line kept, 200 denials, kMostQuestions to the host; the text can never make a denial of
// something that the plan allows.
// Not here: reading one line (error_line.cc), how the plan treats a path (plan_view.cc).
#include "report/infer.h"

#include <algorithm>

#include "base/paths.h"
#include "base/text.h"
#include "plan/grants.h"

namespace pinfold::report {

namespace {

using plan::PathLookup;
using plan::PathState;
using plan::PlanView;

constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kMostDenials = 200;
constexpr std::size_t kMostHostQueries = 4096;
constexpr std::size_t kNothing = static_cast<std::size_t>(-1);

bool could_be_program(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '+' || c == '-';
  });
}

// Colour codes of compilers and cargo: ESC [ … letter.
std::string without_colours(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b' || at + 1 >= text.size() || text[at + 1] != '[') {
      out += text[at];
      continue;
    }
    at += 2;
    while (at < text.size() && (text[at] < '@' || text[at] > '~')) ++at;
  }
  return out;
}

}  // namespace

Inference::Inference(const Plan& plan, HostView& host) : plan_(plan), host_(host) {}

void Inference::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    const bool whole = end != std::string_view::npos;
    if (whole && partial_.empty() && !skipping_) {
      line(piece.substr(0, kLongestLine));
    } else {
      if (!skipping_) {
        partial_.append(piece.substr(0, kLongestLine - partial_.size()));
        // Past the bound the rest of the line is dropped, not kept for later.
        skipping_ = partial_.size() == kLongestLine;
      }
      if (whole) {
        line(partial_);
        partial_.clear();
        skipping_ = false;
      }
    }
    if (!whole) return;
    bytes.remove_prefix(end + 1);
  }
}

std::vector<Denial> Inference::finish() && {
  if (!partial_.empty()) line(partial_);
  return std::move(found_);
}

void Inference::line(std::string_view text) {
  std::string clean;
  if (text.find('\x1b') != std::string_view::npos) text = clean = without_colours(text);
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  consider_tracing(text);
  const auto error = read_error_line(text);
  if (!error) return;
  if (!view_) view_ = std::make_unique<PlanView>(plan_);
  for (std::size_t i = 0; i < error->count; ++i) consider(*error, error->names[i]);
}

// Debuggers and leak checkers name the failed call, but not the process.
void Inference::consider_tracing(std::string_view text) {
  const bool leaks = text.find("LeakSanitizer has encountered a fatal error") != std::string_view::npos;
  const bool traces =
      text.find("ptrace") != std::string_view::npos && text.find("not permitted") != std::string_view::npos;
  if (!leaks && !traces) return;
  const bool refused = std::any_of(plan_.steps.begin(), plan_.steps.end(), [](const Step& step) {
    const auto* calls = std::get_if<SystemCalls>(&step.body);
    return calls != nullptr && calls->debuggers == Debuggers::kRefused;
  });
  if (!refused) return;
  Denial denial;
  denial.operation = "trace";
  denial.resource = "other processes";
  denial.rule = "debuggers are refused";
  denial.allow_with = "--debuggers";
  denial.source = DenialSource::kInferred;
  add(std::move(denial));
}

bool Inference::may_query_host() { return host_queries_++ < kMostHostQueries; }

void Inference::consider(const ErrorLine& error, std::string_view name) {
  if (name.find('\0') != std::string_view::npos) return;
  std::string key(name);
  key += static_cast<char>(error.failure);
  key += static_cast<char>(error.intent);
  if (const auto known = checked_.find(key); known != checked_.end()) {
    if (known->second != kNothing) ++found_[known->second].count;
    return;
  }
  if (!may_query_host()) return;

  const auto total = [this] {
    std::uint64_t sum = 0;
    for (const Denial& denial : found_) sum += denial.count;
    return sum;
  };
  const std::size_t before = found_.size();
  const std::uint64_t counted = total();
  const bool bare = name.find('/') == std::string_view::npos;
  const bool missing = error.failure == Failure::kMissing || error.failure == Failure::kNoCommand;
  bool done = false;
  if (bare && missing && could_be_program(name)) done = consider_program(name);
  if (!done && !(bare && error.failure == Failure::kNoCommand)) {
    if (name.starts_with("~/")) {
      if (!view_->home().empty()) consider_path(error, paths::normal(view_->home() + std::string(name.substr(1))));
    } else if (name.starts_with("/")) {
      consider_path(error, paths::normal(name));
    } else {
      consider_path(error, paths::normal(plan_.working_dir + "/" + std::string(name)));
    }
  }
  // Remembers the denial that this lookup led to, unless it only raised an older denial's count (rare: look up again).
  if (found_.size() > before)
    checked_.emplace(std::move(key), found_.size() - 1);
  else if (total() == counted)
    checked_.emplace(std::move(key), kNothing);
}

std::string Inference::canonical(const std::string& path) {
  if (auto whole = host_.resolve(path)) return whole->canonical;
  if (auto parent = host_.resolve(std::string(paths::parent(path))))
    return paths::join(parent->canonical, paths::basename(path));
  return path;
}

// A change that the caller could not make on the bare host either is an ordinary failure.
bool Inference::may_change(const std::string& path) {
  if (host_.kind(path) != HostKind::kMissing) return host_.writable(path);
  const std::string around(paths::parent(path));
  return host_.kind(around) == HostKind::kDirectory && host_.writable(around);
}

void Inference::consider_removal(const std::string& path, const PathLookup& lookup) {
  if (lookup.state == PathState::kWritable || lookup.state == PathState::kKernel || lookup.state == PathState::kPrivate)
    return;
  if (host_.kind(path) == HostKind::kMissing || !host_.writable(std::string(paths::parent(path)))) return;
  Denial denial;
  denial.operation = "delete";
  denial.resource = path;
  denial.rule = lookup.rule;
  denial.grant = lookup.state == PathState::kProtected ? plan::write_grant(path, lookup, *view_, host_)
                                                       : plan::entry_grant(path, *view_, host_);
  if (lookup.own) denial.grant.reset();
  if (denial.grant) denial.allow_with = plan::flag_of(*denial.grant);
  add(std::move(denial));
}

void Inference::consider_path(const ErrorLine& error, const std::string& given) {
  const std::string path = canonical(given);
  if (path == "/") return;
  const PathLookup lookup = view_->look_up(path);
  if (error.intent == Intent::kDelete) return consider_removal(path, lookup);
  const bool exists = host_.kind(path) != HostKind::kMissing;
  const bool refused = error.failure == Failure::kDenied || error.failure == Failure::kReadOnly;

  Denial denial;
  denial.resource = path;
  denial.rule = lookup.rule;
  switch (lookup.state) {
    case PathState::kWritable:
    case PathState::kKernel: return;
    case PathState::kHidden:
    case PathState::kPrivate:
      if (exists && error.failure != Failure::kReadOnly) {
        // A file that the caller could not read on the bare host either is an ordinary failure.
        if (!host_.readable(path)) return;
        const bool program = error.failure == Failure::kNoCommand;
        denial.operation = program ? "exec" : "read";
        denial.grant = plan::read_grant(path, view_->home());
        break;
      }
      if (lookup.state == PathState::kPrivate) return;  // writing there works; a missing file is simply missing
      if (!exists && !(refused || error.intent == Intent::kCreate)) return;
      [[fallthrough]];
    case PathState::kReadOnly:
    case PathState::kProtected: {
      if (lookup.state != PathState::kHidden && !refused) return;
      // EACCES on a file that the caller itself may not even read is the host's own answer.
      if (exists && error.failure == Failure::kDenied && !host_.readable(path)) return;
      if (!may_change(path)) return;
      denial.operation = exists ? "write" : "create";
      denial.grant = plan::write_grant(path, lookup, *view_, host_);
      break;
    }
  }
  if (lookup.own) denial.grant.reset();
  if (denial.grant) denial.allow_with = plan::flag_of(*denial.grant);
  add(std::move(denial));
}

void Inference::program_missing(std::string_view name) {
  if (!view_) view_ = std::make_unique<PlanView>(plan_);
  ErrorLine error;
  error.failure = Failure::kNoCommand;
  consider(error, name);
}

// A name that a shell, env, make or spawn() did not find: is there such a program that the plan keeps away?
bool Inference::consider_program(std::string_view name) {
  std::vector<std::string> directories = view_->search();
  if (const auto host_path = host_.variable("PATH")) {
    std::string_view rest = *host_path;
    while (!rest.empty() && directories.size() < 64) {
      const std::size_t colon = rest.find(':');
      std::string part(rest.substr(0, colon));
      if (part.starts_with("/") && std::find(directories.begin(), directories.end(), part) == directories.end())
        directories.push_back(std::move(part));
      if (colon == std::string_view::npos) break;
      rest.remove_prefix(colon + 1);
    }
  }
  for (const std::string& directory : directories) {
    const std::string given = paths::normal(directory + "/" + std::string(name));
    if (!may_query_host() || !host_.executable(given)) continue;
    const std::string path = canonical(given);
    const PathLookup lookup = view_->look_up(path);
    Denial denial;
    denial.operation = "exec";
    denial.resource = given;
    if (lookup.state == PathState::kHidden || lookup.state == PathState::kPrivate) {
      denial.rule = lookup.rule;
      // The grant shows the directory of PATH in which it was found, or the tool's own root if it has one.
      const std::string root = plan::toolchain_root(given, view_->home());
      denial.allow_with = "--read " + text::shell_word(root == given ? directory : root);
    } else if (auto kept = plan::exec_denial(*view_, path, name)) {
      denial.rule = std::move(kept->rule);
      denial.allow_with = std::move(kept->flag);
    } else {
      return false;
    }
    add(std::move(denial));
    return true;
  }
  return false;
}

void Inference::add(Denial denial) {
  denial.source = DenialSource::kInferred;
  for (Denial& known : found_) {
    if (known.operation == denial.operation && known.resource == denial.resource) {
      ++known.count;
      return;
    }
  }
  if (found_.size() < kMostDenials) found_.push_back(std::move(denial));
}

}  // namespace pinfold::report

// load.cc: files, variables and flags → the policy of a run.
// Invariant: the project's file is compared on the very scope that will be enforced.
// Not here: merging (policy/merge.h), the store (trust.h), asking (cli).
#include "settings/load.h"

#include <algorithm>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "policy/presets.h"
#include "settings/trust.h"

namespace pinfold::settings {
namespace {

using policy::Document;
using policy::Notation;

std::optional<Document> document_of(const std::optional<PolicyFile>& file, Source source) {
  if (!file) return std::nullopt;
  return policy::read_document(file->text, Notation::kToml, file->shown, source, {file->directory});
}

const Document* pointer(const std::optional<Document>& document) { return document ? &*document : nullptr; }

// The user's own policy does not use a profile that only the project defines.
void forget_project(policy::Layers& layers) {
  const Document* project = layers.project;
  layers.project = nullptr;
  const std::string name = choose_profile(layers).name;
  if (project->find(name) == nullptr || (layers.user != nullptr && layers.user->find(name) != nullptr)) return;
  layers.profile.reset();
  std::erase_if(layers.environment.settings,
                [](const policy::Setting& one) { return one.key == policy::Key::kProfile; });
}

// Where the sockets of sessions may be (control/runtime_dir.h): $XDG_RUNTIME_DIR/pinfold, /tmp/pinfold-UID.
std::vector<std::string> runtime_directories(HostView& host) {
  std::vector<std::string> out;
  const std::string base = host.variable("XDG_RUNTIME_DIR").value_or("");
  if (base.starts_with('/') && host.kind(base) == HostKind::kDirectory) out.push_back(paths::normal(base + "/pinfold"));
  out.push_back("/tmp/pinfold-" + std::to_string(host.identity().uid));
  return out;
}

// The directory itself, or its first missing ancestor: a process that can create that one can create the rest.
std::string as_far_as_it_exists(std::string directory, HostView& host) {
  if (const auto itself = host.resolve(directory)) return itself->canonical;
  for (;;) {
    const std::string parent(paths::parent(directory));
    if (const auto found = host.resolve(parent)) return paths::join(found->canonical, paths::basename(directory));
    if (parent == directory || parent.empty()) return directory;
    directory = parent;
  }
}

// A command that could write the user's file or the store of consents would write its own policy for the next run; one
// that could write the journal would hide its actions; one that could create sockets there could impersonate a
// session; one that could write the records of grants could make the next run change any access list. So they
// stay as they are also where the home directory is writable, unless a rule names them.
void protect_settings(Policy& policy, const Caller& caller, HostView& host) {
  if (policy.profile == policy::kFullAccessPreset) return;
  std::vector<std::pair<std::string, const char*>> places = {{config_directory(caller, host), "Pinfold's own settings"},
                                                             {state_directory(caller, host), "Pinfold's own journal"},
                                                             {grants_directory(caller, host), "Pinfold's own grants"}};
  for (std::string& each : runtime_directories(host)) places.emplace_back(std::move(each), "Pinfold's own sockets");
  for (const auto& [directory, what] : places)
    if (!directory.empty()) policy.protect.push_back({as_far_as_it_exists(directory, host), {Source::kPreset, what}});
}

// The file that a command runs under is not for it to change, wherever it lies.
void keep_as_it_is(const std::string& file, Policy& policy, HostView& host) {
  if (const auto info = host.resolve(file))
    policy.protect.push_back({info->canonical, {Source::kPreset, "the file of --policy"}});
}

// A variable overrides the user's file, as everywhere.
bool wants_journal(const Document* user, const policy::FromEnvironment& environment) {
  for (const policy::Setting& one : environment.settings)
    if (one.key == policy::Key::kJournal) return one.value != "off" && one.value != "false";
  return user == nullptr || !user->journal || user->journal->value != "false";
}

// Reads the files that were found and merges everything.
Result<LoadedPolicy> complete(LoadedPolicy out, policy::Layers layers, HostView& host) {
  const std::optional<Document> user = document_of(out.user, Source::kUserFile);
  const std::optional<Document> project = document_of(out.project, Source::kProjectFile);
  layers.user = pointer(user);
  layers.project = pointer(project);
  for (const Document* one : {layers.user, layers.project})
    if (one != nullptr && one->enabled && one->enabled->value == "false") out.off = one->enabled->where;
  out.journal = wants_journal(layers.user, layers.environment);
  PF_TRY(policy, policy::merge(layers));
  out.policy = std::move(policy);
  protect_settings(out.policy, layers.caller, host);
  out.chosen = choose_profile(layers).origin;
  if (layers.project != nullptr) {
    forget_project(layers);
    PF_TRY(own, policy::merge(layers));
    protect_settings(own, layers.caller, host);
    out.own = std::move(own);
  }
  return out;
}

}  // namespace

Result<LoadedPolicy> load(Sources sources, HostView& host) {
  LoadedPolicy out;
  if (sources.user_file == SourceUse::kRead) {
    PF_TRY(file, find_user_file(sources.layers.caller, host));
    out.user = std::move(file);
  }
  if (sources.project_file == SourceUse::kRead && !sources.named) {
    PF_TRY(file, find_project_file(sources.layers.caller, host));
    out.project = std::move(file);
  }
  if (sources.environment == SourceUse::kRead) sources.layers.environment = policy::read_environment(host);
  if (!sources.named) return complete(std::move(out), std::move(sources.layers), host);
  out.project = std::move(sources.named);
  PF_TRY(loaded, complete(std::move(out), std::move(sources.layers), host));
  loaded.own.reset();  // naming a file on the command line is consent to it
  keep_as_it_is(loaded.project->path, loaded.policy, host);
  return loaded;
}

bool wants_journal(const Caller& caller, SourceUse user_file, HostView& host) {
  std::optional<PolicyFile> file;
  if (user_file == SourceUse::kRead)
    if (auto found = find_user_file(caller, host)) file = std::move(*found);
  const std::optional<Document> user = document_of(file, Source::kUserFile);
  return wants_journal(pointer(user), policy::read_environment(host));
}

Result<LoadedPolicy> load_project(PolicyFile project, const Caller& caller, HostView& host) {
  LoadedPolicy out;
  PF_TRY(user, find_user_file(caller, host));
  out.user = std::move(user);
  out.project = std::move(project);
  policy::Layers layers;
  layers.caller = caller;
  layers.environment = policy::read_environment(host);
  return complete(std::move(out), std::move(layers), host);
}

std::string list_of(const std::vector<policy::Widening>& requested) {
  std::size_t places = 0;
  std::size_t things = 0;
  for (const policy::Widening& one : requested) {
    places = std::max(places, one.origin.where.size());
    things = std::max(things, std::min<std::size_t>(one.what.size(), 40));
  }
  const auto padded = [](std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
  };
  std::string out;
  for (const policy::Widening& one : requested)
    out += "  " + padded(text::shown(one.origin.where), places) + "  " + padded(one.what, things) +
           "  you: " + one.than + "\n";
  return out;
}

Result<std::vector<policy::Widening>> project_widenings(const LoadedPolicy& loaded, const policy::Scope& scope,
                                                        HostView& host) {
  if (!loaded.own) return std::vector<policy::Widening>{};
  PF_TRY(own, policy::Scope::build(*loaded.own, host));
  auto requested = policy::widenings(own, scope);
  // For a rule of a preset, the line that chose the preset is the origin.
  for (policy::Widening& one : requested)
    if (one.origin.source == Source::kPreset) one.origin.where = loaded.chosen.where + " (" + one.origin.where + ")";
  return requested;
}

Result<void> check_consent(const LoadedPolicy& loaded, const policy::Scope& scope, HostView& host,
                           const Caller& caller) {
  PF_TRY(requested, project_widenings(loaded, scope, host));
  if (requested.empty()) return {};
  PF_TRY(store, TrustStore::read(caller, host));
  if (store.covers(*loaded.project)) return {};
  const Consent* before = store.find(loaded.project->path);
  std::string what = text::shown(loaded.project->shown);
  what += before == nullptr
              ? " asks for more than you allow:"
              : " has changed since you trusted it (" + before->at + "), and asks for more than you allow:";
  what += "\n" + list_of(requested);
  what.pop_back();
  return fail(ErrorKind::kRefused, std::move(what),
              "to see it and trust it: pinfold policy trust; to run without it: --no-project-file");
}

}  // namespace pinfold::settings

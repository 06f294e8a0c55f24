// merge.cc: the order of the sources, and profiles that inherit.
// Invariant: within a file the top level applies first, then the inherited profiles, then the chosen profile.
// Not here: applying one setting (setting.cc), presets (presets.cc).
#include "policy/merge.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/edit_distance.h"
#include "base/glob.h"
#include "base/text.h"
#include "base/windows_paths.h"
#include "policy/presets.h"
#include "policy/rank.h"

namespace pinfold::policy {
namespace {

using std::string_view;
using text::shown;

bool is_preset(string_view name) {
  const auto& names = preset_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct Link {
  const Document* document;
  const Profile* profile;
};

// A profile with all inherited profiles, the root first.
struct Chain {
  std::string preset;
  std::vector<Link> links;
  std::vector<std::string> problems;
};

class Profiles {
 public:
  Profiles(const Document* user, const Document* project) : user_(user), project_(project) {}

  // `from`: the file that names it; the user's file cannot use the project's profiles.
  Chain chain(string_view name, const Origin& by, const Document* from) const {
    Chain out;
    std::vector<Link> leaf_first;
    std::string wanted(name);
    Origin named_by = by;
    while (true) {
      const Link link = find(wanted, from);
      if (link.profile == nullptr) break;
      const auto same = [&](const Link& one) { return one.profile == link.profile; };
      if (std::any_of(leaf_first.begin(), leaf_first.end(), same)) {
        out.problems.push_back(cycle(leaf_first, link));
        out.preset = kDefaultPreset;
        break;
      }
      if (leaf_first.size() == static_cast<std::size_t>(kMostLayers)) {
        out.problems.push_back(named_by.where + ": more than " + std::to_string(kMostLayers) +
                               " profiles inherit from each other (inherit from fewer)");
        out.preset = kDefaultPreset;
        break;
      }
      leaf_first.push_back(link);
      from = link.document;
      if (!link.profile->inherits) {
        wanted = kDefaultPreset;
      } else {
        wanted = link.profile->inherits->value;
        named_by = {link.document->source, link.profile->inherits->where};
      }
    }
    out.links.assign(leaf_first.rbegin(), leaf_first.rend());
    if (!out.problems.empty()) return out;
    out.preset = wanted;
    const bool inherited = !leaf_first.empty();
    if (!is_preset(wanted) && !(inherited && wanted == kEmptyPreset)) {
      out.problems.push_back(unknown(wanted, named_by, from));
      out.preset = kDefaultPreset;
    }
    return out;
  }

 private:
  Link find(string_view name, const Document* from) const {
    const bool may_see_project = from != user_ || from == nullptr;
    if (project_ != nullptr && may_see_project)
      if (const Profile* found = project_->find(name)) return {project_, found};
    if (user_ != nullptr)
      if (const Profile* found = user_->find(name)) return {user_, found};
    return {nullptr, nullptr};
  }

  // The same message for any profile of the cycle.
  static std::string cycle(const std::vector<Link>& seen, const Link& again) {
    std::vector<Link> circle;
    for (const Link& one : seen)
      if (!circle.empty() || one.profile == again.profile) circle.push_back(one);
    const auto first = std::min_element(circle.begin(), circle.end(),
                                        [](const Link& a, const Link& b) { return a.profile->name < b.profile->name; });
    std::rotate(circle.begin(), first, circle.end());
    std::string way;
    for (const Link& one : circle) way += one.profile->name + " → ";
    return circle[0].profile->inherits->where +
           ": profiles inherit from each other in a circle: " + shown(way + circle[0].profile->name) +
           " (let one of them inherit from a preset)";
  }

  std::string unknown(string_view name, const Origin& named_by, const Document* from) const {
    std::vector<string_view> names(preset_names());
    for (const Document* document : {project_, user_})
      if (document != nullptr && (document != project_ || from != user_ || from == nullptr))
        for (const Profile& one : document->profiles) names.push_back(one.name);
    const auto near = closest_word(name, names);
    std::string all;
    for (const string_view one : names) all += (all.empty() ? "" : ", ") + shown(one);
    return shown(named_by.where) + ": there is no profile \"" + shown(name) + "\" (" +
           (near ? "did you mean " + shown(*near) + "?" : "the profiles are " + all) + ")";
  }

  const Document* user_;
  const Document* project_;
};

// More than a person reads; a hostile file could have tens of thousands.
constexpr std::size_t kMostReported = 100;

// Problems of several builders, each reported once, those of a file in the order of its lines.
class Problems {
 public:
  void add(const std::string& line) {
    if (known_.insert(line).second) lines_.push_back(line);
  }
  void add(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) add(line);
  }
  bool none() const { return lines_.empty(); }
  Error error(const Layers& layers) {
    std::vector<std::pair<std::array<std::size_t, 3>, const std::string*>> order;
    for (const std::string& line : lines_) order.emplace_back(place(line, layers), &line);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string all;
    for (std::size_t i = 0; i < std::min(order.size(), kMostReported); ++i)
      all += (all.empty() ? "" : "\n") + *order[i].second;
    if (order.size() > kMostReported) all += "\n… and " + std::to_string(order.size() - kMostReported) + " more";
    return {ErrorKind::kInvalid, std::move(all)};
  }

 private:
  // "pinfold.toml:3:9: …" → its file, line and column; problems from other sources come last.
  static std::array<std::size_t, 3> place(string_view line, const Layers& layers) {
    std::array<std::size_t, 3> out = {2, 0, 0};
    std::size_t file = 0;
    for (const Document* document : {layers.user, layers.project}) {
      if (document != nullptr && line.starts_with(document->file + ":")) {
        line.remove_prefix(document->file.size() + 1);
        out[0] = file;
        for (std::size_t part = 1; part < out.size(); ++part) {
          std::size_t digits = 0;
          for (; digits < line.size() && line[digits] >= '0' && line[digits] <= '9'; ++digits)
            out[part] = out[part] * 10 + static_cast<std::size_t>(line[digits] - '0');
          line.remove_prefix(std::min(digits + 1, line.size()));
        }
        return out;
      }
      ++file;
    }
    return out;
  }

  std::unordered_set<std::string> known_;
  std::vector<std::string> lines_;
};

bool holds_path(const Setting& setting) {
  switch (setting.key) {
    case Key::kRead:
    case Key::kWrite:
    case Key::kProtect:
    case Key::kWorkspace: return true;
    case Key::kHide: return setting.literal || !is_pattern(setting.value);
    case Key::kExec: return setting.value.find_first_of("/\\") != std::string::npos;
    default: return false;
  }
}

void apply_all(const std::vector<Setting>& settings, Source source, int layer, const Base& base, const Caller& caller,
               PolicyBuilder& builder) {
  for (const Setting& one : settings) {
    const Origin origin{source, one.where, layer};
    if (caller.platform != Platform::kWindows || !holds_path(one) || one.value.empty()) {
      apply(one, origin, base, builder);
      continue;
    }
    auto path = windows_paths::to_core(one.value, {base.directory, caller.home});
    if (!path) {
      builder.problem(origin, path.error().text(), path.error().fix());
      continue;
    }
    Setting resolved = one;
    resolved.value = std::move(*path);
    apply(resolved, origin, base, builder);
  }
}

void apply_files(const Layers& layers, const Chain& chain, PolicyBuilder& builder) {
  for (const Document* document : {layers.user, layers.project}) {
    if (document == nullptr) continue;
    apply_all(document->settings, document->source, 0, document->base, layers.caller, builder);
    int layer = 0;
    for (const Link& link : chain.links)
      if (link.document == document)
        apply_all(link.profile->settings, document->source, ++layer, document->base, layers.caller, builder);
  }
}

// Profiles that are not chosen are checked, too.
void check_others(const Layers& layers, const Profiles& profiles, const Chain& chosen, Problems& problems) {
  for (const Document* document : {layers.user, layers.project}) {
    if (document == nullptr) continue;
    for (const Profile& one : document->profiles) {
      const auto same = [&](const Link& link) { return link.profile == &one; };
      if (std::any_of(chosen.links.begin(), chosen.links.end(), same)) continue;
      const Origin origin{document->source, one.where};
      const Chain chain = profiles.chain(one.name, origin, document);
      problems.add(chain.problems);
      PolicyBuilder builder(chain.preset, layers.caller, origin);
      apply_files(layers, chain, builder);
      problems.add(builder.problems());
    }
  }
}

}  // namespace

ProfileChoice choose_profile(const Layers& layers) {
  if (layers.profile) return {layers.profile->value, {layers.flag_source, layers.profile->where}};
  for (const Setting& one : layers.environment.settings)
    if (one.key == Key::kProfile) return {one.value, {Source::kEnvironment, one.where}};
  for (const Document* document : {layers.project, layers.user})
    if (document != nullptr && document->profile)
      return {document->profile->value, {document->source, document->profile->where}};
  return {std::string(kDefaultPreset), {Source::kPreset, "default"}};
}

Result<Policy> merge(const Layers& layers) {
  Problems problems;
  for (const Document* document : {layers.user, layers.project})
    if (document != nullptr) problems.add(document->problems);
  problems.add(layers.environment.problems);

  const Profiles profiles(layers.user, layers.project);
  const ProfileChoice chosen = choose_profile(layers);
  const Document* named_by = chosen.origin.source == Source::kUserFile ? layers.user : layers.project;
  const Chain chain = profiles.chain(chosen.name, chosen.origin, named_by);
  problems.add(chain.problems);

  PolicyBuilder builder(chain.preset, layers.caller, chosen.origin);
  if (layers.full_access) builder.allow(*layers.full_access, chosen.origin);
  if (!chain.links.empty()) builder.named(chosen.name);
  apply_files(layers, chain, builder);
  apply_all(layers.environment.settings, Source::kEnvironment, 0, {layers.caller.working_dir}, layers.caller, builder);
  apply_all(layers.flags, layers.flag_source, 0, {layers.caller.working_dir}, layers.caller, builder);
  problems.add(builder.problems());
  check_others(layers, profiles, chain, problems);
  auto policy = std::move(builder).build();
  if (!policy && problems.none()) return policy;
  if (!policy) {
    // build() adds the problems that only it can find.
    for (std::size_t begin = 0; begin < policy.error().text().size();) {
      const std::size_t end = std::min(policy.error().text().find('\n', begin), policy.error().text().size());
      problems.add(policy.error().text().substr(begin, end - begin));
      begin = end + 1;
    }
  }
  if (!problems.none()) return tl::unexpected<Error>(problems.error(layers));
  return policy;
}

}  // namespace pinfold::policy

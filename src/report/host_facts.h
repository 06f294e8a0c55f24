// host_facts.h: the facts about this host that decide which fix helps.
// Invariant: only reads; a fact that cannot be read is unknown, never guessed.
// Not here: the hints (hints.h), probing mechanisms (backend).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/host_view.h"

namespace pinfold::report {

// The distribution; derivatives count as the distribution that they are made from.
enum class Distribution { kDebian, kFedora, kArch, kSuse, kAlpine, kOther };
enum class Container { kNone, kDocker, kPodman, kKubernetes, kUnknown };

struct KernelVersion {
  unsigned major = 0;
  unsigned minor = 0;
  auto operator<=>(const KernelVersion&) const = default;
};

struct HostFacts {
  Distribution distribution = Distribution::kOther;
  std::string name;     // "Ubuntu 24.04.1 LTS"
  std::string program;  // this program's own path
  std::string home;     // the caller's
  std::string as_root;  // prefix of a command that needs root: "sudo ", "doas ", or nothing
  std::optional<KernelVersion> kernel;
  std::vector<std::string> security_modules;                   // empty: unknown
  std::optional<std::uint64_t> apparmor_restricts_namespaces;  // kernel.apparmor_restrict_unprivileged_userns
  std::optional<std::uint64_t> unprivileged_namespaces;        // kernel.unprivileged_userns_clone
  std::optional<std::uint64_t> max_user_namespaces;            // user.max_user_namespaces
  Container container = Container::kNone;
  bool masked_proc = false;             // something is mounted over parts of /proc
  bool has_bubblewrap = false;          // bwrap is installed
  bool has_bubblewrap_profile = false;  // AppArmor has a profile that lets bwrap make user namespaces
  bool has_systemd = false;
};

HostFacts gather_facts(HostView& host);

}  // namespace pinfold::report

// presets.h: the rules of each preset; docs/reference/presets.md has the same table.
// Invariant: a preset never names a path that must exist.
// Not here: flags and files that come on top (builder.cc).
#pragma once

#include <array>
#include <string_view>

#include "pinfold/policy.h"

namespace pinfold::policy {

inline constexpr std::string_view kDefaultPreset = "moderate";
inline constexpr std::string_view kFullAccessPreset = "danger-full-access";
// Allows nothing: for profiles that list every rule themselves. Not offered on the command line.
inline constexpr std::string_view kEmptyPreset = "empty";

// Sockets by which programs would resolve names on the host; no preset shows them, but a rule may show /run. Hidden
// where only names are granted.
inline constexpr auto kNameServices =
    std::to_array<const char*>({"/run/nscd", "/var/run/nscd", "/run/systemd/resolve", "/run/avahi-daemon"});

// Fills `policy` with the preset's rules; false for an unknown name. Workspaces are not part of it.
bool apply_preset(std::string_view name, const Caller& caller, Policy& policy);

// May variables of this name only be declared by flag or API? They make programs run code on their own.
bool runs_code(std::string_view variable);

}  // namespace pinfold::policy

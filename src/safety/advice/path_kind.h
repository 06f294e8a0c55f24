// path_kind.h: the kinds of a path: the root, a home, a disk, a credential, a start-up file…
// Invariant: uses the text only, never the host. Not here: the operation on the path (rules.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "safety/advice/script.h"

namespace pinfold::advice {

// A path can be several: /etc/shadow is a system file, an account file and a credential.
using PathKinds = std::uint32_t;
inline constexpr PathKinds kRoot = 1U << 0;         // "/", "/*", "C:\"
inline constexpr PathKinds kHome = 1U << 1;         // a whole home: "~", "$HOME/*", "/home"
inline constexpr PathKinds kSystem = 1U << 2;       // a whole system directory: "/usr", "/etc/*"
inline constexpr PathKinds kBelowSystem = 1U << 3;  // anything in one
inline constexpr PathKinds kDisk = 1U << 4;         // "/dev/sda"
inline constexpr PathKinds kCredential = 1U << 5;
inline constexpr PathKinds kStartup = 1U << 6;   // runs by itself later: shell start-up files, cron, units, hooks
inline constexpr PathKinds kAccounts = 1U << 7;  // accounts, logins and privileges
inline constexpr PathKinds kLog = 1U << 8;
inline constexpr PathKinds kUnset = 1U << 9;  // "$X/": the root, if X is empty
inline constexpr PathKinds kHere = 1U << 10;  // ".", "*"
inline constexpr PathKinds kParent = 1U << 11;
inline constexpr PathKinds kKernel = 1U << 12;  // switches of the kernel below /proc and /sys
inline constexpr PathKinds kTemp = 1U << 13;
inline constexpr PathKinds kEngine = 1U << 14;      // the socket of a container engine
inline constexpr PathKinds kNetwork = 1U << 15;     // "/dev/tcp/…"
inline constexpr PathKinds kMemory = 1U << 16;      // memory and environment of other processes
inline constexpr PathKinds kRepository = 1U << 17;  // ".git"
inline constexpr PathKinds kGuard = 1U << 19;       // firewall, audit, logging
inline constexpr PathKinds kCore = 1U << 20;        // right below /etc, or in one of its folders that everything needs
inline constexpr PathKinds kPrivate =
    1U << 21;  // sounds like a secret by its name: ".env", "private.key", "passwords.txt"
inline constexpr PathKinds kSetting = 1U << 18;  // files that control what the system trusts: hosts, resolv.conf, pam

// `directory`: where the text itself went before ("cd /"), or empty.
PathKinds path_kinds_of(const Word& word, std::string_view directory);
PathKinds path_kinds_of(std::string_view path);

// The name of a path kind in a rule: "root", "below-system".
std::optional<PathKinds> path_kind_named(std::string_view name);

// Without "//", "/./", "x/.." and the last "/".
std::string tidy_path(std::string_view path);

// The last part of a path: "sh" of "/bin/sh".
std::string_view base_name(std::string_view path);

}  // namespace pinfold::advice

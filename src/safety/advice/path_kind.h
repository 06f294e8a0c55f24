// path_kind.h: what kind of place a path names: the root, a home, a disk, a credential, a start-up file…
// Invariant: judged by the text alone; the host is never asked. Not here: what is done there (rules.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "safety/advice/script.h"

namespace pinfold::advice {

// A path can be several: /etc/shadow is a system file, an account file and a credential.
using Places = std::uint32_t;
inline constexpr Places kRoot = 1U << 0;         // "/", "/*", "C:\"
inline constexpr Places kHome = 1U << 1;         // a whole home: "~", "$HOME/*", "/home"
inline constexpr Places kSystem = 1U << 2;       // a whole system directory: "/usr", "/etc/*"
inline constexpr Places kBelowSystem = 1U << 3;  // anything in one
inline constexpr Places kDisk = 1U << 4;         // "/dev/sda"
inline constexpr Places kCredential = 1U << 5;
inline constexpr Places kStartup = 1U << 6;   // runs by itself later: shell start-up files, cron, units, hooks
inline constexpr Places kAccounts = 1U << 7;  // who may log in, and as whom
inline constexpr Places kLog = 1U << 8;
inline constexpr Places kUnset = 1U << 9;  // "$X/": everything, where X is empty
inline constexpr Places kHere = 1U << 10;  // ".", "*"
inline constexpr Places kParent = 1U << 11;
inline constexpr Places kKernel = 1U << 12;  // switches of the kernel below /proc and /sys
inline constexpr Places kTemp = 1U << 13;
inline constexpr Places kEngine = 1U << 14;      // the socket of a container engine
inline constexpr Places kNetwork = 1U << 15;     // "/dev/tcp/…"
inline constexpr Places kMemory = 1U << 16;      // memory and environment of other processes
inline constexpr Places kRepository = 1U << 17;  // ".git"
inline constexpr Places kGuard = 1U << 19;       // what is let in and written down: firewall, audit, logging
inline constexpr Places kCore = 1U << 20;        // right below /etc, or in one of its folders that everything needs
inline constexpr Places kPrivate =
    1U << 21;  // sounds like a secret by its name: ".env", "private.key", "passwords.txt"
inline constexpr Places kSetting = 1U << 18;  // files that decide whom the system trusts: hosts, resolv.conf, pam

// `directory`: where the text itself went before ("cd /"), or empty.
Places places_of(const Word& word, std::string_view directory);
Places places_of(std::string_view path);

// The name of a place in a rule: "root", "below-system".
std::optional<Places> place_named(std::string_view name);

// Without "//", "/./", "x/.." and the last "/".
std::string tidy_path(std::string_view path);

// The last part of a path: "sh" of "/bin/sh".
std::string_view base_name(std::string_view path);

}  // namespace pinfold::advice

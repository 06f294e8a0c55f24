// starter.cc: the content of a first pinfold.toml, chosen by the files of the directory.
// Invariant: every line that is not a comment only narrows, and stays valid when the files that it names are removed.
// Not here: writing it (cli/init.cc).
#include "settings/starter.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/glob.h"
#include "base/text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "policy/print.h"

namespace pinfold::settings {
namespace {

using std::string_view;

struct Ecosystem {
  string_view name;
  std::array<string_view, 8> markers;  // names or patterns; the first that exists is named
  string_view fetch;                   // fetches dependencies, so it needs the network
  string_view work;                    // its usual commands
  string_view env;                     // variables that are often wanted
};

constexpr Ecosystem kEcosystems[] = {
    {"Node", {"package.json"}, "npm ci", "npm test", "\"NODE_ENV=test\", \"CI=1\""},
    {"Deno", {"deno.json", "deno.jsonc"}, "deno install", "deno test", ""},
    {"Python",
     {"pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "Pipfile", "tox.ini"},
     ".venv/bin/pip install -r requirements.txt",
     "python3 -m pytest",
     "\"PYTHONDONTWRITEBYTECODE=1\""},
    {"Rust", {"Cargo.toml"}, "cargo fetch", "cargo test --offline", "\"RUST_BACKTRACE=1\""},
    {"Go", {"go.mod", "go.work"}, "go mod download", "go test ./...", "\"GOFLAGS=-mod=mod\""},
    {"C and C++",
     {"CMakeLists.txt", "meson.build", "configure.ac", "Makefile", "makefile", "BUILD.bazel", "*.cpp", "*.c"},
     "",
     "make",
     "\"CC\", \"CXX\", \"CFLAGS\", \"CXXFLAGS\""},
    {"Java",
     {"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle"},
     "mvn dependency:go-offline",
     "mvn -o test",
     "\"MAVEN_OPTS\""},
    {"Ruby", {"Gemfile", "*.gemspec"}, "bundle install", "bundle exec rake test", ""},
    {"PHP", {"composer.json"}, "composer install", "vendor/bin/phpunit", ""},
    {".NET", {"*.csproj", "*.fsproj", "*.sln"}, "dotnet restore", "dotnet test --no-restore", ""},
    {"Elixir", {"mix.exs"}, "mix deps.get", "mix test", "\"MIX_ENV=test\""},
    {"Haskell", {"stack.yaml", "cabal.project", "*.cabal"}, "cabal build --only-dependencies", "cabal test", ""},
    {"Zig", {"build.zig"}, "", "zig build test", ""},
    {"Terraform", {"*.tf"}, "terraform init", "terraform validate", ""},
};

// Files that look like secrets and that no preset but strict hides.
constexpr auto kSecrets = std::to_array<string_view>({"*.pem",         "*.key",
                                                      "*.p12",         "*.pfx",
                                                      "*.jks",         "*.keystore",
                                                      "*.kdbx",        ".npmrc",
                                                      ".pypirc",       ".git-credentials",
                                                      ".env.*",        "secrets.*",
                                                      "*.secret",      "credentials.json",
                                                      "credentials.*", "service-account*.json",
                                                      "*.tfstate",     "*.tfvars",
                                                      "master.key",    ".htpasswd",
                                                      "*.ovpn",        "kubeconfig"});
// Examples are made to be read.
constexpr auto kHarmless = std::to_array<string_view>({"*.example", "*.sample", "*.template", "*.dist", "*.pub"});

template <typename Patterns>
bool matches_any(const Patterns& patterns, string_view name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](string_view one) {
    const auto glob = Glob::parse(one);
    return !one.empty() && glob && glob->matches(name);
  });
}

bool has(const std::vector<HostEntry>& entries, string_view pattern, std::string& which) {
  for (const HostEntry& entry : entries) {
    if (entry.kind == HostKind::kDirectory) continue;
    if (entry.name == pattern || (is_pattern(pattern) && matches_any(std::array{pattern}, entry.name))) {
      which = entry.name;
      return true;
    }
  }
  return false;
}

std::string ecosystem_text(const Ecosystem& one, const std::string& marker) {
  std::string out = "\n# ---- " + std::string(one.name) + " (" + text::shown(marker) + ") ----\n";
  out += "#   pinfold run -- " + std::string(one.work) + "\n";
  if (!one.fetch.empty())
    out += "# Fetching dependencies needs the network, for that command alone:\n#   pinfold run --net full -- " +
           std::string(one.fetch) + "\n";
  if (!one.env.empty()) out += "# env = [" + std::string(one.env) + "]\n";
  return out;
}

}  // namespace

Result<Starter> starter_file(const std::string& directory, HostView& host) {
  PF_TRY(entries, host.list(directory), "looking at the project");
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  Starter out;
  std::string sections;
  for (const Ecosystem& one : kEcosystems) {
    for (const string_view marker : one.markers) {
      std::string which;
      if (marker.empty() || !has(entries, marker, which)) continue;
      out.found.push_back(std::string(one.name) + " (" + text::shown(which) + ")");
      sections += ecosystem_text(one, which);
      break;
    }
  }
  std::string hides;
  for (const HostEntry& entry : entries)
    if (entry.kind != HostKind::kDirectory && matches_any(kSecrets, entry.name) &&
        !matches_any(kHarmless, entry.name) && is_utf8(entry.name))  // TOML is UTF-8 and nothing else
      hides += "  { path = " + policy::toml_string(entry.name) + ", optional = true },\n";

  out.text =
      "# pinfold.toml: what commands in this project may do. `pinfold run -- COMMAND` reads it.\n"
      "# It can narrow your own policy. To get access beyond your own policy, you must trust it: pinfold policy "
      "trust.\n"
      "# The rules in effect and their origins: pinfold policy show. Every key: docs/reference/policy.md.\n"
      "\n"
      "# The profile to start from: strict, moderate, permissive, read-only, or a profile below.\n"
      "# profile = \"moderate\"\n";
  if (hides.empty())
    out.text +=
        "\n# Files and patterns that commands should not see. (.env and private ssh keys are hidden anyway.)\n"
        "# hide = [\"secrets\", \"**/*.pem\"]\n";
  else
    out.text += "\n# These look like secrets; commands do not see them.\nhide = [\n" + hides + "]\n";
  out.text +=
      "\n# Names that stay as they are, beside git hooks, editor and agent settings.\n"
      "# protect = [\".github\"]\n"
      "\n# More to read or to write, outside of the project. (You must trust the file.)\n"
      "# read = [\"~/data\"]\n"
      "# write = [\"~/.cache/this-project\"]\n"
      "\n# Limits of a command and all that it starts.\n"
      "# timeout = \"10m\"\n"
      "# memory = \"4G\"\n"
      "# processes = 512\n";
  out.text += sections;
  out.text +=
      "\n# ---- a profile of your own: pinfold run --profile review -- COMMAND ----\n"
      "# [profiles.review]\n"
      "# inherits = \"read-only\"\n"
      "# timeout = \"2m\"\n";
  return out;
}

}  // namespace pinfold::settings

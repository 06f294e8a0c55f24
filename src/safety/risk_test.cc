// risk_test.cc: the risk texts of paths and hosts, by table.
#include "safety/risk.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "safety/path_risk.h"

namespace pinfold::safety {
namespace {

const std::vector<std::string> kWorkspaces = {"/home/ada/ws"};

struct Case {
  const char* operation;
  const char* resource;
  RiskLevel level;
  const char* word;  // in the sentence
};

Risk risk(std::string_view operation, std::string_view resource) {
  return risk_of(operation, resource, "/home/ada", kWorkspaces);
}

class RiskOf : public testing::TestWithParam<Case> {};

TEST_P(RiskOf, ScoresPermissions) {
  const Case& one = GetParam();
  const Risk got = risk(one.operation, one.resource);
  EXPECT_EQ(got.level, one.level) << one.operation << " " << one.resource << ": " << got.words;
  EXPECT_NE(got.words.find(one.word), std::string::npos) << one.operation << " " << one.resource << ": " << got.words;
}

INSTANTIATE_TEST_SUITE_P(Paths, RiskOf,
                         testing::ValuesIn(std::vector<Case>{
                             {"read", "/home/ada/.ssh/id_ed25519", kHigh, "private key"},
                             {"read", "/home/ada/.ssh", kHigh, "private key"},
                             {"read", "/home/ada/.ssh/id_ed25519.pub", kLow, "public key"},
                             {"read", "/home/ada/.ssh/known_hosts", kLow, "servers"},
                             {"write", "/home/ada/.ssh/authorized_keys", kHigh, "its own keys"},
                             {"write", "/home/ada/.ssh/config", kHigh, "ssh runs"},
                             {"read", "/home/ada/.aws/credentials", kHigh, "cloud"},
                             {"read", "/home/ada/.kube/config", kHigh, "cloud"},
                             {"read", "/home/ada/.gnupg/pubring.kbx", kHigh, "private key"},
                             {"read", "/home/ada/.netrc", kHigh, "passwords"},
                             {"read", "/home/ada/.docker/config.json", kHigh, "tokens"},
                             {"read", "/home/ada/.docker/other", kMedium, "not part of the project"},
                             {"read", "/home/ada/.mozilla/firefox/x/cookies.sqlite", kHigh, "cookies"},
                             {"read", "/home/ada/.local/share/keyrings/login.keyring", kHigh, "passwords"},
                             {"read", "/home/ada/.bash_history", kHigh, "typed"},
                             {"read", "/home/ada/ws/.env", kHigh, "passwords"},
                             {"read", "/home/ada/ws/.env.example", kLow, "project"},
                             {"read", "/srv/x/.env", kHigh, "passwords"},
                             {"read", "/home/ada/ws/src/main.c", kLow, "project"},
                             {"write", "/home/ada/ws/src/main.c", kLow, "change"},
                             {"read", "/home/ada/ws/certs/server.key", kHigh, "private key"},
                             {"read", "/etc/ssl/certs/ca-certificates.pem", kLow, "set up"},
                             {"write", "/home/ada/.bashrc", kHigh, "by themselves"},
                             {"create", "/home/ada/.profile", kHigh, "by themselves"},
                             {"read", "/home/ada/.bashrc", kMedium, "tokens"},
                             {"create", "/home/ada/.config/autostart/x.desktop", kHigh, "started by itself"},
                             {"create", "/home/ada/.config/systemd/user/x.service", kHigh, "started by itself"},
                             {"write", "/var/spool/cron/crontabs/ada", kHigh, "started by itself"},
                             {"create", "/home/ada/.local/bin/ls", kHigh, "replace a program"},
                             {"exec", "/home/ada/.local/bin/tool", kLow, "programs"},
                             {"write", "/usr/local/bin/x", kHigh, "replace a program"},
                             {"write", "/home/ada/.gitconfig", kHigh, "git runs"},
                             {"create", "/home/ada/ws/.git/hooks/pre-commit", kHigh, "git runs"},
                             {"read", "/home/ada/ws/.git/hooks/pre-commit", kLow, "git"},
                             {"write", "/home/ada/ws/.git/index", kLow, "project"},
                             {"create", "/home/ada/ws/.vscode/tasks.json", kHigh, "editor"},
                             {"write", "/home/ada/.config/pinfold/config.toml", kHigh, "Pinfold allows"},
                             {"read", "/home/ada/Documents/letter.odt", kMedium, "documents"},
                             {"delete", "/home/ada/Pictures/a.jpg", kMedium, "documents"},
                             {"read", "/home/ada/.cache/pip/x", kLow, "caches of tools"},
                             {"write", "/home/ada/.cache/pip/x", kLow, "caches of tools"},
                             {"read", "/home/ada/.rustup/toolchains/x", kLow, "tools"},
                             {"write", "/home/ada/.rustup/toolchains/x", kMedium, "other projects"},
                             {"read", "/home/ada/.cargo/credentials.toml", kHigh, "tokens"},
                             {"read", "/home/ada/notes", kMedium, "not part of the project"},
                             {"read", "/home/ada", kHigh, "read all your files"},
                             {"write", "/home", kHigh, "all your files"},
                             {"read", "/", kHigh, "every file"},
                             {"read", "/home/eve/x", kHigh, "another person"},
                             {"read", "/root/x", kHigh, "another person"},
                             {"read", "/home/adam/x", kHigh, "another person"},
                             {"read", "/etc/hosts", kLow, "set up"},
                             {"write", "/etc/hosts", kHigh, "everyone"},
                             {"read", "/etc/shadow", kHigh, "passwords"},
                             {"write", "/etc/sudoers.d/x", kHigh, "root"},
                             {"write", "/usr/lib/libc.so", kHigh, "everyone"},
                             {"read", "/srv/data", kMedium, "outside of the project"},
                             {"write", "/srv/data", kMedium, "outside of the project"},
                             {"connect", "/run/docker.sock", kHigh, "root"},
                             {"connect", "/home/ada/.docker/run/docker.sock", kHigh, "root"},
                             {"connect", "/tmp/ssh-Ab12/agent.77", kHigh, "agent"},
                             {"connect", "/run/user/1000/bus", kHigh, "services"},
                             {"connect", "/run/user/1000/wayland-0", kHigh, "screen"},
                             {"connect", "/tmp/.X11-unix/X0", kHigh, "screen"},
                             {"connect", "/run/user/1000/keyring/ssh", kHigh, "agent"},
                             {"connect", "/srv/app.sock", kMedium, "running program"},
                             {"connect", "/home/ada/.ssh/control", kMedium, "running program"},
                             {"read", "/home/ada/ws/../.ssh/id_rsa", kHigh, "private key"},
                         }));

INSTANTIATE_TEST_SUITE_P(Settings, RiskOf,
                         testing::ValuesIn(std::vector<Case>{
                             {"write", "/home/ada/.config", kHigh, "settings"},
                             {"create", "/home/ada/.config", kHigh, "settings"},
                             {"read", "/home/ada/.config", kMedium, "settings"},
                             {"write", "/home/ada/.config/some-tool", kMedium, "files of yours"},
                         }));

INSTANTIATE_TEST_SUITE_P(Hosts, RiskOf,
                         testing::ValuesIn(std::vector<Case>{
                             {"connect", "registry.npmjs.org:443", kLow, "packages"},
                             {"connect", "pypi.org", kLow, "packages"},
                             {"connect", "github.com:22", kLow, "code"},
                             {"connect", "GitHub.COM.", kLow, "code"},
                             {"connect", "gist.github.com", kHigh, "drop data"},
                             {"connect", "notgithub.com", kMedium, "all data that it can read"},
                             {"connect", "github.com.example.org", kMedium, "all data that it can read"},
                             {"connect", "*.github.com", kHigh, "drop data"},
                             {"connect", "*.com", kHigh, "great many"},
                             {"connect", "pastebin.com:443", kHigh, "drop data"},
                             {"connect", "x.webhook.site", kHigh, "collecting point"},
                             {"connect", "abc.ngrok-free.app", kHigh, "tunnel"},
                             {"connect", "hooks.slack.com", kHigh, "collecting point"},
                             {"connect", "bucket.s3.amazonaws.com", kMedium, "rent"},
                             {"connect", "example.org:443", kMedium, "all data that it can read"},
                             {"connect", "93.184.216.34:443", kMedium, "without a name"},
                             {"connect", "10.1.2.3:22", kMedium, "your own network"},
                             {"connect", "192.168.1.1", kMedium, "your own network"},
                             {"connect", "[fd00::1]:80", kMedium, "your own network"},
                             {"connect", "127.0.0.1:5432", kMedium, "service of this machine"},
                             {"connect", "localhost:5432", kMedium, "service of this machine"},
                             {"connect", "[::1]:80", kMedium, "service of this machine"},
                             {"connect", "::1", kMedium, "service of this machine"},
                             {"connect", "localhost:2375", kHigh, "root"},
                             {"connect", "169.254.169.254:80", kHigh, "credentials"},
                             {"connect", "169.254.0.0/16:80", kHigh, "credentials"},
                             {"connect", "0.0.0.0/0:443", kHigh, "great many"},
                             {"connect", "8.8.8.8:53", kMedium, "name server"},
                             {"connect", "", kMedium, "all data that it can read"},
                             {"connect", "bad name\x01", kMedium, "all data that it can read"},
                         }));

TEST(Risk, IsOneSentenceWithoutTheResource) {
  for (const RiskPath& row : kRiskPaths) {
    for (const RiskText& words : {row.read, row.change}) {
      EXPECT_TRUE(words.text.ends_with('.')) << words.text;
      EXPECT_EQ(words.text.find(". "), std::string_view::npos) << words.text;
      EXPECT_EQ(words.text.find('\n'), std::string_view::npos) << words.text;
    }
  }
  for (const char* resource : {"/home/ada/\x1b[31mboo", "/srv/\xff\xfe", "ev\x1bil.example"})
    EXPECT_EQ(risk("read", resource).words.find_first_of("\x1b\xff"), std::string::npos);
}

// A row that another one hides would be a mistake in the table.
TEST(Risk, EveryRowHasAText) {
  for (const RiskPath& row : kRiskPaths) {
    std::string path(row.pattern);
    if (row.match == PathMatch::kHome) path = "/home/ada/" + path;
    if (row.match == PathMatch::kPart || row.match == PathMatch::kName) path = "/srv/" + path;
    if (row.match == PathMatch::kEnding) path = "/srv/x" + path;
    const Risk got = risk(row.socket ? "connect" : "read", path);
    EXPECT_EQ(got.words, row.read.text) << row.pattern;
  }
}

TEST(Risk, WithoutAHome) {
  EXPECT_EQ(risk_of("read", "/.ssh/x", "/", {}).level, kMedium);
  EXPECT_EQ(risk_of("read", "/.ssh/x", "", {}).level, kMedium);
}

}  // namespace
}  // namespace pinfold::safety

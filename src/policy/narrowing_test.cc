// narrowing_test.cc: changes of a project's file that need consent, one case for each kind, and changes that need none.
// Not here: everything at once against a model (narrowing_property_test.cc).
#include "policy/narrowing.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"
#include "policy/merge.h"

namespace pinfold::policy {
namespace {

const Caller kAda{"/home/ada", "/home/ada/ws"};

class Narrowing : public testing::Test {
 protected:
  Narrowing() {
    host.debian().dir("/home/ada/ws/src/.git/hooks").dir("/home/ada/ws/.git/hooks").file("/home/ada/ws/.env");
    host.dir("/home/ada/.ssh").dir("/srv/data");
  }
  // "what|what" that the project's text requests beyond the user's.
  std::string beyond(const std::string& user_text, const std::string& project_text) {
    const Document user = read_document(user_text, Notation::kToml, "config.toml", Source::kUserFile, {});
    const Document project =
        read_document(project_text, Notation::kToml, "pinfold.toml", Source::kProjectFile, {kAda.working_dir});
    Layers layers;
    layers.caller = kAda;
    layers.user = &user;
    const auto own = merge(layers);
    layers.project = &project;
    const auto asked = merge(layers);
    if (!own || !asked) return "mistake: " + (own ? asked : own).error().text();
    const auto before = Scope::build(*own, host);
    const auto after = Scope::build(*asked, host);
    if (!before || !after) return "refused: " + (before ? after : before).error().text();
    std::string out;
    for (const Widening& one : widenings(*before, *after)) {
      EXPECT_FALSE(one.than.empty());
      out += (out.empty() ? "" : "|") + one.what;
    }
    return out;
  }
  FakeHost host;
};

TEST_F(Narrowing, Paths) {
  EXPECT_EQ(beyond("", "read = [\"/srv/data\"]"), "read /srv/data");
  EXPECT_EQ(beyond("read = [\"/srv\"]", "read = [\"/srv/data\"]"), "");
  EXPECT_EQ(beyond("read = [\"/srv\"]", "write = [\"/srv/data\"]"), "write /srv/data");
  EXPECT_EQ(beyond("", "hide = [\"src\"]\nprotect = [\".github\"]"), "");
  EXPECT_EQ(beyond("", "workspace_access = \"read\"\nwrite = [\"src\"]"), "");
  EXPECT_EQ(beyond("hide = [\"/home/ada/ws/src\"]", "read = [\"src\"]"), "read /home/ada/ws/src");
  EXPECT_EQ(beyond("", "read = [\".env\"]"), "read /home/ada/ws/.env");
}

TEST_F(Narrowing, AWritablePartOfAProtectedNameWidens) {
  EXPECT_NE(beyond("", "workspace_access = \"read\"\nwrite = [\".git\"]").find("write /home/ada/ws/.git/hooks"),
            std::string::npos);
}

TEST_F(Narrowing, PatternsReachFromWorkspaces) {
  EXPECT_NE(beyond("read = [\"/home/ada/ws\"]", "workspace = [\"src\"]").find("files that match **/.env below"),
            std::string::npos);
  EXPECT_EQ(beyond("", "workspace = [\"src\"]"), "");
  // A pattern with a directory in it matches other files from another workspace, though that lies inside the first.
  EXPECT_NE(beyond("hide = [\"src/*.k\"]", "workspace = [\"src\"]").find("files that match src/*.k below"),
            std::string::npos);
}

TEST_F(Narrowing, NamesAndAddresses) {
  EXPECT_EQ(beyond("", "network = [\"x.org\"]"), "network x.org");
  EXPECT_EQ(beyond("network = [\"x.org\"]", "network = \"full\""), "network full");
  EXPECT_EQ(beyond("network = \"full\"", "network = [\"x.org\", \"localhost:22\", \"10.0.0.0/8\"]"), "");
  EXPECT_EQ(beyond("network = [\"x.org\"]", "network = []"), "");
  EXPECT_EQ(beyond("network = [\"x.org\"]", "network = [\"X.org:443\"]"), "");
  EXPECT_EQ(beyond("network = [\"x.org:443\"]", "network = [\"x.org\"]"), "network x.org");
  EXPECT_EQ(beyond("network = [\"*.x.org\"]", "network = [\"a.b.x.org\", \"*.c.x.org\"]"), "");
  EXPECT_EQ(beyond("network = [\"*.x.org\"]", "network = [\"x.org\", \"notx.org\"]"), "network notx.org|network x.org");
  EXPECT_EQ(beyond("network = [\"x.org\"]", "network = [\"*.x.org\"]"), "network *.x.org");
  EXPECT_EQ(beyond("network = [\"a.x.org\", \"x.org\"]", "network = [\"*.org\"]"), "network *.org");
  // A denial that is left out; one that only hides the requested path.
  EXPECT_EQ(beyond("network = [\"*.x.org\", \"!b.x.org\"]", "network = [\"*.x.org\"]"),
            "network b.x.org:80|network b.x.org:443");
  EXPECT_EQ(beyond("network = [\"*.x.org\", \"!*.b.x.org\"]", "network = [\"*.x.org\", \"!*.x.org:80\"]"),
            "network *.b.x.org:443");
  EXPECT_EQ(beyond("network = [\"a.x.org\"]", "network = [\"*.x.org\", \"!any.x.org\"]"), "network *.x.org");
  EXPECT_EQ(beyond("network = [\"10.0.0.0/8\"]", "network = [\"10.1.0.0/16\", \"10.2.3.4:80\"]"), "");
  EXPECT_EQ(beyond("network = [\"10.0.0.0/9\", \"10.128.0.0/9\"]", "network = [\"10.0.0.0/8\"]"), "");
  EXPECT_EQ(beyond("network = [\"10.0.0.0/9\"]", "network = [\"10.0.0.0/8:80\"]"), "network 10.128.0.0:80");
  EXPECT_EQ(beyond("network = [\"localhost:80\"]", "network = [\"localhost:81\"]"), "network localhost:81");
}

TEST_F(Narrowing, Choices) {
  EXPECT_EQ(beyond("", "network = \"full\""), "network full");
  EXPECT_EQ(beyond("network = \"full\"", "network = \"none\""), "");
  EXPECT_EQ(beyond("exec = [\"git\"]", "exec = [\"git\", \"make\"]"), "starting make");
  EXPECT_EQ(beyond("exec = \"none\"", "exec = \"any\""), "starting any program");
  EXPECT_EQ(beyond("", "exec = [\"git\"]"), "");
  EXPECT_EQ(beyond("timeout = \"1m\"", "timeout = \"2m\""), "time 2m");
  EXPECT_EQ(beyond("timeout = \"1m\"", "timeout = \"30s\"\nmemory = \"1G\""), "");
  EXPECT_EQ(beyond("", "tmp = \"host\""), "write /tmp|write /var/tmp|the host's /tmp");
  EXPECT_EQ(beyond("", "home = \"host\""), "the home directory as its rules show it");
  EXPECT_EQ(beyond("", "new_session = false\non_unavailable = \"warn\""),
            "the caller's terminal session|on_unavailable warn");
}

TEST_F(Narrowing, Variables) {
  EXPECT_EQ(beyond("", "env = [\"TOKEN\"]"), "variable TOKEN");
  EXPECT_EQ(beyond("", "env = [\"A*\"]"), "variable A*");
  EXPECT_EQ(beyond("env = [\"A*\"]", "env = [\"AB*\", \"ABC\"]"), "");
  EXPECT_EQ(beyond("", "env = [\"NEW=1\"]"), "");
  EXPECT_EQ(beyond("", "env = [\"LANG=C\"]"), "variable LANG with another value");
  EXPECT_EQ(beyond("env = [\"MODE=1\"]", "env = [\"MODE=1\"]"), "");
  EXPECT_EQ(beyond("env = [\"MODE=1\"]", "env = [\"MODE=2\"]"), "variable MODE with another value");
}

// The user's value hides the caller's own; passing that one again undoes it, for any variables that the preset passes.
TEST_F(Narrowing, KeepsAValueThatTheUserChose) {
  EXPECT_EQ(beyond("env = [\"LANG=C\"]", "env = [\"LANG\"]"), "variable LANG");
  EXPECT_EQ(beyond("env = [\"LC_ALL=C\"]", "env = [\"LC_*\"]"), "variable LC_ALL");
}

// Of two values the later counts, so the earlier is not "the same".
TEST_F(Narrowing, AnOverriddenValueIsNoUserChoice) {
  const std::string user = "profile = \"mine\"\nenv = [\"MODE=1\"]\n[profiles.mine]\nenv = [\"MODE=2\"]\n";
  EXPECT_EQ(beyond(user, "env = [\"MODE=1\"]"), "variable MODE with another value");
  EXPECT_EQ(beyond(user, "env = [\"MODE=2\"]"), "");
}

// PATH resolves the names of an exec list, also where no rule of the user names it.
TEST_F(Narrowing, AProjectCannotSetPATH) {
  const std::string user = "profile = \"mine\"\n[profiles.mine]\ninherits = \"empty\"\nexec = [\"git\"]\n";
  EXPECT_EQ(beyond(user, "env = [\"PATH=/home/ada/ws/bin\"]"), "variable PATH with another value");
}

TEST_F(Narrowing, AnotherProfile) {
  EXPECT_EQ(beyond("", "profile = \"read-only\""), "");
  EXPECT_EQ(beyond("profile = \"strict\"", "profile = \"moderate\"").find("mistake"), std::string::npos);
  EXPECT_NE(beyond("profile = \"strict\"", "profile = \"moderate\"").find("time without limit"), std::string::npos);
}

}  // namespace
}  // namespace pinfold::policy

// denial_classifier_test.cc: what is a denial and what is an ordinary failure, on a host in memory.
#include "backend/linux/observe/denial_classifier.h"

#include <gtest/gtest.h>

#include "base/address.h"
#include "base/domain.h"
#include "base/fake_host.h"

namespace pinfold::backend::on_linux {
namespace {

ShowPath show(std::string path, View view) {
  ShowPath step;
  step.host = step.at = std::move(path);
  step.view = view;
  return step;
}

class Observing : public ::testing::Test {
 protected:
  Observing() {
    const Origin preset{Source::kPreset, "preset moderate"};
    add(show("/ws", View::kWriteExec), {Source::kFlag, "--workspace"});
    add(ProtectPath{"/ws/.git/hooks", EntryKind::kDirectory, {"/ws/.git"}}, preset);
    add(show("/usr", View::kReadExec), preset);
    add(HidePath{"/ws/secret", EntryKind::kFile}, {Source::kFlag, "--hide secret"});
    add(PrivateTmp{{"/tmp"}, 0, true}, preset);
    add(Devices{}, preset);
    add(Processes{}, preset);
    host_.dir("/ws/.git/hooks").file("/ws/a").file("/ws/secret").file("/ws/.git/hooks/pre-commit");
    host_.program("/usr/bin/cc").program("/opt/tool/bin/x").file("/usr/lib/z").dir("/usr/empty").dir("/usr/full");
    host_.file("/usr/full/y").file("/home/ada/.ssh/id").file("/tmp/theirs").other("/run/bus", HostKind::kSocket);
    host_.other("/dev/kvm", HostKind::kDevice).file("/home/ada/notes").link("/home/ada/link", "/home/ada/notes");
  }

  void add(StepBody body, const Origin& origin) { plan_.steps.push_back({std::move(body), Need::kRequired, origin}); }

  // "operation resource [flag]", or "" for none. Where both halves are asked, they agree.
  std::string tried(const Attempt& attempt, std::string path, HostKind kind, bool parent_exists = true,
                    Beyond beyond = Beyond::kNothing) {
    Observation observation(plan_, beyond, host_);
    const Inside inside{std::move(path), kind, parent_exists};
    const auto denial = observation.judge(attempt, inside);
    EXPECT_FALSE(denial && observation.is_allowed(attempt, inside)) << inside.path;
    if (!denial) return "";
    EXPECT_EQ(denial->source, DenialSource::kObserved);
    EXPECT_FALSE(denial->rule.empty());
    return denial->operation + " " + denial->resource + " [" + denial->allow_with + "]";
  }
  static Attempt act(Act act) {
    Attempt out;
    out.act = act;
    return out;
  }
  static Attempt creating(Act what) {
    Attempt out = act(what);
    out.creates = true;
    return out;
  }

  static constexpr HostKind kFile = HostKind::kFile, kDirectory = HostKind::kDirectory, kNone = HostKind::kMissing;
  FakeHost host_;
  Plan plan_;
};

TEST_F(Observing, WhatIsAllowedIsNoDenial) {
  EXPECT_EQ(tried(act(Act::kWrite), "/ws/a", kFile), "");
  EXPECT_EQ(tried(creating(Act::kWrite), "/ws/new", kNone), "");
  EXPECT_EQ(tried(act(Act::kDelete), "/ws/a", kFile), "");
  EXPECT_EQ(tried(act(Act::kRead), "/usr/lib/z", kFile), "");
  EXPECT_EQ(tried(creating(Act::kWrite), "/tmp/mine", kNone), "");
  EXPECT_EQ(tried(act(Act::kWrite), "/tmp/mine", kFile), "");
  EXPECT_EQ(tried(act(Act::kWrite), "/dev/null", HostKind::kDevice), "");
  EXPECT_EQ(tried(act(Act::kExecute), "/usr/bin/cc", kFile), "");
  EXPECT_EQ(tried(act(Act::kBind), "/ws/socket", kNone), "");
}

TEST_F(Observing, WritingToWhatMayOnlyBeRead) {
  EXPECT_EQ(tried(act(Act::kWrite), "/usr/lib/z", kFile), "write /usr/lib/z [--write /usr/lib/z]");
  EXPECT_EQ(tried(creating(Act::kWrite), "/usr/lib/new", kNone), "create /usr/lib/new [--write /usr/lib]");
  EXPECT_EQ(tried(act(Act::kMakeDirectory), "/usr/d", kNone), "create /usr/d [--write /usr]");
  EXPECT_EQ(tried(act(Act::kDelete), "/usr/lib/z", kFile), "delete /usr/lib/z [--write /usr/lib]");
  EXPECT_EQ(tried(act(Act::kRename), "/usr/lib/z", kFile), "rename /usr/lib/z [--write /usr/lib]");
  EXPECT_EQ(tried(act(Act::kRenameTo), "/usr/lib/new", kNone), "rename /usr/lib/new [--write /usr/lib]");
  EXPECT_EQ(tried(act(Act::kChange), "/usr/lib/z", kFile), "write /usr/lib/z [--write /usr/lib/z]");
  EXPECT_EQ(tried(act(Act::kTemporary), "/usr/lib", kDirectory), "create /usr/lib [--write /usr/lib]");
  EXPECT_EQ(tried(act(Act::kBind), "/usr/socket", kNone), "bind /usr/socket [--write /usr]");
  EXPECT_EQ(tried(act(Act::kRemoveDirectory), "/usr/empty", kDirectory), "delete /usr/empty [--write /usr]");
  EXPECT_EQ(tried(act(Act::kWrite), "/ws/.git/hooks/pre-commit", kFile),
            "write /ws/.git/hooks/pre-commit [--write /ws/.git/hooks/pre-commit]");
}

TEST_F(Observing, WhatWouldFailAnywayIsNoDenial) {
  EXPECT_EQ(tried(act(Act::kWrite), "/usr/lib/none", kNone), "") << "ENOENT";
  EXPECT_EQ(tried(creating(Act::kWrite), "/usr/none/new", kNone, false), "") << "ENOENT: no parent";
  EXPECT_EQ(tried(act(Act::kWrite), "/usr/lib", kDirectory), "") << "EISDIR";
  Attempt exclusive = creating(Act::kWrite);
  exclusive.exclusive = true;
  EXPECT_EQ(tried(exclusive, "/usr/lib/z", kFile), "") << "EEXIST";
  EXPECT_EQ(tried(act(Act::kMakeDirectory), "/usr/lib", kDirectory), "") << "EEXIST";
  EXPECT_EQ(tried(act(Act::kDelete), "/usr/lib", kDirectory), "") << "EISDIR";
  EXPECT_EQ(tried(act(Act::kRemoveDirectory), "/usr/lib/z", kFile), "") << "ENOTDIR";
  EXPECT_EQ(tried(act(Act::kRemoveDirectory), "/usr/full", kDirectory), "") << "ENOTEMPTY";
  host_.unwritable("/usr/lib/z").unwritable("/usr").owned("/usr/lib/z", 0, 0644);
  EXPECT_EQ(tried(act(Act::kWrite), "/usr/lib/z", kFile), "") << "EACCES";
  EXPECT_EQ(tried(act(Act::kChange), "/usr/lib/z", kFile), "") << "EPERM";
  EXPECT_EQ(tried(act(Act::kMakeDirectory), "/usr/d", kNone), "") << "EACCES";
  EXPECT_EQ(tried(act(Act::kRead), "/home/ada/none", kNone), "") << "ENOENT on the host as well";
  EXPECT_EQ(tried(act(Act::kLook), "/tmp/none", kNone), "");
  host_.unreadable("/home/ada/.ssh/id");
  EXPECT_EQ(tried(act(Act::kRead), "/home/ada/.ssh/id", kNone, false), "") << "EACCES";
}

TEST_F(Observing, WhatIsHiddenCountsIfTheHostHasIt) {
  EXPECT_EQ(tried(act(Act::kRead), "/home/ada/.ssh/id", kNone, false),
            "read /home/ada/.ssh/id [--read /home/ada/.ssh/id]");
  EXPECT_EQ(tried(act(Act::kLook), "/home/ada/link", kNone), "read /home/ada/notes [--read /home/ada/notes]");
  Attempt itself = act(Act::kLook);
  itself.follow = Follow::kNotTheLast;
  EXPECT_EQ(tried(itself, "/home/ada/link", kNone), "read /home/ada/link [--read /home/ada/link]");
  EXPECT_EQ(tried(act(Act::kWrite), "/home/ada/notes", kNone), "write /home/ada/notes [--write /home/ada/notes]");
  EXPECT_EQ(tried(creating(Act::kWrite), "/home/ada/.ssh/new", kNone, false),
            "create /home/ada/.ssh/new [--write /home/ada/.ssh]");
  EXPECT_EQ(tried(act(Act::kMakeDirectory), "/new", kNone), "create /new [--write /new (once it exists)]")
      << "the directory around it is everything";
  EXPECT_EQ(tried(act(Act::kRead), "/ws/secret", kFile), "read /ws/secret [--read /ws/secret]") << "a mask";
  EXPECT_EQ(tried(act(Act::kLook), "/tmp/theirs", kNone), "read /tmp/theirs [--read /tmp/theirs]");
  EXPECT_EQ(tried(act(Act::kExecute), "/opt/tool/bin/x", kNone, false), "exec /opt/tool/bin/x [--read /opt/tool]");
  EXPECT_EQ(tried(act(Act::kConnect), "/run/bus", kNone), "connect /run/bus [--read /run/bus]");
  EXPECT_EQ(tried(act(Act::kWrite), "/dev/kvm", kNone), "write /dev/kvm []");
  EXPECT_EQ(tried(act(Act::kLook), "/home", kDirectory), "") << "on the way to something shown";
  EXPECT_EQ(tried(act(Act::kMakeDirectory), "/home", kDirectory), "");
}

TEST_F(Observing, WhatIsShownAsAWholeCannotBeTakenAway) {
  EXPECT_EQ(tried(act(Act::kRename), "/ws", kDirectory), "rename /ws []");
  EXPECT_EQ(tried(act(Act::kRename), "/ws/.git", kDirectory), "rename /ws/.git []") << "pinned";
}

TEST_F(Observing, WhereNamesCanBeSeenLookingIsAllowed) {
  EXPECT_EQ(tried(act(Act::kLook), "/home/ada/notes", kFile, true, Beyond::kNames), "");
  EXPECT_EQ(tried(act(Act::kRead), "/home/ada/notes", kFile, true, Beyond::kNames),
            "read /home/ada/notes [--read /home/ada/notes]");
}

TEST_F(Observing, ProgramsOutsideTheList) {
  ExecLimit limit;
  limit.mode = ExecMode::kList;
  limit.programs = {"/usr/bin/cc"};
  add(limit, {Source::kFlag, "--exec cc"});
  host_.program("/usr/bin/git");
  EXPECT_EQ(tried(act(Act::kExecute), "/usr/bin/cc", kFile), "");
  EXPECT_EQ(tried(act(Act::kExecute), "/usr/bin/git", kNone), "exec /usr/bin/git [--exec git]");
  EXPECT_EQ(tried(act(Act::kExecute), "/usr/bin/none", kNone), "");
  EXPECT_EQ(tried(act(Act::kExecute), "/tmp/mine", kFile), "exec /tmp/mine [--exec any]");
}

class Reaching : public Observing {
 protected:
  std::string reached(const char* address, std::uint16_t port, bool datagram = false, const char* name = "") {
    const Observation observation(plan_, Beyond::kNothing, host_);
    const auto denial = observation.judge(Reach{*parse_address(address), port, datagram, name});
    return denial ? denial->resource + " | " + denial->rule + " | " + denial->allow_with : "";
  }
};

TEST_F(Reaching, WithoutANetworkOnlyTheInside) {
  add(Network{NetworkMode::kNone, {}}, {Source::kPreset, "preset moderate"});
  EXPECT_EQ(reached("93.184.216.34", 443),
            "93.184.216.34:443 | network none (preset moderate) | --net 93.184.216.34:443");
  EXPECT_EQ(reached("2001:db8::1", 80), "[2001:db8::1]:80 | network none (preset moderate) | --net '[2001:db8::1]:80'");
  EXPECT_EQ(reached("10.0.0.2", 54, true), "10.0.0.2:54 | network none (preset moderate) | --net full");
  EXPECT_EQ(reached("10.0.0.2", 53, true), "10.0.0.2:53 | network none (preset moderate) | --net NAME");
  // Whose name was being looked up is what was wanted, wherever the name server is.
  for (const char* server : {"10.0.0.2", "127.0.0.53", "2001:db8::53"})
    EXPECT_EQ(reached(server, 53, true, "example.com"),
              "example.com | network none (preset moderate) | --net example.com");
  EXPECT_EQ(reached("10.0.0.2", 53, true, "db"), "db | network none (preset moderate) | --net db:80 --net db:443");
  EXPECT_EQ(reached("127.0.0.53", 53, true), "") << "its own, for all that is known";
  for (const char* inside : {"127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::"}) EXPECT_EQ(reached(inside, 80), "");
  EXPECT_EQ(reached("10.0.0.2", 0, true), "") << "only asks for a route";
}

TEST_F(Reaching, WithRulesWhatTheyGiveAndWhatTheRelayMadeUp) {
  Network network{NetworkMode::kDomains, {}};
  network.domains.push_back(*parse_rule("10.1.2.3:22", {Source::kFlag, "--net"}));
  add(network, {Source::kFlag, "--net"});
  EXPECT_EQ(reached("10.1.2.3", 22), "");
  EXPECT_NE(reached("10.1.2.3", 23), "");
  EXPECT_NE(reached("198.20.0.1", 443), "");
}

TEST_F(Reaching, TheHostsNetworkIsOpen) {
  add(Network{NetworkMode::kFull, {}}, {Source::kFlag, "--net full"});
  EXPECT_EQ(reached("93.184.216.34", 443), "");
}

// The sandbox is another plan's and shows more; what counts is what this plan would have said.
TEST_F(Observing, AnotherPlanIsAsked) {
  const auto asked = [&](const Attempt& attempt, const char* path, HostKind kind) {
    return tried(attempt, path, kind, true, Beyond::kMore);
  };
  EXPECT_EQ(asked(act(Act::kRead), "/home/ada/notes", kFile), "read /home/ada/notes [--read /home/ada/notes]");
  EXPECT_EQ(asked(act(Act::kLook), "/home/ada/notes", kFile), "look /home/ada/notes [--read /home/ada/notes]");
  EXPECT_EQ(asked(act(Act::kMakeDirectory), "/home/ada", kDirectory), "look /home/ada [--read /home/ada]");
  EXPECT_EQ(asked(act(Act::kConnect), "/run/bus", HostKind::kSocket), "connect /run/bus [--read /run/bus]");
  EXPECT_EQ(asked(act(Act::kExecute), "/opt/tool/bin/x", kFile), "exec /opt/tool/bin/x [--read /opt/tool]");
  EXPECT_EQ(asked(act(Act::kLook), "/", kDirectory), "");
  EXPECT_EQ(asked(act(Act::kRead), "/usr/lib/z", kFile), "");
  EXPECT_EQ(asked(act(Act::kWrite), "/ws/a", kFile), "");
}

}  // namespace
}  // namespace pinfold::backend::on_linux

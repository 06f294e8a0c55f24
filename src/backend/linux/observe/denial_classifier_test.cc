// denial_classifier_test.cc: tells denials from ordinary failures, on a host in memory.
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

class DenialClassifierTest : public ::testing::Test {
 protected:
  DenialClassifierTest() {
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

  // "operation resource [flag]", or "" for none. Checks that classify() and is_allowed() agree.
  std::string tried(const PathRequest& request, std::string path, HostKind kind, bool parent_exists = true,
                    UngrantedPaths ungranted = UngrantedPaths::kAbsent) {
    DenialClassifier classifier(plan_, ungranted, host_);
    const ReportPath target{std::move(path), kind, parent_exists};
    const auto denial = classifier.classify(request, target);
    EXPECT_FALSE(denial && classifier.is_allowed(request, target)) << target.path;
    if (!denial) return "";
    EXPECT_EQ(denial->source, DenialSource::kObserved);
    EXPECT_FALSE(denial->rule.empty());
    return denial->operation + " " + denial->resource + " [" + denial->allow_with + "]" +
           (denial->allow_note.empty() ? "" : " (" + denial->allow_note + ")");
  }
  static PathRequest act(PathOperation operation) {
    PathRequest out;
    out.operation = operation;
    return out;
  }
  static PathRequest creating(PathOperation operation) {
    PathRequest out = act(operation);
    out.creates = true;
    return out;
  }

  static constexpr HostKind kFile = HostKind::kFile, kDirectory = HostKind::kDirectory, kNone = HostKind::kMissing;
  FakeHost host_;
  Plan plan_;
};

TEST_F(DenialClassifierTest, AllowedAccessIsNoDenial) {
  EXPECT_EQ(tried(act(PathOperation::kWrite), "/ws/a", kFile), "");
  EXPECT_EQ(tried(creating(PathOperation::kWrite), "/ws/new", kNone), "");
  EXPECT_EQ(tried(act(PathOperation::kDelete), "/ws/a", kFile), "");
  EXPECT_EQ(tried(act(PathOperation::kRead), "/usr/lib/z", kFile), "");
  EXPECT_EQ(tried(creating(PathOperation::kWrite), "/tmp/mine", kNone), "");
  EXPECT_EQ(tried(act(PathOperation::kWrite), "/tmp/mine", kFile), "");
  EXPECT_EQ(tried(act(PathOperation::kWrite), "/dev/null", HostKind::kDevice), "");
  EXPECT_EQ(tried(act(PathOperation::kExecute), "/usr/bin/cc", kFile), "");
  EXPECT_EQ(tried(act(PathOperation::kBind), "/ws/socket", kNone), "");
}

TEST_F(DenialClassifierTest, WritesToReadOnlyPathsAreDenials) {
  EXPECT_EQ(tried(act(PathOperation::kWrite), "/usr/lib/z", kFile), "write /usr/lib/z [--write /usr/lib/z]");
  EXPECT_EQ(tried(creating(PathOperation::kWrite), "/usr/lib/new", kNone), "create /usr/lib/new [--write /usr/lib]");
  EXPECT_EQ(tried(act(PathOperation::kMakeDirectory), "/usr/d", kNone), "create /usr/d [--write /usr]");
  EXPECT_EQ(tried(act(PathOperation::kDelete), "/usr/lib/z", kFile), "delete /usr/lib/z [--write /usr/lib]");
  EXPECT_EQ(tried(act(PathOperation::kRename), "/usr/lib/z", kFile), "rename /usr/lib/z [--write /usr/lib]");
  EXPECT_EQ(tried(act(PathOperation::kRenameTo), "/usr/lib/new", kNone), "rename /usr/lib/new [--write /usr/lib]");
  EXPECT_EQ(tried(act(PathOperation::kSetAttributes), "/usr/lib/z", kFile), "write /usr/lib/z [--write /usr/lib/z]");
  EXPECT_EQ(tried(act(PathOperation::kTemporaryFile), "/usr/lib", kDirectory), "create /usr/lib [--write /usr/lib]");
  EXPECT_EQ(tried(act(PathOperation::kBind), "/usr/socket", kNone), "bind /usr/socket [--write /usr]");
  EXPECT_EQ(tried(act(PathOperation::kRemoveDirectory), "/usr/empty", kDirectory), "delete /usr/empty [--write /usr]");
  EXPECT_EQ(tried(act(PathOperation::kWrite), "/ws/.git/hooks/pre-commit", kFile),
            "write /ws/.git/hooks/pre-commit [--write /ws/.git/hooks/pre-commit]");
}

TEST_F(DenialClassifierTest, AccessThatFailsOnTheHostIsNoDenial) {
  EXPECT_EQ(tried(act(PathOperation::kWrite), "/usr/lib/none", kNone), "") << "ENOENT";
  EXPECT_EQ(tried(creating(PathOperation::kWrite), "/usr/none/new", kNone, false), "") << "ENOENT: no parent";
  EXPECT_EQ(tried(act(PathOperation::kWrite), "/usr/lib", kDirectory), "") << "EISDIR";
  PathRequest exclusive = creating(PathOperation::kWrite);
  exclusive.exclusive = true;
  EXPECT_EQ(tried(exclusive, "/usr/lib/z", kFile), "") << "EEXIST";
  EXPECT_EQ(tried(act(PathOperation::kMakeDirectory), "/usr/lib", kDirectory), "") << "EEXIST";
  EXPECT_EQ(tried(act(PathOperation::kDelete), "/usr/lib", kDirectory), "") << "EISDIR";
  EXPECT_EQ(tried(act(PathOperation::kRemoveDirectory), "/usr/lib/z", kFile), "") << "ENOTDIR";
  EXPECT_EQ(tried(act(PathOperation::kRemoveDirectory), "/usr/full", kDirectory), "") << "ENOTEMPTY";
  host_.unwritable("/usr/lib/z").unwritable("/usr").owned("/usr/lib/z", 0, 0644);
  EXPECT_EQ(tried(act(PathOperation::kWrite), "/usr/lib/z", kFile), "") << "EACCES";
  EXPECT_EQ(tried(act(PathOperation::kSetAttributes), "/usr/lib/z", kFile), "") << "EPERM";
  EXPECT_EQ(tried(act(PathOperation::kMakeDirectory), "/usr/d", kNone), "") << "EACCES";
  EXPECT_EQ(tried(act(PathOperation::kRead), "/home/ada/none", kNone), "") << "ENOENT on the host as well";
  EXPECT_EQ(tried(act(PathOperation::kStat), "/tmp/none", kNone), "");
  host_.unreadable("/home/ada/.ssh/id");
  EXPECT_EQ(tried(act(PathOperation::kRead), "/home/ada/.ssh/id", kNone, false), "") << "EACCES";
}

TEST_F(DenialClassifierTest, HiddenPathsAreDenialsIfTheyExist) {
  EXPECT_EQ(tried(act(PathOperation::kRead), "/home/ada/.ssh/id", kNone, false),
            "read /home/ada/.ssh/id [--read /home/ada/.ssh/id]");
  EXPECT_EQ(tried(act(PathOperation::kStat), "/home/ada/link", kNone), "read /home/ada/notes [--read /home/ada/notes]");
  PathRequest itself = act(PathOperation::kStat);
  itself.follow = Follow::kNotTheLast;
  EXPECT_EQ(tried(itself, "/home/ada/link", kNone), "read /home/ada/link [--read /home/ada/link]");
  EXPECT_EQ(tried(act(PathOperation::kWrite), "/home/ada/notes", kNone),
            "write /home/ada/notes [--write /home/ada/notes]");
  EXPECT_EQ(tried(creating(PathOperation::kWrite), "/home/ada/.ssh/new", kNone, false),
            "create /home/ada/.ssh/new [--write /home/ada/.ssh]");
  EXPECT_EQ(tried(act(PathOperation::kMakeDirectory), "/new", kNone), "create /new [--write /new] (once it exists)")
      << "the directory around it is everything";
  EXPECT_EQ(tried(act(PathOperation::kRead), "/ws/secret", kFile), "read /ws/secret [--read /ws/secret]") << "a mask";
  EXPECT_EQ(tried(act(PathOperation::kStat), "/tmp/theirs", kNone), "read /tmp/theirs [--read /tmp/theirs]");
  EXPECT_EQ(tried(act(PathOperation::kExecute), "/opt/tool/bin/x", kNone, false),
            "exec /opt/tool/bin/x [--read /opt/tool]");
  EXPECT_EQ(tried(act(PathOperation::kConnect), "/run/bus", kNone), "connect /run/bus [--read /run/bus]");
  EXPECT_EQ(tried(act(PathOperation::kWrite), "/dev/kvm", kNone), "write /dev/kvm []");
  EXPECT_EQ(tried(act(PathOperation::kStat), "/home", kDirectory), "") << "on the way to something shown";
  EXPECT_EQ(tried(act(PathOperation::kMakeDirectory), "/home", kDirectory), "");
}

TEST_F(DenialClassifierTest, MountPointsCannotBeRemoved) {
  EXPECT_EQ(tried(act(PathOperation::kRename), "/ws", kDirectory), "rename /ws []");
  EXPECT_EQ(tried(act(PathOperation::kRename), "/ws/.git", kDirectory), "rename /ws/.git []") << "pinned";
}

TEST_F(DenialClassifierTest, LookupsAreAllowedWhereNamesAreVisible) {
  EXPECT_EQ(tried(act(PathOperation::kStat), "/home/ada/notes", kFile, true, UngrantedPaths::kVisible), "");
  EXPECT_EQ(tried(act(PathOperation::kRead), "/home/ada/notes", kFile, true, UngrantedPaths::kVisible),
            "read /home/ada/notes [--read /home/ada/notes]");
}

TEST_F(DenialClassifierTest, ExecOfAProgramOutsideTheListIsADenial) {
  ExecLimit limit;
  limit.mode = ExecMode::kList;
  limit.programs = {"/usr/bin/cc"};
  add(limit, {Source::kFlag, "--exec cc"});
  host_.program("/usr/bin/git");
  EXPECT_EQ(tried(act(PathOperation::kExecute), "/usr/bin/cc", kFile), "");
  EXPECT_EQ(tried(act(PathOperation::kExecute), "/usr/bin/git", kNone), "exec /usr/bin/git [--exec git]");
  EXPECT_EQ(tried(act(PathOperation::kExecute), "/usr/bin/none", kNone), "");
  EXPECT_EQ(tried(act(PathOperation::kExecute), "/tmp/mine", kFile), "exec /tmp/mine [--exec any]");
}

class NetworkDenialTest : public DenialClassifierTest {
 protected:
  std::string reached(const char* address, std::uint16_t port, bool datagram = false, const char* name = "") {
    const DenialClassifier classifier(plan_, UngrantedPaths::kAbsent, host_);
    const auto denial = classifier.classify(NetworkRequest{*parse_address(address), port, datagram, name});
    if (!denial) return "";
    const std::string note = denial->allow_note.empty() ? "" : "(" + denial->allow_note + ")";
    return denial->resource + " | " + denial->rule + " | " + denial->allow_with + note;
  }
};

TEST_F(NetworkDenialTest, WithoutANetworkOnlyLoopback) {
  add(Network{NetworkMode::kNone, {}}, {Source::kPreset, "preset moderate"});
  EXPECT_EQ(reached("93.184.216.34", 443),
            "93.184.216.34:443 | network none (preset moderate) | --net 93.184.216.34:443");
  EXPECT_EQ(reached("2001:db8::1", 80), "[2001:db8::1]:80 | network none (preset moderate) | --net '[2001:db8::1]:80'");
  EXPECT_EQ(reached("10.0.0.2", 54, true), "10.0.0.2:54 | network none (preset moderate) | --net full");
  EXPECT_EQ(reached("10.0.0.2", 53, true), "10.0.0.2:53 | network none (preset moderate) | (--net NAME)");
  // The denial names the host that was looked up, wherever the name server is.
  for (const char* server : {"10.0.0.2", "127.0.0.53", "2001:db8::53"})
    EXPECT_EQ(reached(server, 53, true, "example.com"),
              "example.com | network none (preset moderate) | --net example.com");
  EXPECT_EQ(reached("10.0.0.2", 53, true, "db"), "db | network none (preset moderate) | --net db:80 --net db:443");
  EXPECT_EQ(reached("127.0.0.53", 53, true), "") << "its own, for all that is known";
  for (const char* target : {"127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::"}) EXPECT_EQ(reached(target, 80), "");
  EXPECT_EQ(reached("10.0.0.2", 0, true), "") << "only asks for a route";
}

TEST_F(NetworkDenialTest, WithRulesGrantedAndRelayAddresses) {
  Network network{NetworkMode::kDomains, {}};
  network.domains.push_back(*parse_rule("10.1.2.3:22", {Source::kFlag, "--net"}));
  add(network, {Source::kFlag, "--net"});
  EXPECT_EQ(reached("10.1.2.3", 22), "");
  EXPECT_NE(reached("10.1.2.3", 23), "");
  EXPECT_NE(reached("198.20.0.1", 443), "");
}

TEST_F(NetworkDenialTest, FullNetworkReachesAll) {
  add(Network{NetworkMode::kFull, {}}, {Source::kFlag, "--net full"});
  EXPECT_EQ(reached("93.184.216.34", 443), "");
}

// The sandbox runs another plan, which shows more; the denials are those of this plan.
TEST_F(DenialClassifierTest, ReportsUngrantedAccessThatSucceeds) {
  const auto asked = [&](const PathRequest& request, const char* path, HostKind kind) {
    return tried(request, path, kind, true, UngrantedPaths::kUsable);
  };
  EXPECT_EQ(asked(act(PathOperation::kRead), "/home/ada/notes", kFile),
            "read /home/ada/notes [--read /home/ada/notes]");
  EXPECT_EQ(asked(act(PathOperation::kStat), "/home/ada/notes", kFile),
            "look /home/ada/notes [--read /home/ada/notes]");
  EXPECT_EQ(asked(act(PathOperation::kMakeDirectory), "/home/ada", kDirectory), "look /home/ada [--read /home/ada]");
  EXPECT_EQ(asked(act(PathOperation::kConnect), "/run/bus", HostKind::kSocket), "connect /run/bus [--read /run/bus]");
  EXPECT_EQ(asked(act(PathOperation::kExecute), "/opt/tool/bin/x", kFile), "exec /opt/tool/bin/x [--read /opt/tool]");
  EXPECT_EQ(asked(act(PathOperation::kStat), "/", kDirectory), "");
  EXPECT_EQ(asked(act(PathOperation::kRead), "/usr/lib/z", kFile), "");
  EXPECT_EQ(asked(act(PathOperation::kWrite), "/ws/a", kFile), "");
}

}  // namespace
}  // namespace pinfold::backend::on_linux

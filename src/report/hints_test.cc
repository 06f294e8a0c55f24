// hints_test.cc: the right advice for each kind of host, from made-up facts; tests/docs feeds profiles to AppArmor.
#include "report/hints.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::report {
namespace {

constexpr MissingMechanisms kNoNamespaces{true, false, false};
constexpr MissingMechanisms kNoLandlock{false, true, false};
constexpr MissingMechanisms kNoCgroup{false, false, true};

HostFacts ubuntu() {
  HostFacts facts;
  facts.distribution = Distribution::kDebian;
  facts.name = "Ubuntu 24.04.1 LTS";
  facts.program = "/usr/local/bin/pinfold";
  facts.home = "/home/ada";
  facts.as_root = "sudo ";
  facts.kernel = KernelVersion{6, 8};
  facts.security_modules = {"lockdown", "capability", "landlock", "yama", "apparmor"};
  facts.apparmor_restricts_namespaces = 1;
  facts.unprivileged_namespaces = 1;
  facts.max_user_namespaces = 63000;
  facts.has_systemd = true;
  return facts;
}

HostFacts plain(Distribution distribution) {
  HostFacts facts = ubuntu();
  facts.distribution = distribution;
  facts.name = "Some Linux";
  facts.apparmor_restricts_namespaces.reset();
  facts.unprivileged_namespaces.reset();
  return facts;
}

std::string script(const HostFacts& facts, const MissingMechanisms& needs) {
  return hint_script(hints(facts, needs), facts);
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Hints, ReportsThatNothingNeedsAFix) {
  EXPECT_TRUE(hints(ubuntu(), MissingMechanisms{}).empty());
  EXPECT_EQ(script(ubuntu(), MissingMechanisms{}),
            "# Nothing to fix: Pinfold has all that it needs from Ubuntu 24.04.1 LTS.\n");
}

TEST(Hints, UbuntuGetsAProfileForThisVeryProgram) {
  const auto all = hints(ubuntu(), kNoNamespaces);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].script,
            "sudo tee /etc/apparmor.d/pinfold >/dev/null <<'END'\n"
            "abi <abi/4.0>,\n"
            "include <tunables/global>\n"
            "\n"
            "profile pinfold \"/usr/local/bin/pinfold\" flags=(unconfined) {\n"
            "  userns,\n"
            "\n"
            "  include if exists <local/pinfold>\n"
            "}\n"
            "END\n"
            "sudo apparmor_parser -r /etc/apparmor.d/pinfold\n");
  // Never the switch for the whole host, and no bubblewrap, which AppArmor refuses there just the same.
  EXPECT_FALSE(has(script(ubuntu(), kNoNamespaces), "sysctl"));
  EXPECT_FALSE(has(script(ubuntu(), kNoNamespaces), "bubblewrap"));
}

TEST(Hints, WarnsAboutAProgramThatItsUserCanWrite) {
  HostFacts facts = ubuntu();
  facts.program = "/home/ada/bin/pinfold";
  EXPECT_TRUE(has(script(facts, kNoNamespaces), "where only root can"));
  EXPECT_FALSE(has(script(ubuntu(), kNoNamespaces), "where only root can"));
}

TEST(Hints, BubblewrapWhereAppArmorKnowsIt) {
  HostFacts facts = ubuntu();
  facts.has_bubblewrap_profile = true;
  EXPECT_TRUE(has(script(facts, kNoNamespaces), "sudo apt-get install bubblewrap\n"));
  facts.has_bubblewrap = true;
  EXPECT_FALSE(has(script(facts, kNoNamespaces), "apt-get"));
}

TEST(Hints, ProfilePathsAreQuoted) {
  EXPECT_TRUE(has(apparmor_profile("/opt/my tools/pinfold"), "pinfold \"/opt/my tools/pinfold\" flags"));
  EXPECT_TRUE(has(apparmor_profile("/a\"b\\c*?[x]{y,z}^@{HOME}\n"),
                  "\"/a\\\"b\\\\c\\*\\?\\[x\\]\\{y\\,z\\}\\^\\@\\{HOME\\}\\012\""));
}

TEST(Hints, SettingsAreKeptAcrossBoots) {
  HostFacts debian = plain(Distribution::kDebian);
  debian.unprivileged_namespaces = 0;
  debian.max_user_namespaces = 0;
  const auto all = hints(debian, kNoNamespaces);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].brief, "sudo sysctl -w kernel.unprivileged_userns_clone=1");
  EXPECT_EQ(all[0].script,
            "echo 'kernel.unprivileged_userns_clone = 1' | sudo tee -a /etc/sysctl.d/60-pinfold.conf\n"
            "sudo sysctl -p /etc/sysctl.d/60-pinfold.conf\n");
  EXPECT_EQ(all[1].brief, "sudo sysctl -w user.max_user_namespaces=10000");
}

TEST(Hints, RootNeedsNoSudo) {
  HostFacts fedora = plain(Distribution::kFedora);
  fedora.as_root.clear();
  fedora.max_user_namespaces = 0;
  EXPECT_EQ(hints(fedora, kNoNamespaces).at(0).brief, "sysctl -w user.max_user_namespaces=10000");
}

TEST(Hints, AnOldKernelCanUseBubblewrap) {
  const std::pair<Distribution, std::string> commands[] = {{Distribution::kDebian, "sudo apt-get install bubblewrap"},
                                                           {Distribution::kFedora, "sudo dnf install bubblewrap"},
                                                           {Distribution::kArch, "sudo pacman -S bubblewrap"},
                                                           {Distribution::kSuse, "sudo zypper install bubblewrap"},
                                                           {Distribution::kAlpine, "sudo apk add bubblewrap"},
                                                           {Distribution::kOther, "install bubblewrap"}};
  for (const auto& [distribution, command] : commands) {
    HostFacts facts = plain(distribution);
    facts.kernel = KernelVersion{5, 10};
    const auto all = hints(facts, kNoNamespaces);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].brief, command);
    EXPECT_EQ(all[1].brief, "boot a kernel since 5.12");
  }
}

TEST(Hints, ArchHasBubblewrapForHardenedKernels) {
  HostFacts facts = plain(Distribution::kArch);
  facts.unprivileged_namespaces = 0;
  EXPECT_TRUE(has(script(facts, kNoNamespaces), "sudo pacman -S bubblewrap-suid\n"));
}

TEST(Hints, ContainersAreNamedByTheirEngine) {
  HostFacts facts = plain(Distribution::kDebian);
  facts.container = Container::kDocker;
  EXPECT_TRUE(has(script(facts, kNoNamespaces),
                  "#      docker run \\\n"
                  "#        --security-opt seccomp=unconfined \\\n"
                  "#        --security-opt apparmor=unconfined \\\n"
                  "#        --security-opt systempaths=unconfined …\n"));
  EXPECT_FALSE(has(script(facts, kNoNamespaces), "podman"));
  facts.container = Container::kPodman;
  EXPECT_TRUE(has(script(facts, kNoNamespaces), "unmask=ALL"));
  facts.container = Container::kKubernetes;
  EXPECT_TRUE(has(script(facts, kNoNamespaces), "procMount: Unmasked"));
  EXPECT_FALSE(has(script(facts, kNoNamespaces), "docker run"));
  facts.container = Container::kUnknown;
  for (const char* part : {"docker run", "podman run", "hostUsers: false"})
    EXPECT_TRUE(has(script(facts, kNoNamespaces), part)) << part;
  facts.max_user_namespaces = 0;
  EXPECT_TRUE(has(script(facts, kNoNamespaces), "On the host of this container"));
}

TEST(Hints, LandlockIsAddedToTheCurrentLsmList) {
  HostFacts facts = plain(Distribution::kDebian);
  facts.security_modules = {"lockdown", "capability", "yama", "apparmor"};
  const auto all = hints(facts, kNoLandlock);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].brief, "boot with lsm=landlock,lockdown,yama,apparmor");
  EXPECT_EQ(all[0].script,
            "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&lsm=landlock,lockdown,yama,apparmor /' /etc/default/grub\n"
            "sudo update-grub\nsudo reboot\n");
  facts.distribution = Distribution::kFedora;
  EXPECT_TRUE(has(script(facts, kNoLandlock), "grubby --update-kernel=ALL --args=lsm=landlock,lockdown"));
  facts.distribution = Distribution::kAlpine;
  EXPECT_TRUE(has(script(facts, kNoLandlock), "update-extlinux\n"));
  facts.security_modules.clear();  // unknown: nothing is guessed into a boot loader
  EXPECT_EQ(hints(facts, kNoLandlock).at(0).script, "");
}

TEST(Hints, LandlockMissingFromTheKernel) {
  HostFacts facts = plain(Distribution::kDebian);
  facts.kernel = KernelVersion{5, 10};
  EXPECT_EQ(hints(facts, kNoLandlock).at(0).brief, "boot a kernel since 5.13");
  // In the list and still refused: a seccomp filter refuses the system calls.
  EXPECT_TRUE(has(hints(plain(Distribution::kDebian), kNoLandlock).at(0).brief, "seccomp"));
}

TEST(Hints, SystemdDelegatesCgroups) {
  EXPECT_TRUE(has(script(plain(Distribution::kFedora), kNoCgroup), "systemd-run --user --scope pinfold run"));
  HostFacts alpine = plain(Distribution::kAlpine);
  alpine.has_systemd = false;
  EXPECT_FALSE(has(script(alpine, kNoCgroup), "systemd"));
  EXPECT_TRUE(has(script(alpine, kNoCgroup), "/sys/fs/cgroup is writable"));
}

TEST(Hints, HostileNamesStayInOneComment) {
  HostFacts facts = ubuntu();
  facts.name = "Evil\nrm -rf /";
  facts.unprivileged_namespaces = 0;
  facts.container = Container::kUnknown;
  const std::string text = script(facts, MissingMechanisms{true, true, true});
  EXPECT_FALSE(has(text, "\nrm"));
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin))
    if (text.compare(begin, 1, "#") == 0) {
      EXPECT_LE(end - begin, 82u) << text.substr(begin, end - begin);
    }
}

TEST(MissingMechanisms, AreDerivedFromCoverage) {
  const MissingMechanisms none = missing_mechanisms({{"native", true, true, "", ""}}, {});
  EXPECT_FALSE(none.namespaces || none.landlock || none.cgroup);
  EXPECT_TRUE(missing_mechanisms({{"native", false, false, "x", ""}}, {}).namespaces);
  EXPECT_TRUE(missing_mechanisms({{"landlock", false, false, "x", ""}}, {}).landlock);
  EXPECT_TRUE(missing_mechanisms({}, {{step_name::kMemory, Need::kRequired, Strength::kPartial, "", "g", ""}}).cgroup);
  EXPECT_TRUE(
      missing_mechanisms({}, {{step_name::kLandlock, Need::kBestEffort, Strength::kAbsent, "", "g", ""}}).landlock);
}

TEST(Fixes, AreTheHintsOrTheBackendsFixes) {
  FakeHost host;
  host.file("/etc/os-release", "ID=debian\n").file("/proc/sys/user/max_user_namespaces", "0\n");
  const std::vector<Candidate> choice = {{"native", false, false, "no", "say it in words"},
                                         {"landlock", true, true, "gaps", ""}};
  const std::vector<Coverage> rows = {{"tmp", Need::kRequired, Strength::kPartial, "", "g", "another fix"},
                                      {"exec", Need::kBestEffort, Strength::kPartial, "", "g", "not needed"}};
  EXPECT_EQ(fixes(host, choice, rows),
            (std::vector<std::string>{"sudo sysctl -w user.max_user_namespaces=10000", "another fix"}));
  FakeHost silent;
  EXPECT_EQ(fixes(silent, choice, rows), (std::vector<std::string>{"say it in words", "another fix"}));
}

TEST(Facts, AreReadFromTheHost) {
  FakeHost host;
  host.file("/etc/os-release",
            "NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\nPRETTY_NAME='Linux Mint 22'\n")
      .link("/proc/self/exe", "/opt/my tools/pinfold")
      .file("/proc/sys/kernel/osrelease", "6.8.0-35-generic\n")
      .file("/sys/kernel/security/lsm", "lockdown,capability,yama\n")
      .file("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n")
      .file("/proc/sys/user/max_user_namespaces", "63432\n")
      .program("/usr/bin/doas")
      .program("/usr/bin/bwrap")
      .dir("/run/systemd/system");
  const HostFacts facts = gather_facts(host);
  EXPECT_EQ(facts.distribution, Distribution::kDebian);
  EXPECT_EQ(facts.name, "Linux Mint 22");
  EXPECT_EQ(facts.program, "/opt/my tools/pinfold");
  EXPECT_EQ(facts.as_root, "doas ");
  EXPECT_EQ(facts.kernel, (KernelVersion{6, 8}));
  EXPECT_EQ(facts.security_modules, (std::vector<std::string>{"lockdown", "capability", "yama"}));
  EXPECT_EQ(facts.apparmor_restricts_namespaces, 1u);
  EXPECT_EQ(facts.unprivileged_namespaces, std::nullopt);
  EXPECT_EQ(facts.max_user_namespaces, 63432u);
  EXPECT_EQ(facts.container, Container::kNone);
  EXPECT_TRUE(facts.has_bubblewrap && facts.has_systemd);
}

TEST(Facts, KnowContainers) {
  const auto container = [](const auto& make) {
    FakeHost host;
    make(host);
    return gather_facts(host).container;
  };
  EXPECT_EQ(container([](FakeHost& host) { host.file("/.dockerenv"); }), Container::kDocker);
  EXPECT_EQ(container([](FakeHost& host) { host.file("/run/.containerenv"); }), Container::kPodman);
  EXPECT_EQ(container([](FakeHost& host) { host.var("KUBERNETES_SERVICE_HOST", "10.0.0.1").file("/.dockerenv"); }),
            Container::kKubernetes);
  EXPECT_EQ(container([](FakeHost& host) {
              host.file("/proc/self/mountinfo",
                        "30 20 0:5 / /proc rw - proc proc rw\n"
                        "40 30 0:99 / /proc/acpi ro - tmpfs tmpfs ro\n");
            }),
            Container::kUnknown);
  EXPECT_EQ(container([](FakeHost& host) {
              host.file("/proc/self/mountinfo",
                        "30 20 0:5 / /proc rw - proc proc rw\n"
                        "40 30 0:9 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw\n");
            }),
            Container::kNone);
}

}  // namespace
}  // namespace pinfold::report

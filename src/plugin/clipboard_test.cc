// clipboard_test.cc: the choice of the host's clipboard programs, and the answers to clients of the socket.
#include "plugin/clipboard.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/fake_host.h"
#include "plugin/confine.h"

namespace pinfold::plugin {
namespace {

TEST(ClipboardTools, AreChosenByTheDisplay) {
  FakeHost host;
  host.debian();
  EXPECT_NE(find_clipboard_tools({}, host).error().text().find("no display"), std::string::npos);
  host.var("DISPLAY", ":0");
  EXPECT_NE(find_clipboard_tools({}, host).error().text().find("neither xclip nor xsel"), std::string::npos);
  host.program("/usr/bin/xsel");
  EXPECT_EQ(find_clipboard_tools({}, host)->paste.at(0), "/usr/bin/xsel");
  host.program("/usr/bin/xclip").program("/usr/bin/wl-copy").program("/usr/bin/wl-paste");
  EXPECT_EQ(find_clipboard_tools({}, host)->copy.at(0), "/usr/bin/xclip");
  host.var("WAYLAND_DISPLAY", "wayland-0");
  EXPECT_EQ(find_clipboard_tools({}, host)->copy.at(0), "/usr/bin/wl-copy");
  EXPECT_FALSE(find_clipboard_tools({"/usr/bin"}, host)) << "what a plugin may write is not run for it";
}

TEST(ClipboardPermission, ShowsASocketAndNoDisplay) {
  FakeHost host;
  host.debian().file("/p/main.py").program("/opt/pinfold").dir("/run/c").other("/run/c/socket", HostKind::kSocket);
  host.var("DISPLAY", ":0").var("WAYLAND_DISPLAY", "w").var("XAUTHORITY", "/x");
  InstalledPlugin plugin;
  plugin.folder = "/p";
  plugin.manifest = Manifest{"org.example.p", "P", "1", {}, {}, Runtime::kPython, "main.py", {}, {}};
  const ClipboardPaths place{"/run/c", "/run/c/socket", "/opt/pinfold"};
  const auto names = [&] {
    std::string out;
    const auto made = confine(plugin, {"/home/ada", "/home/ada"}, host, &place);
    EXPECT_TRUE(made) << made.error().text();
    for (const EnvRule& rule : made->policy.environment) out += rule.name + " ";
    for (const PathRule& rule : made->policy.paths)
      if (rule.access != Access::kHide) out += rule.path + " ";
    for (const std::string& command : made->policy.exec.commands) out += "run:" + command + " ";
    return out;
  };
  const auto has = [&](const char* text) { return names().find(text) != std::string::npos; };
  for (const char* text : {"PINFOLD_CLIPBOARD", "/run/c", "/opt/pinfold"}) EXPECT_FALSE(has(text)) << text;
  plugin.manifest->permissions.clipboard = true;
  for (const char* text : {"PINFOLD_CLIPBOARD", "/run/c/socket"}) EXPECT_TRUE(has(text)) << text;
  EXPECT_FALSE(has("/opt/pinfold")) << "no shell: no programs";
  plugin.manifest->permissions.shell = RequestedShell{};
  EXPECT_TRUE(has("run:/opt/pinfold"));
  for (const char* text : {"DISPLAY", "XAUTHORITY", "X11"}) EXPECT_FALSE(has(text)) << text;
}

// A socket, with other programs in place of the clipboard's: `cat` writes its input, which is empty for paste.
class ClipboardTest : public testing::Test {
 protected:
  ClipboardTest() : loop_(sys::EventLoop::create().value()) {
    listener_ = sys::Fd::adopt(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    address_.sa_family = AF_UNIX;  // the kernel chooses a name
    EXPECT_EQ(::bind(listener_.raw(), &address_, sizeof(sa_family_t)), 0);
    EXPECT_EQ(::listen(listener_.raw(), 32), 0);
    size_ = sizeof name_;
    ::getsockname(listener_.raw(), reinterpret_cast<sockaddr*>(&name_), &size_);
  }
  void serve(Result<ClipboardTools> tools) {
    clipboard_.emplace(loop_, std::move(listener_), std::move(tools),
                       [this](const ClipboardUse& use) { uses_.push_back(use); });
    ASSERT_TRUE(clipboard_->start());
  }
  sys::Fd connection(const std::string& request) {
    auto peer = sys::Fd::adopt(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(peer.raw(), reinterpret_cast<const sockaddr*>(&name_), size_), 0);
    EXPECT_EQ(::send(peer.raw(), request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
    ::shutdown(peer.raw(), SHUT_WR);
    return peer;
  }
  // The whole answer; the loop runs until the connection is closed.
  std::string read_answer(const sys::Fd& peer) {
    std::string out;
    ::fcntl(peer.raw(), F_SETFL, O_NONBLOCK);
    EXPECT_TRUE(loop_.add(peer.raw(), sys::EventLoop::Interest::kRead, [&] {
      char bytes[4096];
      const ssize_t size = ::recv(peer.raw(), bytes, sizeof bytes, 0);
      if (size > 0) out.append(bytes, static_cast<std::size_t>(size));
      if (size == 0) loop_.stop();
    }));
    EXPECT_TRUE(loop_.run());
    loop_.remove(peer.raw());
    return out;
  }

  sys::EventLoop loop_;
  sys::Fd listener_;
  sockaddr address_{};
  sockaddr_storage name_{};
  socklen_t size_ = 0;
  std::vector<ClipboardUse> uses_;
  std::optional<Clipboard> clipboard_;
};

TEST_F(ClipboardTest, OneRequestPerConnection) {
  serve(ClipboardTools{{"/bin/cat"}, {"/bin/echo", "-n", "the copied text"}});
  EXPECT_EQ(read_answer(connection("paste\n")), "ok\nthe copied text");
  EXPECT_EQ(read_answer(connection("copy\nnew")), "ok\n");
  EXPECT_EQ(read_answer(connection("copy\n")), "ok\n");
  for (const char* nonsense : {"", "past", "copy", "pasted\n", "cut\nx", "\n"})
    EXPECT_TRUE(read_answer(connection(nonsense)).starts_with("error: say")) << nonsense;
  ASSERT_EQ(uses_.size(), 3U);
  EXPECT_EQ(uses_[0].bytes, 15U);
  EXPECT_EQ(uses_[1].bytes, 3U);
}

TEST_F(ClipboardTest, ServesManyConnections) {
  serve(ClipboardTools{{"/bin/cat"}, {"/bin/echo", "-n", "x"}});
  std::vector<sys::Fd> silent;
  for (int i = 0; i < 3; ++i) {
    silent.push_back(sys::Fd::adopt(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)));
    ASSERT_EQ(::connect(silent.back().raw(), reinterpret_cast<const sockaddr*>(&name_), size_), 0);
  }
  std::vector<sys::Fd> peers;
  for (int i = 0; i < 14; ++i) peers.push_back(connection("paste\n"));
  connection("paste\n").reset();  // closed before the answer
  for (const sys::Fd& peer : peers) EXPECT_EQ(read_answer(peer), "ok\nx");
}

TEST_F(ClipboardTest, ReportsToolErrors) {
  serve(ClipboardTools{{"/bin/false"}, {"/nowhere/paste"}});
  EXPECT_TRUE(read_answer(connection("copy\nx")).starts_with("error: false failed"));
  EXPECT_TRUE(read_answer(connection("paste\n")).starts_with("error: "));
  EXPECT_FALSE(uses_.at(0).problem.empty());
}

TEST_F(ClipboardTest, ALongClipboardIsNotRead) {
  serve(ClipboardTools{{"/bin/cat"}, {"/usr/bin/yes"}});
  EXPECT_NE(read_answer(connection("paste\n")).find("more than 1048576 bytes"), std::string::npos);
}

TEST_F(ClipboardTest, WithoutAProgram) {
  serve(fail(ErrorKind::kUnavailable, "there is none"));
  EXPECT_EQ(read_answer(connection("paste\n")), "error: there is none\n");
}

}  // namespace
}  // namespace pinfold::plugin

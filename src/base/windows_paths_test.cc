// windows_paths_test.cc: what Windows could read in two ways is refused.
#include "base/windows_paths.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/paths.h"
#include "base/utf16.h"

namespace pinfold::windows_paths {
namespace {

std::string core(std::string_view text) {
  auto path = to_core(text);
  return path ? *path : "refused";
}
std::string windows(std::string_view text) {
  auto path = to_windows(text);
  return path ? *path : "refused";
}

TEST(WindowsPaths, AcceptsCommonSpellings) {
  EXPECT_EQ(core(R"(C:\Users\Ada)"), "/c/Users/Ada");
  EXPECT_EQ(core("d:/x/y"), "/d/x/y");
  EXPECT_EQ(core("/C/Users"), "/c/Users");
  EXPECT_EQ(core("C:\\"), "/c");
  EXPECT_EQ(core("C:"), "/c");
  EXPECT_EQ(core(R"(..\data\x.txt)"), "../data/x.txt");
  EXPECT_EQ(core("."), ".");
  EXPECT_EQ(core(R"(~\notes)"), "~/notes");
  EXPECT_EQ(core("~"), "~");
  EXPECT_EQ(core(R"(C:\Größe\日本)"), "/c/Größe/日本");
  EXPECT_EQ(core("C:\\a~b\\x~"), "/c/a~b/x~");
}

// "/d" is another drive for the core, and the same place as "C:\d" for Windows.
TEST(WindowsPaths, DotDotStaysOnOneDrive) {
  EXPECT_EQ(core(R"(C:\..\d\x)"), "refused");
  EXPECT_EQ(core("/c/a/../../d"), "refused");
  EXPECT_EQ(core("C:\\.."), "refused");
  EXPECT_EQ(core(R"(C:\a\..\b)"), "/c/a/../b");
  const BaseDirectories base{"/c/ws/sub", "/c/Users/ada"};
  const auto joined = [&](std::string_view text) { return to_core(text, base).value_or("refused"); };
  EXPECT_EQ(joined(R"(..\..\d)"), "../../d");
  EXPECT_EQ(joined(R"(..\..\..\d\x)"), "refused");
  EXPECT_EQ(joined(R"(a\..\..\..\..\d)"), "refused");
  EXPECT_EQ(joined(R"(~\..\bob)"), "~/../bob");
  EXPECT_EQ(joined(R"(~\..\..\..\d)"), "refused");
  EXPECT_EQ(joined(R"(~x\..\..\..\d)"), "~x/../../../d");
  EXPECT_EQ(joined(R"(D:\x)"), "/d/x");
  EXPECT_EQ(to_core(R"(..\x)", {}).value_or("refused"), "../x");
}

TEST(WindowsPaths, RefusesDeviceAndUncPaths) {
  for (const char* text : {R"(\\?\C:\x)",
                           R"(\\.\PhysicalDrive0)",
                           "\\?\?\\C:\\x",
                           R"(\\server\share\x)",
                           "//server/share",
                           R"(\\?\UNC\s\x)",
                           R"(\\.\pipe\x)",
                           "//?/C:/x",
                           R"(\Windows)",
                           R"(\)",
                           "C:x",
                           "C:..\\x",
                           "/usr/bin",
                           "/proc",
                           "/cc/x",
                           R"(C:\x:y)",
                           "file:stream",
                           "x::$DATA",
                           R"(C:\dir:$I30:$INDEX_ALLOCATION\x)",
                           R"(C:\x\NUL)",
                           "con",
                           "Com1.txt",
                           "LPT\u00B9",
                           "nul .txt",
                           "CONIN$",
                           "aux.",
                           R"(C:\x.)",
                           "C:\\x ",
                           R"(C:\a.\b)",
                           "C:\\a \\b",
                           R"(C:\...\b)",
                           R"(C:\PROGRA~1\x)",
                           "LONGNA~1.TXT",
                           "a<b",
                           "a>b",
                           "a|b",
                           "a?b",
                           "a*b",
                           "a\"b",
                           "a\nb",
                           "a\x01",
                           "C:\\\xFF"})
    EXPECT_EQ(core(text), "refused") << text;
  EXPECT_FALSE(to_core(std::string_view("a\0b", 3)));
}

TEST(WindowsPaths, ErrorsNameTheFix) {
  for (const char* text : {R"(\\?\C:\x)", R"(\\server\x)", "C:x", R"(\x)", "a:b", "a.", "NUL", "PROGRA~1"}) {
    const auto path = to_core(text);
    ASSERT_FALSE(path) << text;
    EXPECT_FALSE(path.error().fix().empty()) << text;
  }
}

TEST(WindowsPaths, DeviceNames) {
  for (const char* name : {"NUL", "nul", "Con", "PRN", "AUX", "COM0", "COM9", "lpt1", "NUL.txt", "nul.tar.gz", "com1 ",
                           "COM\u00B2", "CONOUT$", "NUL:x"})
    EXPECT_TRUE(is_device_name(name)) << name;
  for (const char* name : {"NULL", "COM", "COM10", "LPTX", "console", "xNUL", "a.NUL", "COMA", "CO", ""})
    EXPECT_FALSE(is_device_name(name)) << name;
}

TEST(WindowsPaths, ShortNames) {
  for (const char* name : {"PROGRA~1", "a~1.txt", "LONG~12", "ABCDEF~1.C"}) EXPECT_TRUE(looks_short(name)) << name;
  for (const char* name : {"~1", "a~", "a~b", "toolongname~1", "a~1.text", "x~1y", "~$doc"})
    EXPECT_FALSE(looks_short(name)) << name;
}

TEST(WindowsPaths, ForWindows) {
  EXPECT_EQ(windows("/c"), "C:\\");
  EXPECT_EQ(windows("/c/Users/Ada"), R"(C:\Users\Ada)");
  for (const char* text : {"/", "/usr", "c/x", "/c/x:y", "/c/NUL", "/c/a.", "", "/c/PROGRA~1"})
    EXPECT_EQ(windows(text), "refused") << text;
}

TEST(WindowsPaths, SearchLists) {
  EXPECT_EQ(search_to_core(R"(C:\Windows\system32;C:\Windows;"D:\a b\";relative;;\\srv\bin;%X%)"),
            "/c/Windows/system32:/c/Windows:/d/a b");
  EXPECT_EQ(search_to_windows("/c/Windows:/d/a b:/usr/bin"), R"(C:\Windows;D:\a b)");
  EXPECT_EQ(search_to_core(""), "");
}

// Every accepted path survives a round trip, and has no part that Windows treats specially.
TEST(WindowsPaths, AcceptedPathsAreNormal) {
  const std::vector<std::string> pieces = {"C:", "c", "\\",  "/",     ".", "..",   " ", "a",   "B",    "~",  "1",
                                           ":",  "?", "NUL", "x.txt", "é", "\\\\", "$", "con", "COM1", "\t", "*"};
  std::mt19937 random(20260102);
  int accepted = 0;
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    for (std::size_t n = random() % 7; n > 0; --n) text += pieces[random() % pieces.size()];
    const auto path = to_core(text);
    if (!path || !path->starts_with("/") || path->size() < 2) continue;
    ++accepted;
    const std::string normal = paths::normal(*path);
    if (normal == "/") continue;
    const auto back = to_windows(normal);
    // ".." may have removed the drive: then it is no path of Windows.
    if (!back) continue;
    EXPECT_EQ(back->find(':', 2), std::string::npos) << text;
    EXPECT_EQ(back->substr(1, 2), ":\\") << text;
    EXPECT_EQ(core(*back), normal) << text;
  }
  EXPECT_GT(accepted, 2000);
}

TEST(Utf16, RoundTrips) {
  for (const char* text : {"", "abc", "é", "日本", "😀", "\U0010FFFF"})
    EXPECT_EQ(to_utf8(to_utf16(text).value_or(u"?")).value_or("?"), text);
  EXPECT_FALSE(to_utf16("\xED\xA0\x80"));
  EXPECT_FALSE(to_utf8(std::u16string(1, char16_t{0xD800})));
  EXPECT_FALSE(to_utf8(std::u16string(1, char16_t{0xDC00})));
  EXPECT_FALSE(to_utf8(std::u16string{char16_t{0xD800}, u'a'}));
}

}  // namespace
}  // namespace pinfold::windows_paths

// echo_argv.cc: prints what it was started with, for tests under wine: its arguments by the C runtime and by
// CommandLineToArgvW, its variables, its streams; or waits, or starts children.
//   echo-argv.exe argv ARG…        each ARG by both readers, one hex line for each
//   echo-argv.exe environment      every variable, one a line
//   echo-argv.exe exit N           ends with N
//   echo-argv.exe crash            dies of an access violation
//   echo-argv.exe tree N FILE      starts N children, which do the same with N-1, and waits; each appends a byte to FILE
//                                  every 50 ms while it lives
//   echo-argv.exe cat              standard input to standard output
//   echo-argv.exe spin             uses the processor for ever
//   echo-argv.exe handle N         can handle N be used?
#include <windows.h>

#include <shellapi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void print_hex(const std::wstring& text) {
  for (const wchar_t c : text) std::printf("%04x", static_cast<unsigned>(c));
  std::printf("\n");
}

int argv_twice(int argc, wchar_t** argv) {
  int count = 0;
  wchar_t** other = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::printf("%d %d\n", argc - 2, count - 2);
  for (int i = 2; i < argc; ++i) print_hex(argv[i]);
  for (int i = 2; i < count; ++i) print_hex(other[i]);
  return 0;
}

int environment() {
  for (const wchar_t* at = ::GetEnvironmentStringsW(); *at != L'\0';) {
    const std::wstring line = at;
    at += line.size() + 1;
    std::string bytes(line.size() * 4 + 1, '\0');
    const int size = ::WideCharToMultiByte(CP_UTF8, 0, line.data(), static_cast<int>(line.size()), bytes.data(),
                                           static_cast<int>(bytes.size()), nullptr, nullptr);
    std::printf("%.*s\n", size, bytes.c_str());
  }
  return 0;
}

int tree(int depth, const std::wstring& file) {
  if (depth > 0) {
    wchar_t self[MAX_PATH] = {};
    ::GetModuleFileNameW(nullptr, self, MAX_PATH);
    for (int i = 0; i < 2; ++i) {
      std::wstring line = L"x tree " + std::to_wstring(depth - 1) + L" " + file;
      STARTUPINFOW start{};
      start.cb = sizeof start;
      PROCESS_INFORMATION made{};
      // Away from the console and in a group of its own: what a program does that wants to outlive its parent.
      ::CreateProcessW(self, line.data(), nullptr, nullptr, FALSE, CREATE_NEW_PROCESS_GROUP | DETACHED_PROCESS, nullptr,
                       nullptr, &start, &made);
    }
  }
  for (;;) {
    HANDLE out = ::CreateFileW(file.c_str(), FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_ALWAYS,
                               FILE_ATTRIBUTE_NORMAL, nullptr);
    DWORD written = 0;
    const char mark = static_cast<char>('0' + depth);
    ::WriteFile(out, &mark, 1, &written, nullptr);
    ::CloseHandle(out);
    ::Sleep(50);
  }
}

int cat() {
  char piece[4096];
  DWORD got = 0;
  while (::ReadFile(::GetStdHandle(STD_INPUT_HANDLE), piece, sizeof piece, &got, nullptr) != 0 && got > 0) {
    DWORD written = 0;
    ::WriteFile(::GetStdHandle(STD_OUTPUT_HANDLE), piece, got, &written, nullptr);
  }
  return 0;
}

}  // namespace

int wmain(int argc, wchar_t** argv) {
  const std::wstring what = argc > 1 ? argv[1] : L"";
  if (what == L"argv") return argv_twice(argc, argv);
  if (what == L"environment") return environment();
  if (what == L"exit") return std::atoi(std::string(argv[2], argv[2] + ::wcslen(argv[2])).c_str());
  if (what == L"crash") *reinterpret_cast<volatile int*>(16) = 1;
  if (what == L"tree") return tree(static_cast<int>(::wcstol(argv[2], nullptr, 10)), argv[3]);
  if (what == L"cat") return cat();
  if (what == L"spin")
    for (volatile unsigned i = 0;;) i = i + 1;
  if (what == L"handle") {
    const auto handle = reinterpret_cast<HANDLE>(::wcstoll(argv[2], nullptr, 10));
    DWORD flags = 0;
    std::printf("%s\n", ::GetHandleInformation(handle, &flags) != 0 ? "open" : "closed");
    return 0;
  }
  return 2;
}

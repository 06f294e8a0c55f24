// echo_argv.cc: prints its arguments and environment, or keeps running: a command for tests under wine.
// Invariant: nothing that it starts lives longer than it was told.
// Not here: what the answers should be (tests/platforms/windows_suite, wine_test.cc).
//
//   argv ARG…        how many arguments, then each in hex, by the C runtime and by CommandLineToArgvW
//   environment      every variable
//   exit N           ends with N
//   crash            dies of an access violation
//   tree N FILE MS   starts two that do the same with N-1; each adds its N to FILE every 50 ms, for MS milliseconds
//   cat              standard input to standard output
//   handle N         can handle N be used?
//   token            is the group of administrators one to be let in by ("in"), to be kept out by ("out"), or none of
//   its own?
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

int tree(int depth, const std::wstring& file, unsigned long life) {
  if (depth > 0) {
    wchar_t self[MAX_PATH] = {};
    ::GetModuleFileNameW(nullptr, self, MAX_PATH);
    for (int i = 0; i < 2; ++i) {
      std::wstring line = L"x tree " + std::to_wstring(depth - 1) + L" " + file + L" " + std::to_wstring(life);
      STARTUPINFOW start{};
      start.cb = sizeof start;
      PROCESS_INFORMATION made{};
      // Away from the console and in a group of its own: what a program does that wants to outlive its parent.
      ::CreateProcessW(self, line.data(), nullptr, nullptr, FALSE, CREATE_NEW_PROCESS_GROUP | DETACHED_PROCESS, nullptr,
                       nullptr, &start, &made);
    }
  }
  for (const ULONGLONG began = ::GetTickCount64(); ::GetTickCount64() - began < life;) {
    HANDLE out = ::CreateFileW(file.c_str(), FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_ALWAYS,
                               FILE_ATTRIBUTE_NORMAL, nullptr);
    DWORD written = 0;
    const char mark = static_cast<char>('0' + depth);
    ::WriteFile(out, &mark, 1, &written, nullptr);
    ::CloseHandle(out);
    ::Sleep(50);
  }
  return 0;
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

// The attributes of its own token.
const char* administrators() {
  HANDLE token = nullptr;
  BYTE wanted[SECURITY_MAX_SID_SIZE] = {};
  DWORD size = sizeof wanted;
  if (::CreateWellKnownSid(WinBuiltinAdministratorsSid, nullptr, wanted, &size) == 0 ||
      ::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &token) == 0)
    return "unknown";
  std::vector<BYTE> data(65536);
  const bool found =
      ::GetTokenInformation(token, TokenGroups, data.data(), static_cast<DWORD>(data.size()), &size) != 0;
  ::CloseHandle(token);
  if (!found) return "unknown";
  const auto* groups = reinterpret_cast<const TOKEN_GROUPS*>(data.data());
  for (DWORD i = 0; i < groups->GroupCount; ++i) {
    const SID_AND_ATTRIBUTES& one = groups->Groups[i];
    if (::EqualSid(one.Sid, wanted) == 0) continue;
    if ((one.Attributes & SE_GROUP_USE_FOR_DENY_ONLY) != 0) return "out";
    return (one.Attributes & SE_GROUP_ENABLED) != 0 ? "in" : "none";
  }
  return "none";
}

}  // namespace

int wmain(int argc, wchar_t** argv) {
  const std::wstring what = argc > 1 ? argv[1] : L"";
  if (what == L"argv") return argv_twice(argc, argv);
  if (what == L"environment") return environment();
  if (what == L"exit") return std::atoi(std::string(argv[2], argv[2] + ::wcslen(argv[2])).c_str());
  if (what == L"crash") *reinterpret_cast<volatile int*>(16) = 1;
  if (what == L"tree")
    return tree(static_cast<int>(::wcstol(argv[2], nullptr, 10)), argv[3], ::wcstoul(argv[4], nullptr, 10));
  if (what == L"cat") return cat();
  if (what == L"handle") {
    const auto handle = reinterpret_cast<HANDLE>(::wcstoll(argv[2], nullptr, 10));
    DWORD flags = 0;
    std::printf("%s\n", ::GetHandleInformation(handle, &flags) != 0 ? "open" : "closed");
    return 0;
  }
  if (what == L"token") {
    std::printf("%s\n", administrators());
    return 0;
  }
  return 2;
}

// container.cc: profiles of app containers, by the functions of userenv.dll.
#include "backend/windows/os/container.h"

#include <sddl.h>

#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace pinfold::backend::on_windows {
namespace {

using sys::narrow;
using sys::wide;

struct Calls {
  HRESULT(WINAPI* create)(PCWSTR, PCWSTR, PCWSTR, PSID_AND_ATTRIBUTES, DWORD, PSID*) = nullptr;
  HRESULT(WINAPI* remove)(PCWSTR) = nullptr;
  HRESULT(WINAPI* folder)(PCWSTR, PWSTR*) = nullptr;
  void(WINAPI* free_text)(void*) = nullptr;
  std::string missing{};
};

template <typename Function>
void look_up(HMODULE module, const char* library, const char* name, Function& slot, std::string& missing) {
  const FARPROC found = module == nullptr ? nullptr : ::GetProcAddress(module, name);
  // GetProcAddress() returns a FARPROC: the cast by void* avoids a warning.
  slot = reinterpret_cast<Function>(reinterpret_cast<void*>(found));
  if (found == nullptr && missing.empty()) missing = fmt::format("{} has no {}", library, name);
}

const Calls& calls() {
  static const Calls found = [] {
    Calls out;
    // From the system directory only: never a library from the program's or the working directory.
    const HMODULE userenv = ::LoadLibraryExW(L"userenv.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
    const HMODULE ole = ::LoadLibraryExW(L"ole32.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
    look_up(userenv, "userenv.dll", "CreateAppContainerProfile", out.create, out.missing);
    look_up(userenv, "userenv.dll", "DeleteAppContainerProfile", out.remove, out.missing);
    look_up(userenv, "userenv.dll", "GetAppContainerFolderPath", out.folder, out.missing);
    look_up(ole, "ole32.dll", "CoTaskMemFree", out.free_text, out.missing);
    return out;
  }();
  return found;
}

Error hresult(const char* name, const std::string& subject, HRESULT result) {
  return sys::win_error(name, subject, static_cast<unsigned long>(result) & 0xFFFFU);
}

}  // namespace

std::string why_no_containers() {
  const Calls& found = calls();
  return found.missing.empty() ? "" : "this Windows has no app containers (" + found.missing + ")";
}

Result<Container> Container::create(const std::string& name) {
  if (const std::string why = why_no_containers(); !why.empty())
    return fail(ErrorKind::kUnavailable, why, "Windows 8 or newer has them");
  const std::wstring wide_name = wide(name);
  PSID sid = nullptr;
  const HRESULT made = calls().create(wide_name.c_str(), wide_name.c_str(), L"a sandbox of Pinfold", nullptr, 0, &sid);
  if (FAILED(made)) {
    Error error = hresult("CreateAppContainerProfile", name, made);
    return fail(ErrorKind::kUnavailable, error.text(), "see docs/reference/windows.md");
  }
  sys::Local<LPWSTR> text;
  if (::ConvertSidToStringSidW(sid, text.slot()) == 0) {
    ::FreeSid(sid);
    calls().remove(wide_name.c_str());
    return tl::unexpected<Error>(sys::win_error("ConvertSidToStringSid", name, ::GetLastError()));
  }
  return Container(name, sid, narrow(text.get()));
}

Container::~Container() {
  if (sid_ == nullptr) return;
  ::FreeSid(sid_);
  calls().remove(wide(name_).c_str());
}

Result<std::string> Container::folder() const {
  PWSTR path = nullptr;
  const HRESULT found = calls().folder(wide(text_).c_str(), &path);
  if (FAILED(found)) return tl::unexpected<Error>(hresult("GetAppContainerFolderPath", name_, found));
  std::string out = narrow(path);
  calls().free_text(path);
  if (out.empty()) return fail(ErrorKind::kSystem, "the container's folder has no name");
  return out;
}

void delete_profile(const std::string& name) {
  if (why_no_containers().empty()) calls().remove(wide(name).c_str());
}

}  // namespace pinfold::backend::on_windows

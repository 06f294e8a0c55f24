// files.cc: reading and writing by handle.
// Invariant: owner and rights are those of the very file that was read.
#include "sys/windows/files.h"

#include <aclapi.h>

#include <algorithm>
#include <array>
#include <random>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/try.h"

namespace pinfold::sys {
namespace {

auto last_error(std::string_view name, std::string_view subject) {
  return tl::unexpected<Error>(win_error(name, subject, ::GetLastError()));
}

std::vector<BYTE> token_user() {
  HANDLE raw = nullptr;
  if (::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &raw) == 0) return {};
  const Handle token = Handle::adopt(raw);
  DWORD size = 0;
  ::GetTokenInformation(token.raw(), TokenUser, nullptr, 0, &size);
  std::vector<BYTE> data(size);
  if (size == 0 || ::GetTokenInformation(token.raw(), TokenUser, data.data(), size, &size) == 0) return {};
  return data;
}
PSID sid_of(const std::vector<BYTE>& user) {
  return user.empty() ? nullptr : reinterpret_cast<const TOKEN_USER*>(user.data())->User.Sid;
}

// Administrators and the system can change every file anyway.
bool is_administrative(PSID sid) {
  return ::IsWellKnownSid(sid, WinBuiltinAdministratorsSid) != 0 || ::IsWellKnownSid(sid, WinLocalSystemSid) != 0;
}

bool caller_is_administrator() {
  std::array<BYTE, SECURITY_MAX_SID_SIZE> sid{};
  DWORD size = static_cast<DWORD>(sid.size());
  BOOL member = FALSE;
  return ::CreateWellKnownSid(WinBuiltinAdministratorsSid, nullptr, sid.data(), &size) != 0 &&
         ::CheckTokenMembership(nullptr, sid.data(), &member) != 0 && member != FALSE;
}

bool others_can_write(PACL acl, PSID me) {
  if (acl == nullptr) return true;  // a null list allows everything to every user
  constexpr DWORD kChanges = FILE_WRITE_DATA | FILE_APPEND_DATA | WRITE_DAC | WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL;
  for (DWORD i = 0; i < acl->AceCount; ++i) {
    void* raw = nullptr;
    if (::GetAce(acl, i, &raw) == 0) return true;
    const auto* ace = static_cast<ACCESS_ALLOWED_ACE*>(raw);
    if (ace->Header.AceType != ACCESS_ALLOWED_ACE_TYPE || (ace->Header.AceFlags & INHERIT_ONLY_ACE) != 0) continue;
    if ((ace->Mask & kChanges) == 0) continue;
    PSID trustee = const_cast<DWORD*>(&ace->SidStart);
    const bool trusted = (me != nullptr && ::EqualSid(trustee, me) != 0) || is_administrative(trustee) ||
                         ::IsWellKnownSid(trustee, WinCreatorOwnerSid) != 0;
    if (!trusted) return true;
  }
  return false;
}

Result<std::string> read_handle(HANDLE file, const std::string& path, std::size_t limit) {
  std::string text;
  std::array<char, 16384> piece{};
  while (text.size() <= limit) {
    DWORD got = 0;
    if (::ReadFile(file, piece.data(), static_cast<DWORD>(piece.size()), &got, nullptr) == 0)
      return last_error("ReadFile", path);
    if (got == 0) return text;
    text.append(piece.data(), got);
  }
  return text;
}

}  // namespace

std::uint32_t own_id() {
  const std::vector<BYTE> user = token_user();
  PSID sid = sid_of(user);
  if (sid == nullptr || *::GetSidSubAuthorityCount(sid) == 0) return 1;
  return *::GetSidSubAuthority(sid, *::GetSidSubAuthorityCount(sid) - 1U);
}

Result<void> publish(const std::string& path, std::string_view text) {
  std::random_device random;
  const std::string beside = fmt::format("{}.{:08x}{:08x}", path, random(), random());
  PF_TRY(name, call_path(path), "writing");
  PF_TRY(temporary, call_path(beside), "writing");
  {
    const Handle file = Handle::adopt(
        ::CreateFileW(temporary.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (!file.is_open()) return last_error("CreateFile", beside);
    DWORD written = 0;
    const bool whole = ::WriteFile(file.raw(), text.data(), static_cast<DWORD>(text.size()), &written, nullptr) != 0 &&
                       written == text.size() && ::FlushFileBuffers(file.raw()) != 0;
    if (!whole) {
      auto error = last_error("WriteFile", beside);
      ::DeleteFileW(temporary.c_str());
      return error;
    }
  }
  if (::MoveFileExW(temporary.c_str(), name.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0)
    return {};
  auto error = last_error("MoveFileEx", path);
  ::DeleteFileW(temporary.c_str());
  return error;
}

Result<void> make_directories(const std::string& path) {
  Result<void> out;
  paths::each_at_or_above(path, [&](std::string_view above) {
    if (!out || paths::depth(above) < 2) return;
    auto name = call_path(above);
    if (!name)
      out = tl::unexpected<Error>(std::move(name).error());
    else if (::CreateDirectoryW(name->c_str(), nullptr) == 0 && ::GetLastError() != ERROR_ALREADY_EXISTS)
      out = last_error("CreateDirectory", above);
  });
  return out;
}

Result<void> remove_file(const std::string& path) {
  PF_TRY(name, call_path(path), "removing");
  if (::DeleteFileW(name.c_str()) != 0 || ::GetLastError() == ERROR_FILE_NOT_FOUND) return {};
  return last_error("DeleteFile", path);
}

Result<void> remove_tree(const std::string& path) {
  PF_TRY(top, call_path(path), "removing");
  const DWORD attributes = ::GetFileAttributesW(top.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return {};
  if ((attributes & FILE_ATTRIBUTE_READONLY) != 0)
    ::SetFileAttributesW(top.c_str(), attributes & ~static_cast<DWORD>(FILE_ATTRIBUTE_READONLY));
  const bool directory = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  if (directory && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) {
    // By Windows' own names: files that a run left may have names that the core refuses.
    WIN32_FIND_DATAW found{};
    std::vector<std::wstring> pending = {top};
    std::vector<std::wstring> directories;
    while (!pending.empty()) {
      const std::wstring at = std::move(pending.back());
      pending.pop_back();
      directories.push_back(at);
      const HANDLE search = ::FindFirstFileW((at + L"\\*").c_str(), &found);
      if (search == INVALID_HANDLE_VALUE) continue;
      do {
        const std::wstring_view name = found.cFileName;
        if (name == L"." || name == L"..") continue;
        const std::wstring full = at + L"\\" + std::wstring(name);
        const bool link = (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
        ::SetFileAttributesW(full.c_str(), FILE_ATTRIBUTE_NORMAL);
        if ((found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0)
          ::DeleteFileW(full.c_str());
        else if (link)
          ::RemoveDirectoryW(full.c_str());
        else
          pending.push_back(full);
      } while (::FindNextFileW(search, &found) != 0);
      ::FindClose(search);
    }
    for (auto each = directories.rbegin(); each != directories.rend(); ++each) ::RemoveDirectoryW(each->c_str());
  } else if (directory) {
    ::RemoveDirectoryW(top.c_str());
  } else {
    ::DeleteFileW(top.c_str());
  }
  if (::GetFileAttributesW(top.c_str()) == INVALID_FILE_ATTRIBUTES) return {};
  return fail(ErrorKind::kSystem, path + " could not be removed", "remove it by hand");
}

Result<std::string> read_whole(const std::string& path, std::size_t limit) {
  PF_TRY(name, call_path(path), "reading");
  const Handle file = Handle::adopt(
      ::CreateFileW(name.c_str(), GENERIC_READ, kShareAll, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file.is_open()) return last_error("CreateFile", path);
  PF_TRY(text, read_handle(file.raw(), path, limit), "reading");
  if (text.size() > limit) text.resize(limit);
  return text;
}

Result<HostFile> read_with_owner(const std::string& path, Links links, std::size_t limit) {
  PF_TRY(name, call_path(path), "reading");
  const DWORD flags = links == Links::kStayInside ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
  const Handle file = Handle::adopt(::CreateFileW(name.c_str(), GENERIC_READ | READ_CONTROL, kShareAll, nullptr,
                                                  OPEN_EXISTING, flags | FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (!file.is_open()) return last_error("CreateFile", path);
  BY_HANDLE_FILE_INFORMATION info{};
  if (::GetFileInformationByHandle(file.raw(), &info) == 0) return last_error("GetFileInformationByHandle", path);
  constexpr DWORD kNotPlain = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DEVICE;
  if ((info.dwFileAttributes & kNotPlain) != 0)
    return fail(ErrorKind::kRefused, path + " is a link, or not a regular file", "put the file itself there");
  HostFile out;
  PF_TRY(text, read_handle(file.raw(), path, limit), "reading");
  if (text.size() > limit) return fail(ErrorKind::kRefused, fmt::format("{} is longer than {} bytes", path, limit));
  out.text = std::move(text);
  PSID owner = nullptr;
  PACL acl = nullptr;
  Local<PSECURITY_DESCRIPTOR> descriptor;
  const DWORD error =
      ::GetSecurityInfo(file.raw(), SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner,
                        nullptr, &acl, nullptr, descriptor.slot());
  if (error != ERROR_SUCCESS) return tl::unexpected<Error>(win_error("GetSecurityInfo", path, error));
  const std::vector<BYTE> user = token_user();
  PSID me = sid_of(user);
  // A file that an administrator creates is owned by the administrators' group.
  const bool administrative = owner != nullptr && is_administrative(owner);
  const bool mine = (me != nullptr && owner != nullptr && ::EqualSid(owner, me) != 0) ||
                    (administrative && caller_is_administrator());
  out.uid = out.gid = mine ? own_id() : administrative ? 0 : 0xFFFFFFFEU;
  out.mode = others_can_write(acl, me) ? 0666 : 0600;
  return out;
}

Result<Handle> hold_file(const std::string& path) {
  PF_TRY(name, call_path(path), "locking");
  Handle file = Handle::adopt(
      ::CreateFileW(name.c_str(), GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file.is_open() && ::GetLastError() != ERROR_SHARING_VIOLATION) return last_error("CreateFile", path);
  return file;
}

}  // namespace pinfold::sys

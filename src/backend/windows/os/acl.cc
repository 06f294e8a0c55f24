// acl.cc: reads and writes access lists; follows no links.
// Invariant: a path is opened once, without following a reparse point, and every call uses that handle.
#include "backend/windows/os/acl.h"

#include <aclapi.h>
#include <sddl.h>

#include <vector>

#include "base/try.h"

namespace pinfold::backend::on_windows {
namespace {

using sys::Handle;
using sys::Local;

auto failed(std::string_view name, std::string_view subject, DWORD error) {
  return tl::unexpected<Error>(sys::win_error(name, subject, error));
}

Result<Handle> open_itself(const std::string& path, DWORD access) {
  PF_TRY(name, sys::call_path(path));
  Handle file = Handle::adopt(::CreateFileW(name.c_str(), access, sys::kShareAll, nullptr, OPEN_EXISTING,
                                            FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!file.is_open()) return failed("CreateFile", path, ::GetLastError());
  return file;
}

struct List {
  Local<PSECURITY_DESCRIPTOR> descriptor;
  PACL acl = nullptr;
  bool sealed = false;  // inherits nothing
};

Result<List> read_list(HANDLE file, const std::string& path) {
  List out;
  const DWORD error = ::GetSecurityInfo(file, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr, &out.acl,
                                        nullptr, out.descriptor.slot());
  if (error != ERROR_SUCCESS) return failed("GetSecurityInfo", path, error);
  SECURITY_DESCRIPTOR_CONTROL control = 0;
  DWORD revision = 0;
  if (::GetSecurityDescriptorControl(out.descriptor.get(), &control, &revision) == 0)
    return failed("GetSecurityDescriptorControl", path, ::GetLastError());
  out.sealed = (control & SE_DACL_PROTECTED) != 0;
  // A null list allows everything to every user: adding an entry would remove that access.
  if (out.acl == nullptr)
    return fail(ErrorKind::kUnavailable, path + " has no access list, so no entry can be added",
                "give it one: icacls \"" + path + "\" /reset");
  return out;
}

Result<std::string> text_of(const List& list, const std::string& path) {
  Local<LPWSTR> text;
  if (::ConvertSecurityDescriptorToStringSecurityDescriptorW(list.descriptor.get(), SDDL_REVISION_1,
                                                             DACL_SECURITY_INFORMATION, text.slot(), nullptr) == 0)
    return failed("ConvertSecurityDescriptorToStringSecurityDescriptor", path, ::GetLastError());
  return sys::narrow(text.get());
}

// The list without the entries of this SID. kOwn: inherited entries become explicit ones; kLeftOut: they are dropped.
enum class Inherited { kLeftOut, kOwn };
std::vector<BYTE> without(PACL acl, PSID sid, Inherited inherited) {
  std::vector<BYTE> out(acl->AclSize);
  auto* copy = reinterpret_cast<PACL>(out.data());
  ::InitializeAcl(copy, static_cast<DWORD>(out.size()), acl->AclRevision);
  for (DWORD i = 0; i < acl->AceCount; ++i) {
    void* raw = nullptr;
    if (::GetAce(acl, i, &raw) == 0) continue;
    auto* header = static_cast<ACE_HEADER*>(raw);
    const bool plain = header->AceType == ACCESS_ALLOWED_ACE_TYPE || header->AceType == ACCESS_DENIED_ACE_TYPE;
    if (plain && ::EqualSid(&static_cast<ACCESS_ALLOWED_ACE*>(raw)->SidStart, sid) != 0) continue;
    if ((header->AceFlags & INHERITED_ACE) != 0 && inherited == Inherited::kLeftOut) continue;
    const BYTE flags = header->AceFlags;
    header->AceFlags = static_cast<BYTE>(flags & ~INHERITED_ACE);
    ::AddAce(copy, acl->AclRevision, MAXDWORD, raw, header->AceSize);
    header->AceFlags = flags;
  }
  return out;
}

EXPLICIT_ACCESSW entry(PSID sid, std::uint32_t rights, DWORD inheritance) {
  EXPLICIT_ACCESSW out{};
  out.grfAccessPermissions = rights;
  out.grfAccessMode = GRANT_ACCESS;
  out.grfInheritance = inheritance;
  out.Trustee.TrusteeForm = TRUSTEE_IS_SID;
  out.Trustee.TrusteeType = TRUSTEE_IS_GROUP;
  out.Trustee.ptstrName = static_cast<LPWSTR>(sid);
  return out;
}

// Never writes a null list: that would allow everything to every user.
Result<void> write_list(HANDLE file, const std::string& path, PACL acl, DWORD how) {
  if (acl == nullptr || ::IsValidAcl(acl) == 0)
    return fail(ErrorKind::kSystem, path + ": its new access list is not valid, and was not written");
  const DWORD error =
      ::SetSecurityInfo(file, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION | how, nullptr, nullptr, acl, nullptr);
  if (error != ERROR_SUCCESS) return failed("SetSecurityInfo", path, error);
  return {};
}

Result<Local<PSID>> sid_from(const std::string& text) {
  Local<PSID> sid;
  if (::ConvertStringSidToSidW(sys::wide(text).c_str(), sid.slot()) == 0)
    return failed("ConvertStringSidToSid", text, ::GetLastError());
  return sid;
}

DWORD flag(const List& list) {
  return list.sealed ? PROTECTED_DACL_SECURITY_INFORMATION : UNPROTECTED_DACL_SECURITY_INFORMATION;
}

}  // namespace

Result<std::string> access_list(const std::string& path) {
  PF_TRY(file, open_itself(path, READ_CONTROL), "reading an access list");
  PF_TRY(list, read_list(file.raw(), path));
  return text_of(list, path);
}

Result<void> make_change(const AclChange& change, const std::string& sid_text) {
  PF_TRY(sid, sid_from(sid_text));
  PF_TRY(file, open_itself(change.path, READ_CONTROL | WRITE_DAC), "granting");
  BY_HANDLE_FILE_INFORMATION info{};
  if (::GetFileInformationByHandle(file.raw(), &info) == 0)
    return failed("GetFileInformationByHandle", change.path, ::GetLastError());
  if ((info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0)
    return fail(ErrorKind::kRefused, change.path + " was replaced by a link after the plan was made", "run it again");
  // The change would apply to every hard link of the file.
  if (change.kind == EntryKind::kFile && info.nNumberOfLinks > 1)
    return fail(ErrorKind::kRefused,
                change.path + " has more than one name (a hard link), and rights belong to the file",
                "copy it, or leave it out");
  PF_TRY(list, read_list(file.raw(), change.path));
  const bool seal = change.action == AclAction::kSeal;
  // A sealed list inherits no entries: those that it inherited become explicit.
  std::vector<BYTE> base = without(list.acl, sid.get(), seal || list.sealed ? Inherited::kOwn : Inherited::kLeftOut);
  std::vector<EXPLICIT_ACCESSW> entries;
  constexpr DWORD kAll = SUB_CONTAINERS_AND_OBJECTS_INHERIT;
  if (change.rights == change.below && change.rights != 0) {
    entries.push_back(entry(sid.get(), change.rights, kAll));
  } else {
    if (change.rights != 0) entries.push_back(entry(sid.get(), change.rights, NO_INHERITANCE));
    if (change.below != 0) entries.push_back(entry(sid.get(), change.below, kAll | INHERIT_ONLY));
  }
  const DWORD how = seal ? PROTECTED_DACL_SECURITY_INFORMATION : flag(list);
  auto* const others = reinterpret_cast<PACL>(base.data());
  if (entries.empty()) return write_list(file.raw(), change.path, others, how);
  Local<PACL> made;
  const DWORD error = ::SetEntriesInAclW(static_cast<ULONG>(entries.size()), entries.data(), others, made.slot());
  if (error != ERROR_SUCCESS) return failed("SetEntriesInAcl", change.path, error);
  return write_list(file.raw(), change.path, made.get(), how);
}

Result<void> undo_change(const JournalEntry& entry, const std::string& sid_text) {
  const std::string& path = entry.change.path;
  PF_TRY(sid, sid_from(sid_text));
  auto opened = open_itself(path, READ_CONTROL | WRITE_DAC);
  if (!opened && opened.error().kind() == ErrorKind::kNotFound) return {};
  if (!opened) return tl::unexpected<Error>(std::move(opened).error().within("revoking a grant"));
  PF_TRY(list, read_list(opened->raw(), path), "revoking a grant");
  if (entry.change.action == AclAction::kGrant) {
    std::vector<BYTE> rest = without(list.acl, sid.get(), list.sealed ? Inherited::kOwn : Inherited::kLeftOut);
    return write_list(opened->raw(), path, reinterpret_cast<PACL>(rest.data()), flag(list));
  }
  PF_TRY(now, text_of(list, path));
  if (now == entry.before) return {};
  Local<PSECURITY_DESCRIPTOR> before;
  if (::ConvertStringSecurityDescriptorToSecurityDescriptorW(sys::wide(entry.before).c_str(), SDDL_REVISION_1,
                                                             before.slot(), nullptr) == 0)
    return failed("ConvertStringSecurityDescriptorToSecurityDescriptor", path, ::GetLastError());
  BOOL present = FALSE;
  BOOL defaulted = FALSE;
  PACL acl = nullptr;
  SECURITY_DESCRIPTOR_CONTROL control = 0;
  DWORD revision = 0;
  if (::GetSecurityDescriptorDacl(before.get(), &present, &acl, &defaulted) == 0 || present == FALSE ||
      acl == nullptr || ::GetSecurityDescriptorControl(before.get(), &control, &revision) == 0)
    return fail(ErrorKind::kInvalid, path + ": the journal has no valid access list for it",
                "icacls \"" + path + "\" /reset");
  const bool was_sealed = (control & SE_DACL_PROTECTED) != 0;
  // Inherited entries come back by inheritance from the directory above, whose list no longer names the container.
  std::vector<BYTE> rest = without(acl, sid.get(), was_sealed ? Inherited::kOwn : Inherited::kLeftOut);
  return write_list(opened->raw(), path, reinterpret_cast<PACL>(rest.data()),
                    was_sealed ? PROTECTED_DACL_SECURITY_INFORMATION : UNPROTECTED_DACL_SECURITY_INFORMATION);
}

}  // namespace pinfold::backend::on_windows

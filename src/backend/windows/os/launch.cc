// launch.cc: a restricted token, a list of handles, the container's capabilities, and CreateProcess.
#include "backend/windows/os/launch.h"

#include <sddl.h>

#include <array>

#include "base/try.h"
#include "base/windows_paths.h"

namespace pinfold::backend::on_windows {
namespace {

using sys::Handle;
using sys::Local;

auto failed(const char* name, const std::string& subject) {
  return tl::unexpected<Error>(sys::win_error(name, subject, ::GetLastError()));
}

constexpr DWORD_PTR kCapabilities = PROC_THREAD_ATTRIBUTE_SECURITY_CAPABILITIES;
constexpr DWORD_PTR kHandles = PROC_THREAD_ATTRIBUTE_HANDLE_LIST;
constexpr DWORD_PTR kJobs = 0x2000D;      // PROC_THREAD_ATTRIBUTE_JOB_LIST
constexpr DWORD_PTR kChildren = 0x2000E;  // PROC_THREAD_ATTRIBUTE_CHILD_PROCESS_POLICY
constexpr DWORD kNoChildren = 1;          // PROCESS_CREATION_CHILD_PROCESS_RESTRICTED

// The list stores pointers: the values must outlive it.
class Attributes {
 public:
  Attributes() = default;
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() {
    if (made_) ::DeleteProcThreadAttributeList(list());
  }
  bool make(DWORD count) {
    SIZE_T size = 0;
    ::InitializeProcThreadAttributeList(nullptr, count, 0, &size);
    bytes_.resize(size);
    made_ = ::InitializeProcThreadAttributeList(list(), count, 0, &size) != 0;
    return made_;
  }
  bool add(DWORD_PTR attribute, void* value, SIZE_T size) {
    return ::UpdateProcThreadAttribute(list(), 0, attribute, value, size, nullptr, nullptr) != 0;
  }
  LPPROC_THREAD_ATTRIBUTE_LIST list() { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(bytes_.data()); }

 private:
  std::vector<BYTE> bytes_;
  bool made_ = false;
};

// The caller's token without privileges, at low integrity; the administrators' group is for denying only.
Result<Handle> restricted_token() {
  HANDLE raw = nullptr;
  constexpr DWORD kAccess =
      TOKEN_DUPLICATE | TOKEN_ASSIGN_PRIMARY | TOKEN_QUERY | TOKEN_ADJUST_DEFAULT | TOKEN_ADJUST_GROUPS;
  if (::OpenProcessToken(::GetCurrentProcess(), kAccess, &raw) == 0) return failed("OpenProcessToken", "self");
  const Handle own = Handle::adopt(raw);
  std::array<BYTE, SECURITY_MAX_SID_SIZE> administrators{};
  DWORD size = static_cast<DWORD>(administrators.size());
  if (::CreateWellKnownSid(WinBuiltinAdministratorsSid, nullptr, administrators.data(), &size) == 0)
    return failed("CreateWellKnownSid", "administrators");
  SID_AND_ATTRIBUTES disabled{administrators.data(), 0};
  HANDLE made = nullptr;
  if (::CreateRestrictedToken(own.raw(), DISABLE_MAX_PRIVILEGE, 1, &disabled, 0, nullptr, 0, nullptr, &made) == 0)
    return failed("CreateRestrictedToken", "self");
  Handle token = Handle::adopt(made);
  std::array<BYTE, SECURITY_MAX_SID_SIZE> low{};
  size = static_cast<DWORD>(low.size());
  if (::CreateWellKnownSid(WinLowLabelSid, nullptr, low.data(), &size) == 0) return failed("CreateWellKnownSid", "low");
  TOKEN_MANDATORY_LABEL label{{low.data(), SE_GROUP_INTEGRITY}};
  if (::SetTokenInformation(token.raw(), TokenIntegrityLevel, &label, sizeof label) == 0)
    return failed("SetTokenInformation", "integrity");
  return token;
}

// An inheritable duplicate: the caller's own handle stays as it is.
Result<Handle> inheritable(HANDLE stream) {
  if (stream == nullptr || stream == INVALID_HANDLE_VALUE) {
    SECURITY_ATTRIBUTES inherit{sizeof inherit, nullptr, TRUE};
    Handle nothing = Handle::adopt(::CreateFileW(
        L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherit, OPEN_EXISTING, 0, nullptr));
    if (!nothing.is_open()) return failed("CreateFile", "NUL");
    return nothing;
  }
  HANDLE copy = nullptr;
  if (::DuplicateHandle(::GetCurrentProcess(), stream, ::GetCurrentProcess(), &copy, 0, TRUE, DUPLICATE_SAME_ACCESS) ==
      0)
    return failed("DuplicateHandle", "stream");
  return Handle::adopt(copy);
}

// Checks the token of the started process instead of trusting that CreateProcess applied the attributes.
Result<void> check_token(HANDLE process, PSID container) {
  HANDLE raw = nullptr;
  if (::OpenProcessToken(process, TOKEN_QUERY, &raw) == 0) return failed("OpenProcessToken", "command");
  const Handle token = Handle::adopt(raw);
  DWORD contained = 0;
  DWORD size = 0;
  if (::GetTokenInformation(token.raw(), TokenIsAppContainer, &contained, sizeof contained, &size) == 0 ||
      contained == 0)
    return fail(ErrorKind::kUnavailable, "Windows started the command outside of its app container",
                "see docs/reference/windows.md");
  std::array<BYTE, sizeof(TOKEN_APPCONTAINER_INFORMATION) + SECURITY_MAX_SID_SIZE> data{};
  if (::GetTokenInformation(token.raw(), TokenAppContainerSid, data.data(), static_cast<DWORD>(data.size()), &size) ==
      0)
    return failed("GetTokenInformation", "container");
  const auto* found = reinterpret_cast<TOKEN_APPCONTAINER_INFORMATION*>(data.data());
  if (found->TokenAppContainer == nullptr || ::EqualSid(found->TokenAppContainer, container) == 0)
    return fail(ErrorKind::kUnavailable, "Windows started the command in another app container",
                "see docs/reference/windows.md");
  return {};
}

}  // namespace

Result<void> Process::resume() {
  if (::ResumeThread(thread_.raw()) == static_cast<DWORD>(-1)) return failed("ResumeThread", "command");
  thread_.reset();
  return {};
}

void Process::end(std::uint32_t code) const { ::TerminateProcess(process_.raw(), code); }

Result<std::optional<std::uint32_t>> Process::exit_code() const {
  const DWORD waited = ::WaitForSingleObject(process_.raw(), 0);
  if (waited == WAIT_TIMEOUT) return std::nullopt;
  if (waited != WAIT_OBJECT_0) return failed("WaitForSingleObject", "command");
  DWORD found = 0;
  if (::GetExitCodeProcess(process_.raw(), &found) == 0) return failed("GetExitCodeProcess", "command");
  return found;
}

std::string why_no_child_policy() {
  Attributes attributes;
  DWORD policy = kNoChildren;
  if (attributes.make(1) && attributes.add(kChildren, &policy, sizeof policy)) return {};
  return "this Windows has no child process policy";
}

Result<Process> launch(const LaunchRequest& request) {
  PF_TRY(token, restricted_token(), "restricting the command's token");
  std::array<Handle, 3> streams;
  std::array<HANDLE, 3> list{};
  for (std::size_t i = 0; i < 3; ++i) {
    PF_TRY(stream, inheritable(request.stdio[i]), "passing the command's streams");
    streams[i] = std::move(stream);
    list[i] = streams[i].raw();
  }
  std::array<Local<PSID>, 2> granted;
  std::array<SID_AND_ATTRIBUTES, 2> capabilities{};
  SECURITY_CAPABILITIES security{request.container, nullptr, 0, 0};
  if (request.network == NetworkMode::kFull) {
    // internetClient and privateNetworkClientServer.
    const std::array<const wchar_t*, 2> names = {L"S-1-15-3-1", L"S-1-15-3-3"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (::ConvertStringSidToSidW(names[i], granted[i].slot()) == 0)
        return failed("ConvertStringSidToSid", "capability");
      capabilities[i] = {granted[i].get(), SE_GROUP_ENABLED};
    }
    security.Capabilities = capabilities.data();
    security.CapabilityCount = static_cast<DWORD>(capabilities.size());
  }
  Attributes attributes;
  if (!attributes.make(4)) return failed("InitializeProcThreadAttributeList", "command");
  if (!attributes.add(kHandles, list.data(), list.size() * sizeof(HANDLE)))
    return failed("UpdateProcThreadAttribute", "handles");
  if (request.container != nullptr && !attributes.add(kCapabilities, &security, sizeof security))
    return failed("UpdateProcThreadAttribute", "container");
  // Windows 10 and newer create the process in its job: it is never outside, even if this process is killed now.
  HANDLE job = request.job;
  static_cast<void>(attributes.add(kJobs, &job, sizeof job));
  DWORD children = kNoChildren;
  if (request.exec == ExecMode::kNone && why_no_child_policy().empty() &&
      !attributes.add(kChildren, &children, sizeof children))
    return failed("UpdateProcThreadAttribute", "children");

  STARTUPINFOEXW start{};
  start.StartupInfo.cb = sizeof start;
  start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  start.StartupInfo.hStdInput = list[0];
  start.StartupInfo.hStdOutput = list[1];
  start.StartupInfo.hStdError = list[2];
  start.lpAttributeList = attributes.list();
  PF_TRY(program, windows_paths::to_windows(request.program));
  PF_TRY(directory, windows_paths::to_windows(request.working_dir));
  std::wstring line = sys::wide(request.command_line);
  std::wstring block = sys::wide(request.environment);
  const DWORD flags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT |
                      (request.streams == Streams::kElsewhere ? CREATE_NO_WINDOW : 0U);
  PROCESS_INFORMATION made{};
  if (::CreateProcessAsUserW(token.raw(), sys::wide(program).c_str(), line.data(), nullptr, nullptr, TRUE, flags,
                             block.data(), sys::wide(directory).c_str(), &start.StartupInfo, &made) == 0) {
    Error error = sys::win_error("CreateProcess", program, ::GetLastError());
    return tl::unexpected<Error>(std::move(error));
  }
  Process process(Handle::adopt(made.hProcess), Handle::adopt(made.hThread));
  if (request.container != nullptr)
    if (auto fine = check_token(process.raw(), request.container); !fine) {
      process.end(125);
      return tl::unexpected<Error>(std::move(fine).error());
    }
  return process;
}

}  // namespace pinfold::backend::on_windows

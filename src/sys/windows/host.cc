// host.cc: implements HostView on Windows, in the core's notation (/c/Users/ada).
// Invariant: reads only; names are as on the disk: long, and in their own case. Links and junctions are reported; a
// path that leads to another machine or to no drive is an error. Not here: any decision.
#include "sys/host.h"

#include <algorithm>
#include <cstdlib>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "base/windows_paths.h"
#include "sys/windows/files.h"
#include "sys/windows/winapi.h"

namespace pinfold::sys {
namespace {

using text::shown;

bool is_link(const WIN32_FIND_DATAW& entry) {
  return (entry.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
         (entry.dwReserved0 == IO_REPARSE_TAG_SYMLINK || entry.dwReserved0 == IO_REPARSE_TAG_MOUNT_POINT);
}

HostKind kind_of(const WIN32_FIND_DATAW& entry) {
  if (is_link(entry)) return HostKind::kSymlink;
  if ((entry.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return HostKind::kDirectory;
  if ((entry.dwFileAttributes & FILE_ATTRIBUTE_DEVICE) != 0) return HostKind::kDevice;
  return HostKind::kFile;
}

// The entry itself; a link is not followed. A drive has no entry.
std::optional<WIN32_FIND_DATAW> entry_of(const std::string& path) {
  const auto name = call_path(path);
  if (!name) return std::nullopt;
  WIN32_FIND_DATAW entry{};
  const HANDLE search = ::FindFirstFileW(name->c_str(), &entry);
  if (search == INVALID_HANDLE_VALUE) return std::nullopt;
  ::FindClose(search);
  return entry;
}

bool drive_exists(const std::string& drive) {
  const auto name = windows_paths::to_windows(drive);
  if (!name) return false;
  const UINT type = ::GetDriveTypeW(wide(*name).c_str());
  return type == DRIVE_FIXED || type == DRIVE_REMOVABLE || type == DRIVE_CDROM || type == DRIVE_RAMDISK;
}

Handle open_for(const std::string& path, DWORD access) {
  const auto name = call_path(path);
  if (!name) return {};
  return Handle::adopt(
      ::CreateFileW(name->c_str(), access, kShareAll, nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
}

// The path after all links, as Windows resolves them.
Result<std::string> final_path(const std::string& path) {
  const Handle file = open_for(path, 0);
  if (!file.is_open()) return tl::unexpected<Error>(win_error("CreateFile", path, ::GetLastError()));
  std::wstring name(1024, L'\0');
  DWORD length = ::GetFinalPathNameByHandleW(file.raw(), name.data(), static_cast<DWORD>(name.size()), 0);
  if (length > name.size()) {
    name.resize(length);
    length = ::GetFinalPathNameByHandleW(file.raw(), name.data(), static_cast<DWORD>(name.size()), 0);
  }
  if (length == 0 || length >= name.size())
    return tl::unexpected<Error>(win_error("GetFinalPathNameByHandle", path, ::GetLastError()));
  name.resize(length);
  return core_path(name);
}

class WindowsHost final : public HostView {
 public:
  HostIdentity identity() override {
    HostIdentity out;
    out.uid = out.gid = own_id();
    out.user = raw_variable("USERNAME").value_or("");
    if (const auto home = path_variable("USERPROFILE")) out.home = *home;
    return out;
  }

  HostKind kind(const std::string& path) override {
    if (path == "/") return HostKind::kDirectory;
    if (paths::depth(path) == 1) return drive_exists(path) ? HostKind::kDirectory : HostKind::kMissing;
    const auto entry = entry_of(path);
    if (!entry) return HostKind::kMissing;
    // Another spelling of a name leads to the file as a link does: callers must resolve() before they compare paths.
    return narrow(entry->cFileName) == paths::basename(path) ? kind_of(*entry) : HostKind::kSymlink;
  }

  Result<HostPathInfo> resolve(const std::string& path) override {
    if (path.empty() || path[0] != '/') return fail(ErrorKind::kInvalid, "resolving " + path + ": not absolute");
    HostPathInfo info;
    info.kind = HostKind::kDirectory;
    info.canonical = "/";
    const std::string wanted = paths::normal(path);
    std::size_t done = 1;
    while (done < wanted.size()) {
      const std::size_t end = std::min(wanted.find('/', done), wanted.size());
      const std::string next = paths::join(info.canonical, wanted.substr(done, end - done));
      done = end + 1;
      if (info.canonical == "/") {
        if (!drive_exists(next)) return fail(ErrorKind::kNotFound, shown(next) + ": no such local drive");
        info.canonical = next;
        continue;
      }
      PF_CHECK(windows_paths::check_name(paths::basename(next)));
      const auto entry = entry_of(next);
      if (!entry) return fail(ErrorKind::kNotFound, shown(next) + ": No such file or directory");
      const std::string real = narrow(entry->cFileName);
      if (real.empty()) return fail(ErrorKind::kInvalid, shown(next) + ": its name is not well-formed UTF-16");
      info.kind = kind_of(*entry);
      std::string entry_path = paths::join(info.canonical, real);
      if (info.kind == HostKind::kSymlink) {
        PF_TRY(target, final_path(entry_path), "following a link");
        info.links.push_back({std::move(entry_path), target});
        entry_path = std::move(target);
        info.kind = kind(entry_path);
      }
      info.canonical = std::move(entry_path);
    }
    // A drive may be an alias of a directory (subst): the canonical path is that of the directory.
    if (info.canonical != "/") {
      auto real = final_path(info.canonical);
      if (real && *real != info.canonical) {
        info.links.push_back({info.canonical, *real});
        info.canonical = std::move(*real);
      }
    }
    return info;
  }

  Result<std::string> read_link(const std::string& path) override { return final_path(path); }

  Result<HostListing> list_within(const std::string& directory, ListBounds bounds) override {
    HostListing out;
    if (directory == "/") {
      for (char drive = 'a'; drive <= 'z'; ++drive)
        if (drive_exists(std::string("/") + drive))
          out.entries.push_back({std::string(1, drive), HostKind::kDirectory});
      return out;
    }
    PF_TRY(name, call_path(directory), "listing");
    if (name.back() != L'\\') name += L'\\';
    WIN32_FIND_DATAW entry{};
    const HANDLE search = ::FindFirstFileW((name + L"*").c_str(), &entry);
    if (search == INVALID_HANDLE_VALUE)
      return tl::unexpected<Error>(win_error("FindFirstFile", directory, ::GetLastError()));
    do {
      const std::wstring_view each = entry.cFileName;
      if (each == L"." || each == L"..") continue;
      if (out.entries.size() >= bounds.entries || (bounds.until_ms != UINT64_MAX && now_ms() >= bounds.until_ms)) {
        out.complete = false;
        break;
      }
      // Skips a name that is not UTF-16: no path of the core can name it.
      if (std::string name_text = narrow(each); !name_text.empty())
        out.entries.push_back({std::move(name_text), kind_of(entry)});
    } while (::FindNextFileW(search, &entry) != 0);
    ::FindClose(search);
    return out;
  }

  Result<std::string> read_file(const std::string& path, std::size_t limit) override { return read_whole(path, limit); }
  Result<HostFile> read_owned(const std::string& directory, const std::string& name, Links links,
                              std::size_t limit) override {
    return read_with_owner(paths::join(directory, name), links, limit);
  }

  bool readable(const std::string& path) override { return open_for(path, GENERIC_READ).is_open(); }
  bool writable(const std::string& path) override {
    return open_for(path, kind(path) == HostKind::kDirectory ? FILE_ADD_FILE : FILE_WRITE_DATA).is_open();
  }
  bool owned(const std::string& path) override { return open_for(path, FILE_WRITE_ATTRIBUTES).is_open(); }
  bool executable(const std::string& path) override { return open_for(path, FILE_EXECUTE).is_open(); }
  std::vector<HostMount> kernel_mounts() override { return {}; }

  // Names and values of variables as on Unix, with paths in the core's notation.
  std::optional<std::string> variable(const std::string& name) override {
    if (name == "PATH") {
      const auto value = raw_variable(name);
      return value ? std::optional(windows_paths::search_to_core(*value)) : std::nullopt;
    }
    if (name == "HOME") return path_variable("USERPROFILE");
    if (name == "USER" || name == "LOGNAME") return raw_variable("USERNAME");
    if (name == "TMPDIR") return path_variable("TEMP");
    if (name.starts_with("XDG_")) return path_variable(name);
    return raw_variable(name);
  }

  std::vector<std::string> variable_names() override {
    std::vector<std::string> names;
    wchar_t* const block = ::GetEnvironmentStringsW();
    for (const wchar_t* at = block; at != nullptr && *at != L'\0';) {
      const std::wstring_view line = at;
      at += line.size() + 1;
      const std::size_t equals = line.find(L'=', 1);
      if (line[0] == L'=' || equals == std::wstring_view::npos) continue;
      std::string name = narrow(line.substr(0, equals));
      if (::_stricmp(name.c_str(), "path") == 0) name = "PATH";
      if (!name.empty()) names.push_back(std::move(name));
    }
    if (block != nullptr) ::FreeEnvironmentStringsW(block);
    return names;
  }

  std::uint64_t memory_size() override {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return ::GlobalMemoryStatusEx(&status) != 0 ? status.ullTotalPhys : std::uint64_t{1} << 30U;
  }
  std::uint64_t now_ms() override { return ::GetTickCount64(); }

 private:
  static std::optional<std::string> raw_variable(const std::string& name) {
    const std::wstring wanted = wide(name);
    std::wstring value(256, L'\0');
    ::SetLastError(ERROR_SUCCESS);
    DWORD length = ::GetEnvironmentVariableW(wanted.c_str(), value.data(), static_cast<DWORD>(value.size()));
    if (length >= value.size()) {
      value.resize(length);
      length = ::GetEnvironmentVariableW(wanted.c_str(), value.data(), length);
    }
    if (length == 0 && ::GetLastError() != ERROR_SUCCESS) return std::nullopt;
    value.resize(length);
    std::string out = narrow(value);
    if (out.empty() && length > 0) return std::nullopt;
    return out;
  }
  static std::optional<std::string> path_variable(const std::string& name) {
    const auto value = raw_variable(name);
    if (!value) return std::nullopt;
    auto path = windows_paths::to_core(*value);
    if (!path || !path->starts_with('/')) return std::nullopt;
    return paths::normal(*path);
  }
};

}  // namespace

std::unique_ptr<HostView> real_host() { return std::make_unique<WindowsHost>(); }

Result<Caller> find_caller(HostView& host) {
  std::wstring directory(32768, L'\0');
  const DWORD length = ::GetCurrentDirectoryW(static_cast<DWORD>(directory.size()), directory.data());
  directory.resize(length < directory.size() ? length : 0);
  auto working_dir = core_path(directory);
  if (!working_dir)
    return fail(ErrorKind::kInvalid, "the working directory cannot be used: " + working_dir.error().text(),
                "cd to a directory on a local drive");
  Caller caller{host.identity().home, *working_dir};
  caller.platform = Platform::kWindows;
  for (const char* name : {"SystemRoot", "ProgramFiles", "ProgramFiles(x86)"})
    if (const auto value = host.variable(name))
      if (auto path = windows_paths::to_core(*value); path && path->starts_with('/'))
        if (auto info = host.resolve(paths::normal(*path))) caller.system.push_back(info->canonical);
  return caller;
}

}  // namespace pinfold::sys

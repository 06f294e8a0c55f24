// sbpl_base.h: the parts of a profile that are the same for every plan, each rule with its reason.
// Invariant: no rule here allows a file of the user, a socket, or a service that acts for its caller outside the
// sandbox. Not here: paths and network of a plan (sbpl.cc).
#pragma once

#include <string_view>

namespace pinfold::backend::darwin {

inline constexpr std::string_view kProcessRules = R"(
; Processes: signals and process information only within this sandbox.
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))

; sysctls that the C library reads: the machine and the system, not other processes (kern.proc*, kern.procargs*).
(allow sysctl-read
  (sysctl-name-prefix "hw.")           ; processors, memory, page size: every runtime sizes itself by them
  (sysctl-name-prefix "machdep.cpu.")  ; features, for code that chooses by processor
  (sysctl-name "kern.argmax")          ; xargs and getconf
  (sysctl-name "kern.boottime")        ; uptime, and clocks of build tools
  (sysctl-name "kern.hostname")        ; gethostname
  (sysctl-name "kern.iossupportversion")
  (sysctl-name "kern.maxfilesperproc") ; limits that runtimes look up
  (sysctl-name "kern.maxproc")
  (sysctl-name "kern.ngroups")
  (sysctl-name "kern.osproductversion") ; the version of the system, for the loader and for installers
  (sysctl-name "kern.osrelease")
  (sysctl-name "kern.ostype")
  (sysctl-name "kern.osvariant_status")
  (sysctl-name "kern.osversion")
  (sysctl-name "kern.secure_kernel")
  (sysctl-name "kern.usrstack64")      ; where the stack begins: threads of Go and Java
  (sysctl-name "kern.version")
  (sysctl-name "sysctl.proc_cputype")  ; is this process translated?
  (sysctl-name "vm.loadavg"))          ; make -l

; Services without which ordinary programs fail; none of them opens a file or a connection for its caller.
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")     ; names of users and groups: getpwuid, whoami, git
  (global-name "com.apple.system.opendirectoryd.membership")  ; groups of a user
  (global-name "com.apple.system.notification_center")        ; the C library gets changes of the time zone there
  (global-name "com.apple.system.logger")                     ; syslog
  (global-name "com.apple.logd"))                             ; os_log: without it programs are slow, not silent
; The page in which the notification centre publishes changes.
(allow ipc-posix-shm-read* (ipc-posix-name "apple.shm.notification_center"))
; Semaphores: locks of Python's multiprocessing. They hold a number, no data.
(allow ipc-posix-sem)
)";

inline constexpr std::string_view kDeviceRules = R"(
; Devices.
(allow file-read* file-write-data file-ioctl
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))
(allow file-read-metadata (literal "/dev"))
; Streams under the names that scripts use.
(allow file-read* file-write-data
  (literal "/dev/stdin") (literal "/dev/stdout") (literal "/dev/stderr") (subpath "/dev/fd"))
; Every program that starts announces its probes there.
(allow file-read* file-write-data file-ioctl (literal "/dev/dtracehelper"))
; Terminals that a program makes itself (script, tmux, expect); other terminals have no such extension.
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))
(allow file-read* file-write* file-ioctl
  (require-all (regex "^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
)";

inline constexpr std::string_view kFullNetworkRules = R"(
; The whole network; of unix sockets only that of the resolver.
(allow network* (local ip) (remote ip))
(allow network-outbound (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))
(allow system-socket)
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.configd")         ; proxies and name servers as the system has them set
  (global-name "com.apple.SystemConfiguration.DNSConfiguration")
  (global-name "com.apple.trustd.agent"))                       ; is a certificate trusted? curl, git, Go
)";

}  // namespace pinfold::backend::darwin

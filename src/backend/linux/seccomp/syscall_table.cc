// syscall_table.cc: the table itself. To allow a call of a new kernel, review it and add a line; until then it is
// ENOSYS. Not here: argument checks (filter.cc).
#include "backend/linux/seccomp/syscall_table.h"

#include <asm/unistd.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace pinfold::backend::on_linux {
namespace {

// Calls newer than the headers of the oldest supported distribution; their numbers are the same on every architecture
// that Pinfold runs on.
enum : std::uint32_t {
  kNr_cachestat = 451,
  kNr_fchmodat2 = 452,
  kNr_map_shadow_stack = 453,
  kNr_futex_wake = 454,
  kNr_futex_wait = 455,
  kNr_futex_requeue = 456,
  kNr_statmount = 457,
  kNr_listmount = 458,
  kNr_lsm_get_self_attr = 459,
  kNr_lsm_set_self_attr = 460,
  kNr_lsm_list_modules = 461,
  kNr_mseal = 462,
  kNr_setxattrat = 463,
  kNr_getxattrat = 464,
  kNr_listxattrat = 465,
  kNr_removexattrat = 466,
  kNr_open_tree_attr = 467,
};

constexpr ReviewedSyscall kTable[] = {
// The action depends on the arguments.
#ifdef __NR_open
    {__NR_open, SyscallAction::kOpen},
#endif
    {__NR_ioctl, SyscallAction::kIoctl},
    {__NR_socket, SyscallAction::kSocket},
    {__NR_clone, SyscallAction::kClone},
#ifdef __NR_fork
    {__NR_fork, SyscallAction::kFork},
#endif
#ifdef __NR_vfork
    {__NR_vfork, SyscallAction::kFork},
#endif
#ifdef __NR_rename
    {__NR_rename, SyscallAction::kCreatesName},
#endif
#ifdef __NR_mkdir
    {__NR_mkdir, SyscallAction::kMkdir},
#endif
#ifdef __NR_creat
    {__NR_creat, SyscallAction::kCreat},
#endif
#ifdef __NR_link
    {__NR_link, SyscallAction::kCreatesName},
#endif
#ifdef __NR_symlink
    {__NR_symlink, SyscallAction::kCreatesName},
#endif
#ifdef __NR_chmod
    {__NR_chmod, SyscallAction::kChmod},
#endif
    {__NR_fchmod, SyscallAction::kChmodOpenFile},
#ifdef __NR_mknod
    {__NR_mknod, SyscallAction::kMakeNode},
#endif
    {__NR_personality, SyscallAction::kPersonality},
    {__NR_prctl, SyscallAction::kPrctl},
    {__NR_openat, SyscallAction::kOpenAt},
    {__NR_mkdirat, SyscallAction::kMkdirAt},
    {__NR_mknodat, SyscallAction::kMakeNodeAt},
#ifdef __NR_renameat
    {__NR_renameat, SyscallAction::kCreatesName},
#endif
    {__NR_linkat, SyscallAction::kCreatesName},
    {__NR_symlinkat, SyscallAction::kCreatesName},
    {__NR_fchmodat, SyscallAction::kChmodAt},
    {__NR_unshare, SyscallAction::kUnshare},
    {__NR_renameat2, SyscallAction::kCreatesName},
    {__NR_memfd_create, SyscallAction::kMemfd},
    {__NR_shmget, SyscallAction::kSharedMemory},
    {kNr_fchmodat2, SyscallAction::kChmodAt},
    // Never: other processes, mounts, namespaces, the kernel itself.
    {__NR_ptrace, SyscallAction::kTraces},
    {__NR_process_vm_readv, SyscallAction::kTraces},
    {__NR_process_vm_writev, SyscallAction::kTraces},
#ifdef __NR_process_madvise
    {__NR_process_madvise, SyscallAction::kRefuse},
#endif
    {__NR_kcmp, SyscallAction::kTraces},
#ifdef __NR_pidfd_getfd
    {__NR_pidfd_getfd, SyscallAction::kRefuse},
#endif
    {__NR_mount, SyscallAction::kRefuse},
    {__NR_umount2, SyscallAction::kRefuse},
#ifdef __NR_fsopen
    {__NR_fsopen, SyscallAction::kRefuse},
#endif
#ifdef __NR_fsconfig
    {__NR_fsconfig, SyscallAction::kRefuse},
#endif
#ifdef __NR_fsmount
    {__NR_fsmount, SyscallAction::kRefuse},
#endif
#ifdef __NR_fspick
    {__NR_fspick, SyscallAction::kRefuse},
#endif
#ifdef __NR_open_tree
    {__NR_open_tree, SyscallAction::kRefuse},
#endif
    {kNr_open_tree_attr, SyscallAction::kRefuse},
#ifdef __NR_move_mount
    {__NR_move_mount, SyscallAction::kRefuse},
#endif
#ifdef __NR_mount_setattr
    {__NR_mount_setattr, SyscallAction::kRefuse},
#endif
    {__NR_pivot_root, SyscallAction::kRefuse},
    {__NR_chroot, SyscallAction::kRefuse},
    {__NR_setns, SyscallAction::kRefuse},
    {__NR_bpf, SyscallAction::kRefuse},
    {__NR_perf_event_open, SyscallAction::kRefuse},
#ifdef __NR_userfaultfd
    {__NR_userfaultfd, SyscallAction::kRefuse},
#endif
    {__NR_keyctl, SyscallAction::kRefuse},
    {__NR_add_key, SyscallAction::kRefuse},
    {__NR_request_key, SyscallAction::kRefuse},
    {__NR_kexec_load, SyscallAction::kRefuse},
#ifdef __NR_kexec_file_load
    {__NR_kexec_file_load, SyscallAction::kRefuse},
#endif
    {__NR_init_module, SyscallAction::kRefuse},
    {__NR_finit_module, SyscallAction::kRefuse},
    {__NR_delete_module, SyscallAction::kRefuse},
    {__NR_open_by_handle_at, SyscallAction::kRefuse},
    {__NR_swapon, SyscallAction::kRefuse},
    {__NR_swapoff, SyscallAction::kRefuse},
    {__NR_reboot, SyscallAction::kRefuse},
    {__NR_sethostname, SyscallAction::kRefuse},
    {__NR_setdomainname, SyscallAction::kRefuse},
    {__NR_settimeofday, SyscallAction::kRefuse},
    {__NR_clock_settime, SyscallAction::kRefuse},
    {__NR_clock_adjtime, SyscallAction::kRefuse},
    {__NR_adjtimex, SyscallAction::kRefuse},
    {__NR_acct, SyscallAction::kRefuse},
    {__NR_syslog, SyscallAction::kRefuse},
#ifdef __NR_iopl
    {__NR_iopl, SyscallAction::kRefuse},
#endif
#ifdef __NR_ioperm
    {__NR_ioperm, SyscallAction::kRefuse},
#endif
    {__NR_vhangup, SyscallAction::kRefuse},
    {__NR_quotactl, SyscallAction::kRefuse},
#ifdef __NR_quotactl_fd
    {__NR_quotactl_fd, SyscallAction::kRefuse},
#endif
    {__NR_fanotify_init, SyscallAction::kRefuse},
    {__NR_fanotify_mark, SyscallAction::kRefuse},
#ifdef __NR_modify_ldt
    {__NR_modify_ldt, SyscallAction::kRefuse},
#endif
#ifdef __NR_memfd_secret
    {__NR_memfd_secret, SyscallAction::kRefuse},
#endif
    {kNr_lsm_set_self_attr, SyscallAction::kRefuse},
#ifdef __NR_process_mrelease
    {__NR_process_mrelease, SyscallAction::kRefuse},
#endif
    {kNr_statmount, SyscallAction::kRefuse},
    {kNr_listmount, SyscallAction::kRefuse},
// ENOSYS, so callers fall back. openat2 and clone3 keep their flags in memory, which no filter can read; io_uring
// makes calls that no filter sees.
#ifdef __NR_clone3
    {__NR_clone3, SyscallAction::kAbsent},
#endif
#ifdef __NR_openat2
    {__NR_openat2, SyscallAction::kAbsent},
#endif
#ifdef __NR_io_uring_setup
    {__NR_io_uring_setup, SyscallAction::kAbsent},
#endif
#ifdef __NR_io_uring_enter
    {__NR_io_uring_enter, SyscallAction::kAbsent},
#endif
#ifdef __NR_io_uring_register
    {__NR_io_uring_register, SyscallAction::kAbsent},
#endif
#ifdef __NR_uselib
    {__NR_uselib, SyscallAction::kAbsent},
#endif
#ifdef __NR_ustat
    {__NR_ustat, SyscallAction::kAbsent},
#endif
#ifdef __NR_sysfs
    {__NR_sysfs, SyscallAction::kAbsent},
#endif
#ifdef __NR__sysctl
    {__NR__sysctl, SyscallAction::kAbsent},
#endif
#ifdef __NR_create_module
    {__NR_create_module, SyscallAction::kAbsent},
#endif
#ifdef __NR_get_kernel_syms
    {__NR_get_kernel_syms, SyscallAction::kAbsent},
#endif
#ifdef __NR_query_module
    {__NR_query_module, SyscallAction::kAbsent},
#endif
#ifdef __NR_nfsservctl
    {__NR_nfsservctl, SyscallAction::kAbsent},
#endif
#ifdef __NR_getpmsg
    {__NR_getpmsg, SyscallAction::kAbsent},
#endif
#ifdef __NR_putpmsg
    {__NR_putpmsg, SyscallAction::kAbsent},
#endif
#ifdef __NR_afs_syscall
    {__NR_afs_syscall, SyscallAction::kAbsent},
#endif
#ifdef __NR_tuxcall
    {__NR_tuxcall, SyscallAction::kAbsent},
#endif
#ifdef __NR_security
    {__NR_security, SyscallAction::kAbsent},
#endif
#ifdef __NR_vserver
    {__NR_vserver, SyscallAction::kAbsent},
#endif
#ifdef __NR_epoll_ctl_old
    {__NR_epoll_ctl_old, SyscallAction::kAbsent},
#endif
#ifdef __NR_epoll_wait_old
    {__NR_epoll_wait_old, SyscallAction::kAbsent},
#endif
#ifdef __NR_lookup_dcookie
    {__NR_lookup_dcookie, SyscallAction::kAbsent},
#endif
    // Everything else that ordinary programs use.
    {__NR_read, SyscallAction::kAllow},
    {__NR_write, SyscallAction::kAllow},
    {__NR_close, SyscallAction::kAllow},
#ifdef __NR_stat
    {__NR_stat, SyscallAction::kLooks},
#endif
    {__NR_fstat, SyscallAction::kAllow},
#ifdef __NR_lstat
    {__NR_lstat, SyscallAction::kLooks},
#endif
#ifdef __NR_poll
    {__NR_poll, SyscallAction::kAllow},
#endif
    {__NR_lseek, SyscallAction::kAllow},
    {__NR_mmap, SyscallAction::kAllow},
    {__NR_mprotect, SyscallAction::kAllow},
    {__NR_munmap, SyscallAction::kAllow},
    {__NR_brk, SyscallAction::kAllow},
    {__NR_rt_sigaction, SyscallAction::kAllow},
    {__NR_rt_sigprocmask, SyscallAction::kAllow},
    {__NR_rt_sigreturn, SyscallAction::kAllow},
    {__NR_pread64, SyscallAction::kAllow},
    {__NR_pwrite64, SyscallAction::kAllow},
    {__NR_readv, SyscallAction::kAllow},
    {__NR_writev, SyscallAction::kAllow},
#ifdef __NR_access
    {__NR_access, SyscallAction::kLooks},
#endif
#ifdef __NR_pipe
    {__NR_pipe, SyscallAction::kAllow},
#endif
#ifdef __NR_select
    {__NR_select, SyscallAction::kAllow},
#endif
    {__NR_sched_yield, SyscallAction::kAllow},
    {__NR_mremap, SyscallAction::kAllow},
    {__NR_msync, SyscallAction::kAllow},
    {__NR_mincore, SyscallAction::kAllow},
    {__NR_madvise, SyscallAction::kAllow},
    {__NR_shmat, SyscallAction::kSharedIpc},
    {__NR_shmctl, SyscallAction::kSharedIpc},
    {__NR_dup, SyscallAction::kAllow},
#ifdef __NR_dup2
    {__NR_dup2, SyscallAction::kAllow},
#endif
#ifdef __NR_pause
    {__NR_pause, SyscallAction::kAllow},
#endif
    {__NR_nanosleep, SyscallAction::kAllow},
    {__NR_getitimer, SyscallAction::kAllow},
#ifdef __NR_alarm
    {__NR_alarm, SyscallAction::kAllow},
#endif
    {__NR_setitimer, SyscallAction::kAllow},
    {__NR_getpid, SyscallAction::kAllow},
    {__NR_sendfile, SyscallAction::kAllow},
    {__NR_connect, SyscallAction::kConnects},
    {__NR_accept, SyscallAction::kAllow},
    {__NR_sendto, SyscallAction::kSends},
    {__NR_recvfrom, SyscallAction::kAllow},
    {__NR_sendmsg, SyscallAction::kSendsMessage},
    {__NR_recvmsg, SyscallAction::kAllow},
    {__NR_shutdown, SyscallAction::kAllow},
    {__NR_bind, SyscallAction::kBinds},
    {__NR_listen, SyscallAction::kListens},
    {__NR_getsockname, SyscallAction::kAllow},
    {__NR_getpeername, SyscallAction::kAllow},
    {__NR_socketpair, SyscallAction::kSocketPair},
    {__NR_setsockopt, SyscallAction::kSocketOption},
    {__NR_getsockopt, SyscallAction::kAllow},
    {__NR_execve, SyscallAction::kExecutes},
    {__NR_exit, SyscallAction::kAllow},
    {__NR_wait4, SyscallAction::kAllow},
    {__NR_kill, SyscallAction::kSignals},
    {__NR_uname, SyscallAction::kAllow},
    {__NR_semget, SyscallAction::kSharedIpc},
    {__NR_semop, SyscallAction::kSharedIpc},
    {__NR_semctl, SyscallAction::kSharedIpc},
    {__NR_shmdt, SyscallAction::kSharedIpc},
    {__NR_msgget, SyscallAction::kSharedIpc},
    {__NR_msgsnd, SyscallAction::kSharedIpc},
    {__NR_msgrcv, SyscallAction::kSharedIpc},
    {__NR_msgctl, SyscallAction::kSharedIpc},
    {__NR_fcntl, SyscallAction::kAllow},
    {__NR_flock, SyscallAction::kAllow},
    {__NR_fsync, SyscallAction::kAllow},
    {__NR_fdatasync, SyscallAction::kAllow},
    {__NR_truncate, SyscallAction::kTruncate},
    {__NR_ftruncate, SyscallAction::kAllow},
#ifdef __NR_getdents
    {__NR_getdents, SyscallAction::kAllow},
#endif
    {__NR_getcwd, SyscallAction::kAllow},
    {__NR_chdir, SyscallAction::kEnters},
    {__NR_fchdir, SyscallAction::kAllow},
#ifdef __NR_rmdir
    {__NR_rmdir, SyscallAction::kRemovesName},
#endif
#ifdef __NR_unlink
    {__NR_unlink, SyscallAction::kRemovesName},
#endif
#ifdef __NR_readlink
    {__NR_readlink, SyscallAction::kLooks},
#endif
#ifdef __NR_chown
    {__NR_chown, SyscallAction::kChangesFile},
#endif
    {__NR_fchown, SyscallAction::kChangesOpenFile},
#ifdef __NR_lchown
    {__NR_lchown, SyscallAction::kChangesFile},
#endif
    {__NR_umask, SyscallAction::kAllow},
    {__NR_gettimeofday, SyscallAction::kAllow},
#ifdef __NR_getrlimit
    {__NR_getrlimit, SyscallAction::kAllow},
#endif
    {__NR_getrusage, SyscallAction::kAllow},
    {__NR_sysinfo, SyscallAction::kAllow},
    {__NR_times, SyscallAction::kAllow},
    {__NR_getuid, SyscallAction::kAllow},
    {__NR_getgid, SyscallAction::kAllow},
    {__NR_setuid, SyscallAction::kAllow},
    {__NR_setgid, SyscallAction::kAllow},
    {__NR_geteuid, SyscallAction::kAllow},
    {__NR_getegid, SyscallAction::kAllow},
    {__NR_setpgid, SyscallAction::kAllow},
    {__NR_getppid, SyscallAction::kAllow},
#ifdef __NR_getpgrp
    {__NR_getpgrp, SyscallAction::kAllow},
#endif
    {__NR_setsid, SyscallAction::kAllow},
    {__NR_setreuid, SyscallAction::kAllow},
    {__NR_setregid, SyscallAction::kAllow},
    {__NR_getgroups, SyscallAction::kAllow},
    {__NR_setgroups, SyscallAction::kAllow},
    {__NR_setresuid, SyscallAction::kAllow},
    {__NR_getresuid, SyscallAction::kAllow},
    {__NR_setresgid, SyscallAction::kAllow},
    {__NR_getresgid, SyscallAction::kAllow},
    {__NR_getpgid, SyscallAction::kAllow},
    {__NR_setfsuid, SyscallAction::kAllow},
    {__NR_setfsgid, SyscallAction::kAllow},
    {__NR_getsid, SyscallAction::kAllow},
    {__NR_capget, SyscallAction::kAllow},
    {__NR_capset, SyscallAction::kAllow},
    {__NR_rt_sigpending, SyscallAction::kAllow},
    {__NR_rt_sigtimedwait, SyscallAction::kAllow},
    {__NR_rt_sigqueueinfo, SyscallAction::kSignals},
    {__NR_rt_sigsuspend, SyscallAction::kAllow},
    {__NR_sigaltstack, SyscallAction::kAllow},
#ifdef __NR_utime
    {__NR_utime, SyscallAction::kChangesFile},
#endif
    {__NR_statfs, SyscallAction::kAllow},
    {__NR_fstatfs, SyscallAction::kAllow},
    {__NR_getpriority, SyscallAction::kAllow},
    {__NR_setpriority, SyscallAction::kPriority},
    {__NR_sched_setparam, SyscallAction::kTargetsFirst},
    {__NR_sched_getparam, SyscallAction::kAllow},
    {__NR_sched_setscheduler, SyscallAction::kTargetsFirst},
    {__NR_sched_getscheduler, SyscallAction::kAllow},
    {__NR_sched_get_priority_max, SyscallAction::kAllow},
    {__NR_sched_get_priority_min, SyscallAction::kAllow},
    {__NR_sched_rr_get_interval, SyscallAction::kAllow},
    {__NR_mlock, SyscallAction::kAllow},
    {__NR_munlock, SyscallAction::kAllow},
    {__NR_mlockall, SyscallAction::kAllow},
    {__NR_munlockall, SyscallAction::kAllow},
#ifdef __NR_arch_prctl
    {__NR_arch_prctl, SyscallAction::kAllow},
#endif
    {__NR_setrlimit, SyscallAction::kAllow},
    {__NR_sync, SyscallAction::kAllow},
    {__NR_gettid, SyscallAction::kAllow},
    {__NR_readahead, SyscallAction::kAllow},
    {__NR_setxattr, SyscallAction::kChangesFile},
    {__NR_lsetxattr, SyscallAction::kChangesFile},
    {__NR_fsetxattr, SyscallAction::kChangesOpenFile},
    {__NR_getxattr, SyscallAction::kReadsAttributes},
    {__NR_lgetxattr, SyscallAction::kReadsAttributes},
    {__NR_fgetxattr, SyscallAction::kAllow},
    {__NR_listxattr, SyscallAction::kReadsAttributes},
    {__NR_llistxattr, SyscallAction::kReadsAttributes},
    {__NR_flistxattr, SyscallAction::kAllow},
    {__NR_removexattr, SyscallAction::kChangesFile},
    {__NR_lremovexattr, SyscallAction::kChangesFile},
    {__NR_fremovexattr, SyscallAction::kChangesOpenFile},
    {__NR_tkill, SyscallAction::kSignals},
#ifdef __NR_time
    {__NR_time, SyscallAction::kAllow},
#endif
    {__NR_futex, SyscallAction::kAllow},
    {__NR_sched_setaffinity, SyscallAction::kTargetsFirst},
    {__NR_sched_getaffinity, SyscallAction::kAllow},
#ifdef __NR_set_thread_area
    {__NR_set_thread_area, SyscallAction::kAllow},
#endif
    {__NR_io_setup, SyscallAction::kAllow},
    {__NR_io_destroy, SyscallAction::kAllow},
    {__NR_io_getevents, SyscallAction::kAllow},
    {__NR_io_submit, SyscallAction::kAllow},
    {__NR_io_cancel, SyscallAction::kAllow},
#ifdef __NR_get_thread_area
    {__NR_get_thread_area, SyscallAction::kAllow},
#endif
#ifdef __NR_epoll_create
    {__NR_epoll_create, SyscallAction::kAllow},
#endif
    {__NR_remap_file_pages, SyscallAction::kAllow},
    {__NR_getdents64, SyscallAction::kAllow},
    {__NR_set_tid_address, SyscallAction::kAllow},
    {__NR_restart_syscall, SyscallAction::kAllow},
    {__NR_semtimedop, SyscallAction::kSharedIpc},
    {__NR_fadvise64, SyscallAction::kAllow},
    {__NR_timer_create, SyscallAction::kAllow},
    {__NR_timer_settime, SyscallAction::kAllow},
    {__NR_timer_gettime, SyscallAction::kAllow},
    {__NR_timer_getoverrun, SyscallAction::kAllow},
    {__NR_timer_delete, SyscallAction::kAllow},
    {__NR_clock_gettime, SyscallAction::kAllow},
    {__NR_clock_getres, SyscallAction::kAllow},
    {__NR_clock_nanosleep, SyscallAction::kAllow},
    {__NR_exit_group, SyscallAction::kAllow},
#ifdef __NR_epoll_wait
    {__NR_epoll_wait, SyscallAction::kAllow},
#endif
    {__NR_epoll_ctl, SyscallAction::kAllow},
    {__NR_tgkill, SyscallAction::kSignals},
#ifdef __NR_utimes
    {__NR_utimes, SyscallAction::kChangesFile},
#endif
    {__NR_mbind, SyscallAction::kAllow},
    {__NR_set_mempolicy, SyscallAction::kAllow},
    {__NR_get_mempolicy, SyscallAction::kAllow},
    {__NR_mq_open, SyscallAction::kSharedIpc},
    {__NR_mq_unlink, SyscallAction::kSharedIpc},
    {__NR_mq_timedsend, SyscallAction::kSharedIpc},
    {__NR_mq_timedreceive, SyscallAction::kSharedIpc},
    {__NR_mq_notify, SyscallAction::kSharedIpc},
    {__NR_mq_getsetattr, SyscallAction::kSharedIpc},
    {__NR_waitid, SyscallAction::kAllow},
    {__NR_ioprio_set, SyscallAction::kIoPriority},
    {__NR_ioprio_get, SyscallAction::kAllow},
#ifdef __NR_inotify_init
    {__NR_inotify_init, SyscallAction::kAllow},
#endif
    {__NR_inotify_add_watch, SyscallAction::kAllow},
    {__NR_inotify_rm_watch, SyscallAction::kAllow},
    {__NR_migrate_pages, SyscallAction::kTargetsFirst},
    {__NR_fchownat, SyscallAction::kChangesFile},
#ifdef __NR_futimesat
    {__NR_futimesat, SyscallAction::kChangesFile},
#endif
#ifdef __NR_newfstatat
    {__NR_newfstatat, SyscallAction::kLooksAt},
#endif
    {__NR_unlinkat, SyscallAction::kRemovesName},
    {__NR_readlinkat, SyscallAction::kLooks},
    {__NR_faccessat, SyscallAction::kLooks},
    {__NR_pselect6, SyscallAction::kAllow},
    {__NR_ppoll, SyscallAction::kAllow},
    {__NR_set_robust_list, SyscallAction::kAllow},
    {__NR_get_robust_list, SyscallAction::kAllow},
    {__NR_splice, SyscallAction::kAllow},
    {__NR_tee, SyscallAction::kAllow},
#ifdef __NR_sync_file_range
    {__NR_sync_file_range, SyscallAction::kAllow},
#endif
    {__NR_vmsplice, SyscallAction::kAllow},
    {__NR_move_pages, SyscallAction::kAllow},
    {__NR_utimensat, SyscallAction::kTimes},
    {__NR_epoll_pwait, SyscallAction::kAllow},
#ifdef __NR_signalfd
    {__NR_signalfd, SyscallAction::kAllow},
#endif
    {__NR_timerfd_create, SyscallAction::kAllow},
#ifdef __NR_eventfd
    {__NR_eventfd, SyscallAction::kAllow},
#endif
    {__NR_fallocate, SyscallAction::kAllow},
    {__NR_timerfd_settime, SyscallAction::kAllow},
    {__NR_timerfd_gettime, SyscallAction::kAllow},
    {__NR_accept4, SyscallAction::kAllow},
    {__NR_signalfd4, SyscallAction::kAllow},
    {__NR_eventfd2, SyscallAction::kAllow},
    {__NR_epoll_create1, SyscallAction::kAllow},
    {__NR_dup3, SyscallAction::kAllow},
    {__NR_pipe2, SyscallAction::kAllow},
    {__NR_inotify_init1, SyscallAction::kAllow},
    {__NR_preadv, SyscallAction::kAllow},
    {__NR_pwritev, SyscallAction::kAllow},
    {__NR_rt_tgsigqueueinfo, SyscallAction::kSignals},
    {__NR_recvmmsg, SyscallAction::kAllow},
    {__NR_prlimit64, SyscallAction::kTargetsFirst},
    {__NR_name_to_handle_at, SyscallAction::kAllow},
    {__NR_syncfs, SyscallAction::kAllow},
    {__NR_sendmmsg, SyscallAction::kSends},
    {__NR_getcpu, SyscallAction::kAllow},
    {__NR_sched_setattr, SyscallAction::kTargetsFirst},
    {__NR_sched_getattr, SyscallAction::kAllow},
    {__NR_seccomp, SyscallAction::kAllow},
    {__NR_getrandom, SyscallAction::kAllow},
    {__NR_execveat, SyscallAction::kExecutes},
    {__NR_membarrier, SyscallAction::kAllow},
    {__NR_mlock2, SyscallAction::kAllow},
    {__NR_copy_file_range, SyscallAction::kAllow},
    {__NR_preadv2, SyscallAction::kAllow},
    {__NR_pwritev2, SyscallAction::kAllow},
#ifdef __NR_pkey_mprotect
    {__NR_pkey_mprotect, SyscallAction::kAllow},
#endif
    {__NR_pkey_alloc, SyscallAction::kAllow},
    {__NR_pkey_free, SyscallAction::kAllow},
    {__NR_statx, SyscallAction::kLooksFlagsThird},
    {__NR_io_pgetevents, SyscallAction::kAllow},
    {__NR_rseq, SyscallAction::kAllow},
    {__NR_pidfd_send_signal, SyscallAction::kSignals},
#ifdef __NR_pidfd_open
    {__NR_pidfd_open, SyscallAction::kAllow},
#endif
#ifdef __NR_close_range
    {__NR_close_range, SyscallAction::kAllow},
#endif
#ifdef __NR_faccessat2
    {__NR_faccessat2, SyscallAction::kLooks},
#endif
#ifdef __NR_epoll_pwait2
    {__NR_epoll_pwait2, SyscallAction::kAllow},
#endif
#ifdef __NR_landlock_create_ruleset
    {__NR_landlock_create_ruleset, SyscallAction::kAllow},
#endif
#ifdef __NR_landlock_add_rule
    {__NR_landlock_add_rule, SyscallAction::kAllow},
#endif
#ifdef __NR_landlock_restrict_self
    {__NR_landlock_restrict_self, SyscallAction::kAllow},
#endif
#ifdef __NR_futex_waitv
    {__NR_futex_waitv, SyscallAction::kAllow},
#endif
#ifdef __NR_set_mempolicy_home_node
    {__NR_set_mempolicy_home_node, SyscallAction::kAllow},
#endif
    {kNr_cachestat, SyscallAction::kAllow},
    {kNr_map_shadow_stack, SyscallAction::kAllow},
    {kNr_futex_wake, SyscallAction::kAllow},
    {kNr_futex_wait, SyscallAction::kAllow},
    {kNr_futex_requeue, SyscallAction::kAllow},
    {kNr_lsm_get_self_attr, SyscallAction::kAllow},
    {kNr_lsm_list_modules, SyscallAction::kAllow},
    {kNr_mseal, SyscallAction::kAllow},
    {kNr_setxattrat, SyscallAction::kChangesFileAnew},
    {kNr_getxattrat, SyscallAction::kReadsAttributes},
    {kNr_listxattrat, SyscallAction::kReadsAttributes},
    {kNr_removexattrat, SyscallAction::kChangesFileAnew},
};

constexpr auto kSorted = [] {
  std::array<ReviewedSyscall, std::size(kTable)> sorted{};
  std::copy(std::begin(kTable), std::end(kTable), sorted.begin());
  std::sort(sorted.begin(), sorted.end(),
            [](const ReviewedSyscall& a, const ReviewedSyscall& b) { return a.number < b.number; });
  return sorted;
}();

constexpr bool no_number_twice() {
  for (std::size_t i = 1; i < kSorted.size(); ++i)
    if (kSorted[i - 1].number == kSorted[i].number) return false;
  return true;
}
static_assert(no_number_twice());

}  // namespace

std::span<const ReviewedSyscall> reviewed_syscalls() { return kSorted; }

}  // namespace pinfold::backend::on_linux

// syscalls.cc: the table itself. To review a new kernel's calls, add a line; until then they are ENOSYS.
// Not here: argument checks (filter.cc).
#include "backend/linux/seccomp/syscalls.h"

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

constexpr Reviewed kTable[] = {
// Judged by their arguments.
#ifdef __NR_open
    {__NR_open, Verdict::kOpen},
#endif
    {__NR_ioctl, Verdict::kIoctl},
    {__NR_socket, Verdict::kSocket},
    {__NR_clone, Verdict::kClone},
#ifdef __NR_fork
    {__NR_fork, Verdict::kFork},
#endif
#ifdef __NR_vfork
    {__NR_vfork, Verdict::kFork},
#endif
#ifdef __NR_rename
    {__NR_rename, Verdict::kCreatesName},
#endif
#ifdef __NR_mkdir
    {__NR_mkdir, Verdict::kMkdir},
#endif
#ifdef __NR_creat
    {__NR_creat, Verdict::kCreat},
#endif
#ifdef __NR_link
    {__NR_link, Verdict::kCreatesName},
#endif
#ifdef __NR_symlink
    {__NR_symlink, Verdict::kCreatesName},
#endif
#ifdef __NR_chmod
    {__NR_chmod, Verdict::kChmod},
#endif
    {__NR_fchmod, Verdict::kChmodOpenFile},
#ifdef __NR_mknod
    {__NR_mknod, Verdict::kMakeNode},
#endif
    {__NR_personality, Verdict::kPersonality},
    {__NR_prctl, Verdict::kPrctl},
    {__NR_openat, Verdict::kOpenAt},
    {__NR_mkdirat, Verdict::kMkdirAt},
    {__NR_mknodat, Verdict::kMakeNodeAt},
#ifdef __NR_renameat
    {__NR_renameat, Verdict::kCreatesName},
#endif
    {__NR_linkat, Verdict::kCreatesName},
    {__NR_symlinkat, Verdict::kCreatesName},
    {__NR_fchmodat, Verdict::kChmodAt},
    {__NR_unshare, Verdict::kUnshare},
    {__NR_renameat2, Verdict::kCreatesName},
    {__NR_memfd_create, Verdict::kMemfd},
    {__NR_shmget, Verdict::kSharedMemory},
    {kNr_fchmodat2, Verdict::kChmodAt},
    // Never: other processes, mounts, namespaces, the kernel itself.
    {__NR_ptrace, Verdict::kTraces},
    {__NR_process_vm_readv, Verdict::kTraces},
    {__NR_process_vm_writev, Verdict::kTraces},
#ifdef __NR_process_madvise
    {__NR_process_madvise, Verdict::kRefuse},
#endif
    {__NR_kcmp, Verdict::kTraces},
#ifdef __NR_pidfd_getfd
    {__NR_pidfd_getfd, Verdict::kRefuse},
#endif
    {__NR_mount, Verdict::kRefuse},
    {__NR_umount2, Verdict::kRefuse},
#ifdef __NR_fsopen
    {__NR_fsopen, Verdict::kRefuse},
#endif
#ifdef __NR_fsconfig
    {__NR_fsconfig, Verdict::kRefuse},
#endif
#ifdef __NR_fsmount
    {__NR_fsmount, Verdict::kRefuse},
#endif
#ifdef __NR_fspick
    {__NR_fspick, Verdict::kRefuse},
#endif
#ifdef __NR_open_tree
    {__NR_open_tree, Verdict::kRefuse},
#endif
    {kNr_open_tree_attr, Verdict::kRefuse},
#ifdef __NR_move_mount
    {__NR_move_mount, Verdict::kRefuse},
#endif
#ifdef __NR_mount_setattr
    {__NR_mount_setattr, Verdict::kRefuse},
#endif
    {__NR_pivot_root, Verdict::kRefuse},
    {__NR_chroot, Verdict::kRefuse},
    {__NR_setns, Verdict::kRefuse},
    {__NR_bpf, Verdict::kRefuse},
    {__NR_perf_event_open, Verdict::kRefuse},
#ifdef __NR_userfaultfd
    {__NR_userfaultfd, Verdict::kRefuse},
#endif
    {__NR_keyctl, Verdict::kRefuse},
    {__NR_add_key, Verdict::kRefuse},
    {__NR_request_key, Verdict::kRefuse},
    {__NR_kexec_load, Verdict::kRefuse},
#ifdef __NR_kexec_file_load
    {__NR_kexec_file_load, Verdict::kRefuse},
#endif
    {__NR_init_module, Verdict::kRefuse},
    {__NR_finit_module, Verdict::kRefuse},
    {__NR_delete_module, Verdict::kRefuse},
    {__NR_open_by_handle_at, Verdict::kRefuse},
    {__NR_swapon, Verdict::kRefuse},
    {__NR_swapoff, Verdict::kRefuse},
    {__NR_reboot, Verdict::kRefuse},
    {__NR_sethostname, Verdict::kRefuse},
    {__NR_setdomainname, Verdict::kRefuse},
    {__NR_settimeofday, Verdict::kRefuse},
    {__NR_clock_settime, Verdict::kRefuse},
    {__NR_clock_adjtime, Verdict::kRefuse},
    {__NR_adjtimex, Verdict::kRefuse},
    {__NR_acct, Verdict::kRefuse},
    {__NR_syslog, Verdict::kRefuse},
#ifdef __NR_iopl
    {__NR_iopl, Verdict::kRefuse},
#endif
#ifdef __NR_ioperm
    {__NR_ioperm, Verdict::kRefuse},
#endif
    {__NR_vhangup, Verdict::kRefuse},
    {__NR_quotactl, Verdict::kRefuse},
#ifdef __NR_quotactl_fd
    {__NR_quotactl_fd, Verdict::kRefuse},
#endif
    {__NR_fanotify_init, Verdict::kRefuse},
    {__NR_fanotify_mark, Verdict::kRefuse},
#ifdef __NR_modify_ldt
    {__NR_modify_ldt, Verdict::kRefuse},
#endif
#ifdef __NR_memfd_secret
    {__NR_memfd_secret, Verdict::kRefuse},
#endif
    {kNr_lsm_set_self_attr, Verdict::kRefuse},
#ifdef __NR_process_mrelease
    {__NR_process_mrelease, Verdict::kRefuse},
#endif
    {kNr_statmount, Verdict::kRefuse},
    {kNr_listmount, Verdict::kRefuse},
// As if the kernel did not have them: callers fall back. openat2 and clone3 keep their flags in memory, where no
// filter can judge them; io_uring would go around every filter.
#ifdef __NR_clone3
    {__NR_clone3, Verdict::kAbsent},
#endif
#ifdef __NR_openat2
    {__NR_openat2, Verdict::kAbsent},
#endif
#ifdef __NR_io_uring_setup
    {__NR_io_uring_setup, Verdict::kAbsent},
#endif
#ifdef __NR_io_uring_enter
    {__NR_io_uring_enter, Verdict::kAbsent},
#endif
#ifdef __NR_io_uring_register
    {__NR_io_uring_register, Verdict::kAbsent},
#endif
#ifdef __NR_uselib
    {__NR_uselib, Verdict::kAbsent},
#endif
#ifdef __NR_ustat
    {__NR_ustat, Verdict::kAbsent},
#endif
#ifdef __NR_sysfs
    {__NR_sysfs, Verdict::kAbsent},
#endif
#ifdef __NR__sysctl
    {__NR__sysctl, Verdict::kAbsent},
#endif
#ifdef __NR_create_module
    {__NR_create_module, Verdict::kAbsent},
#endif
#ifdef __NR_get_kernel_syms
    {__NR_get_kernel_syms, Verdict::kAbsent},
#endif
#ifdef __NR_query_module
    {__NR_query_module, Verdict::kAbsent},
#endif
#ifdef __NR_nfsservctl
    {__NR_nfsservctl, Verdict::kAbsent},
#endif
#ifdef __NR_getpmsg
    {__NR_getpmsg, Verdict::kAbsent},
#endif
#ifdef __NR_putpmsg
    {__NR_putpmsg, Verdict::kAbsent},
#endif
#ifdef __NR_afs_syscall
    {__NR_afs_syscall, Verdict::kAbsent},
#endif
#ifdef __NR_tuxcall
    {__NR_tuxcall, Verdict::kAbsent},
#endif
#ifdef __NR_security
    {__NR_security, Verdict::kAbsent},
#endif
#ifdef __NR_vserver
    {__NR_vserver, Verdict::kAbsent},
#endif
#ifdef __NR_epoll_ctl_old
    {__NR_epoll_ctl_old, Verdict::kAbsent},
#endif
#ifdef __NR_epoll_wait_old
    {__NR_epoll_wait_old, Verdict::kAbsent},
#endif
#ifdef __NR_lookup_dcookie
    {__NR_lookup_dcookie, Verdict::kAbsent},
#endif
    // Everything else that ordinary programs use.
    {__NR_read, Verdict::kAllow},
    {__NR_write, Verdict::kAllow},
    {__NR_close, Verdict::kAllow},
#ifdef __NR_stat
    {__NR_stat, Verdict::kLooks},
#endif
    {__NR_fstat, Verdict::kAllow},
#ifdef __NR_lstat
    {__NR_lstat, Verdict::kLooks},
#endif
#ifdef __NR_poll
    {__NR_poll, Verdict::kAllow},
#endif
    {__NR_lseek, Verdict::kAllow},
    {__NR_mmap, Verdict::kAllow},
    {__NR_mprotect, Verdict::kAllow},
    {__NR_munmap, Verdict::kAllow},
    {__NR_brk, Verdict::kAllow},
    {__NR_rt_sigaction, Verdict::kAllow},
    {__NR_rt_sigprocmask, Verdict::kAllow},
    {__NR_rt_sigreturn, Verdict::kAllow},
    {__NR_pread64, Verdict::kAllow},
    {__NR_pwrite64, Verdict::kAllow},
    {__NR_readv, Verdict::kAllow},
    {__NR_writev, Verdict::kAllow},
#ifdef __NR_access
    {__NR_access, Verdict::kLooks},
#endif
#ifdef __NR_pipe
    {__NR_pipe, Verdict::kAllow},
#endif
#ifdef __NR_select
    {__NR_select, Verdict::kAllow},
#endif
    {__NR_sched_yield, Verdict::kAllow},
    {__NR_mremap, Verdict::kAllow},
    {__NR_msync, Verdict::kAllow},
    {__NR_mincore, Verdict::kAllow},
    {__NR_madvise, Verdict::kAllow},
    {__NR_shmat, Verdict::kSharedIpc},
    {__NR_shmctl, Verdict::kSharedIpc},
    {__NR_dup, Verdict::kAllow},
#ifdef __NR_dup2
    {__NR_dup2, Verdict::kAllow},
#endif
#ifdef __NR_pause
    {__NR_pause, Verdict::kAllow},
#endif
    {__NR_nanosleep, Verdict::kAllow},
    {__NR_getitimer, Verdict::kAllow},
#ifdef __NR_alarm
    {__NR_alarm, Verdict::kAllow},
#endif
    {__NR_setitimer, Verdict::kAllow},
    {__NR_getpid, Verdict::kAllow},
    {__NR_sendfile, Verdict::kAllow},
    {__NR_connect, Verdict::kConnects},
    {__NR_accept, Verdict::kAllow},
    {__NR_sendto, Verdict::kSends},
    {__NR_recvfrom, Verdict::kAllow},
    {__NR_sendmsg, Verdict::kSendsMessage},
    {__NR_recvmsg, Verdict::kAllow},
    {__NR_shutdown, Verdict::kAllow},
    {__NR_bind, Verdict::kBinds},
    {__NR_listen, Verdict::kListens},
    {__NR_getsockname, Verdict::kAllow},
    {__NR_getpeername, Verdict::kAllow},
    {__NR_socketpair, Verdict::kSocketPair},
    {__NR_setsockopt, Verdict::kSocketOption},
    {__NR_getsockopt, Verdict::kAllow},
    {__NR_execve, Verdict::kExecutes},
    {__NR_exit, Verdict::kAllow},
    {__NR_wait4, Verdict::kAllow},
    {__NR_kill, Verdict::kSignals},
    {__NR_uname, Verdict::kAllow},
    {__NR_semget, Verdict::kSharedIpc},
    {__NR_semop, Verdict::kSharedIpc},
    {__NR_semctl, Verdict::kSharedIpc},
    {__NR_shmdt, Verdict::kSharedIpc},
    {__NR_msgget, Verdict::kSharedIpc},
    {__NR_msgsnd, Verdict::kSharedIpc},
    {__NR_msgrcv, Verdict::kSharedIpc},
    {__NR_msgctl, Verdict::kSharedIpc},
    {__NR_fcntl, Verdict::kAllow},
    {__NR_flock, Verdict::kAllow},
    {__NR_fsync, Verdict::kAllow},
    {__NR_fdatasync, Verdict::kAllow},
    {__NR_truncate, Verdict::kTruncate},
    {__NR_ftruncate, Verdict::kAllow},
#ifdef __NR_getdents
    {__NR_getdents, Verdict::kAllow},
#endif
    {__NR_getcwd, Verdict::kAllow},
    {__NR_chdir, Verdict::kEnters},
    {__NR_fchdir, Verdict::kAllow},
#ifdef __NR_rmdir
    {__NR_rmdir, Verdict::kRemovesName},
#endif
#ifdef __NR_unlink
    {__NR_unlink, Verdict::kRemovesName},
#endif
#ifdef __NR_readlink
    {__NR_readlink, Verdict::kLooks},
#endif
#ifdef __NR_chown
    {__NR_chown, Verdict::kChangesFile},
#endif
    {__NR_fchown, Verdict::kChangesOpenFile},
#ifdef __NR_lchown
    {__NR_lchown, Verdict::kChangesFile},
#endif
    {__NR_umask, Verdict::kAllow},
    {__NR_gettimeofday, Verdict::kAllow},
#ifdef __NR_getrlimit
    {__NR_getrlimit, Verdict::kAllow},
#endif
    {__NR_getrusage, Verdict::kAllow},
    {__NR_sysinfo, Verdict::kAllow},
    {__NR_times, Verdict::kAllow},
    {__NR_getuid, Verdict::kAllow},
    {__NR_getgid, Verdict::kAllow},
    {__NR_setuid, Verdict::kAllow},
    {__NR_setgid, Verdict::kAllow},
    {__NR_geteuid, Verdict::kAllow},
    {__NR_getegid, Verdict::kAllow},
    {__NR_setpgid, Verdict::kAllow},
    {__NR_getppid, Verdict::kAllow},
#ifdef __NR_getpgrp
    {__NR_getpgrp, Verdict::kAllow},
#endif
    {__NR_setsid, Verdict::kAllow},
    {__NR_setreuid, Verdict::kAllow},
    {__NR_setregid, Verdict::kAllow},
    {__NR_getgroups, Verdict::kAllow},
    {__NR_setgroups, Verdict::kAllow},
    {__NR_setresuid, Verdict::kAllow},
    {__NR_getresuid, Verdict::kAllow},
    {__NR_setresgid, Verdict::kAllow},
    {__NR_getresgid, Verdict::kAllow},
    {__NR_getpgid, Verdict::kAllow},
    {__NR_setfsuid, Verdict::kAllow},
    {__NR_setfsgid, Verdict::kAllow},
    {__NR_getsid, Verdict::kAllow},
    {__NR_capget, Verdict::kAllow},
    {__NR_capset, Verdict::kAllow},
    {__NR_rt_sigpending, Verdict::kAllow},
    {__NR_rt_sigtimedwait, Verdict::kAllow},
    {__NR_rt_sigqueueinfo, Verdict::kSignals},
    {__NR_rt_sigsuspend, Verdict::kAllow},
    {__NR_sigaltstack, Verdict::kAllow},
#ifdef __NR_utime
    {__NR_utime, Verdict::kChangesFile},
#endif
    {__NR_statfs, Verdict::kAllow},
    {__NR_fstatfs, Verdict::kAllow},
    {__NR_getpriority, Verdict::kAllow},
    {__NR_setpriority, Verdict::kPriority},
    {__NR_sched_setparam, Verdict::kTargetsFirst},
    {__NR_sched_getparam, Verdict::kAllow},
    {__NR_sched_setscheduler, Verdict::kTargetsFirst},
    {__NR_sched_getscheduler, Verdict::kAllow},
    {__NR_sched_get_priority_max, Verdict::kAllow},
    {__NR_sched_get_priority_min, Verdict::kAllow},
    {__NR_sched_rr_get_interval, Verdict::kAllow},
    {__NR_mlock, Verdict::kAllow},
    {__NR_munlock, Verdict::kAllow},
    {__NR_mlockall, Verdict::kAllow},
    {__NR_munlockall, Verdict::kAllow},
#ifdef __NR_arch_prctl
    {__NR_arch_prctl, Verdict::kAllow},
#endif
    {__NR_setrlimit, Verdict::kAllow},
    {__NR_sync, Verdict::kAllow},
    {__NR_gettid, Verdict::kAllow},
    {__NR_readahead, Verdict::kAllow},
    {__NR_setxattr, Verdict::kChangesFile},
    {__NR_lsetxattr, Verdict::kChangesFile},
    {__NR_fsetxattr, Verdict::kChangesOpenFile},
    {__NR_getxattr, Verdict::kReadsAttributes},
    {__NR_lgetxattr, Verdict::kReadsAttributes},
    {__NR_fgetxattr, Verdict::kAllow},
    {__NR_listxattr, Verdict::kReadsAttributes},
    {__NR_llistxattr, Verdict::kReadsAttributes},
    {__NR_flistxattr, Verdict::kAllow},
    {__NR_removexattr, Verdict::kChangesFile},
    {__NR_lremovexattr, Verdict::kChangesFile},
    {__NR_fremovexattr, Verdict::kChangesOpenFile},
    {__NR_tkill, Verdict::kSignals},
#ifdef __NR_time
    {__NR_time, Verdict::kAllow},
#endif
    {__NR_futex, Verdict::kAllow},
    {__NR_sched_setaffinity, Verdict::kTargetsFirst},
    {__NR_sched_getaffinity, Verdict::kAllow},
#ifdef __NR_set_thread_area
    {__NR_set_thread_area, Verdict::kAllow},
#endif
    {__NR_io_setup, Verdict::kAllow},
    {__NR_io_destroy, Verdict::kAllow},
    {__NR_io_getevents, Verdict::kAllow},
    {__NR_io_submit, Verdict::kAllow},
    {__NR_io_cancel, Verdict::kAllow},
#ifdef __NR_get_thread_area
    {__NR_get_thread_area, Verdict::kAllow},
#endif
#ifdef __NR_epoll_create
    {__NR_epoll_create, Verdict::kAllow},
#endif
    {__NR_remap_file_pages, Verdict::kAllow},
    {__NR_getdents64, Verdict::kAllow},
    {__NR_set_tid_address, Verdict::kAllow},
    {__NR_restart_syscall, Verdict::kAllow},
    {__NR_semtimedop, Verdict::kSharedIpc},
    {__NR_fadvise64, Verdict::kAllow},
    {__NR_timer_create, Verdict::kAllow},
    {__NR_timer_settime, Verdict::kAllow},
    {__NR_timer_gettime, Verdict::kAllow},
    {__NR_timer_getoverrun, Verdict::kAllow},
    {__NR_timer_delete, Verdict::kAllow},
    {__NR_clock_gettime, Verdict::kAllow},
    {__NR_clock_getres, Verdict::kAllow},
    {__NR_clock_nanosleep, Verdict::kAllow},
    {__NR_exit_group, Verdict::kAllow},
#ifdef __NR_epoll_wait
    {__NR_epoll_wait, Verdict::kAllow},
#endif
    {__NR_epoll_ctl, Verdict::kAllow},
    {__NR_tgkill, Verdict::kSignals},
#ifdef __NR_utimes
    {__NR_utimes, Verdict::kChangesFile},
#endif
    {__NR_mbind, Verdict::kAllow},
    {__NR_set_mempolicy, Verdict::kAllow},
    {__NR_get_mempolicy, Verdict::kAllow},
    {__NR_mq_open, Verdict::kSharedIpc},
    {__NR_mq_unlink, Verdict::kSharedIpc},
    {__NR_mq_timedsend, Verdict::kSharedIpc},
    {__NR_mq_timedreceive, Verdict::kSharedIpc},
    {__NR_mq_notify, Verdict::kSharedIpc},
    {__NR_mq_getsetattr, Verdict::kSharedIpc},
    {__NR_waitid, Verdict::kAllow},
    {__NR_ioprio_set, Verdict::kIoPriority},
    {__NR_ioprio_get, Verdict::kAllow},
#ifdef __NR_inotify_init
    {__NR_inotify_init, Verdict::kAllow},
#endif
    {__NR_inotify_add_watch, Verdict::kAllow},
    {__NR_inotify_rm_watch, Verdict::kAllow},
    {__NR_migrate_pages, Verdict::kTargetsFirst},
    {__NR_fchownat, Verdict::kChangesFile},
#ifdef __NR_futimesat
    {__NR_futimesat, Verdict::kChangesFile},
#endif
#ifdef __NR_newfstatat
    {__NR_newfstatat, Verdict::kLooksAt},
#endif
    {__NR_unlinkat, Verdict::kRemovesName},
    {__NR_readlinkat, Verdict::kLooks},
    {__NR_faccessat, Verdict::kLooks},
    {__NR_pselect6, Verdict::kAllow},
    {__NR_ppoll, Verdict::kAllow},
    {__NR_set_robust_list, Verdict::kAllow},
    {__NR_get_robust_list, Verdict::kAllow},
    {__NR_splice, Verdict::kAllow},
    {__NR_tee, Verdict::kAllow},
#ifdef __NR_sync_file_range
    {__NR_sync_file_range, Verdict::kAllow},
#endif
    {__NR_vmsplice, Verdict::kAllow},
    {__NR_move_pages, Verdict::kAllow},
    {__NR_utimensat, Verdict::kTimes},
    {__NR_epoll_pwait, Verdict::kAllow},
#ifdef __NR_signalfd
    {__NR_signalfd, Verdict::kAllow},
#endif
    {__NR_timerfd_create, Verdict::kAllow},
#ifdef __NR_eventfd
    {__NR_eventfd, Verdict::kAllow},
#endif
    {__NR_fallocate, Verdict::kAllow},
    {__NR_timerfd_settime, Verdict::kAllow},
    {__NR_timerfd_gettime, Verdict::kAllow},
    {__NR_accept4, Verdict::kAllow},
    {__NR_signalfd4, Verdict::kAllow},
    {__NR_eventfd2, Verdict::kAllow},
    {__NR_epoll_create1, Verdict::kAllow},
    {__NR_dup3, Verdict::kAllow},
    {__NR_pipe2, Verdict::kAllow},
    {__NR_inotify_init1, Verdict::kAllow},
    {__NR_preadv, Verdict::kAllow},
    {__NR_pwritev, Verdict::kAllow},
    {__NR_rt_tgsigqueueinfo, Verdict::kSignals},
    {__NR_recvmmsg, Verdict::kAllow},
    {__NR_prlimit64, Verdict::kTargetsFirst},
    {__NR_name_to_handle_at, Verdict::kAllow},
    {__NR_syncfs, Verdict::kAllow},
    {__NR_sendmmsg, Verdict::kSends},
    {__NR_getcpu, Verdict::kAllow},
    {__NR_sched_setattr, Verdict::kTargetsFirst},
    {__NR_sched_getattr, Verdict::kAllow},
    {__NR_seccomp, Verdict::kAllow},
    {__NR_getrandom, Verdict::kAllow},
    {__NR_execveat, Verdict::kExecutes},
    {__NR_membarrier, Verdict::kAllow},
    {__NR_mlock2, Verdict::kAllow},
    {__NR_copy_file_range, Verdict::kAllow},
    {__NR_preadv2, Verdict::kAllow},
    {__NR_pwritev2, Verdict::kAllow},
#ifdef __NR_pkey_mprotect
    {__NR_pkey_mprotect, Verdict::kAllow},
#endif
    {__NR_pkey_alloc, Verdict::kAllow},
    {__NR_pkey_free, Verdict::kAllow},
    {__NR_statx, Verdict::kLooksFlagsThird},
    {__NR_io_pgetevents, Verdict::kAllow},
    {__NR_rseq, Verdict::kAllow},
    {__NR_pidfd_send_signal, Verdict::kSignals},
#ifdef __NR_pidfd_open
    {__NR_pidfd_open, Verdict::kAllow},
#endif
#ifdef __NR_close_range
    {__NR_close_range, Verdict::kAllow},
#endif
#ifdef __NR_faccessat2
    {__NR_faccessat2, Verdict::kLooks},
#endif
#ifdef __NR_epoll_pwait2
    {__NR_epoll_pwait2, Verdict::kAllow},
#endif
#ifdef __NR_landlock_create_ruleset
    {__NR_landlock_create_ruleset, Verdict::kAllow},
#endif
#ifdef __NR_landlock_add_rule
    {__NR_landlock_add_rule, Verdict::kAllow},
#endif
#ifdef __NR_landlock_restrict_self
    {__NR_landlock_restrict_self, Verdict::kAllow},
#endif
#ifdef __NR_futex_waitv
    {__NR_futex_waitv, Verdict::kAllow},
#endif
#ifdef __NR_set_mempolicy_home_node
    {__NR_set_mempolicy_home_node, Verdict::kAllow},
#endif
    {kNr_cachestat, Verdict::kAllow},
    {kNr_map_shadow_stack, Verdict::kAllow},
    {kNr_futex_wake, Verdict::kAllow},
    {kNr_futex_wait, Verdict::kAllow},
    {kNr_futex_requeue, Verdict::kAllow},
    {kNr_lsm_get_self_attr, Verdict::kAllow},
    {kNr_lsm_list_modules, Verdict::kAllow},
    {kNr_mseal, Verdict::kAllow},
    {kNr_setxattrat, Verdict::kChangesFileAnew},
    {kNr_getxattrat, Verdict::kReadsAttributes},
    {kNr_listxattrat, Verdict::kReadsAttributes},
    {kNr_removexattrat, Verdict::kChangesFileAnew},
};

constexpr auto kSorted = [] {
  std::array<Reviewed, std::size(kTable)> sorted{};
  std::copy(std::begin(kTable), std::end(kTable), sorted.begin());
  std::sort(sorted.begin(), sorted.end(), [](const Reviewed& a, const Reviewed& b) { return a.number < b.number; });
  return sorted;
}();

constexpr bool no_number_twice() {
  for (std::size_t i = 1; i < kSorted.size(); ++i)
    if (kSorted[i - 1].number == kSorted[i].number) return false;
  return true;
}
static_assert(no_number_twice());

}  // namespace

std::span<const Reviewed> reviewed_syscalls() { return kSorted; }

}  // namespace pinfold::backend::on_linux

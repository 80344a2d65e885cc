/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * System calls of etrace_syscalls.def that some ABIs lack: included after an ABI's
 * <asm/unistd*.h>, it defines the missing ones as -1.  May be included once per ABI.
 */
#ifndef __NR_accept
#define __NR_accept (-1)
#endif
#ifndef __NR_access
#define __NR_access (-1)
#endif
#ifndef __NR_chmod
#define __NR_chmod (-1)
#endif
#ifndef __NR_chown
#define __NR_chown (-1)
#endif
#ifndef __NR_chown32
#define __NR_chown32 (-1)
#endif
#ifndef __NR_creat
#define __NR_creat (-1)
#endif
#ifndef __NR_dup2
#define __NR_dup2 (-1)
#endif
#ifndef __NR_fchown32
#define __NR_fchown32 (-1)
#endif
#ifndef __NR_fcntl
#define __NR_fcntl (-1)
#endif
#ifndef __NR_fcntl64
#define __NR_fcntl64 (-1)
#endif
#ifndef __NR_fork
#define __NR_fork (-1)
#endif
#ifndef __NR_fstatat64
#define __NR_fstatat64 (-1)
#endif
#ifndef __NR_ftruncate
#define __NR_ftruncate (-1)
#endif
#ifndef __NR_ftruncate64
#define __NR_ftruncate64 (-1)
#endif
#ifndef __NR_futimesat
#define __NR_futimesat (-1)
#endif
#ifndef __NR_getdents
#define __NR_getdents (-1)
#endif
#ifndef __NR_lchown
#define __NR_lchown (-1)
#endif
#ifndef __NR_lchown32
#define __NR_lchown32 (-1)
#endif
#ifndef __NR_link
#define __NR_link (-1)
#endif
#ifndef __NR_lstat
#define __NR_lstat (-1)
#endif
#ifndef __NR_lstat64
#define __NR_lstat64 (-1)
#endif
#ifndef __NR_mkdir
#define __NR_mkdir (-1)
#endif
#ifndef __NR_mknod
#define __NR_mknod (-1)
#endif
#ifndef __NR_mmap2
#define __NR_mmap2 (-1)
#endif
#ifndef __NR_newfstatat
#define __NR_newfstatat (-1)
#endif
#ifndef __NR_open
#define __NR_open (-1)
#endif
#ifndef __NR_pipe
#define __NR_pipe (-1)
#endif
#ifndef __NR_readlink
#define __NR_readlink (-1)
#endif
#ifndef __NR_recv
#define __NR_recv (-1)
#endif
#ifndef __NR_recvmmsg
#define __NR_recvmmsg (-1)
#endif
#ifndef __NR_recvmmsg_time64
#define __NR_recvmmsg_time64 (-1)
#endif
#ifndef __NR_rename
#define __NR_rename (-1)
#endif
#ifndef __NR_renameat
#define __NR_renameat (-1)
#endif
#ifndef __NR_rmdir
#define __NR_rmdir (-1)
#endif
#ifndef __NR_send
#define __NR_send (-1)
#endif
#ifndef __NR_sendfile64
#define __NR_sendfile64 (-1)
#endif
#ifndef __NR_socketcall
#define __NR_socketcall (-1)
#endif
#ifndef __NR_stat
#define __NR_stat (-1)
#endif
#ifndef __NR_stat64
#define __NR_stat64 (-1)
#endif
#ifndef __NR_symlink
#define __NR_symlink (-1)
#endif
#ifndef __NR_truncate
#define __NR_truncate (-1)
#endif
#ifndef __NR_truncate64
#define __NR_truncate64 (-1)
#endif
#ifndef __NR_umount
#define __NR_umount (-1)
#endif
#ifndef __NR_unlink
#define __NR_unlink (-1)
#endif
#ifndef __NR_utime
#define __NR_utime (-1)
#endif
#ifndef __NR_utimensat
#define __NR_utimensat (-1)
#endif
#ifndef __NR_utimensat_time64
#define __NR_utimensat_time64 (-1)
#endif
#ifndef __NR_utimes
#define __NR_utimes (-1)
#endif
#ifndef __NR_vfork
#define __NR_vfork (-1)
#endif

/* New in 6.6; the number was unused before, and is the same on all architectures. */
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif

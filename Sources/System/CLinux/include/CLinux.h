// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The parts of the C library that the Glibc module lacks: epoll, eventfd, malloc's figures and GNU extensions.
#pragma once

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/types.h>

/// Names the calling thread; `name` has at most 15 bytes.
void CLinux_set_thread_name(const char *name);

/// Whether the kernel's clock is synchronized to a time source, according to adjtimex(2).
int CLinux_clock_is_synchronized(void);

/// Changes the user of the whole process permanently, and sets that user's groups, or `group` alone if the user has no
/// name. Returns 0, or -1 with errno set.
int CLinux_become_user(uid_t user, gid_t group);

/// Returns the handle of an LE connection, or -1 with errno set. `address` is in the kernel's order, last byte first.
///
/// The ioctl's number and the flexible array at the end of its argument do not import into Swift.
int CLinux_le_connection_handle(int hci_socket, const unsigned char address[6]);

/// Renames a file in a folder. With `exchanges`, the two files exchange their names; otherwise an existing file is not
/// replaced. Returns 0, or -1 with errno set: EEXIST, or EINVAL if the file system can do neither.
int CLinux_rename(int folder, const char *from, const char *to, int exchanges);

/// Has a crash (SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE) write `text`, of at most 63 bytes, to standard output and
/// give the terminal of standard input its present settings back, before it goes on as it would have without that.
void CLinux_restore_terminal_at_crash(const char *text);

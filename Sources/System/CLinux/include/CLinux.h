// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// What the Glibc module lacks: epoll, eventfd and the GNU extensions are not in it.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/types.h>

/// Names the calling thread; `name` has at most 15 bytes.
void CLinux_set_thread_name(const char *name);

/// Whether the kernel's clock is synchronised to a source of time, as adjtimex(2) has it.
int CLinux_clock_is_synchronised(void);

/// Makes the whole process another user's for good, with that user's groups, or with `group` alone where the user has no
/// name; 0, or -1 with errno set.
int CLinux_become_user(uid_t user, gid_t group);

/// The handle of an LE connection, or -1 with errno set; `address` as the kernel has it, the last byte first.
///
/// The ioctl's number and the flexible array at the end of its argument do not import into Swift.
int CLinux_le_connection_handle(int hci_socket, const unsigned char address[6]);

// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#ifndef FAULT_VFS_H
#define FAULT_VFS_H

/// What writing to a directory comes to.
enum fault_vfs_mode {
    /// As the file system does it.
    fault_vfs_works = 0,
    /// Nothing more fits: ENOSPC.
    fault_vfs_full = 1,
    /// The file system was made read-only after an error: EROFS, also where a file is opened for writing.
    fault_vfs_read_only = 2,
    /// The device takes nothing and gives nothing: EIO.
    fault_vfs_broken = 3,
};

/// Makes a file system with faults SQLite's default one; the first call counts.
///
/// Returns an SQLite result code.
int fault_vfs_install(void);

/// What happens from now on to the database files below `directory`; for at most 64 directories at a time.
void fault_vfs_set(const char *directory, enum fault_vfs_mode mode);

/// Told before a database file is synced and after it: its path, and whether the device has it.
typedef void (*fault_vfs_hook)(const char *path, int is_done);

/// Calls `hook` around each sync from now on, on the thread that syncs.
void fault_vfs_on_sync(fault_vfs_hook hook);

#endif

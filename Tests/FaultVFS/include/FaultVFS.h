// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#ifndef FAULT_VFS_H
#define FAULT_VFS_H

/// The fate of writes to a directory.
enum fault_vfs_mode {
    /// Writes succeed as the file system performs them.
    fault_vfs_works = 0,
    /// The disk is full: ENOSPC.
    fault_vfs_full = 1,
    /// The file system became read-only after an error: EROFS, also if a file is opened for writing.
    fault_vfs_read_only = 2,
    /// The device neither reads nor writes: EIO.
    fault_vfs_broken = 3,
};

/// Makes a file system with faults SQLite's default one; the first call counts.
///
/// Returns an SQLite result code.
int fault_vfs_install(void);

/// Sets the fate of writes to database files below `directory`; for at most 64 directories at a time.
void fault_vfs_set(const char *directory, enum fault_vfs_mode mode);

/// Receives the path of a database file before and after its sync, and whether the sync is done.
typedef void (*fault_vfs_hook)(const char *path, int is_done);

/// Calls `hook` around each sync from now on, on the thread that syncs.
void fault_vfs_on_sync(fault_vfs_hook hook);

#endif

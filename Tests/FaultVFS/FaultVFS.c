// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// A layer between SQLite and the file system (https://www.sqlite.org/vfs.html). It passes every call on, unless writes
// to the directory are set to fail.

#include "FaultVFS.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

enum { slots = 64 };

static struct {
    char directory[200];
    enum fault_vfs_mode mode;
} faults[slots];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int installed;
static _Atomic(fault_vfs_hook) hook;
static sqlite3_vfs vfs;

static sqlite3_vfs *real(void) { return vfs.pAppData; }

/// The file that SQLite sees; the real one follows it in memory.
struct file {
    sqlite3_file base;
    const char *path;
};

static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((struct file *)file + 1); }

static enum fault_vfs_mode mode_of(const char *path) {
    enum fault_vfs_mode mode = fault_vfs_works;
    if (path == NULL) return mode;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < slots; i++) {
        size_t length = strlen(faults[i].directory);
        if (length > 0 && strncmp(path, faults[i].directory, length) == 0) mode = faults[i].mode;
    }
    pthread_mutex_unlock(&lock);
    return mode;
}

void fault_vfs_set(const char *directory, enum fault_vfs_mode mode) {
    int chosen = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < slots; i++) {
        if (strcmp(faults[i].directory, directory) == 0) { chosen = i; break; }
        if (faults[i].directory[0] == 0 && chosen < 0) chosen = i;
    }
    if (chosen >= 0 && strlen(directory) < sizeof faults[chosen].directory) {
        strcpy(faults[chosen].directory, mode == fault_vfs_works ? "" : directory);
        faults[chosen].mode = mode;
    }
    pthread_mutex_unlock(&lock);
}

static int refusal(sqlite3_file *file, int code) {
    switch (mode_of(((struct file *)file)->path)) {
    case fault_vfs_works: return SQLITE_OK;
    case fault_vfs_full: return SQLITE_FULL;
    default: return code;
    }
}

static int closes(sqlite3_file *file) {
    return inner(file)->pMethods ? inner(file)->pMethods->xClose(inner(file)) : SQLITE_OK;
}

static int reads(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    if (mode_of(((struct file *)file)->path) == fault_vfs_broken) return SQLITE_IOERR_READ;
    return inner(file)->pMethods->xRead(inner(file), buffer, count, offset);
}

static int writes(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    int code = refusal(file, SQLITE_IOERR_WRITE);
    return code != SQLITE_OK ? code : inner(file)->pMethods->xWrite(inner(file), buffer, count, offset);
}

static int truncates(sqlite3_file *file, sqlite3_int64 size) {
    // A full disk still lets files become shorter.
    int code = refusal(file, SQLITE_IOERR_TRUNCATE);
    if (code != SQLITE_OK && code != SQLITE_FULL) return code;
    return inner(file)->pMethods->xTruncate(inner(file), size);
}

static int syncs(sqlite3_file *file, int flags) {
    (void)flags;
    fault_vfs_hook told = hook;
    const char *path = ((struct file *)file)->path;
    if (told && path) told(path, 0);
    // The tests never cut the real power, so the sync need not wait for the device.
    int code = refusal(file, SQLITE_IOERR_FSYNC);
    if (told && path && code == SQLITE_OK) told(path, 1);
    return code;
}

void fault_vfs_on_sync(fault_vfs_hook told) { hook = told; }

#define PASS(name, parameters, ...) \
    static int name parameters { return inner(file)->pMethods->__VA_ARGS__; }

PASS(size_of, (sqlite3_file *file, sqlite3_int64 *size), xFileSize(inner(file), size))
PASS(locks, (sqlite3_file *file, int level), xLock(inner(file), level))
PASS(unlocks, (sqlite3_file *file, int level), xUnlock(inner(file), level))
PASS(is_reserved, (sqlite3_file *file, int *result), xCheckReservedLock(inner(file), result))
PASS(controls, (sqlite3_file *file, int operation, void *argument), xFileControl(inner(file), operation, argument))
PASS(sector_size, (sqlite3_file *file), xSectorSize(inner(file)))
PASS(properties, (sqlite3_file *file), xDeviceCharacteristics(inner(file)))
PASS(maps_shared, (sqlite3_file *file, int region, int size, int extend, void volatile **memory),
     xShmMap(inner(file), region, size, extend, memory))
PASS(locks_shared, (sqlite3_file *file, int offset, int count, int flags), xShmLock(inner(file), offset, count, flags))
PASS(unmaps_shared, (sqlite3_file *file, int delete), xShmUnmap(inner(file), delete))

static void fences_shared(sqlite3_file *file) { inner(file)->pMethods->xShmBarrier(inner(file)); }

// Version 2 has no memory-mapped reads, which would bypass this layer.
static const sqlite3_io_methods methods = {
    2, closes, reads, writes, truncates, syncs, size_of, locks, unlocks, is_reserved, controls, sector_size, properties,
    maps_shared, locks_shared, fences_shared, unmaps_shared, NULL, NULL,
};

static int opens(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *out_flags) {
    (void)self;
    ((struct file *)file)->path = name;
    file->pMethods = NULL;
    inner(file)->pMethods = NULL;
    enum fault_vfs_mode mode = mode_of(name);
    if (mode == fault_vfs_broken || (mode == fault_vfs_read_only && (flags & SQLITE_OPEN_READWRITE)))
        return SQLITE_CANTOPEN;
    int code = real()->xOpen(real(), name, inner(file), flags, out_flags);
    if (inner(file)->pMethods) file->pMethods = &methods;
    return code;
}

static void install(void) {
    sqlite3_vfs *original = sqlite3_vfs_find(NULL);
    if (original == NULL) {
        installed = SQLITE_ERROR;
        return;
    }
    vfs = *original;
    vfs.pAppData = original;
    vfs.zName = "fault";
    vfs.szOsFile = original->szOsFile + (int)sizeof(struct file);
    vfs.xOpen = opens;
    installed = sqlite3_vfs_register(&vfs, 1);
}

int fault_vfs_install(void) {
    pthread_once(&once, install);
    return installed;
}

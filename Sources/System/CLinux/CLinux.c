// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CLinux.h"

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timex.h>
#include <termios.h>
#include <unistd.h>

void CLinux_set_thread_name(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

int CLinux_clock_is_synchronized(void) {
    // Mode 0 only reads the state, and needs no privilege.
    struct timex state = {.modes = 0};
    return adjtimex(&state) != -1 && (state.status & STA_UNSYNC) == 0;
}

int CLinux_become_user(uid_t user, gid_t group) {
    const struct passwd *entry = getpwuid(user);
    if (entry != NULL)
        group = entry->pw_gid;
    if ((entry != NULL ? initgroups(entry->pw_name, group) : setgroups(1, &group)) != 0)
        return -1;
    if (setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0)
        return -1;
    // The change must be permanent.
    if (setuid(0) == 0) {
        errno = EPERM;
        return -1;
    }
    return 0;
}

int CLinux_le_connection_handle(int hci_socket, const unsigned char address[6]) {
    // The request, with room for one answer behind it.
    union {
        struct hci_conn_info_req request;
        unsigned char room[sizeof(struct hci_conn_info_req) + sizeof(struct hci_conn_info)];
    } buffer;
    memset(&buffer, 0, sizeof buffer);
    memcpy(buffer.request.bdaddr.b, address, sizeof buffer.request.bdaddr.b);
    buffer.request.type = 0x80; // LE_LINK of the kernel, which the header of BlueZ 5.66 lacks
    if (ioctl(hci_socket, HCIGETCONNINFO, &buffer) < 0)
        return -1;
    return buffer.request.conn_info->handle;
}

int CLinux_rename(int folder, const char *from, const char *to, int exchanges) {
    return renameat2(folder, from, folder, to, exchanges ? RENAME_EXCHANGE : RENAME_NOREPLACE);
}

static const int crash_signals[] = {SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS,
                                    SIGFPE, SIGALRM, SIGUSR1, SIGXCPU};
static struct sigaction crash_formers[sizeof crash_signals / sizeof *crash_signals];
static struct termios crash_settings;
static char crash_text[64];

// Calls only what a handler may call (signal-safety(7)).
static void restore_terminal(int number) {
    ssize_t count = write(STDOUT_FILENO, crash_text, strlen(crash_text));
    (void)count;
    tcsetattr(STDIN_FILENO, TCSANOW, &crash_settings);
    for (size_t index = 0; index < sizeof crash_signals / sizeof *crash_signals; index++)
        if (crash_signals[index] == number)
            sigaction(number, &crash_formers[index], NULL);
    // The signal is blocked until this function returns.
    raise(number);
}

void CLinux_restore_terminal_at_crash(const char *text) {
    if (tcgetattr(STDIN_FILENO, &crash_settings) != 0)
        return;
    // The handlers are installed once: a second time they would be their own predecessors.
    int is_installed = crash_text[0] != 0;
    snprintf(crash_text, sizeof crash_text, "%s", text);
    if (is_installed)
        return;
    struct sigaction action = {.sa_handler = restore_terminal};
    sigfillset(&action.sa_mask);
    for (size_t index = 0; index < sizeof crash_signals / sizeof *crash_signals; index++)
        sigaction(crash_signals[index], &action, &crash_formers[index]);
}

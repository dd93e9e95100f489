// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CLinux.h"

#include <pthread.h>
#include <sys/timex.h>

void CLinux_set_thread_name(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

int CLinux_clock_is_synchronised(void) {
    // Mode 0 only reads, and needs no privilege.
    struct timex state = {.modes = 0};
    return adjtimex(&state) != -1 && (state.status & STA_UNSYNC) == 0;
}

// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CLinux.h"

#include <pthread.h>

void CLinux_set_thread_name(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// What the Glibc module lacks: epoll, eventfd and the GNU extensions are not in it.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>

/// Names the calling thread; `name` has at most 15 bytes.
void CLinux_set_thread_name(const char *name);

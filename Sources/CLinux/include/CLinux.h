// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// What the Glibc module lacks: epoll and eventfd are not in it.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>

// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CLinux.h"

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timex.h>

void CLinux_set_thread_name(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

int CLinux_clock_is_synchronised(void) {
    // Mode 0 only reads, and needs no privilege.
    struct timex state = {.modes = 0};
    return adjtimex(&state) != -1 && (state.status & STA_UNSYNC) == 0;
}

int CLinux_le_connection_handle(int hci_socket, const unsigned char address[6]) {
    // A request with room for one answer behind it.
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

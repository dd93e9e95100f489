// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// SocketCAN: sockets whose addresses, options and ioctl requests do not import into Swift. Each function returns a
// descriptor, a count or 0, or -1 with errno set.
#pragma once

#include <errno.h>
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/isotp.h>
#include <linux/can/netlink.h>
#include <linux/can/raw.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/// Closes a descriptor and keeps errno.
static inline int CSocketCAN_discard(int descriptor) {
    int failure = errno;
    close(descriptor);
    errno = failure;
    return -1;
}

/// Opens a raw socket that receives nothing yet, not bound to an interface. Its frames have the time of their arrival.
static inline int CSocketCAN_open_raw(void) {
    int descriptor = socket(PF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW);
    if (descriptor < 0)
        return -1;
    int on = 1;
    if (setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_FILTER, NULL, 0) != 0 ||
        setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
        return CSocketCAN_discard(descriptor);
    return descriptor;
}

static inline int64_t CSocketCAN_nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// Receives a frame of a raw socket. `arrival` is its time in nanoseconds since the machine booted; negative: not known.
static inline ssize_t CSocketCAN_receive(int descriptor, struct can_frame *frame, int64_t *arrival) {
    struct iovec part = {frame, sizeof *frame};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    *arrival = -1;
    ssize_t count = recvmsg(descriptor, &message, 0);
    if (count < 0)
        return count;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item != NULL; item = CMSG_NXTHDR(&message, item)) {
        if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_TIMESTAMPNS)
            continue;
        // The kernel tells the time of day, which may be set between arrival and now: then the age is nonsense.
        struct timespec stamp, day, boot;
        memcpy(&stamp, CMSG_DATA(item), sizeof stamp);
        clock_gettime(CLOCK_REALTIME, &day);
        clock_gettime(CLOCK_BOOTTIME, &boot);
        int64_t age = CSocketCAN_nanoseconds(day) - CSocketCAN_nanoseconds(stamp);
        if (age >= 0 && age < (int64_t)120 * 1000000000)
            *arrival = CSocketCAN_nanoseconds(boot) - age;
    }
    return count;
}

/// The facts about an interface that every process may read.
struct CSocketCAN_interface {
    int index;
    /// Whether the interface is one of CAN.
    int is_can;
    int is_up;
};

static inline int CSocketCAN_find(int descriptor, const char *name, struct CSocketCAN_interface *found) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    if (strlen(name) >= sizeof request.ifr_name) {
        errno = ENODEV;
        return -1;
    }
    strcpy(request.ifr_name, name);
    if (ioctl(descriptor, SIOCGIFINDEX, &request) != 0)
        return -1;
    found->index = request.ifr_ifindex;
    if (ioctl(descriptor, SIOCGIFFLAGS, &request) != 0)
        return -1;
    found->is_up = (request.ifr_flags & IFF_UP) != 0;
    if (ioctl(descriptor, SIOCGIFHWADDR, &request) != 0)
        return -1;
    found->is_can = request.ifr_hwaddr.sa_family == ARPHRD_CAN;
    return 0;
}

/// Binds a raw socket to an interface and has it receive error frames of every class.
static inline int CSocketCAN_bind_raw(int descriptor, int index) {
    can_err_mask_t errors = CAN_ERR_MASK;
    struct sockaddr_can address;
    memset(&address, 0, sizeof address);
    address.can_family = AF_CAN;
    address.can_ifindex = index;
    if (setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof errors) != 0)
        return -1;
    return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

/// Has a raw socket receive the frames that match one of `count` filters.
static inline int CSocketCAN_filter(int descriptor, const struct can_filter *filters, size_t count) {
    return setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_FILTER, filters, (socklen_t)(count * sizeof *filters));
}

/// Opens a socket of ISO 15765-2 that is bound to no interface.
static inline int CSocketCAN_transport_socket(void) {
    return socket(PF_CAN, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_ISOTP);
}

/// Opens a socket of ISO 15765-2. `flags` are those of struct can_isotp_options; a frame is padded with zeros.
static inline int CSocketCAN_open_transport(
    int index, canid_t transmit, canid_t receive, uint32_t flags, uint8_t extension, uint8_t reply_extension) {
    int descriptor = CSocketCAN_transport_socket();
    if (descriptor < 0)
        return -1;
    struct can_isotp_options options;
    memset(&options, 0, sizeof options);
    options.flags = flags;
    options.ext_address = extension;
    options.rx_ext_address = reply_extension;
    // No limit of frames and no pause between them: the kernel reads faster than any bus.
    struct can_isotp_fc_options flow = {.bs = 0, .stmin = 0, .wftmax = 0};
    struct sockaddr_can address;
    memset(&address, 0, sizeof address);
    address.can_family = AF_CAN;
    address.can_ifindex = index;
    address.can_addr.tp.tx_id = transmit;
    address.can_addr.tp.rx_id = receive;
    if (setsockopt(descriptor, SOL_CAN_ISOTP, CAN_ISOTP_OPTS, &options, sizeof options) != 0 ||
        setsockopt(descriptor, SOL_CAN_ISOTP, CAN_ISOTP_RECV_FC, &flow, sizeof flow) != 0 ||
        bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0)
        return CSocketCAN_discard(descriptor);
    return descriptor;
}

/// The settings and the state of a controller, as far as its driver tells them.
struct CSocketCAN_controller {
    /// In bits a second; 0 if the driver has none, as that of a virtual interface.
    uint32_t bit_rate;
    /// A value of enum can_state, or -1.
    int state;
    int is_listen_only;
    int is_one_shot;
    int has_counters;
    uint16_t transmit_errors;
    uint16_t receive_errors;
};

static inline const struct rtattr *CSocketCAN_attribute(const void *start, size_t size, unsigned short type) {
    const struct rtattr *attribute = (const struct rtattr *)start;
    for (int rest = (int)size; RTA_OK(attribute, rest); attribute = RTA_NEXT(attribute, rest))
        if ((attribute->rta_type & NLA_TYPE_MASK) == type)
            return attribute;
    return NULL;
}

static inline void CSocketCAN_read_controller(const void *start, size_t size, struct CSocketCAN_controller *found) {
    const struct rtattr *value = CSocketCAN_attribute(start, size, IFLA_CAN_BITTIMING);
    if (value != NULL && RTA_PAYLOAD(value) >= sizeof(uint32_t))
        memcpy(&found->bit_rate, RTA_DATA(value), sizeof found->bit_rate);
    value = CSocketCAN_attribute(start, size, IFLA_CAN_STATE);
    uint32_t state = 0;
    if (value != NULL && RTA_PAYLOAD(value) >= sizeof state) {
        memcpy(&state, RTA_DATA(value), sizeof state);
        found->state = (int)state;
    }
    value = CSocketCAN_attribute(start, size, IFLA_CAN_CTRLMODE);
    struct can_ctrlmode mode;
    if (value != NULL && RTA_PAYLOAD(value) >= sizeof mode) {
        memcpy(&mode, RTA_DATA(value), sizeof mode);
        found->is_listen_only = (mode.flags & CAN_CTRLMODE_LISTENONLY) != 0;
        found->is_one_shot = (mode.flags & CAN_CTRLMODE_ONE_SHOT) != 0;
    }
    value = CSocketCAN_attribute(start, size, IFLA_CAN_BERR_COUNTER);
    struct can_berr_counter counter;
    if (value != NULL && RTA_PAYLOAD(value) >= sizeof counter) {
        memcpy(&counter, RTA_DATA(value), sizeof counter);
        found->has_counters = 1;
        found->transmit_errors = counter.txerr;
        found->receive_errors = counter.rxerr;
    }
}

/// Reads the settings and the state of a controller over rtnetlink, which needs no privilege.
static inline int CSocketCAN_controller(int index, struct CSocketCAN_controller *found) {
    memset(found, 0, sizeof *found);
    found->state = -1;
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (descriptor < 0)
        return -1;
    struct timeval limit = {.tv_sec = 1};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    struct {
        struct nlmsghdr header;
        struct ifinfomsg body;
    } request;
    memset(&request, 0, sizeof request);
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = RTM_GETLINK;
    request.header.nlmsg_flags = NLM_F_REQUEST;
    request.body.ifi_index = index;
    // The answer about a CAN interface has some 1,500 bytes.
    _Alignas(struct nlmsghdr) unsigned char answer[16384];
    ssize_t size = -1;
    if (send(descriptor, &request, sizeof request, 0) == (ssize_t)sizeof request)
        size = recv(descriptor, answer, sizeof answer, 0);
    if (size < 0)
        return CSocketCAN_discard(descriptor);
    close(descriptor);
    const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
    if (!NLMSG_OK(header, (size_t)size) || header->nlmsg_type != RTM_NEWLINK) {
        errno = EPROTO;
        return -1;
    }
    const struct ifinfomsg *body = (const struct ifinfomsg *)NLMSG_DATA(header);
    const struct rtattr *link = CSocketCAN_attribute(IFLA_RTA(body), IFLA_PAYLOAD(header), IFLA_LINKINFO);
    if (link == NULL)
        return 0;
    const struct rtattr *kind = CSocketCAN_attribute(RTA_DATA(link), RTA_PAYLOAD(link), IFLA_INFO_KIND);
    if (kind == NULL || RTA_PAYLOAD(kind) < 3 || memcmp(RTA_DATA(kind), "can", 3) != 0)
        return 0;
    const struct rtattr *data = CSocketCAN_attribute(RTA_DATA(link), RTA_PAYLOAD(link), IFLA_INFO_DATA);
    if (data != NULL)
        CSocketCAN_read_controller(RTA_DATA(data), RTA_PAYLOAD(data), found);
    return 0;
}

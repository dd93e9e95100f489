// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0
//
// The least that can be done: six PIDs a request with the count of frames behind it, and libmosquitto, one message a
// value. It knows the vehicle and the adapter, survives nothing, and records nothing.
// Usage: bare SERIAL-DEVICE BROKER-PORT
#include <fcntl.h>
#include <mosquitto.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// Of each PID how many bytes it has, and what a step of its value is.
static const struct { int pid, length; double scale, offset; } table[] = {
    {0x04, 1, 100.0 / 255, 0}, {0x05, 1, 1, -40}, {0x06, 1, 100.0 / 128, -100}, {0x07, 1, 100.0 / 128, -100},
    {0x0B, 1, 1, 0}, {0x0C, 2, 0.25, 0}, {0x0D, 1, 1, 0}, {0x0E, 1, 0.5, -64}, {0x0F, 1, 1, -40}, {0x10, 2, 0.01, 0},
    {0x11, 1, 100.0 / 255, 0}, {0x1F, 2, 1, 0}, {0x21, 2, 1, 0}, {0x2F, 1, 100.0 / 255, 0}, {0x33, 1, 1, 0},
    {0x42, 2, 0.001, 0}, {0x43, 2, 100.0 / 255, 0}, {0x46, 1, 1, -40}, {0x49, 1, 100.0 / 255, 0}, {0x5C, 1, 1, -40},
};
enum { COUNT = sizeof table / sizeof *table, GROUP = 6 };

static int device;
static char reply[4096];

static void die(const char *what)
{
    perror(what);
    exit(1);
}

// Sends a line, and reads until the prompt.
static char *ask(const char *command)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%s\r", command), have = 0;
    if (write(device, line, length) != length) die("write");
    for (;;) {
        struct pollfd ready = {.fd = device, .events = POLLIN};
        if (poll(&ready, 1, 10000) != 1) die("no reply");
        ssize_t got = read(device, reply + have, sizeof reply - 1 - have);
        if (got <= 0) die("read");
        have += got;
        reply[have] = 0;
        if (reply[have - 1] == '>') return reply;
    }
}

// The bytes of a reply with one ECU and no headers; how many lines they came in.
static int bytes(const char *text, unsigned char *into, int *frames)
{
    int count = 0;
    *frames = 0;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\r>");
        const char *end = line + length, *data = memchr(line, ':', length);
        data = data ? data + 1 : line;
        // Three digits are the length of the message that follows.
        if (length > 3) {
            ++*frames;
            for (unsigned value; data + 1 < end && sscanf(data, "%2x", &value) == 1; data += 2) into[count++] = value;
        }
        line = end + (*end != 0);
    }
    return count;
}

static void publish(struct mosquitto *broker, const unsigned char *data, int count)
{
    for (int at = 1; at < count;) {
        int index = 0;
        while (index < COUNT && table[index].pid != data[at]) ++index;
        if (index == COUNT) return;
        unsigned raw = data[at + 1];
        if (table[index].length == 2) raw = raw << 8 | data[at + 2];
        char topic[32], value[32];
        snprintf(topic, sizeof topic, "peer/%02X", table[index].pid);
        int length = snprintf(value, sizeof value, "%.6g", raw * table[index].scale + table[index].offset);
        mosquitto_publish(broker, NULL, topic, length, value, 1, false);
        at += 1 + table[index].length;
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return 64;
    mosquitto_lib_init();
    struct mosquitto *broker = mosquitto_new(NULL, true, NULL);
    if (mosquitto_connect(broker, "127.0.0.1", atoi(argv[2]), 60) != MOSQ_ERR_SUCCESS) die("broker");
    device = open(argv[1], O_RDWR | O_NOCTTY);
    struct termios terminal;
    if (device < 0 || tcgetattr(device, &terminal) != 0) die(argv[1]);
    cfmakeraw(&terminal);
    tcsetattr(device, TCSANOW, &terminal);
    const char *start[] = {"ATZ", "ATE0", "ATL0", "ATS0", "ATH0", "ATSP0", "0100", "ATDPN"};
    for (size_t index = 0; index < sizeof start / sizeof *start; ++index) ask(start[index]);
    int frames[COUNT / GROUP + 1] = {0};
    for (int group = 0;; group = (group + 1) % (COUNT / GROUP + 1)) {
        char request[32] = "01";
        for (int index = group * GROUP; index < COUNT && index < (group + 1) * GROUP; ++index)
            sprintf(request + strlen(request), "%02X", table[index].pid);
        if (frames[group]) sprintf(request + strlen(request), "%X", frames[group]);
        unsigned char data[256];
        int count = bytes(ask(request), data, &frames[group]);
        publish(broker, data, count);
        mosquitto_loop(broker, 0, 16);
    }
}

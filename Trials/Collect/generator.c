// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0
//
// Publishes ready-made telemetry, QoS 1, as fast as the broker acknowledges it, or so many records a second: of each
// vehicle the records 1 to RECORDS, of eight series with ten samples each, ten seconds. Sample i of record n has the
// value (10 n + i) / 4, so that what is lost and what is doubled can be counted.
// Usage: generator BROKER-PORT VEHICLES RECORDS RATE CONNECTIONS
#include <mosquitto.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16, WINDOW = 100 };

static const char *const names[] = {"engine_speed", "vehicle_speed", "engine_load", "throttle_position", "coolant_temperature",
                                    "intake_air_temperature", "control_module_voltage", "fuel_level"};
static struct mosquitto *brokers[MOST];
static sem_t windows[MOST];

static void die(const char *what)
{
    fprintf(stderr, "generator: %s\n", what);
    exit(1);
}

static void acknowledged(struct mosquitto *broker, void *window, int identifier)
{
    (void)broker, (void)identifier;
    sem_post(window);
}

static double present(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

// A record whose newest sample is of that moment.
static int write_record(char *text, size_t room, int vehicle, int number, double newest)
{
    int64_t start = (int64_t)(newest * 1000) - 10000;
    time_t seconds = start / 1000;
    struct tm date;
    char time[32];
    strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &date));
    int size = snprintf(text, room, "{\"agent\":\"%012x\",\"boot\":\"generator\",\"clock\":\"synchronised\",\"epoch\":1,\"seq\":%d,"
                        "\"series\":{", vehicle, number);
    for (int index = 0; index < 8; ++index)
        size += snprintf(text + size, room - size, "%s\"%s\":{\"dt\":[1000,1000,1000,1000,1000,1000,1000,1000,1000,1000],"
                         "\"dv\":[%d,1,1,1,1,1,1,1,1,1],\"ecu\":\"7E8\",\"scale\":0.25}", index ? "," : "", names[index], number * 10);
    return size + snprintf(text + size, room - size, "},\"t0\":\"%s.%03dZ\",\"v\":1}", time, (int)(start % 1000));
}

int main(int argc, char **argv)
{
    if (argc != 6) return 64;
    int vehicles = atoi(argv[2]), records = atoi(argv[3]), connections = atoi(argv[5]);
    double rate = atof(argv[4]);
    if (connections < 1 || connections > MOST) return 64;
    mosquitto_lib_init();
    for (int index = 0; index < connections; ++index) {
        char name[32];
        snprintf(name, sizeof name, "generator-%d", index + 1);
        sem_init(&windows[index], 0, WINDOW);
        brokers[index] = mosquitto_new(name, true, &windows[index]);
        mosquitto_publish_callback_set(brokers[index], acknowledged);
        mosquitto_max_inflight_messages_set(brokers[index], WINDOW);
        if (mosquitto_connect(brokers[index], "127.0.0.1", atoi(argv[1]), 60) != MOSQ_ERR_SUCCESS) die("no broker");
        if (mosquitto_loop_start(brokers[index]) != MOSQ_ERR_SUCCESS) die("no thread");
    }
    double began = present(CLOCK_MONOTONIC), now = present(CLOCK_REALTIME);
    int64_t count = 0, bytes = 0;
    for (int number = 1; number <= records; ++number) {
        for (int vehicle = 1; vehicle <= vehicles; ++vehicle, ++count) {
            int index = vehicle % connections;
            double newest = now - (records - number) * 10.0;
            if (rate > 0) {
                double due = began + count / rate, wait = due - present(CLOCK_MONOTONIC);
                struct timespec pause = {(time_t)wait, (long)((wait - (time_t)wait) * 1e9)};
                if (wait > 0) nanosleep(&pause, NULL);
                newest = present(CLOCK_REALTIME);
            }
            sem_wait(&windows[index]);
            char topic[64], text[4096];
            snprintf(topic, sizeof topic, "obd/van-%d/telemetry", vehicle);
            int size = write_record(text, sizeof text, vehicle, number, newest);
            if (mosquitto_publish(brokers[index], NULL, topic, size, text, 1, false) != MOSQ_ERR_SUCCESS) die("connection lost");
            bytes += size;
        }
    }
    for (int index = 0; index < connections; ++index) {
        for (int left = 0; left < WINDOW; ++left) sem_wait(&windows[index]);
        mosquitto_disconnect(brokers[index]);
        mosquitto_loop_stop(brokers[index], false);
    }
    printf("%lld records of %lld bytes acknowledged in %.2f s\n", (long long)count, (long long)(count ? bytes / count : 0),
           present(CLOCK_MONOTONIC) - began);
}

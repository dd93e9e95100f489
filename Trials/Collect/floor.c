// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0
//
// The least that can be done: telemetry by libmosquitto into PostgreSQL by COPY, binary. Each record is acknowledged as
// it comes, so what is not written yet is lost with this program; what comes twice is written twice; nothing is validated.
// Usage: floor BROKER-PORT CONNECTION-STRING
#include <arpa/inet.h>
#include <endian.h>
#include <libpq-fe.h>
#include <mosquitto.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOTS = 1 << 18, ROOM = 1 << 22, ROW = 2 + 4 * 4 + 8 + 8 + 4 + 1 };
// PostgreSQL counts microseconds from the begin of 2000.
static const int64_t year2000 = 946684800;

static PGconn *database;
static struct { char *name; int32_t id; } table[SLOTS];
static char rows[ROOM];
static size_t filled;

static void die(const char *what)
{
    fprintf(stderr, "floor: %s: %s\n", what, database ? PQerrorMessage(database) : "");
    exit(1);
}

static PGresult *ask(const char *statement, int count, const char *const *values)
{
    PGresult *result = PQexecParams(database, statement, count, NULL, values, NULL, NULL, 0);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN) die(statement);
    return result;
}

// New series and the samples after them are one transaction.
static void begin(void)
{
    if (PQtransactionStatus(database) == PQTRANS_IDLE) PQclear(ask("BEGIN", 0, NULL));
}

// The id of a vehicle's series, which is made where it is new.
static int32_t series(const char *vehicle, size_t length, const char *name, size_t size)
{
    char key[160];
    snprintf(key, sizeof key, "%.*s/%.*s", (int)length, vehicle, (int)size, name);
    uint32_t hash = 2166136261;
    for (const char *at = key; *at; ++at) hash = (hash ^ (unsigned char)*at) * 16777619;
    size_t slot = hash % SLOTS;
    for (; table[slot].name; slot = (slot + 1) % SLOTS)
        if (strcmp(table[slot].name, key) == 0) return table[slot].id;
    const char *values[] = {key};
    begin();
    PGresult *result = ask("INSERT INTO series (name) VALUES ($1) RETURNING id", 1, values);
    table[slot].name = strdup(key);
    table[slot].id = atoi(PQgetvalue(result, 0, 0));
    PQclear(result);
    return table[slot].id;
}

static void write_rows(void)
{
    static const char head[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0", tail[] = "\377\377";
    if (filled == 0) return;
    begin();
    PQclear(ask("COPY samples (time, value, series, synchronised) FROM STDIN (FORMAT binary)", 0, NULL));
    if (PQputCopyData(database, head, 19) != 1 || PQputCopyData(database, rows, filled) != 1 ||
        PQputCopyData(database, tail, 2) != 1 || PQputCopyEnd(database, NULL) != 1)
        die("COPY");
    for (PGresult *result; (result = PQgetResult(database)); PQclear(result))
        if (PQresultStatus(result) != PGRES_COMMAND_OK) die("COPY");
    PQclear(ask("COMMIT", 0, NULL));
    filled = 0;
}

static char *put(char *at, int32_t size, const void *data)
{
    uint32_t length = htonl(size);
    memcpy(at, &length, 4);
    memcpy(at + 4, data, size);
    return at + 4 + size;
}

static void add(int64_t milliseconds, double value, int32_t id)
{
    if (filled + ROW > ROOM) write_rows();
    uint16_t columns = htons(4);
    uint64_t time = htobe64((uint64_t)(milliseconds * 1000)), bits;
    uint32_t number = htonl(id);
    char *at = rows + filled;
    memcpy(&bits, &value, 8);
    bits = htobe64(bits);
    memcpy(at, &columns, 2);
    at = put(put(put(put(at + 2, 8, &time), 8, &bits), 4, &number), 1, "\1");
    filled = at - rows;
}

// Reads what the agent writes: the members of a series in alphabetical order, and no escapes in its names.
static void heard(struct mosquitto *broker, void *object, const struct mosquitto_message *message)
{
    (void)broker, (void)object;
    static char text[1 << 20];
    if (message->payloadlen <= 0 || (size_t)message->payloadlen >= sizeof text) return;
    memcpy(text, message->payload, message->payloadlen);
    text[message->payloadlen] = 0;
    const char *vehicle = strchr(message->topic, '/'), *start = strstr(text, "\"t0\":\"");
    struct tm date = {0};
    int thousandths = 0;
    if (!vehicle || !start || sscanf(start + 6, "%d-%d-%dT%d:%d:%d.%3d", &date.tm_year, &date.tm_mon, &date.tm_mday,
                                     &date.tm_hour, &date.tm_min, &date.tm_sec, &thousandths) < 6)
        return;
    date.tm_year -= 1900;
    date.tm_mon -= 1;
    int64_t t0 = (timegm(&date) - year2000) * 1000 + thousandths;
    char *at = strstr(text, "\"series\":{"), *dt, *dv, *scale;
    if (!at) return;
    for (at += 10; *at == '"' || *at == ','; ++at) {
        char *name = at + (*at == ',') + 1, *end = strchr(name, '"');
        if (!end || !(dt = strstr(end, "\"dt\":[")) || !(dv = strstr(end, "\"dv\":[")) || !(scale = strstr(end, "\"scale\":"))) return;
        int32_t id = series(vehicle + 1, strcspn(vehicle + 1, "/"), name, end - name);
        double step = strtod(scale + 8, &at);
        int64_t time = t0, steps = 0;
        for (dt += 6, dv += 6;; ++dt, ++dv) {
            time += strtol(dt, &dt, 10);
            steps += strtol(dv, &dv, 10);
            add(time, steps * step, id);
            if (*dt != ',' || *dv != ',') break;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return 64;
    database = PQconnectdb(argv[2]);
    if (PQstatus(database) != CONNECTION_OK) die("database");
    PQclear(ask("CREATE TABLE series (id serial PRIMARY KEY, name text UNIQUE)", 0, NULL));
    PQclear(ask("CREATE TABLE samples (time timestamptz NOT NULL, value double precision NOT NULL, series integer NOT NULL,"
                " synchronised boolean NOT NULL)", 0, NULL));
    PQclear(ask("CREATE INDEX ON samples (series, time)", 0, NULL));
    PQclear(ask("CREATE INDEX ON samples USING brin (time)", 0, NULL));
    mosquitto_lib_init();
    struct mosquitto *broker = mosquitto_new("floor", false, NULL);
    mosquitto_message_callback_set(broker, heard);
    if (mosquitto_connect(broker, "127.0.0.1", atoi(argv[1]), 60) != MOSQ_ERR_SUCCESS) die("broker");
    if (mosquitto_subscribe(broker, NULL, "obd/+/telemetry", 1) != MOSQ_ERR_SUCCESS) die("subscribe");
    // A transaction is what has gathered in a tenth of a second, or what fits.
    for (int64_t last = 0;;) {
        struct timespec now;
        if (mosquitto_loop(broker, 50, 1) != MOSQ_ERR_SUCCESS) die("connection");
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t present = now.tv_sec * 1000 + now.tv_nsec / 1000000;
        if (present - last >= 100) {
            write_rows();
            last = present;
        }
    }
}

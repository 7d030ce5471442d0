#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// Adds a value.
static int add(message_values_t *values, desktop_watch_value_t value) {
    enum { FIRST_CAPACITY = 16 };
    // The capacity is the least power of two that is no less than the count.
    const size_t count = values->count;
    if (count >= DESKTOP_WATCH_MAXIMUM_VALUES) {
        return -E2BIG;
    }
    if (count == 0 || (count >= FIRST_CAPACITY && (count & (count - 1)) == 0)) {
        const size_t capacity = count == 0 ? FIRST_CAPACITY : 2 * count;
        desktop_watch_value_t *grown = realloc(values->values, capacity * sizeof *grown);
        if (!grown) {
            return -ENOMEM;
        }
        values->values = grown;
    }
    values->values[values->count++] = value;
    return 0;
}

/// Reads a value that contains no others. The text of one that is too long is "".
static int read_basic(message_values_t *values, sd_bus_message *message, char type) {
    union {
        uint8_t y;
        int16_t n;
        uint16_t q;
        int32_t i;
        uint32_t u;
        int64_t x;
        uint64_t t;
        double d;
        const char *text;
    } read = {.t = 0};
    const int result = sd_bus_message_read_basic(message, type, &read);
    if (result < 0) {
        return result;
    }
    desktop_watch_value_t value = {.type = type};
    switch (type) {
    case 'y':
        value.number = read.y;
        break;
    case 'n':
        value.number = read.n;
        break;
    case 'q':
        value.number = read.q;
        break;
    case 'b':
    case 'i':
    case 'h':
        value.number = read.i;
        break;
    case 'u':
        value.number = read.u;
        break;
    case 'x':
        value.number = read.x;
        break;
    case 't':
        value.number = read.t < INT64_MAX ? (int64_t)read.t : INT64_MAX;
        break;
    case 's':
    case 'o':
    case 'g':
        value.text = read.text && strnlen(read.text, TEXT_SIZE) < TEXT_SIZE ? read.text : "";
        break;
    default:
        break;
    }
    if (type == 'h' && values->descriptor < 0) {
        values->descriptor = read.i;
    }
    return add(values, value);
}

static int read_all(message_values_t *values, sd_bus_message *message, int depth);

/// Reads a container. Its content follows between brackets, unless it is a variant.
static int read_container(message_values_t *values, sd_bus_message *message, char type, const char *contents,
                          int depth) {
    if (depth >= DESKTOP_WATCH_MAXIMUM_DEPTH) {
        return -E2BIG;
    }
    const bool is_variant = type == SD_BUS_TYPE_VARIANT;
    int result = sd_bus_message_enter_container(message, type, contents);
    if (!is_variant) {
        result = result < 0 ? result : add(values, (desktop_watch_value_t){.type = '('});
    }
    result = result < 0 ? result : read_all(values, message, depth + 1);
    if (!is_variant) {
        result = result < 0 ? result : add(values, (desktop_watch_value_t){.type = ')'});
    }
    return result < 0 ? result : sd_bus_message_exit_container(message);
}

/// Reads the values up to the end of the container or the message.
static int read_all(message_values_t *values, sd_bus_message *message, int depth) {
    while (true) {
        char type = 0;
        const char *contents = NULL;
        int result = sd_bus_message_peek_type(message, &type, &contents);
        if (result <= 0) {
            return result;
        }
        result = contents ? read_container(values, message, type, contents, depth) : read_basic(values, message, type);
        if (result < 0) {
            return result;
        }
    }
}

int message_values_read(message_values_t *values, sd_bus_message *message) {
    *values = (message_values_t){.descriptor = -1};
    return read_all(values, message, 0);
}

void message_values_destroy(message_values_t *values) { free(values->values); }

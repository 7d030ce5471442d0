#define _GNU_SOURCE
#include "lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_MILLISECONDS = 60000, MAX_ATTENUATION = 120, MAX_VALUE_BYTES = 400, MAX_WORDS = 5 };

// ---- Commands ---------------------------------------------------------------------------------

/// Parses a decimal number without sign. Returns false for any other text.
static bool parse_integer(const char *text, uint64_t most, uint64_t *number) {
    uint64_t value = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        const uint64_t digit = (uint64_t)(*text - '0');
        if (*text < '0' || *text > '9' || digit > most || value > (most - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *number = value;
    return true;
}

/// Parses a decimal fraction, in every locale with a point.
static bool parse_attenuation(const char *text, double *attenuation) {
    if (strcmp(text, "silence") == 0) {
        *attenuation = INFINITY;
        return true;
    }
    double value = 0;
    double place = 1;
    bool has_digit = false;
    bool is_fraction = false;
    for (; *text != '\0'; text++) {
        if (*text == '.' && has_digit && !is_fraction && text[1] != '\0') {
            is_fraction = true;
        } else if (*text < '0' || *text > '9') {
            return false;
        } else {
            has_digit = true;
            place = is_fraction ? place / 10 : place;
            value = is_fraction ? value + place * (*text - '0') : value * 10 + (*text - '0');
        }
        if (value > MAX_ATTENUATION) {
            return false;
        }
    }
    *attenuation = value;
    return has_digit;
}

/// Splits a line at its spaces, in place. Returns the number of words; MAX_WORDS: at least that.
static size_t split(char *line, char *words[MAX_WORDS]) {
    size_t count = 0;
    while (count < MAX_WORDS) {
        words[count++] = line;
        char *space = strchr(line, ' ');
        if (space == NULL) {
            break;
        }
        *space = '\0';
        line = space + 1;
    }
    return count;
}

/// Finds out which command it is, and checks the number of its words.
static const char *parse_kind(char *const words[], size_t count, command_kind_t *kind) {
    if (strcmp(words[0], "level") == 0) {
        *kind = COMMAND_LEVEL;
        return count == 4 ? NULL : "expected: level ID DB MS";
    }
    if (strcmp(words[0], "hold") == 0) {
        *kind = COMMAND_HOLD;
        return count == 3 ? NULL : "expected: hold ID MS";
    }
    if (strcmp(words[0], "detect") == 0) {
        const bool is_off = count == 3 && strcmp(words[2], "off") == 0;
        *kind = is_off ? COMMAND_DETECT_OFF : COMMAND_DETECT;
        return count == 4 || is_off ? NULL : "expected: detect ID DB MS, or detect ID off";
    }
    return "unknown command; commands are: level ID DB MS, hold ID MS, detect ID DB MS, detect ID off";
}

const char *command_parse(const char *line, command_t *command) {
    char copy[128];
    char *words[MAX_WORDS];
    uint64_t milliseconds = 0;
    if (strlen(line) >= sizeof copy) {
        return "too long for a command";
    }
    memcpy(copy, line, strlen(line) + 1);
    const size_t count = split(copy, words);
    *command = (command_t){.attenuation = INFINITY};
    const char *problem = parse_kind(words, count, &command->kind);
    if (problem != NULL) {
        return problem;
    }
    if (!parse_integer(words[1], UINT64_MAX, &command->id)) {
        return "the ID is not a number";
    }
    if (command->kind == COMMAND_DETECT_OFF) {
        return NULL;
    }
    if (count == 4 && !parse_attenuation(words[2], &command->attenuation)) {
        return "DB is not 'silence' or a decimal number from 0 to 120";
    }
    if (command->kind == COMMAND_DETECT && isinf(command->attenuation)) {
        return "DB is not a decimal number from 0 to 120";
    }
    if (!parse_integer(words[count - 1], MAX_MILLISECONDS, &milliseconds)) {
        return "MS is not a whole number from 0 to 60000";
    }
    command->milliseconds = (unsigned)milliseconds;
    return NULL;
}

void line_reader_feed(line_reader_t *reader, const char *data, size_t count, line_handler_t handler, void *context) {
    for (size_t i = 0; i < count; i++) {
        if (data[i] == '\n') {
            reader->bytes[reader->count] = '\0';
            const char *problem = reader->problem;
            reader->count = 0;
            reader->problem = NULL;
            handler(context, problem != NULL ? NULL : reader->bytes, problem);
        } else if (data[i] == '\0') {
            reader->problem = "a line contains a zero byte";
        } else if (reader->count == LINE_MAX_BYTES) {
            reader->problem = "a line is longer than 8192 bytes";
        } else {
            reader->bytes[reader->count++] = data[i];
        }
    }
}

// ---- Events -----------------------------------------------------------------------------------

static void append(line_t *line, const char *text, size_t count) {
    if (line->count + count <= LINE_MAX_BYTES) {
        memcpy(line->bytes + line->count, text, count);
        line->count += count;
        line->bytes[line->count] = '\0';
    }
}

void line_begin(line_t *line, const char *word) {
    line->count = 0;
    append(line, word, strlen(word));
}

void line_add_id(line_t *line, uint64_t id) {
    char text[24];
    const int count = snprintf(text, sizeof text, " %llu", (unsigned long long)id);
    append(line, text, (size_t)count);
}

/// Returns the bytes of the UTF-8 character at `text`, or 0 if there is none.
static size_t character_length(const unsigned char *text) {
    const size_t length = text[0] < 0x80                      ? 1
                          : text[0] >= 0xC2 && text[0] < 0xE0 ? 2
                          : (text[0] & 0xF0) == 0xE0          ? 3
                          : text[0] >= 0xF0 && text[0] < 0xF5 ? 4
                                                              : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    const bool is_overlong = (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xF0 && text[1] < 0x90);
    const bool is_no_scalar = (text[0] == 0xED && text[1] > 0x9F) || (text[0] == 0xF4 && text[1] > 0x8F);
    return is_overlong || is_no_scalar ? 0 : length;
}

void line_add(line_t *line, const char *key, const char *value) {
    if (value == NULL || *value == '\0') {
        return;
    }
    char pair[64 + MAX_VALUE_BYTES + 8];
    int count = snprintf(pair, 64, " %s=", key);
    const unsigned char *byte = (const unsigned char *)value;
    while (*byte != '\0' && count < 64 + MAX_VALUE_BYTES) {
        const size_t length = character_length(byte);
        if (*byte <= 0x20 || *byte == 0x7F || *byte == '%' || length == 0) {
            count += snprintf(pair + count, 4, "%%%02X", *byte);
            byte += 1;
        } else {
            memcpy(pair + count, byte, length);
            count += (int)length;
            byte += length;
        }
    }
    append(line, pair, (size_t)count);
}

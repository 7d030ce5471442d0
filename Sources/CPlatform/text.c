#include "platform_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/// Controls (C0, DEL, C1), separators of lines and paragraphs, and changes of the text direction.
static bool is_control(uint32_t character) {
    return character < 0x20 || (character >= 0x7f && character <= 0x9f) || character == 0x61c || character == 0x200e ||
           character == 0x200f || (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

/// Decodes the first character of UTF-8. Returns its number of bytes; 0 if it is not UTF-8.
static size_t decode(const char *text, uint32_t *character) {
    const unsigned char first = (unsigned char)text[0];
    const size_t length = first < 0x80   ? 1
                          : first < 0xc2 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                          : first < 0xf5 ? 4
                                         : 0;
    *character = length == 1 ? first : length == 2 ? first & 0x1fu : length == 3 ? first & 0x0fu : first & 0x07u;
    for (size_t i = 1; i < length; i++) {
        const unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80) {
            return 0;
        }
        *character = *character << 6 | (next & 0x3fu);
    }
    const uint32_t least = length == 3 ? 0x800 : length == 4 ? 0x10000 : 0;
    const bool is_surrogate = *character >= 0xd800 && *character <= 0xdfff;
    return *character < least || is_surrogate || *character > 0x10ffff ? 0 : length;
}

const char *platform_printable(const char *text, char *printable, size_t size) {
    size_t used = 0;
    while (*text != '\0') {
        uint32_t character;
        char sequence[16];
        size_t length = decode(text, &character);
        const bool is_valid = length != 0;
        if (!is_valid || is_control(character)) {
            snprintf(sequence, sizeof sequence, !is_valid || character < 0x100 ? "\\x%02x" : "\\u{%x}",
                     is_valid ? character : (unsigned char)*text);
        } else {
            memcpy(sequence, text, length);
            sequence[length] = '\0';
        }
        const size_t added = strlen(sequence);
        if (used + added >= size) {
            break;
        }
        memcpy(printable + used, sequence, added);
        used += added;
        text += is_valid ? length : 1;
    }
    printable[used] = '\0';
    return printable;
}

void platform_print_error(const char *program, const char *text) {
    char printable[1024];
    fprintf(stderr, "%s: %s\n", program, platform_printable(text, printable, sizeof printable));
}

/// Text for a terminal.
#ifndef PLATFORM_TEXT_H
#define PLATFORM_TEXT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Copies text with its control characters as escape sequences, as `String.printable` does in
/// Swift: `\x1b`, `\u{202e}`. Names and paths from outside may contain characters that control a
/// terminal, begin a new line or reverse the direction of text. Bytes that are not UTF-8 become
/// `\xe9` and the like.
///
/// Writes at most `size` bytes (at least 1), including the terminating 0; text that is too long is
/// cut off before a whole character or sequence. Returns `printable`.
const char *platform_printable(const char *text, char *printable, size_t size);

/// Prints "PROGRAM: TEXT" and a newline to standard error, with at most 1,023 bytes of printable
/// text.
void platform_print_error(const char *program, const char *text);

#ifdef __cplusplus
}
#endif
#endif

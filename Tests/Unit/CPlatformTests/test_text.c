// Text for a terminal.
#define _GNU_SOURCE
#include "expect.h"
#include "platform_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *shown(const char *text) {
    static char printable[256];
    return platform_printable(text, printable, sizeof printable);
}

#define EXPECT_SHOWN(text, expected) EXPECT(strcmp(shown(text), expected) == 0)

// The cases of `String.printable`, whose output this equals.
TEST(control_characters_become_escape_sequences) {
    EXPECT_SHOWN("", "");
    EXPECT_SHOWN("Kopfh\u00f6rer \u2013 \U0001f3a7 'a' \\x", "Kopfh\u00f6rer \u2013 \U0001f3a7 'a' \\x");
    EXPECT_SHOWN("a\x1b[2J\a\nb\x7f", "a\\x1b[2J\\x07\\x0ab\\x7f");
    EXPECT_SHOWN("c1 \xc2\x9b, \xc2\x80, not \xc2\xa0.", "c1 \\x9b, \\x80, not \xc2\xa0.");
    EXPECT_SHOWN("\u061c\u200e\u200f\u2028\u202e\u2066\u2069",
                 "\\u{61c}\\u{200e}\\u{200f}\\u{2028}\\u{202e}\\u{2066}\\u{2069}");
    EXPECT_SHOWN("\u2027\u202f\u2065", "\u2027\u202f\u2065");
}

TEST(bytes_that_are_no_utf8_become_escape_sequences) {
    EXPECT_SHOWN("caf\xe9.wav", "caf\\xe9.wav");
    EXPECT_SHOWN("\x9b[2J", "\\x9b[2J");
    EXPECT_SHOWN("cut \xe2\x80", "cut \\xe2\\x80");
    EXPECT_SHOWN("overlong \xc0\x9b \xe0\x80\x9b \xf0\x80\x80\x9b",
                 "overlong \\xc0\\x9b \\xe0\\x80\\x9b \\xf0\\x80\\x80\\x9b");
    EXPECT_SHOWN("surrogate \xed\xa0\x80", "surrogate \\xed\\xa0\\x80");
    EXPECT_SHOWN("beyond \xf4\x90\x80\x80 \xf8", "beyond \\xf4\\x90\\x80\\x80 \\xf8");
}

TEST(text_that_is_too_long_is_cut_off_before_a_whole_sequence) {
    char small[6];
    EXPECT(strcmp(platform_printable("abc\x1b", small, sizeof small), "abc") == 0);
    EXPECT(strcmp(platform_printable("a\x1bz", small, sizeof small), "a\\x1b") == 0);
    EXPECT(strcmp(platform_printable("abcd\u00f6", small, sizeof small), "abcd") == 0);
    EXPECT(strcmp(platform_printable("a", small, 1), "") == 0);
}

TEST(errors_are_one_line) {
    FILE *file = tmpfile();
    const int before = dup(STDERR_FILENO);
    if (file == NULL || before < 0 || dup2(fileno(file), STDERR_FILENO) < 0) {
        EXPECT(!"a file for standard error");
        return;
    }
    platform_print_error("program", "Unknown option '\x1b[2J\n'.");
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    char line[64] = "";
    EXPECT(fgets(line, sizeof line, file) != NULL);
    EXPECT(strcmp(line, "program: Unknown option '\\x1b[2J\\x0a'.\n") == 0);
    fclose(file);
}

int main(void) {
    RUN(control_characters_become_escape_sequences);
    RUN(bytes_that_are_no_utf8_become_escape_sequences);
    RUN(text_that_is_too_long_is_cut_off_before_a_whole_sequence);
    RUN(errors_are_one_line);
    return test_result();
}

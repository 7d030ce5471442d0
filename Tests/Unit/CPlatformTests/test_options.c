// Command lines: every form of an option, and every error.
#include "expect.h"
#include "platform_options.h"

#include <stdio.h>
#include <string.h>

enum { NAME = PLATFORM_OPTION_VERSION + 1, COUNT, FLAG };

static const struct option table[] = {
    {"help", no_argument, NULL, PLATFORM_OPTION_HELP},
    {"version", no_argument, NULL, PLATFORM_OPTION_VERSION},
    {"name", required_argument, NULL, NAME},
    {"count", required_argument, NULL, COUNT},
    {"flag", no_argument, NULL, FLAG},
    {NULL, 0, NULL, 0},
};

/// What was stored, as one line of text.
static char stored[200];
static char reason[200];

static bool store(void *options, int option, const char *value, platform_error_t error) {
    unsigned long number = 0;
    if (option == COUNT && !platform_parse_number("--count", value, 2, 10, &number, error)) {
        return false;
    }
    const size_t length = strlen(options);
    snprintf((char *)options + length, sizeof stored - length, "%d=%s ", option - NAME, value != NULL ? value : "");
    return true;
}

static platform_options_result_t parse(char *first, char *second, char *third) {
    char *arguments[] = {"program", first, second, third, NULL};
    int count = 1;
    while (arguments[count] != NULL) {
        count++;
    }
    stored[0] = reason[0] = '\0';
    optind = 1;
    return platform_parse_options(count, arguments, table, store, stored, (platform_error_t){reason, sizeof reason});
}

TEST(options_are_stored_in_their_order) {
    EXPECT_EQUAL(parse(NULL, NULL, NULL), OPTIONS_RUN);
    EXPECT(strcmp(stored, "") == 0);
    EXPECT_EQUAL(parse("--name", "--flag", "--flag"), OPTIONS_RUN);
    EXPECT(strcmp(stored, "0=--flag 2= ") == 0);
    EXPECT_EQUAL(parse("--flag", "--name=a=b", "--cou=10"), OPTIONS_RUN);
    EXPECT(strcmp(stored, "2= 0=a=b 1=10 ") == 0);
    EXPECT_EQUAL(parse("--flag", "--help", "--loud"), OPTIONS_HELP);
    EXPECT_EQUAL(parse("--flag", "--version", "--help"), OPTIONS_VERSION);
    EXPECT_EQUAL(parse("stray", "--help", NULL), OPTIONS_BAD);
}

TEST(errors_say_what_was_passed) {
    const struct {
        char *first;
        char *second;
        const char *reason;
    } cases[] = {
        {"--loud", NULL, "Unknown option '--loud'; --help lists the options."},
        {"--flag", "stray", "Unknown option 'stray'; --help lists the options."},
        {"--flag", "--", "Unknown option '--'; --help lists the options."},
        {"--flag=1", NULL, "Unknown option '--flag=1'; --help lists the options."},
        {"-x", NULL, "Unknown option '-x'; --help lists the options."},
        {"--flag", "--name", "--name needs a value; see --help."},
        {"--count", "1", "--count takes a whole number from 2 to 10, not '1'."},
        {"--count", "11", "--count takes a whole number from 2 to 10, not '11'."},
        {"--count", "-3", "--count takes a whole number from 2 to 10, not '-3'."},
        {"--count", "3x", "--count takes a whole number from 2 to 10, not '3x'."},
        {"--count=", NULL, "--count takes a whole number from 2 to 10, not ''."},
        {"--count", "99999999999999999999", "--count takes a whole number from 2 to 10, not '99999999999999999999'."},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        EXPECT_EQUAL(parse(cases[i].first, cases[i].second, NULL), OPTIONS_BAD);
        EXPECT(strcmp(reason, cases[i].reason) == 0);
    }
}

int main(void) {
    RUN(options_are_stored_in_their_order);
    RUN(errors_say_what_was_passed);
    return test_result();
}

// The surroundings of a program: standard output, the file-size limit, soft limits.
#define _GNU_SOURCE
#include "expect.h"
#include "platform_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

/// Runs `body` in a child process whose standard output is `output` (-1: closed) and whose standard
/// error is /dev/null. Returns how the child ended, as waitpid does.
static int run(int output, void (*body)(void)) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        if (null < 0 || dup2(null, STDERR_FILENO) < 0) {
            _exit(1);
        }
        if (output >= 0) {
            dup2(output, STDOUT_FILENO);
        } else {
            close(STDOUT_FILENO);
        }
        body();
        exit(EXIT_SUCCESS);
    }
    int status = -1;
    EXPECT_EQUAL(waitpid(child, &status, 0), child);
    return status;
}

static void print(void) {
    platform_begin_program();
    puts("Text.");
}

static void print_nothing(void) { platform_begin_program(); }

/// As a program does that reports on its standard output that it is ready.
static void close_output(void) {
    platform_begin_program();
    if (write(STDOUT_FILENO, "ready\n", 6) != 6 || close(STDOUT_FILENO) != 0) {
        _exit(1);
    }
}

static void print_without_sigpipe(void) {
    signal(SIGPIPE, SIG_IGN);
    print();
}

/// Exits with 0 if the next file gets no standard number.
static void open_file(void) {
    platform_begin_program();
    if (open("/dev/null", O_WRONLY) <= STDERR_FILENO) {
        _exit(1);
    }
}

/// Exits with 0 if a file beyond the limit fails to be written.
static void write_beyond_limit(void) {
    platform_begin_program();
    const struct rlimit limit = {0, 0};
    const int file = open("/tmp", O_TMPFILE | O_WRONLY, 0600);
    if (file < 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0 || write(file, "x", 1) != -1 || errno != EFBIG) {
        _exit(1);
    }
}

/// Exits with 0 if the soft limits have been raised.
static void raise_limits(void) {
    struct rlimit limit = {10, 500};
    setrlimit(RLIMIT_NOFILE, &limit);
    platform_reset_limits(400);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur != 400) {
        _exit(1);
    }
    platform_reset_limits(1000);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur != 500) {
        _exit(1);
    }
}

TEST(output_that_cannot_be_written_is_an_error) {
    const int full = open("/dev/full", O_WRONLY);
    const int null = open("/dev/null", O_WRONLY);
    EXPECT_EQUAL(WEXITSTATUS(run(full, print)), EX_IOERR);
    EXPECT_EQUAL(WEXITSTATUS(run(-1, print)), EX_IOERR);
    EXPECT_EQUAL(run(null, print), 0);
    EXPECT_EQUAL(run(full, print_nothing), 0);
    EXPECT_EQUAL(run(-1, print_nothing), 0);
    EXPECT_EQUAL(run(null, close_output), 0);
    close(full);
    close(null);
}

TEST(a_reader_that_is_gone_ends_the_program) {
    int ends[2];
    EXPECT_EQUAL(pipe(ends), 0);
    close(ends[0]);
    const int status = run(ends[1], print);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
    EXPECT_EQUAL(WEXITSTATUS(run(ends[1], print_without_sigpipe)), 128 + SIGPIPE);
    close(ends[1]);
}

TEST(no_file_gets_the_number_of_a_closed_standard_descriptor) { EXPECT_EQUAL(run(-1, open_file), 0); }

TEST(a_file_beyond_the_size_limit_fails_to_be_written) {
    const int null = open("/dev/null", O_WRONLY);
    EXPECT_EQUAL(run(null, write_beyond_limit), 0);
    EXPECT_EQUAL(run(null, raise_limits), 0);
    close(null);
}

int main(void) {
    RUN(output_that_cannot_be_written_is_an_error);
    RUN(a_reader_that_is_gone_ends_the_program);
    RUN(no_file_gets_the_number_of_a_closed_standard_descriptor);
    RUN(a_file_beyond_the_size_limit_fails_to_be_written);
    return test_result();
}

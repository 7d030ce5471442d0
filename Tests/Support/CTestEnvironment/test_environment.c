#define _GNU_SOURCE
#include "test_environment.h"

#include <stdlib.h>

/// Makes tests use the in-process arbiter, so that they start no service, unless a test sets
/// another value for a program that it runs. Runs before there is a second thread.
__attribute__((constructor)) static void set_environment(void) { setenv("AUDIOSESSION_ARBITER", "in-process", 0); }

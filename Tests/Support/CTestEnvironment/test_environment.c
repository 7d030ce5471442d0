#define _GNU_SOURCE
#include "test_environment.h"

#include <stdlib.h>

/// Tests arbitrate for themselves and start no service, unless one says otherwise for a program that it runs. Set before there is a second thread.
__attribute__((constructor)) static void set_environment(void) { setenv("AUDIOSESSION_ARBITER", "in-process", 0); }

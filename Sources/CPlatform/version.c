#include "platform_version.h"

#include <stdio.h>

void platform_print_version(const char *program) { printf("%s (swift-audio-session) %s\n", program, PLATFORM_VERSION); }

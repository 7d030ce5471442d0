#pragma once
/// Sets the environment of every test process and of the programs that it starts. Linking the
/// library is enough.
#include <stdbool.h>

/// The exit status of a process that accessed memory beyond the end of a file of PipeWire.
#define TEST_PIPEWIRE_MEMORY_STATUS 75

/// From now on, if this process fails with SIGBUS because PipeWire mapped memory beyond the end of
/// its file (Documentation/Servers.md), it prints so and exits with TEST_PIPEWIRE_MEMORY_STATUS.
/// Every other SIGBUS ends it as before.
void test_report_pipewire_memory(void);

/// Injects that fault, or the same one in a file that is not PipeWire's.
void test_access_beyond_file(bool is_pipewires);

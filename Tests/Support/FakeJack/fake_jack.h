/// A JACK library for tests that misbehaves as it is told: what an app needs to drive it beside libjack's own functions.
///
/// Chosen by the loader in libjack's place (LD_LIBRARY_PATH); nothing links it. A program finds these three by name. Without them it
/// obeys the script whose path is in FAKE_JACK_SCRIPT. The script's language is told in README.md beside this file.
#ifndef FAKE_JACK_H
#define FAKE_JACK_H

#include <stddef.h>

/// Forgets everything, and begins with this script. Returns 0; the number of the first line that is not understood; or -1 while clients are
/// open or calls under way, and then changes nothing. [control]
int fake_jack_begin(const char *script);

/// Carries out one action of the script's language now. Returns 0, or -1 when it is not understood. [any]
int fake_jack_do(const char *action);

/// Writes what was counted since `fake_jack_begin`, a line "NAME NUMBER" each, and returns the length of all of it. [any]
size_t fake_jack_report(char *text, size_t capacity);

#endif

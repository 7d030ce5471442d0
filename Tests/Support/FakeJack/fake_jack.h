/// A fake JACK library for tests that misbehaves on request: the functions with which a program
/// controls it, in addition to libjack's own.
///
/// The loader chooses it instead of libjack (LD_LIBRARY_PATH); nothing links it. A program looks up
/// these three functions by name. A program that does not call them runs the script whose path is
/// in FAKE_JACK_SCRIPT. README.md in this folder describes the script's language.
#ifndef FAKE_JACK_H
#define FAKE_JACK_H

#include <stddef.h>

/// Resets everything and begins this script. Returns 0, or the number of the first invalid line.
/// While clients are open or calls are in progress, returns -1 and changes nothing. [control]
int fake_jack_begin(const char *script);

/// Carries out one action of the script's language now. Returns 0, or -1 if the action is invalid.
/// [any]
int fake_jack_do(const char *action);

/// Writes the counts since `fake_jack_begin`, one line "NAME NUMBER" each. Returns the length of
/// the whole text. [any]
size_t fake_jack_report(char *text, size_t capacity);

#endif

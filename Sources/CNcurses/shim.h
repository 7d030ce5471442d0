// The wide-character ncurses, its macros as functions so that Swift can call them.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#define _XOPEN_SOURCE_EXTENDED 1
#include <ncurses.h>

// The wide-character ncurses, with functions instead of macros, so that Swift can call them.
#ifndef CNCURSES_SHIM_H
#define CNCURSES_SHIM_H

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>

extern int wcwidth(wchar_t character); // <wchar.h> declares it only for X/Open programs

// Declared in <term.h>, which cannot be included because of its many macros.
extern int setupterm(const char *term, int descriptor, int *error);
extern char *tigetstr(const char *capability);

/// Returns whether the terminal at standard output is known and can move its cursor.
static inline bool cncurses_is_capable(void) {
    int error = 0;
    if (setupterm(NULL, 1, &error) != OK) {
        return false;
    }
    char *capability = tigetstr("cup");
    return capability != NULL && capability != (char *)-1;
}

// Swift 6 does not permit access to C's global variables, such as `stdscr`. These functions access
// them instead.

/// Opens the terminal as a screen, with unbuffered keys and no cursor. Returns false if it cannot
/// be opened.
static inline bool cncurses_open(void) {
    if (newterm(NULL, stdout, stdin) == NULL) {
        return false;
    }
    (void)cbreak();
    (void)noecho();
    (void)keypad(stdscr, true);
    (void)nodelay(stdscr, true);
    (void)curs_set(0);
    return true;
}

static inline int cncurses_rows(void) { return getmaxy(stdscr); }
static inline int cncurses_columns(void) { return getmaxx(stdscr); }

static inline void cncurses_bold(bool on) {
    if (on) {
        (void)attron(A_BOLD);
    } else {
        (void)attroff(A_BOLD);
    }
}

/// Returns the number of columns that a character occupies in the current locale; -1 if it is not
/// printable.
static inline int cncurses_width(unsigned int scalar) { return wcwidth((wchar_t)scalar); }

#endif

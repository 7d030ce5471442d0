// The wide-character ncurses, its macros as functions so that Swift can call them.
#ifndef CNCURSES_SHIM_H
#define CNCURSES_SHIM_H

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <stdbool.h>
#include <stdio.h>

// Swift 6 lets nobody touch C's global variables: these functions do.

/// Takes the terminal over; false when it cannot do what a screen needs.
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

static inline void cncurses_dim(bool on) {
    if (on) {
        (void)attron(A_DIM);
    } else {
        (void)attroff(A_DIM);
    }
}

#endif

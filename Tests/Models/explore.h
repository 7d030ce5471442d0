/// Visits every reachable state of a model, breadth first, so that a fault is reported with a
/// shortest path to it.
#ifndef EXPLORE_H
#define EXPLORE_H

#include "model.h"

struct exploration {
    // The number of different states.
    uint32_t states;
    // The number of steps: from each state, by either thread, with every outcome.
    uint64_t steps;
    // The number of states in which both threads have ended.
    uint32_t ends;
};

/// Explores the model, and prints the path to the first fault. A state from which the end cannot be
/// reached is a fault, too. Returns whether there was none.
bool explore(const struct model *model, struct exploration *exploration);

#endif

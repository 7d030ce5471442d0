/// Visits every state of a model that can be reached, breadth first, so that a fault comes with a shortest way to it.
#ifndef EXPLORE_H
#define EXPLORE_H

#include "model.h"

struct exploration {
    uint32_t states; // different ones
    uint64_t steps;  // from each of them, by either thread, with every outcome
    uint32_t ends;   // states in which both threads are over
};

/// Explores; prints the way to the first fault. A state from which the end cannot be reached any more is a fault too.
/// Returns whether there was none.
bool explore(const struct model *model, struct exploration *exploration);

#endif

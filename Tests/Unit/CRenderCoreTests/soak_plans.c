// Random plans of the soak test. They contain any subset of the mixer's parts in one fixed order,
// so that any plan may follow any other.
#include "soak.h"

#include <stdio.h>

// Chooses an insert. A reused effect must not keep state from its last use: it is cleared when no
// plan contains it.
static rcore_insert_t any_insert(struct soak *soak, uint32_t slot, uint32_t *inserted) {
    const bool stays = (soak->inserted >> slot & 1) != 0;
    const bool free = !stays && rcore_collect_plans(soak->stage.core) <= 1;
    if (!random_once_in(&soak->random, 2) || !(stays || free)) {
        return (rcore_insert_t){.render = NULL};
    }
    if (free) {
        mixer_effect_clear(&soak->effects[slot]);
    }
    *inserted |= 1u << slot;
    return mixer_effect_insert(&soak->effects[slot]);
}

static rcore_status_t add_buses(struct soak *soak, rcore_plan_t *plan, uint32_t *inserted) {
    struct random *random = &soak->random;
    rcore_status_t status = RCORE_OK;
    // The last slot added.
    uint32_t last = 0;
    for (uint32_t slot = 0; slot < buses && status == RCORE_OK; slot++) {
        if (slot > 0 && random_once_in(random, 6)) {
            continue;
        }
        const uint32_t parent = slot == 0 || random_once_in(random, 3) ? RCORE_NONE
                                : random_once_in(random, 2)            ? 0
                                                                       : last;
        const rcore_bus_description_t bus = {
            .slot = slot,
            .channels = 2,
            .parent = parent,
            .gate = slot % 2 == 0 ? soak->stage.gate : NULL,
            .matrix = parent == 0 && slot % 3 == 0 ? soak->routes[0] : NULL,
            .meter = random_once_in(random, 2) ? soak->meters[slot] : NULL,
            .insert = any_insert(soak, slot, inserted),
            .pan_law = (rcore_pan_law_t)(slot % 3),
            .solo_safe = random_once_in(random, 4),
            .compensation_exempt = random_once_in(random, 8),
        };
        status = rcore_plan_add_bus(plan, &bus);
        last = slot;
    }
    return status;
}

// Adds sends from later slots to earlier ones. Adds none where a bus is missing or belongs to
// another session.
static void add_sends(struct soak *soak, rcore_plan_t *plan) {
    struct random *random = &soak->random;
    for (uint32_t slot = 0; slot < sends; slot++) {
        const uint32_t source = 1 + random_below(random, buses - 1);
        const rcore_send_description_t send = {.slot = slot,
                                               .source = source,
                                               .target = random_below(random, source),
                                               .pre_fader = random_once_in(random, 2),
                                               .matrix = soak->send};
        if (random_once_in(random, 2)) {
            (void)rcore_plan_add_send(plan, &send);
        }
    }
}

rcore_plan_t *soak_plan(struct soak *soak, uint32_t *inserted) {
    struct random *random = &soak->random;
    rcore_plan_t *plan = rcore_plan_create();
    rcore_status_t status = add_buses(soak, plan, inserted);
    add_sends(soak, plan);
    const rcore_route_description_t route = {.slot = 0,
                                             .channels = 2,
                                             .limiter = random_once_in(random, 2) ? soak->limiter : NULL,
                                             .meter = random_once_in(random, 2) ? soak->meters[buses] : NULL};
    status = status == RCORE_OK ? rcore_plan_add_route(plan, &route) : status;
    for (uint32_t slot = 0; slot < buses && status == RCORE_OK; slot++) {
        (void)rcore_plan_connect(plan, slot, 0, random_once_in(random, 2) ? soak->routes[1] : NULL);
    }
    for (uint32_t i = 0; i < 2 && status == RCORE_OK; i++) {
        if (!random_once_in(random, 4)) {
            const rcore_input_description_t input = {.slot = i,
                                                     .channels = 1,
                                                     .first_input = i,
                                                     .gate = soak->stage.gate,
                                                     .capture = i == 0 ? soak->capture : NULL};
            status = rcore_plan_add_input(plan, &input);
        }
    }
    SOAK_EXPECT(status == RCORE_OK);
    return plan;
}

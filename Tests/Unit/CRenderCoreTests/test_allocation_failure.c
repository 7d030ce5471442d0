// Fails each allocation of the setup functions in turn: each must return RCORE_NO_MEMORY and leak
// nothing. The program is linked with --wrap for the allocator's functions, and is not built for
// sanitizers, which replace the allocator.
#include "expect.h"
#include "stage.h"

#include <string.h>

// With `fail_at` -1, no allocation fails.
static int64_t allocations, live, fail_at = -1;

static bool refuse(void) { return allocations++ == fail_at; }
static void *counted(void *memory) {
    live += memory != NULL;
    return memory;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size) { return refuse() ? NULL : counted(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return refuse() ? NULL : counted(__real_calloc(count, size)); }
void *__wrap_realloc(void *memory, size_t size) {
    if (refuse()) {
        return NULL;
    }
    void *moved = __real_realloc(memory, size);
    live += memory == NULL && moved != NULL;
    return moved;
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return refuse() ? NULL : counted(__real_aligned_alloc(alignment, size));
}
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
    if (refuse()) {
        return 12; // ENOMEM
    }
    const int error = __real_posix_memalign(memory, alignment, size);
    live += error == 0;
    return error;
}
void __wrap_free(void *memory) {
    live -= memory != NULL;
    __real_free(memory);
}

/// One setup step: creates an object and destroys it. Returns false and sets a status if the
/// creation failed.
typedef bool (*set_up_t)(rcore_status_t *status);

static bool make_core(rcore_status_t *status) {
    const rcore_config_t config = stage_config();
    rcore_t *core = rcore_create(&config, status);
    rcore_destroy(core);
    return core != NULL;
}

static bool make_capture(rcore_status_t *status) {
    rcore_capture_t *capture = rcore_capture_create(2, 100, status);
    rcore_capture_destroy(capture);
    return capture != NULL;
}

static bool make_buffer(rcore_status_t *status) {
    const float left[8] = {1}, right[8] = {2};
    const float *planes[] = {left, right};
    rcore_buffer_t *buffer = rcore_buffer_create(2, 8, planes, status);
    rcore_buffer_release(buffer);
    return buffer != NULL;
}

static bool make_interleaved_buffer(rcore_status_t *status) {
    const float frames[16] = {1};
    rcore_buffer_t *buffer = rcore_buffer_create_interleaved(2, 8, frames, status);
    rcore_buffer_release(buffer);
    return buffer != NULL;
}

static bool make_fifo(rcore_status_t *status) {
    rcore_fifo_t *fifo = rcore_fifo_create(2, 1000, status);
    rcore_fifo_destroy(fifo);
    return fifo != NULL;
}

static bool make_matrix(rcore_status_t *status) {
    const float gains[4] = {1, 0, 0, 1};
    rcore_matrix_t *matrix = rcore_matrix_create(2, 2, gains, status);
    rcore_matrix_destroy(matrix);
    return matrix != NULL;
}

static bool make_standard_matrix(rcore_status_t *status) {
    rcore_matrix_t *matrix = rcore_matrix_create_standard(6, 2, status);
    rcore_matrix_destroy(matrix);
    return matrix != NULL;
}

static bool make_meter(rcore_status_t *status) {
    const rcore_meter_description_t description = {
        .channels = 2, .sample_rate = 48000, .true_peak = true, .tap_frames = 64};
    rcore_meter_t *meter = rcore_meter_create(&description, status);
    rcore_meter_destroy(meter);
    return meter != NULL;
}

static bool make_limiter(rcore_status_t *status) {
    const rcore_limiter_description_t description = {.channels = 2, .sample_rate = 48000};
    rcore_limiter_t *limiter = rcore_limiter_create(&description, status);
    rcore_limiter_destroy(limiter);
    return limiter != NULL;
}

static bool make_tempo_map(rcore_status_t *status) {
    const rcore_tempo_change_t change = {.beats_per_minute = 120, .beats_per_bar = 4, .beat_unit = 4};
    rcore_tempo_map_t *map = rcore_tempo_map_create(&change, 1, status);
    rcore_tempo_map_destroy(map);
    return map != NULL;
}

static bool make_page(rcore_status_t *status) {
    sgate_page_t *page = sgate_page_create();
    *status = page != NULL ? RCORE_OK : RCORE_NO_MEMORY;
    sgate_page_destroy(page);
    return page != NULL;
}

static rcore_t *instruments_core;
static rcore_buffer_t *instruments_buffer;

static bool make_instrument(rcore_status_t *status) {
    const rcore_instrument_config_t config = rcore_instrument_config_default();
    rcore_zone_t zone = rcore_zone_default();
    zone.buffer = instruments_buffer;
    zone.group = zone.choked_by = 1;
    rcore_instrument_t *instrument = rcore_instrument_create(instruments_core, &config, &zone, 1, status);
    rcore_instrument_destroy(instrument);
    return instrument != NULL;
}

static rcore_t *plans_core;
// Created beforehand, so that only the plan's own allocations fail.
static rcore_queue_t *plans_queue;

static rcore_status_t fill(rcore_plan_t *plan) {
    for (uint32_t slot = 0; slot < 8; slot++) {
        const rcore_bus_description_t bus = {.slot = slot, .channels = 2, .parent = slot % 2 ? slot - 1 : RCORE_NONE};
        const rcore_status_t status = rcore_plan_add_bus(plan, &bus);
        if (status != RCORE_OK) {
            return status;
        }
    }
    for (uint32_t slot = 0; slot < 4; slot++) {
        const rcore_route_description_t route = {.slot = slot, .channels = 2, .first_output = slot * 2};
        rcore_status_t status = rcore_plan_add_route(plan, &route);
        if (status == RCORE_OK) {
            status = rcore_plan_connect(plan, slot * 2, slot, NULL);
        }
        if (status != RCORE_OK) {
            return status;
        }
    }
    const rcore_input_description_t input = {.slot = 1, .channels = 2, .first_input = 3};
    const rcore_status_t status = rcore_plan_add_input(plan, &input);
    if (status != RCORE_OK) {
        return status;
    }
    return rcore_post_plan(plans_queue, plan, RCORE_NOW);
}

static bool make_plan(rcore_status_t *status) {
    rcore_plan_t *plan = rcore_plan_create();
    *status = plan != NULL ? fill(plan) : RCORE_NO_MEMORY;
    if (*status != RCORE_OK) {
        rcore_plan_destroy(plan);
        return false;
    }
    return true;
}

static void expect_clean_failures(const char *name, set_up_t set_up) {
    for (int64_t n = 0;; n++) {
        const int64_t before = live;
        rcore_status_t status = RCORE_BAD_ARGUMENT;
        allocations = 0;
        fail_at = n;
        const bool made = set_up(&status);
        const int64_t made_allocations = allocations;
        fail_at = -1;
        if (made) {
            EXPECT_EQUAL(status, RCORE_OK);
            // Otherwise nothing was tested.
            EXPECT(n > 0);
            EXPECT_EQUAL(made_allocations, n);
            printf("%s: %d allocations\n", name, (int)n);
            return;
        }
        EXPECT_EQUAL(status, RCORE_NO_MEMORY);
        EXPECT_EQUAL(live, before);
        if (n > 1000) {
            EXPECT(!"the setup never succeeds");
            return;
        }
    }
}

TEST(set_up_fails_cleanly) {
    expect_clean_failures("core", make_core);
    expect_clean_failures("buffer", make_buffer);
    expect_clean_failures("interleaved buffer", make_interleaved_buffer);
    expect_clean_failures("fifo", make_fifo);
    expect_clean_failures("capture", make_capture);
    expect_clean_failures("matrix", make_matrix);
    expect_clean_failures("standard matrix", make_standard_matrix);
    expect_clean_failures("meter", make_meter);
    expect_clean_failures("limiter", make_limiter);
    expect_clean_failures("tempo map", make_tempo_map);
    expect_clean_failures("gate page", make_page);
}

TEST(instruments_fail_cleanly) {
    const int64_t before = live;
    const rcore_config_t config = stage_config();
    instruments_core = rcore_create(&config, NULL);
    instruments_buffer = ramp_buffer(100);
    expect_clean_failures("instrument", make_instrument);
    rcore_destroy(instruments_core);
    rcore_buffer_release(instruments_buffer);
    EXPECT_EQUAL(live, before);
}

TEST(plans_fail_cleanly) {
    const int64_t before = live;
    const rcore_config_t config = stage_config();
    plans_core = rcore_create(&config, NULL);
    plans_queue = rcore_queue_open(plans_core, NULL);
    expect_clean_failures("plan", make_plan);
    rcore_destroy(plans_core);
    EXPECT_EQUAL(live, before);
}

/// Renders one whole scene and counts allocations: the cycle must make none.
TEST(the_cycle_allocates_nothing) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(1000);
    float planes[STAGE_CHANNELS][512];
    float *outputs[] = {planes[0], planes[1]};
    stage_play(&stage, buffer, 100);
    stage_grant(&stage, (sgate_grant_t){.attenuation = 1000, .ramp_ms = 5});
    allocations = 0;
    for (unsigned turn = 0; turn < 20; turn++) {
        rcore_process(stage.core, NULL, 0, outputs, 2, 512);
    }
    EXPECT_EQUAL(allocations, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(set_up_fails_cleanly);
    RUN(instruments_fail_cleanly);
    RUN(plans_fail_cleanly);
    RUN(the_cycle_allocates_nothing);
    return test_result();
}

// Tempo maps: beats, times and bars.
#include "expect.h"
#include "random.h"
#include "render_core.h"

static rcore_tempo_map_t *map_of(const rcore_tempo_change_t *changes, uint32_t count) {
    rcore_status_t status = RCORE_NO_MEMORY;
    rcore_tempo_map_t *map = rcore_tempo_map_create(changes, count, &status);
    if (map == NULL || status != RCORE_OK) {
        abort();
    }
    return map;
}

static rcore_tempo_change_t change_at(double beat, double tempo, uint32_t per_bar, uint32_t unit) {
    return (rcore_tempo_change_t){.beat = beat, .beats_per_minute = tempo, .beats_per_bar = per_bar, .beat_unit = unit};
}

TEST(a_beat_has_a_time_and_back) {
    const rcore_tempo_change_t changes[] = {change_at(0, 120, 4, 4), change_at(8, 60, 4, 4), change_at(10, 240, 4, 4)};
    rcore_tempo_map_t *map = map_of(changes, 3);
    const double beats[] = {-4, 0, 1, 8, 9, 10, 14}, seconds[] = {-2, 0, 0.5, 4, 5, 6, 7};
    for (unsigned i = 0; i < 7; i++) {
        EXPECT_NEAR(rcore_tempo_map_seconds(map, beats[i]), seconds[i], 0);
        EXPECT_NEAR(rcore_tempo_map_beat(map, seconds[i]), beats[i], 0);
    }
    rcore_tempo_map_destroy(map);
    rcore_tempo_map_destroy(NULL);
}

static void expect_bar(const rcore_tempo_map_t *map, double beat, int32_t number, double begin, uint32_t per_bar,
                       double tempo) {
    const rcore_bar_t bar = rcore_tempo_map_bar(map, beat);
    EXPECT_EQUAL(bar.bar, number);
    EXPECT_NEAR(bar.begin, begin, 1e-9);
    EXPECT_EQUAL(bar.beats_per_bar, per_bar);
    EXPECT_NEAR(bar.beats_per_minute, tempo, 0);
}

TEST(bars_follow_the_meter) {
    rcore_tempo_change_t changes[] = {
        change_at(0, 120, 4, 4),  change_at(6, 90, 4, 4), // a tempo within bar 1
        change_at(8, 90, 3, 4),                           // bar 2, in three
        change_at(12, 90, 6, 8),                          // after an incomplete bar: bar 4
        change_at(15, 100, 6, 8),                         // begins bar 5 within bar 4
    };
    changes[4].begins_bar = true;
    rcore_tempo_map_t *map = map_of(changes, 5);
    expect_bar(map, 0, 0, 0, 4, 120);
    expect_bar(map, 3.999, 0, 0, 4, 120);
    expect_bar(map, 4, 1, 4, 4, 120);
    expect_bar(map, 6.5, 1, 4, 4, 90);
    expect_bar(map, 8, 2, 8, 3, 90);
    expect_bar(map, 11.5, 3, 11, 3, 90);
    expect_bar(map, 12, 4, 12, 6, 90);
    expect_bar(map, 14.9, 4, 12, 6, 90);
    expect_bar(map, 15, 5, 15, 6, 100);
    expect_bar(map, 22, 6, 21, 6, 100);
    expect_bar(map, -1, -1, -4, 4, 120);
    expect_bar(map, -4.5, -2, -8, 4, 120);
    EXPECT_EQUAL(rcore_tempo_map_bar(map, 12).beat_unit, 8);
    EXPECT_EQUAL(rcore_tempo_map_bar(map, 1e300).bar, INT32_MAX);
    EXPECT_EQUAL(rcore_tempo_map_bar(map, -1e300).bar, INT32_MIN);
    rcore_tempo_map_destroy(map);
}

TEST(a_change_at_the_end_of_a_bar_adds_none) {
    const rcore_tempo_change_t changes[] = {change_at(0, 120, 1, 4), change_at(3 + 1e-12, 120, 2, 4)};
    rcore_tempo_map_t *map = map_of(changes, 2);
    EXPECT_EQUAL(rcore_tempo_map_bar(map, 3.5).bar, 3);
    rcore_tempo_map_destroy(map);
}

static void expect_refused(const rcore_tempo_change_t *changes, uint32_t count) {
    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_tempo_map_create(changes, count, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
    EXPECT(rcore_tempo_map_create(changes, count, NULL) == NULL);
}

TEST(invalid_changes_are_refused) {
    const rcore_tempo_change_t good = change_at(0, 120, 4, 4);
    expect_refused(NULL, 1);
    expect_refused(&good, 0);
    expect_refused(&good, RCORE_MAX_TEMPO_CHANGES + 1);
    const rcore_tempo_change_t bad[] = {
        change_at(1, 120, 4, 4),  change_at(NAN, 120, 4, 4), change_at(-1, 120, 4, 4),  change_at(0, 0.999, 4, 4),
        change_at(0, 1001, 4, 4), change_at(0, NAN, 4, 4),   change_at(0, 120, 0, 4),   change_at(0, 120, 65, 4),
        change_at(0, 120, 4, 0),  change_at(0, 120, 4, 3),   change_at(0, 120, 4, 128),
    };
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        expect_refused(&bad[i], 1);
    }
    const double seconds[] = {0, -1, NAN, INFINITY, RCORE_MAX_BEAT + 1};
    for (unsigned i = 0; i < 5; i++) {
        const rcore_tempo_change_t changes[] = {good, change_at(seconds[i], 120, 4, 4)};
        expect_refused(changes, 2);
    }
    const rcore_tempo_change_t limits[] = {change_at(0, RCORE_MIN_TEMPO, 1, 1),
                                           change_at(RCORE_MAX_BEAT, RCORE_MAX_TEMPO, 64, 64)};
    rcore_tempo_map_t *map = map_of(limits, 2);
    EXPECT_NEAR(rcore_tempo_map_seconds(map, RCORE_MAX_BEAT), RCORE_MAX_BEAT * 60, 0);
    rcore_tempo_map_destroy(map);
}

TEST(random_maps_are_monotonic_and_invertible) {
    struct random random = random_seeded(random_seed(1));
    static rcore_tempo_change_t changes[RCORE_MAX_TEMPO_CHANGES];
    for (unsigned turn = 0; turn < 50; turn++) {
        const uint32_t count = turn == 0 ? RCORE_MAX_TEMPO_CHANGES : 1 + random_below(&random, 40);
        for (uint32_t i = 0; i < count; i++) {
            const double beat = i == 0 ? 0 : changes[i - 1].beat + 0.01 + random_below(&random, 1000) / 100.0;
            const double tempo = RCORE_MIN_TEMPO + random_below(&random, 9990) / 10.0;
            changes[i] = change_at(beat, tempo, 1 + random_below(&random, 64), 1u << random_below(&random, 7));
            changes[i].begins_bar = random_below(&random, 2) == 1;
        }
        rcore_tempo_map_t *map = map_of(changes, count);
        const double end = changes[count - 1].beat + 20;
        double before = rcore_tempo_map_seconds(map, -20);
        int32_t bar = rcore_tempo_map_bar(map, -20).bar;
        for (unsigned i = 1; i <= 2000; i++) {
            const double beat = -20 + (end + 20) * i / 2000;
            const double seconds = rcore_tempo_map_seconds(map, beat);
            EXPECT(seconds > before);
            EXPECT_NEAR(rcore_tempo_map_beat(map, seconds), beat, 1e-8);
            const rcore_bar_t next = rcore_tempo_map_bar(map, beat);
            const double in_bar = beat - next.begin;
            EXPECT(next.bar >= bar && in_bar > -1e-9 && in_bar < next.beats_per_bar + 1e-9);
            before = seconds;
            bar = next.bar;
        }
        rcore_tempo_map_destroy(map);
    }
}

int main(void) {
    RUN(a_beat_has_a_time_and_back);
    RUN(bars_follow_the_meter);
    RUN(a_change_at_the_end_of_a_bar_adds_none);
    RUN(invalid_changes_are_refused);
    RUN(random_maps_are_monotonic_and_invertible);
    return test_result();
}

// The gate: grant words that change atomically, and pages that are validated before use.
#include "expect.h"
#include "session_gate.h"
#include "session_gate_page.h"
#include "session_keys.h"

#include <pthread.h>
#include <string.h>

static bool same_grant(sgate_grant_t a, sgate_grant_t b) {
    return a.attenuation == b.attenuation && a.ramp_ms == b.ramp_ms && a.paused == b.paused && a.muted == b.muted &&
           a.input_granted == b.input_granted && a.serial == b.serial;
}

TEST(grant_round_trips) {
    const uint16_t edges[] = {0, 1, 255, 256, 14 * SGATE_ATTENUATION_PER_DECIBEL, 32767, 32768, 65535};
    const uint32_t serials[] = {0, 1, 0x800000, SGATE_SERIAL_MASK};
    for (unsigned a = 0; a < 8; a++) {
        for (unsigned r = 0; r < 8; r++) {
            for (unsigned flags = 0; flags < 8; flags++) {
                for (unsigned s = 0; s < 4; s++) {
                    const sgate_grant_t grant = {.attenuation = edges[a],
                                                 .ramp_ms = edges[r],
                                                 .paused = flags & 1,
                                                 .muted = flags & 2,
                                                 .input_granted = flags & 4,
                                                 .serial = serials[s]};
                    EXPECT(same_grant(sgate_grant_unpack(sgate_grant_pack(grant)), grant));
                }
            }
        }
    }
}

TEST(grant_fields_do_not_touch_each_other) {
    const sgate_grant_t grants[] = {{.attenuation = 65535}, {.ramp_ms = 65535},      {.paused = true},
                                    {.muted = true},        {.input_granted = true}, {.serial = SGATE_SERIAL_MASK}};
    uint64_t all = 0;
    for (unsigned i = 0; i < 6; i++) {
        const uint64_t word = sgate_grant_pack(grants[i]);
        EXPECT(word != 0);
        EXPECT((all & word) == 0);
        all |= word;
    }
}

/// Every word is a valid keyed duck and a valid detection, and packing restores it.
TEST(keyed_ducks_and_detections_round_trip) {
    uint64_t word = 0x9E3779B97F4A7C15u;
    for (unsigned i = 0; i < 100000; i++) {
        word ^= word << 13, word ^= word >> 7, word ^= word << 17;
        EXPECT_EQUAL(sgate_keyed_duck_pack(sgate_keyed_duck_unpack(word)), word);
        const sgate_detection_t detection = sgate_detection_unpack(word);
        EXPECT(detection.key < SGATE_KEYS);
        EXPECT_EQUAL(sgate_detection_pack(detection), word & 0xFFFFFF1Fu);
    }
    const sgate_keyed_duck_t duck = {.keys = 1, .attenuation = 2, .attack_ms = 3, .release_ms = 4};
    EXPECT_EQUAL(sgate_keyed_duck_pack(duck), 0x0004000300020001u);
    const sgate_detection_t detection = {.enabled = true, .key = 15, .threshold = 50, .hold_ms = 800};
    EXPECT_EQUAL(sgate_detection_pack(detection), 0x0320321Fu);
}

/// A page of an arbiter that does not know keys has none.
TEST(a_new_page_has_no_keys) {
    sgate_page_t *page = sgate_page_create();
    EXPECT_EQUAL(sgate_page_keyed_duck(page).keys, 0);
    EXPECT(!sgate_page_detection(page).enabled);
    sgate_page_set_keyed_duck(page, (sgate_keyed_duck_t){.keys = 8, .attenuation = 100});
    sgate_page_set_detection(page, (sgate_detection_t){.enabled = true, .key = 3});
    EXPECT_EQUAL(sgate_page_keyed_duck(page).keys, 8);
    EXPECT_EQUAL(sgate_page_detection(page).key, 3);
    EXPECT(sgate_page_grant(page).paused);
    sgate_page_destroy(page);
}

TEST(serial_drops_bits_above_24) {
    const sgate_grant_t grant = {.serial = 0xFF000001u};
    EXPECT_EQUAL(sgate_grant_unpack(sgate_grant_pack(grant)).serial, 1);
    EXPECT_EQUAL(sgate_grant_pack(grant), sgate_grant_pack((sgate_grant_t){.serial = 1}));
}

/// Whatever the word contains, the unpacked fields are in range: a damaged page cannot do harm.
TEST(every_word_is_a_valid_grant) {
    uint64_t word = 0x9E3779B97F4A7C15u;
    for (unsigned i = 0; i < 100000; i++) {
        word ^= word << 13, word ^= word >> 7, word ^= word << 17;
        const sgate_grant_t grant = sgate_grant_unpack(word);
        EXPECT(grant.serial <= SGATE_SERIAL_MASK);
        EXPECT(same_grant(sgate_grant_unpack(sgate_grant_pack(grant)), grant));
        const sgate_volume_t volume = sgate_word_to_volume(word);
        EXPECT(volume.gain >= 0.0f && volume.gain <= 1.0f);
    }
}

TEST(volume_is_limited) {
    sgate_page_t *page = sgate_page_create();
    const float gains[][2] = {{0.0f, 0.0f},     {0.25f, 0.25f}, {1.0f, 1.0f}, {1.5f, 1.0f},
                              {INFINITY, 1.0f}, {-0.5f, 0.0f},  {NAN, 0.0f},  {-INFINITY, 0.0f}};
    for (unsigned i = 0; i < 8; i++) {
        sgate_page_set_volume(page, (sgate_volume_t){.gain = gains[i][0], .ramp_ms = (uint16_t)(i * 9000)});
        EXPECT_NEAR(sgate_page_volume(page).gain, gains[i][1], 0);
        EXPECT_EQUAL(sgate_page_volume(page).ramp_ms, (uint16_t)(i * 9000));
    }
    sgate_page_destroy(page);
}

/// A new session, without a grant, is silent (keeps ACT-1).
TEST(new_page_grants_nothing) {
    sgate_page_t *page = sgate_page_create();
    EXPECT(page != NULL);
    const sgate_grant_t grant = sgate_page_grant(page);
    EXPECT(grant.paused);
    EXPECT(!grant.input_granted);
    EXPECT_EQUAL(grant.serial, 0);
    EXPECT_EQUAL(grant.attenuation, 0);
    EXPECT_NEAR(sgate_page_volume(page).gain, 1, 0);
    EXPECT(sgate_page_valid(page, sgate_page_size()));
    sgate_page_destroy(page);
    sgate_page_destroy(NULL);
}

TEST(page_is_checked) {
    alignas(64) unsigned char memory[1024];
    memset(memory, 0xA5, sizeof memory);
    const size_t size = sgate_page_size();
    EXPECT(size <= 4096);
    EXPECT(size <= sizeof memory / 2);
    EXPECT(!sgate_page_valid(memory, sizeof memory)); // no magic
    EXPECT(!sgate_page_valid(NULL, size));
    EXPECT(sgate_page_initialise(NULL, size) == NULL);
    EXPECT(sgate_page_initialise(memory, size - 1) == NULL);
    EXPECT(sgate_page_initialise(memory + 8, size) == NULL); // not aligned
    EXPECT_EQUAL(memory[0], 0xA5);                           // nothing was written

    sgate_page_t *page = sgate_page_initialise(memory, sizeof memory);
    EXPECT(page == (void *)memory);
    EXPECT(sgate_page_valid(memory, size));
    EXPECT(!sgate_page_valid(memory, size - 1));
    memmove(memory + 8, memory, size);
    EXPECT(!sgate_page_valid(memory + 8, size));

    page = sgate_page_initialise(memory, sizeof memory);
    page->version = SGATE_VERSION + 1;
    EXPECT(!sgate_page_valid(memory, size));
    page->version = SGATE_VERSION;
    page->magic ^= 1;
    EXPECT(!sgate_page_valid(memory, size));
}

enum { writes = 200000 };

static void *write_grants(void *argument) {
    for (uint32_t serial = 1; serial <= writes; serial++) {
        sgate_page_set_grant(argument, (sgate_grant_t){.attenuation = (uint16_t)serial,
                                                       .ramp_ms = (uint16_t)~serial,
                                                       .paused = serial & 1,
                                                       .serial = serial});
    }
    return NULL;
}

TEST(readers_never_see_half_a_grant) {
    sgate_page_t *page = sgate_page_create();
    sgate_page_set_grant(page, (sgate_grant_t){.ramp_ms = 65535});
    pthread_t writer;
    EXPECT_EQUAL(pthread_create(&writer, NULL, write_grants, page), 0);
    uint32_t last = 0, torn = 0, backwards = 0;
    while (last < writes) {
        const sgate_grant_t grant = sgate_page_grant(page);
        torn += grant.attenuation != (uint16_t)grant.serial || grant.ramp_ms != (uint16_t)~grant.serial ||
                grant.paused != (grant.serial & 1);
        backwards += grant.serial < last;
        last = grant.serial;
    }
    pthread_join(writer, NULL);
    EXPECT_EQUAL(torn, 0);
    EXPECT_EQUAL(backwards, 0);
    sgate_page_destroy(page);
}

int main(void) {
    RUN(grant_round_trips);
    RUN(grant_fields_do_not_touch_each_other);
    RUN(keyed_ducks_and_detections_round_trip);
    RUN(a_new_page_has_no_keys);
    RUN(serial_drops_bits_above_24);
    RUN(every_word_is_a_valid_grant);
    RUN(volume_is_limited);
    RUN(new_page_grants_nothing);
    RUN(page_is_checked);
    RUN(readers_never_see_half_a_grant);
    return test_result();
}

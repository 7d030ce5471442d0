// Random commands for frames and beats, tempo changes and reports of a server, compared with a
// model that goes from frame to frame. MIDI messages with a number each show what took effect when.
#include "midi_stage.h"
#include "random.h"
#include "transport_stage.h"

#include <string.h>

enum kind { START, STOP, LOCATE, FOLLOW, BEND, NOTE_OFF };

/// A command of the model.
struct entry {
    enum kind kind;
    uint64_t when;
    uint64_t order;
    /// Number of a message, beat of a locate, or whether to follow.
    uint32_t argument;
};

enum { PLACES = 64, SENT = 512 };

struct model {
    uint64_t now;
    int64_t frame;
    uint32_t pass;
    bool is_rolling;
    bool is_followed;
    const rcore_tempo_map_t *map;
    double shift;
    uint64_t late;
    struct entry waiting[PLACES];
    uint32_t count;
    uint64_t order;
    struct {
        uint64_t frame;
        uint32_t number;
    } sent[SENT];
    uint32_t sent_count;
};

static bool is_beat(uint64_t when) { return when >> 63 != 0; }

static double beat_of(uint64_t when) { return (double)(when & ((UINT64_C(1) << 48) - 1)) / 16777216; }

static int64_t frame_of(const struct model *model, double beat) {
    return (int64_t)floor(rcore_tempo_map_seconds(model->map, beat) * STAGE_RATE - model->shift + 0.500001);
}

static void send(struct model *model, uint32_t number) {
    if (model->sent_count < SENT) {
        model->sent[model->sent_count].frame = model->now;
        model->sent[model->sent_count++].number = number;
    }
}

static struct entry take_out(struct model *model, uint32_t index) {
    const struct entry entry = model->waiting[index];
    model->waiting[index] = model->waiting[--model->count];
    return entry;
}

/// Returns the index of the earliest entry, for a beat or for a frame; -1: there is none.
static int64_t earliest(const struct model *model, bool beats) {
    int64_t best = -1;
    for (uint32_t i = 0; i < model->count; i++) {
        const struct entry *entry = &model->waiting[i], *first = &model->waiting[best >= 0 ? best : 0];
        if (is_beat(entry->when) == beats &&
            (best < 0 || entry->when < first->when || (entry->when == first->when && entry->order < first->order))) {
            best = i;
        }
    }
    return best;
}

static void begin_pass(struct model *model) {
    model->pass++;
    for (int64_t index; (index = earliest(model, true)) >= 0;) {
        const struct entry entry = take_out(model, (uint32_t)index);
        if (entry.kind == NOTE_OFF) {
            send(model, entry.argument);
        }
    }
}

static void carry_out(struct model *model, const struct entry *entry) {
    const bool is_own = !model->is_followed;
    switch (entry->kind) {
    case START:
        model->is_rolling |= is_own;
        break;
    case STOP:
        if (is_own && model->is_rolling) {
            model->is_rolling = false;
            begin_pass(model);
        }
        break;
    case LOCATE:
        if (is_own) {
            model->shift = 0;
            model->frame = frame_of(model, entry->argument);
            begin_pass(model);
        }
        break;
    case FOLLOW:
        if (model->is_followed != (entry->argument == 1)) {
            model->is_followed = entry->argument == 1;
            model->is_rolling = false;
            model->shift = 0;
            begin_pass(model);
        }
        break;
    default:
        send(model, entry->argument);
    }
}

/// Carries out what is due; commands for beats only with `beats`.
static void apply_due(struct model *model, bool beats) {
    for (;;) {
        int64_t index = earliest(model, false);
        bool is_late = false;
        if (index >= 0 && model->waiting[index].when <= model->now) {
            is_late = model->waiting[index].when < model->now;
        } else {
            index = beats && model->is_rolling ? earliest(model, true) : -1;
            const int64_t due = index >= 0 ? frame_of(model, beat_of(model->waiting[index].when)) : 0;
            if (index < 0 || due > model->frame) {
                return;
            }
            is_late = due < model->frame;
        }
        const struct entry entry = take_out(model, (uint32_t)index);
        model->late += is_late;
        carry_out(model, &entry);
    }
}

/// Takes a command that was posted.
static void take(struct model *model, struct entry entry) {
    entry.order = model->order++;
    if (entry.when <= model->now) {
        model->late += entry.when != RCORE_NOW && entry.when < model->now;
        carry_out(model, &entry);
    } else if (is_beat(entry.when) && (entry.when >> 48 & 0x7FFF) != (model->pass & 0x7FFF)) {
        if (entry.kind == NOTE_OFF) {
            send(model, entry.argument);
        }
    } else {
        model->waiting[model->count++] = entry;
    }
}

static void use_map(struct model *model, const rcore_tempo_map_t *map) {
    const double beat = rcore_tempo_map_beat(model->map, ((double)model->frame + model->shift) / STAGE_RATE);
    model->shift = rcore_tempo_map_seconds(map, beat) * STAGE_RATE - (double)model->frame;
    model->map = map;
    if (!model->is_rolling) {
        begin_pass(model);
    }
}

static void use_report(struct model *model, const rcore_server_transport_t *report) {
    const bool goes_on = report->frame == model->frame || (report->is_after_gap && model->is_rolling &&
                                                           report->is_rolling && report->frame > model->frame);
    const bool begins = !goes_on || (model->is_rolling && !report->is_rolling);
    model->shift = goes_on ? model->shift : 0;
    model->frame = report->frame;
    model->is_rolling = report->is_rolling;
    if (begins) {
        begin_pass(model);
    }
}

// ---- Random commands

static rcore_tempo_map_t *random_map(struct random *random) {
    rcore_tempo_change_t changes[5];
    for (uint32_t i = 0; i < 5; i++) {
        changes[i] = (rcore_tempo_change_t){.beat = i == 0 ? 0 : changes[i - 1].beat + random_below(random, 99) + 1,
                                            .beats_per_minute = 60 + random_below(random, 900),
                                            .beats_per_bar = 4,
                                            .beat_unit = 4};
    }
    return rcore_tempo_map_create(changes, 5, NULL);
}

static uint64_t random_time(struct random *random, const struct model *model) {
    switch (random_below(random, 6)) {
    case 0:
        return RCORE_NOW;
    case 1:
        return model->now + random_below(random, 3000);
    case 2:
        return model->now > 100 ? model->now - random_below(random, 100) : RCORE_NOW;
    default: {
        const double beat = rcore_tempo_map_beat(model->map, ((double)model->frame + model->shift) / STAGE_RATE);
        const uint32_t off = random_once_in(random, 12) ? random_below(random, 3) - 1 : 0u;
        return rcore_beat_time(model->pass + off, floor(8 * (beat - 0.1) + random_below(random, 16)) / 8);
    }
    }
}

static rcore_status_t post(midi_stage_t *midi, const struct entry *entry) {
    rcore_queue_t *queue = midi->stage.queue;
    switch (entry->kind) {
    case START:
        return rcore_post_transport_start(queue, entry->when);
    case STOP:
        return rcore_post_transport_stop(queue, entry->when);
    case LOCATE:
        return rcore_post_transport_locate(queue, entry->argument, entry->when);
    case FOLLOW:
        return rcore_post_transport_source(queue, entry->argument == 1 ? RCORE_TRANSPORT_SERVER : RCORE_TRANSPORT_OWN,
                                           entry->when);
    default: {
        const uint8_t bytes[] = {entry->kind == BEND ? 0xE0 : 0x80, (uint8_t)(entry->argument & 0x7F),
                                 (uint8_t)(entry->argument >> 7 & 0x7F)};
        return rcore_post_midi(queue, MIDI_STAGE_TARGET, bytes, 3, entry->when);
    }
    }
}

static struct entry random_entry(struct random *random, const struct model *model, uint32_t number) {
    static const enum kind others[] = {START, START, START, START, STOP, LOCATE, LOCATE, FOLLOW};
    struct entry entry = {.kind = random_below(random, 2) == 0 ? BEND : NOTE_OFF, .argument = number & 0x3FFF};
    if (random_below(random, 4) == 0) {
        entry.kind = others[random_below(random, 8)];
        entry.argument = entry.kind == FOLLOW ? (uint32_t)random_once_in(random, 3) : random_below(random, 300);
    }
    entry.when = random_time(random, model);
    if (entry.kind == START && is_beat(entry.when)) { // refused
        entry.when = RCORE_NOW;
    }
    return entry;
}

static rcore_server_transport_t random_report(struct random *random, const struct model *model) {
    rcore_server_transport_t report = {.frame = (uint32_t)model->frame, .is_rolling = model->is_rolling};
    switch (random_below(random, 40)) {
    case 0:
        report.frame = random_below(random, 5000000);
        break;
    case 1:
        report.is_rolling = !report.is_rolling;
        break;
    case 2:
        report.frame += random_below(random, 3000);
        report.is_after_gap = true;
        break;
    default:
        report.is_rolling |= random_below(random, 4) == 0;
        break;
    }
    return report;
}

static void compare(midi_stage_t *midi, struct model *model) {
    const rcore_transport_t position = rcore_read_transport(midi->stage.core);
    EXPECT_EQUAL(position.time, model->now);
    EXPECT_EQUAL(position.frame, model->frame);
    EXPECT_EQUAL(position.pass, model->pass);
    EXPECT(position.is_rolling == model->is_rolling &&
           (position.source == RCORE_TRANSPORT_SERVER) == model->is_followed);
    EXPECT_EQUAL(rcore_read_counters(midi->stage.core).late_commands, model->late);
    EXPECT_EQUAL(midi->count, model->sent_count);
    for (uint32_t i = 0; i < midi->count && i < model->sent_count; i++) {
        EXPECT_EQUAL(midi->sent[i].frame, model->sent[i].frame);
        EXPECT_EQUAL(midi->sent[i].bytes[1] | midi->sent[i].bytes[2] << 7, model->sent[i].number);
    }
    midi->count = model->sent_count = 0;
}

/// Posts random commands, and renders a cycle in the core and in the model.
static void cycle(midi_stage_t *midi, struct model *model, struct random *random) {
    struct entry posted[4];
    uint32_t count = 0, timed = model->count;
    for (uint32_t i = random_below(random, 4); i > 0; i--) {
        posted[count] = random_entry(random, model, (uint32_t)random_next(random));
        const bool has_room = posted[count].when == RCORE_NOW || timed < PLACES;
        EXPECT_EQUAL(post(midi, &posted[count]), has_room ? RCORE_OK : RCORE_FULL);
        timed += has_room && posted[count].when != RCORE_NOW;
        count += has_room;
    }
    if (random_once_in(random, 100)) {
        rcore_tempo_map_t *map = random_map(random);
        expect_ok(rcore_post_tempo_map(midi->stage.core, map));
        use_map(model, map);
    }
    const rcore_server_transport_t report = random_report(random, model);
    rcore_follow_transport(midi->stage.core, &report);
    if (model->is_followed) {
        use_report(model, &report);
    }
    apply_due(model, false);
    for (uint32_t i = 0; i < count; i++) {
        take(model, posted[i]);
    }
    const uint32_t nframes = 1 + random_below(random, random_once_in(random, 10) ? 4000 : 300);
    for (uint32_t i = 0; i < nframes; i++) {
        apply_due(model, true);
        model->now++;
        model->frame += model->is_rolling ? 1 : 0;
    }
    midi_stage_cycle(midi, nframes);
    compare(midi, model);
}

TEST(random_commands_take_effect_as_in_the_model) {
    const uint64_t seed = random_seed(3);
    printf("seed %" PRIu64 "\n", seed);
    for (uint64_t turn = 0; turn < 20; turn++) {
        struct random random = random_seeded(seed * 100 + turn);
        midi_stage_t *midi = midi_stage_open(0, false);
        rcore_tempo_map_t *map = random_map(&random);
        expect_ok(rcore_post_tempo_map(midi->stage.core, map));
        midi_stage_cycle(midi, 16); // the routing and the map take effect
        struct model model = {.now = rcore_time(midi->stage.core), .map = map, .pass = 1};
        for (uint32_t i = 0; i < 1500; i++) {
            cycle(midi, &model, &random);
            if (expect_failures > 0) {
                break;
            }
        }
        EXPECT(model.pass > 50);
        midi_stage_close(midi);
    }
}

int main(void) {
    RUN(random_commands_take_effect_as_in_the_model);
    return test_result();
}

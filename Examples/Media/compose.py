#!/usr/bin/env python3
"""Composes music.ogg: eight bars for plucked strings, bells, bass and a pad.

The script uses only the standard library; sox adds reverb and encodes. It always produces the same samples. Run
`./compose.py music.wav` for the dry recording, or `./make-media` for the published files.
"""
import array
import math
import random
import sys
import wave

RATE = 44100
BEAT = 60 / 92
BARS = 8
TAIL = 2.4
TOTAL = int((BARS * 4 * BEAT + TAIL) * RATE)

# One bar each: bass note, the pad's chord, the plucked pattern (eighths), all as MIDI numbers.
HARMONY = [
    (38, (57, 62, 66, 69), (50, 57, 62, 66, 69, 66, 62, 57)),  # D
    (47, (57, 59, 62, 66), (47, 54, 59, 62, 66, 62, 59, 54)),  # B minor 7
    (43, (55, 59, 62, 66), (43, 55, 59, 62, 66, 62, 59, 55)),  # G major 7
    (45, (57, 59, 62, 64), (45, 57, 59, 64, 69, 64, 62, 57)),  # A suspended
    (38, (57, 62, 66, 69), (50, 57, 62, 66, 74, 69, 66, 62)),  # D
    (42, (57, 61, 64, 66), (42, 54, 57, 61, 66, 64, 61, 57)),  # F sharp minor 7
    (43, (55, 59, 62, 64), (43, 55, 59, 62, 67, 64, 62, 59)),  # G six
    (38, (57, 62, 66, 69), (50, 57, 62, 66, 69, 74, 78, 81)),  # D
]
# The melody: (beat from the beginning, MIDI number, loudness).
TUNE = [
    (8, 78, 0.8), (9.5, 76, 0.6), (10, 74, 0.8), (11, 71, 0.6), (12, 69, 0.9), (14, 71, 0.5), (15, 73, 0.6),
    (16, 74, 0.9), (17.5, 76, 0.6), (18, 78, 0.8), (19, 81, 0.7), (20, 76, 0.9), (22, 73, 0.6), (23, 69, 0.5),
    (24, 71, 0.8), (25, 74, 0.7), (26, 76, 0.8), (27, 73, 0.7), (28, 74, 1.0),
]

left = array.array("d", bytes(8 * TOTAL))
right = array.array("d", bytes(8 * TOTAL))
dice = random.Random(1)


def hertz(note):
    return 440 * 2 ** ((note - 69) / 12)


def place(samples, at_beat, level, pan):
    """Adds a note at a beat; pan from -1 (left) to 1 (right), equal power."""
    start = int(at_beat * BEAT * RATE)
    angle = (pan + 1) * math.pi / 4
    gain_left, gain_right = level * math.cos(angle), level * math.sin(angle)
    for index, sample in enumerate(samples[: TOTAL - start], start):
        left[index] += gain_left * sample
        right[index] += gain_right * sample


def pluck(note, seconds, brightness):
    """Returns a Karplus-Strong string: a delay line of filtered noise, damped by a two-point average, tuned by an all-pass."""
    period = RATE / hertz(note) - 0.5
    length = int(period)
    fraction = period - length
    allpass = (1 - fraction) / (1 + fraction)
    line, smooth = [], 0.0
    for _ in range(length):
        smooth += brightness * (dice.uniform(-1, 1) - smooth)
        line.append(smooth)
    mean = sum(line) / length
    line = [value - mean for value in line]
    out, previous, last_in, last_out = [], 0.0, 0.0, 0.0
    for index in range(int(seconds * RATE)):
        value = line[index % length]
        out.append(value)
        average = 0.4985 * (value + previous)
        previous = value
        last_out = allpass * average + last_in - allpass * last_out
        last_in = average
        line[index % length] = last_out
    return fade(out, 0.002, 0.15)


def partials(note, seconds, series, attack, decay, release):
    """Returns a sum of sines (ratio, level); each decays with the time constant `decay` divided by its ratio."""
    count = int(seconds * RATE)
    out = [0.0] * count
    for ratio, level in series:
        step = 2 * math.pi * hertz(note) * ratio / RATE
        fall = math.exp(-ratio / (decay * RATE)) if decay else 1.0
        envelope = level
        for index in range(count):
            out[index] += envelope * math.sin(step * index)
            envelope *= fall
    return fade(out, attack, release)


def fade(samples, attack, release):
    rise, fall = max(1, int(attack * RATE)), max(1, int(release * RATE))
    for index in range(min(rise, len(samples))):
        samples[index] *= 0.5 - 0.5 * math.cos(math.pi * index / rise)
    for index in range(min(fall, len(samples))):
        samples[-1 - index] *= 0.5 - 0.5 * math.cos(math.pi * index / fall)
    return samples


def play():
    for bar, (bass, chord, pattern) in enumerate(HARMONY):
        beat = bar * 4
        for voice, note in enumerate(chord):
            pad = partials(note, 4 * BEAT + 1.2, ((0.9985, 0.5), (1.0015, 0.5), (2.001, 0.12)), 0.7, 0, 1.2)
            place(pad, beat, 0.045, (-0.7, 0.3, -0.3, 0.7)[voice])
        for length, at in ((2.4, 0), (1.4, 2.5)):
            place(partials(bass, length * BEAT, ((1, 1), (2, 0.3), (3, 0.1)), 0.008, 1.1, 0.12), beat + at, 0.2, 0)
        for eighth, note in enumerate(pattern):
            accent = 1.0 if eighth % 4 == 0 else 0.72 + 0.1 * dice.random()
            place(pluck(note, 2.0, 0.2), beat + eighth / 2, 0.75 * accent, -0.45 + 0.9 * eighth / 7)
    for beat, note, level in TUNE:
        bell = partials(note, 2.2, ((1, 1), (2.004, 0.22), (3.98, 0.16), (6.1, 0.05)), 0.004, 0.7, 0.4)
        place(bell, beat, 0.15 * level, 0.15)


def write(path):
    peak = max(max(map(abs, left)), max(map(abs, right)))
    scale = 0.8 * 32767 / peak
    frames = array.array("h", bytes(4 * TOTAL))
    frames[0::2] = array.array("h", [round(scale * value) for value in left])
    frames[1::2] = array.array("h", [round(scale * value) for value in right])
    if sys.byteorder == "big":
        frames.byteswap()
    with wave.open(path, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(frames.tobytes())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: compose.py OUTPUT.wav")
    play()
    write(sys.argv[1])

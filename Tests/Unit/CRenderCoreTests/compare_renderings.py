#!/usr/bin/env python3
"""Compares two outputs of the program `rendering`, which are 32-bit floats.

compare_renderings.py FILE OTHER [LIMIT]    fails if bits differ, or any sample by more than LIMIT
"""
import array
import pathlib
import sys


def samples(path):
    values = array.array("f", pathlib.Path(path).read_bytes())
    if len(values) == 0 or not any(values):
        sys.exit(f"{path}: no sound")
    return values


def main():
    first, second = samples(sys.argv[1]), samples(sys.argv[2])
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else None
    if len(first) != len(second):
        sys.exit(f"{len(first)} samples, and {len(second)}")
    # As bits: a NaN, or a zero of the other sign, is a difference too.
    places = [i for i, bits in enumerate(zip(array.array("I", first.tobytes()), array.array("I", second.tobytes()))) if bits[0] != bits[1]]
    if not places:
        print(f"{len(first)} samples, the same bits")
        return 0
    # A NaN is above each limit.
    distances = [abs(first[i] - second[i]) for i in places]
    greatest = max(distances, key=lambda distance: float("inf") if distance != distance else distance)
    print(f"{len(first)} samples, {len(places)} differ, from sample {places[0]} on, by up to {greatest:.3g}")
    return 0 if limit is not None and greatest <= limit else 1


if __name__ == "__main__":
    sys.exit(main())

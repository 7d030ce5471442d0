extension MIDIFile {
    /// Returns the sequences of the file: one with all tracks, or of format 2, one per track.
    ///
    /// The tempo is 120 beats per minute until an event of any track of the sequence changes it;
    /// time code does not follow it. A division that is out of range counts as its nearest value.
    public func sequences() -> [MIDISequence] {
        let numbered = tracks.enumerated().map { (number: $0.offset, track: $0.element) }
        guard format == .independentTracks else { return [MIDISequence(numbered, division: division)] }
        return numbered.map { MIDISequence(CollectionOfOne($0), division: division) }
    }

    /// Returns the first of the `sequences()`; without tracks, an empty one.
    public func sequence() -> MIDISequence {
        sequences().first ?? MIDISequence(EmptyCollection(), division: division)
    }
}

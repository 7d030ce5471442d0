/// A meter: how many beats a bar has, and the note value of a beat.
public struct Meter: Hashable, Sendable {
    /// 1…64.
    public var beatsPerBar: Int
    /// 1, 2, 4, 8, 16, 32 or 64; 4 is a quarter note.
    public var beatUnit: Int

    /// Creates a meter such as 6/8.
    public init(_ beatsPerBar: Int, _ beatUnit: Int) { (self.beatsPerBar, self.beatUnit) = (beatsPerBar, beatUnit) }

    /// 4/4.
    public static let common = Meter(4, 4)
}

/// How loud a programme is, by EBU R 128 (ITU-R BS.1770-4, EBU Tech 3341 and 3342): in LUFS, and -infinity where there is only silence.
public struct Loudness: Sendable, Equatable {
    /// Over the last 0.4 s, ungated. In the first 0.4 s what is missing counts as silence.
    public var momentary: Double
    /// Over the last 3 s, ungated; likewise.
    public var shortTerm: Double
    /// Of the whole programme, without what is below the gates; -infinity while nothing was above -70 LUFS.
    public var integrated: Double
    /// How far soft and loud are apart, in LU; 0 while there is nothing to compare. It means little in the first minute.
    public var range: Double
    /// Greatest momentary and short-term loudness so far, of windows that begin every 10 ms and every 100 ms.
    public var maximumMomentary: Double
    public var maximumShortTerm: Double
    /// Frames that are missing, because nobody came to measure them in time.
    public var droppedFrames: Int

    /// Of a programme that has not begun.
    static let silence = Loudness(
        momentary: -.infinity, shortTerm: -.infinity, integrated: -.infinity, range: 0, maximumMomentary: -.infinity,
        maximumShortTerm: -.infinity, droppedFrames: 0)
}

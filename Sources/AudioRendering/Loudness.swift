/// The loudness of a programme by EBU R 128 (ITU-R BS.1770-4, EBU Tech 3341 and 3342), in LUFS;
/// -infinity for silence.
public struct Loudness: Sendable, Equatable {
    /// Loudness of the last 0.4 s, ungated. During the first 0.4 s, the missing part counts as
    /// silence.
    public var momentary: Double
    /// Loudness of the last 3 s, ungated. During the first 3 s, the missing part counts as silence.
    public var shortTerm: Double
    /// Loudness of the whole programme, gated; -infinity while nothing exceeded -70 LUFS.
    public var integrated: Double
    /// Loudness range (LRA), in LU; 0 until enough is measured. It is not meaningful during the
    /// first minute.
    public var range: Double
    /// Greatest momentary loudness so far, of windows that begin every 10 ms.
    public var maximumMomentary: Double
    /// Greatest short-term loudness so far, of windows that begin every 100 ms.
    public var maximumShortTerm: Double
    /// The number of frames that were not measured because the background thread did not read them
    /// in time.
    public var droppedFrames: Int

    /// The loudness of a programme that has not begun.
    static let silence = Loudness(
        momentary: -.infinity, shortTerm: -.infinity, integrated: -.infinity, range: 0, maximumMomentary: -.infinity,
        maximumShortTerm: -.infinity, droppedFrames: 0)
}

/// What a transport advances: a scheduler.
protocol BeatClient: AnyObject, Sendable {
    /// In seconds.
    var lookahead: Double { get }
    /// Posts what comes next: the beats from the position on. One call at a time.
    func advance(to position: TransportPosition, beats: Double)
}

/// A range of beats of a pass of the transport, half-open: from `lowerBound` to below `upperBound`.
public struct BeatRange: Equatable, Sendable {
    public let lowerBound: Double
    public let upperBound: Double
    public let pass: TransportPosition.Pass

    /// Returns the numbers of the steps that begin in the range: the step with the number n begins
    /// at beat n × `length` + `offset`. `length` is above 0.
    public func steps(every length: Double, offset: Double = 0) -> Range<Int> {
        guard length > 0, lowerBound < upperBound else { return 0..<0 }
        let first = Self.number((lowerBound - offset) / length)
        return first..<max(first, Self.number((upperBound - offset) / length))
    }

    /// Returns the first whole number that is not below a quotient. Rounding errors of the division
    /// do not count.
    private static func number(_ quotient: Double) -> Int {
        Int(min(max((quotient - 1e-9).rounded(.up), -1e15), 1e15))
    }
}

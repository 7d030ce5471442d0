/// A sequence of ±1 that is uncorrelated with its shifted copies: shifted, it correlates to
/// −1/length.
struct MaximumLengthSequence {
    let values: [Double]
    /// The states of the shift register that makes the sequence: bit j of a state is the bit of the
    /// sequence j values earlier.
    private let states: [Int]
    private let order: Int
    /// The bits of the register that are fed back.
    private let taps: Int

    /// Creates a sequence of 2^order − 1 values; `order` is 10…17.
    init(order: Int) {
        // Primitive polynomials.
        let polynomials = [
            10: 0x240, 11: 0x500, 12: 0xE08, 13: 0x1C80, 14: 0x3802, 15: 0x6000, 16: 0xD008, 17: 0x12000,
        ]
        guard let taps = polynomials[order] else { preconditionFailure("an order of 10 to 17") }
        (self.order, self.taps) = (order, taps)
        var register = 1
        states = (0..<(1 << order) - 1).map { _ in
            defer { register = (register << 1 | (register & taps).nonzeroBitCount & 1) & ((1 << order) - 1) }
            return register
        }
        values = states.map { $0 & 1 == 1 ? 1 : -1 }
    }

    /// Correlates a recording of one sequence length with the sequence at each shift. Returns the
    /// impulse response of the path, from a shift of 0 on.
    ///
    /// Each bit of a shifted sequence is the parity of some bits of the state. So the Hadamard
    /// transform of the recording, ordered by state, contains all correlations.
    func correlate(_ incoming: ArraySlice<Float>) -> [Double] {
        let length = values.count
        precondition(incoming.count == length, "one length of the sequence")
        let mean = incoming.reduce(0) { $0 + Double($1) } / Double(length)
        var sums = [Double](repeating: 0, count: length + 1)
        for (state, sample) in zip(states, incoming) { sums[state] = Double(sample) - mean }
        var half = 1
        while half < sums.count {
            for start in stride(from: 0, to: sums.count, by: 2 * half) {
                for index in start..<(start + half) {
                    (sums[index], sums[index + half]) = (
                        sums[index] + sums[index + half], sums[index] - sums[index + half]
                    )
                }
            }
            half *= 2
        }
        // The bits whose parity is the bit of the sequence so many values earlier: by the feedback,
        // that is the sum of later ones.
        var masks = (0..<order).map { 1 << $0 }
        for shift in order..<length {
            masks.append(
                (0..<order - 1).reduce(masks[shift - order]) { mask, bit in
                    taps >> bit & 1 == 1 ? mask ^ masks[shift - order + bit + 1] : mask
                })
        }
        return masks.map { -sums[$0] / Double(length) }
    }
}

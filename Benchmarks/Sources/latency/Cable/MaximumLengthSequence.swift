import Foundation

/// A sequence of ±1 that is uncorrelated with its shifted copies: shifted, it correlates to
/// −1/length.
struct MaximumLengthSequence {
    let values: [Double]

    /// Creates a sequence of 2^order − 1 values; `order` is 10…17.
    init(order: Int) {
        // The bits of the register that are fed back: primitive polynomials.
        let taps = [10: 0x240, 11: 0x500, 12: 0xE08, 13: 0x1C80, 14: 0x3802, 15: 0x6000, 16: 0xD008, 17: 0x12000]
        guard let tap = taps[order] else { preconditionFailure("an order of 10 to 17") }
        var register = 1
        values = (0..<(1 << order) - 1).map { _ in
            let bit = (register & tap).nonzeroBitCount & 1
            defer { register = (register << 1 | bit) & ((1 << order) - 1) }
            return register & 1 == 1 ? 1 : -1
        }
    }

    /// Correlates a recording of one sequence length with the sequence at each shift. Returns the
    /// impulse response of the path, from a shift of 0 on.
    func correlate(_ incoming: ArraySlice<Float>) -> [Double] {
        let length = values.count
        precondition(incoming.count == length, "one length of the sequence")
        var size = 1
        while size < 3 * length { size *= 2 }
        let mean = incoming.reduce(0) { $0 + Double($1) } / Double(length)
        var (a, b) = (Spectrum(size: size), Spectrum(size: size))
        for (index, sample) in incoming.enumerated() { a.real[index] = Double(sample) - mean }
        // The sequence twice in a row, so that every shift finds a complete one.
        for index in 0..<(2 * length) { b.real[index] = values[index % length] }
        a.transform(inverse: false)
        b.transform(inverse: false)
        for index in 0..<size {
            let (re, im) = (a.real[index], a.imaginary[index])
            // a times the conjugate of b.
            a.real[index] = re * b.real[index] + im * b.imaginary[index]
            a.imaginary[index] = im * b.real[index] - re * b.imaginary[index]
        }
        a.transform(inverse: true)
        // Shift k is the distance by which the sequence, started one length earlier, must be moved.
        return (0..<length).map { shift in
            let index = (shift - length + size) % size
            return a.real[index] / Double(length)
        }
    }
}

/// Complex values and their Fourier transform. The size is a power of two.
struct Spectrum {
    var real: [Double]
    var imaginary: [Double]

    init(size: Int) {
        precondition(size > 0 && size & (size - 1) == 0, "a power of two")
        (real, imaginary) = ([Double](repeating: 0, count: size), [Double](repeating: 0, count: size))
    }

    /// Transforms in place. The inverse is divided by the size.
    mutating func transform(inverse: Bool) {
        let size = real.count
        reorder()
        var half = 1
        while half < size {
            let angle = (inverse ? 1.0 : -1.0) * Double.pi / Double(half)
            let factors = (0..<half).map { (cos(angle * Double($0)), sin(angle * Double($0))) }
            for start in stride(from: 0, to: size, by: 2 * half) {
                for offset in 0..<half { combine(start + offset, start + offset + half, factors[offset]) }
            }
            half *= 2
        }
        guard inverse else { return }
        for index in 0..<size {
            real[index] /= Double(size)
            imaginary[index] /= Double(size)
        }
    }

    private mutating func combine(_ a: Int, _ b: Int, _ factor: (Double, Double)) {
        let re = real[b] * factor.0 - imaginary[b] * factor.1
        let im = real[b] * factor.1 + imaginary[b] * factor.0
        (real[b], imaginary[b]) = (real[a] - re, imaginary[a] - im)
        (real[a], imaginary[a]) = (real[a] + re, imaginary[a] + im)
    }

    /// Reorders by bit-reversed index.
    private mutating func reorder() {
        var other = 0
        for index in 0..<real.count {
            if index < other {
                real.swapAt(index, other)
                imaginary.swapAt(index, other)
            }
            var bit = real.count >> 1
            while bit > 0, other & bit != 0 {
                other ^= bit
                bit >>= 1
            }
            other |= bit
        }
    }
}

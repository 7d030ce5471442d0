import Processes

/// Renders a mix, for one thread.
protocol Player: AnyObject {
    var name: String { get }
    var mix: Mix { get }
    /// The frames rendered.
    var frame: Int { get }
    var outputs: Planes { get }
    /// Renders the next period. Returns its nanoseconds.
    func cycle() -> Double
    /// Throws unless all voices play on time.
    func checkVoices() throws
    /// Returns the difference between the last outputs and those that the mix requires, as a
    /// fraction of what is allowed.
    func difference() -> Double
}

extension Player {
    /// A cycle right after one that is not timed, so that the player finds the caches as its own
    /// cycle leaves them, not another player's.
    func settledCycle() -> Double {
        _ = cycle()
        return cycle()
    }

    func checkVoices() throws {}
    func difference() -> Double { mix.difference(outputs, before: frame) / 1e-3 }

    /// Throws unless the last period is correct.
    func check() throws {
        try checkVoices()
        let difference = difference()
        guard difference <= 1 else {
            throw BenchmarkError(
                """
                With \(mix.text), the output of \(name) differs from the sum of its voices by \(difference) times \
                what is allowed: it did not do the same work as the others.
                """)
        }
    }
}

extension [any Player] {
    /// Throws unless the last period of each player is correct. With pitch, compares the energies
    /// of 32 cycles with those of the bound, within one decibel, since splines and counters differ.
    func check() throws {
        guard let mix = first?.mix, mix.voices.isPitched else { return try forEach { try $0.check() } }
        var energies = map { _ in 0.0 }
        for _ in 0..<32 {
            for (index, player) in enumerated() {
                _ = player.cycle()
                let outputs = player.outputs
                for channel in 0..<outputs.count {
                    energies[index] += outputs[channel].reduce(0) { $0 + Double($1) * Double($1) }
                }
            }
        }
        let bound = zip(self, energies).first { $0.0 is BoundPlayer }?.1 ?? 0
        for (player, energy) in zip(self, energies) {
            try player.checkVoices()
            let ratio = energy / bound / ((player as? OpenALPlayer)?.power ?? 1)
            // The energy of few voices depends on their speeds.
            guard ratio > 0.8, ratio < 1.25 || mix.voices.count < 16 else {
                throw BenchmarkError(
                    """
                    With \(mix.text), the energy of \(player.name) over that of the bare loop is \(ratio): they did \
                    not do the same work.
                    """)
            }
        }
    }
}

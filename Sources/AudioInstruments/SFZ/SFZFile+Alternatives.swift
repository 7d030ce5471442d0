internal import AudioRendering

extension SFZFile {
    /// The turns in which regions are played that alternate: by their sequence, and at random.
    ///
    /// Zones have round robins, and no random numbers. The range of random numbers is divided into
    /// as many parts as the regions of the same notes need, and each part is a turn; a region that
    /// covers several parts is played in several turns.
    struct Alternatives {
        /// Regions that alternate have the same notes.
        private struct Notes: Hashable {
            var keys: ClosedRange<Int>?
            var velocities: [Int]
            var start: Start
            var sequenceLength: Int
        }
        /// The number of parts, which is the reciprocal of the smallest region's.
        private var parts: [Notes: Int] = [:]

        private static let maximumTurns = 127

        init(_ regions: [Region]) {
            for region in regions where region.isRandom {
                let notes = Self.notes(of: region)
                let limit = Double(max(Self.maximumTurns / region.sequenceLength, 1))
                let count = Int(min((1 / (region.highRandom - region.lowRandom)).rounded(), limit))
                parts[notes] = max(parts[notes] ?? 1, count)
            }
        }

        private static func notes(of region: Region) -> Notes {
            Notes(
                keys: region.keys, velocities: [region.lowVelocity, region.highVelocity], start: region.start,
                sequenceLength: region.sequenceLength)
        }

        /// Returns the turns of a region: one value, nil, if it is always played.
        func turns(of region: Region) -> [InstrumentZone.RoundRobin?] {
            let parts = region.isRandom ? parts[Self.notes(of: region)] ?? 1 : 1
            let length = region.sequenceLength
            guard parts * length > 1 else { return [nil] }
            let first = min(Int((region.lowRandom * Double(parts)).rounded()), parts - 1)
            let end = max(Int((region.highRandom * Double(parts)).rounded()), first + 1)
            return (parts == 1 ? 0..<1 : first..<end).map { part in
                InstrumentZone.RoundRobin(position: part * length + region.sequencePosition, of: parts * length)
            }
        }
    }
}

extension SFZFile.Region {
    /// Whether only some random numbers start the region.
    var isRandom: Bool { lowRandom > 0 || highRandom < 1 }
    /// Whether the region can have a loop of the sound file.
    var mayLoop: Bool { loopMode == nil || loopMode == .continuous || loopMode == .sustain }
}

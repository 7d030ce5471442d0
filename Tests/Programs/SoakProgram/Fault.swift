import TestRandom

/// What goes wrong on purpose.
enum Fault: String, CaseIterable {
    case serverKilled = "server killed"
    case serverEnded = "server ended in order"
    case devicePlugged = "device plugged in"
    case devicePulledOut = "device pulled out"
    case periodPreferred = "period changed by a session"
    case periodForeign = "period changed by another client"
    case serverFrozen = "server frozen and thawed"
    case clientFrozen = "client of the graph frozen and thawed"
    case rateChanged = "rate changed"
    case repatched = "ports patched by another client"
    case foreignClient = "client came, connected, died"
    case activation = "session deactivated and activated"
    case category = "category changed"
    case deck = "multi-route session on or off"
    case input = "input started and stopped"
    case interruption = "interrupted and let go on"
    case call = "call came and went"
    case fullDisk = "capture to a full disk"
    case truncatedFile = "file truncated while it streams"

    /// What comes beside servers, devices and periods.
    static let others: [Fault] = [
        .serverFrozen, .clientFrozen, .rateChanged, .repatched, .foreignClient, .activation, .category, .deck, .input,
        .interruption, .call, .fullDisk, .truncatedFile,
    ]
}

/// The order of faults: a seed's, whatever comes of them. Of twenty, two end the server, seven plug or unplug, seven change the period.
struct FaultOrder {
    struct Turn {
        var fault: Fault
        /// For what is left to chance within it, and for the distance to the next one.
        var random: SeededGenerator
    }

    private let seed: UInt64
    private var random: SeededGenerator
    private var bag: [Fault] = []
    private var others: [Fault] = []
    private var place: UInt64 = 0

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> Turn {
        if bag.isEmpty { fill() }
        place += 1
        return Turn(fault: bag.removeLast(), random: SeededGenerator(seed: seed, step: place))
    }

    private mutating func fill() {
        bag = [.serverKilled, random.oneIn(4) ? .serverEnded : .serverKilled]
        // Which of both it is depends on what is plugged in.
        for _ in 0..<7 { bag.append(random.oneIn(2) ? .devicePlugged : .devicePulledOut) }
        for _ in 0..<7 { bag.append(random.oneIn(3) ? .periodForeign : .periodPreferred) }
        for _ in 0..<4 {
            if others.isEmpty { others = Fault.others.shuffled(using: &random) }
            bag.append(others.removeLast())
        }
        bag.shuffle(using: &random)
    }
}

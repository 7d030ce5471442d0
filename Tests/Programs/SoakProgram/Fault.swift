import TestRandom

/// The faults that the soak injects.
enum Fault: String, CaseIterable {
    case serverKilled = "server killed"
    case serverEnded = "server shut down"
    case devicePlugged = "device plugged in"
    case devicePulledOut = "device unplugged"
    case periodPreferred = "period changed by a session"
    case periodForeign = "period changed by another client"
    case serverSuspended = "server suspended and resumed"
    case clientSuspended = "client of the graph suspended and resumed"
    case rateChanged = "rate changed"
    case reconnected = "ports reconnected by another client"
    case foreignClient = "client opened, connected, killed"
    case activation = "session deactivated and activated"
    case category = "category changed"
    case deck = "multi-route session on or off"
    case input = "input started and stopped"
    case interruption = "interrupted and resumed"
    case call = "call began and ended"
    case fullDisk = "capture to a full disk"
    case truncatedFile = "file truncated while it streams"

    /// The faults other than those of servers, devices and buffer sizes.
    static let others: [Fault] = [
        .serverSuspended, .clientSuspended, .rateChanged, .reconnected, .foreignClient, .activation, .category, .deck,
        .input, .interruption, .call, .fullDisk, .truncatedFile,
    ]
}

/// The order of faults, which depends on the seed only. Of twenty faults, two end the server, seven
/// plug or unplug a device, and seven change the buffer size.
struct FaultOrder {
    struct Turn {
        var fault: Fault
        /// Random numbers for choices within the fault and for the time to the next one.
        var random: SeededGenerator
    }

    private let seed: UInt64
    private var random: SeededGenerator
    private var bag: [Fault] = []
    private var others: [Fault] = []
    private var step: UInt64 = 0

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> Turn {
        if bag.isEmpty { fill() }
        step += 1
        return Turn(fault: bag.removeLast(), random: SeededGenerator(seed: seed, step: step))
    }

    private mutating func fill() {
        bag = [.serverKilled, random.oneIn(4) ? .serverEnded : .serverKilled]
        // The state of the devices decides which of the two takes place.
        for _ in 0..<7 { bag.append(random.oneIn(2) ? .devicePlugged : .devicePulledOut) }
        for _ in 0..<7 { bag.append(random.oneIn(3) ? .periodForeign : .periodPreferred) }
        for _ in 0..<4 {
            if others.isEmpty { others = Fault.others.shuffled(using: &random) }
            bag.append(others.removeLast())
        }
        bag.shuffle(using: &random)
    }
}

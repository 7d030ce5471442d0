import SessionPolicy

/// A state in eight 64-bit words: one per session, by position, and one for the device. Keys are
/// equal for states that differ only in irrelevant fields: times other than the order of
/// interruptions, the routed category (it decides whether a route change is notified), hardware
/// requests, choices of ports, and volumes.
struct StateKey: Hashable {
    private let words: SIMD8<UInt64>

    /// Creates the smallest key of a state under the permutations of a slice.
    init(of state: PolicyState, in slice: Slice, _ symmetry: Symmetry) {
        let coder = StateCoder(state, slice)
        var words = coder.words(under: symmetry.exchanges[0])
        for exchange in symmetry.exchanges.dropFirst() {
            let other = coder.words(under: exchange)
            if other.precedes(words) { words = other }
        }
        self.words = words
    }

    /// Returns the number of distinct states that the permutations of a slice make of this one.
    static func count(of state: PolicyState, in slice: Slice, _ symmetry: Symmetry) -> Int {
        let coder = StateCoder(state, slice)
        return Set(symmetry.exchanges.map { coder.words(under: $0) }).count
    }
}

extension SIMD8<UInt64> {
    fileprivate func precedes(_ other: Self) -> Bool {
        for index in indices where self[index] != other[index] { return self[index] < other[index] }
        return false
    }
}

/// Packs a state's sessions. References to other sessions are added last, by their positions after
/// a permutation.
struct StateCoder {
    private static let rules = Dictionary(uniqueKeysWithValues: zip(Rule.allCases, UInt64(1)...))
    private static let interrupterShift: UInt64 = 60

    private let ids: [SessionID]
    private var packed: [UInt64] = []
    private var interrupters: [Int?] = []
    private let device: UInt64

    init(_ state: PolicyState, _ slice: Slice) {
        ids = Slice.sessions + slice.systemSessions
        precondition(ids.count <= 7, "a slice has at most four system sessions, so that its states fit into a key")
        var bits = Bits()
        bits.add(state.silentSwitch.isOn)
        bits.add(state.isScreenLocked)
        bits.add(state.microphoneMute.isOn)
        bits.add(state.isDoNotDisturbOn)
        bits.add(state.devices.contains(.headphones))
        bits.add(state.devices.contains(AudioDevice.headphones.of("studio")))
        device = bits.word
        for id in ids {
            packed.append(Self.pack(id, state, slice))
            interrupters.append(state[id]?.wait?.interrupter.flatMap { ids.firstIndex(of: $0) })
        }
    }

    /// Returns the words with each app session at its new position.
    func words(under exchange: [Int]) -> SIMD8<UInt64> {
        var words = SIMD8<UInt64>()
        for (index, word) in packed.enumerated() {
            let interrupter = interrupters[index].map { UInt64(Self.new($0, exchange) + 1) } ?? 0
            words[Self.new(index, exchange)] = word | interrupter << Self.interrupterShift
        }
        words[7] = device
        return words
    }

    private static func new(_ index: Int, _ exchange: [Int]) -> Int {
        index < exchange.count ? exchange[index] : index
    }

    private static func pack(_ id: SessionID, _ state: PolicyState, _ slice: Slice) -> UInt64 {
        var bits = Bits()
        if Slice.sessions.contains(id) {
            let app = state.app(slice.app(of: id))
            bits.add(ApplicationState.allCases.firstIndex(of: app.life), below: 4)
            bits.add(app.declaresBackgroundAudio)
            bits.add(app.isInputMuted)
            bits.add(app.server.map { $0 == "studio" ? 2 : 1 } ?? 0, below: 4)
            bits.add(app.recordPermission == .granted ? 2 : app.recordPermission == .denied ? 1 : 0, below: 4)
        }
        guard let session = state[id] else { return bits.word }
        bits.add(true)
        bits.add(Category.allCases.firstIndex(of: session.configuration.category), below: 8)
        bits.add(Mode.allCases.firstIndex(of: session.configuration.mode), below: 16)
        bits.add(Int(session.configuration.requestedOptions.rawValue), below: 256)
        bits.add(session.isRinging)
        bits.add(session.isDeferred)
        bits.add(session.prefersInterruptionOnRouteDisconnect)
        bits.add(session.prefersNoInterruptionsFromSystemAlerts)
        bits.add(session.isOutputMuted)
        bits.add(session.isRunning)
        bits.add(session.isInputRunning)
        bits.add(session.temporaryForegroundUntil != nil)
        bits.add(session.wasSuspended)
        bits.add(session.isPaused)
        bits.add(session.ducksOnlyWhileAudible)
        bits.add(session.isAudible)
        bits.add(IdleRelease.allCases.firstIndex(of: session.idleRelease), below: 4)
        bits.add(session.isActive)
        bits.add((state.activeOrder.firstIndex(of: id) ?? -1) + 1, below: 8)
        bits.add((state.pendingActivations.firstIndex(of: id) ?? -1) + 1, below: 4)
        bits.add(session.wait != nil)
        if let wait = session.wait {
            bits.add(rules[wait.rule].map(Int.init), below: 128)
            bits.add(Int(wait.reason.rawValue), below: 8)
            bits.add(wait.mayResume)
            // ACT-8: the position in the order of interruptions.
            let earlier = Set(state.sessions.compactMap { $0.wait?.since }.filter { $0 < wait.since })
            bits.add(earlier.count, below: 8)
        }
        return bits.word
    }
}

/// Bit fields of a word, from the lowest bits up.
private struct Bits {
    private(set) var word: UInt64 = 0
    private var width: UInt64 = 0

    mutating func add(_ value: Bool) { add(value ? 1 : 0, below: 2) }

    mutating func add(_ value: Int?, below limit: Int) {
        guard let value, (0..<limit).contains(value) else {
            preconditionFailure("\(value.map(String.init) ?? "nil") does not fit into a state's key")
        }
        word |= UInt64(value) << width
        width += UInt64(limit.trailingZeroBitCount)
        precondition(width <= 60, "a session's fields fit into 60 bits")
    }
}

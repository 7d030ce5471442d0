import PolicyExploration
import SessionPolicy
import Testing

/// SplitMix64: the same seed walks the same way.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@Suite struct WalkTests {
    private static let apps: [SessionID] = (1...4).map { SessionID($0) }
    private static let calls: [SessionID] = (100...102).map { SessionID($0) }

    private static let devices: [Device] = [
        Device(uid: "usb", ports: [.output("usb-out", .usbAudio), .input("usb-in", .usbAudio)]),
        Device(uid: "machine", ports: [.output("spk", .builtInSpeaker), .input("mic", .builtInMic)]),
        Device(uid: "tv", ports: [.output("tv-out", .airPlay)]),
    ]

    /// Two sessions an app.
    private static func owner(_ session: SessionID) -> AppID { AppID((session.rawValue + 1) / 2) }

    private static func randomAction(_ random: inout Seeded) -> PolicyAction {
        let app = apps[Int.random(in: 0..<apps.count, using: &random)]
        let call = calls[Int.random(in: 0..<calls.count, using: &random)]
        let yes = Bool.random(using: &random)
        switch Int.random(in: 0..<42, using: &random) {
        case 0...5: return .activate(app)
        case 6...8: return .deactivate(app, notifyOthers: yes)
        case 9...13:
            return .configure(
                app,
                .category(
                    Category.allCases.randomElement(using: &random) ?? .playback,
                    mode: yes ? nil : Mode.allCases.randomElement(using: &random),
                    options: CategoryOptions.named.randomElement(using: &random).map(\.option) ?? []))
        case 14: return .register(app, app: owner(app))
        case 15: return .unregister(app)
        case 16: return .appDied(owner(app))
        case 17: return .setRunning(app, yes)
        case 18: return .setOutputMuted(app, yes)
        case 19:
            return .beginSystemSession(call, rank: Rank.allCases.randomElement(using: &random) ?? .call, isRinging: yes)
        case 20: return .acceptCall(call)
        case 21: return .endSystemSession(call, shouldResume: yes)
        case 22: return .userPaused(app)
        case 23, 24:
            let life = ApplicationState.allCases.randomElement(using: &random) ?? .foreground
            return .setApplicationState(owner(app), yes ? .foreground : life)
        case 25: return .setDeclaresBackgroundAudio(owner(app), yes)
        case 35: return .plug(devices[Int.random(in: 0..<devices.count, using: &random)])
        case 36, 37: return .unplug(devices[Int.random(in: 0..<devices.count, using: &random)].uid)
        case 38:
            return .pick(yes ? .output : .input, ["usb-out", "usb-in", "spk"].randomElement(using: &random) ?? nil)
        case 39: return .overrideOutput(app, toSpeaker: yes)
        case 40: return .preferInput(app, yes ? "usb-in" : nil)
        case 27: return .setMicrophoneMuted(yes)
        case 28, 29: return .requestActivation(app)
        case 30, 31: return .setInputRunning(app, yes)
        case 32: return .setRecordPermission(owner(app), yes ? .granted : .denied)
        case 33: return .setInputMuted(owner(app), yes && Int.random(in: 0..<2, using: &random) == 0)
        case 34: return .remotePlay(app)
        case 26: return .setScreenLocked(yes && Int.random(in: 0..<4, using: &random) == 0)
        default: return .setSilentSwitch(yes)
        }
    }

    @Test("Walk: 20,000 random events keep every invariant, and replaying the log gives the same state and effects")
    func randomWalk() throws {
        let seed: UInt64 = 20_260_101
        var random = Seeded(state: seed)
        let policy = Policy()
        var state = PolicyState()
        var log: [(event: PolicyEvent, effects: [Effect]?)] = []
        for id in Self.apps {
            let event = PolicyEvent(.register(id, app: Self.owner(id)), at: .zero)
            let transition = try policy.apply(event, to: state)
            state = transition.state
            log.append((event, transition.effects))
        }
        var refused = 0
        for step in 0..<20_000 {
            let event = PolicyEvent(Self.randomAction(&random), at: EventTime(nanoseconds: UInt64(step)))
            let transition = try? policy.apply(event, to: state)
            log.append((event, transition?.effects))
            guard let transition else {
                refused += 1
                continue
            }
            let broken = Invariants.broken(by: Observation(before: state, transition))
            try #require(broken.isEmpty, "seed \(seed), step \(step), \(event.action): \(broken)")
            state = transition.state
        }
        #expect((1_000...15_000).contains(refused))

        var replayed = PolicyState()
        for entry in log {
            let transition = try? policy.apply(entry.event, to: replayed)
            try #require(transition?.effects == entry.effects)
            if let transition { replayed = transition.state }
        }
        #expect(replayed == state)
    }
}

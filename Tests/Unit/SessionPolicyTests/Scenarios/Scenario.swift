import SessionPolicy
import Testing

/// A situation of everyday use, what the user hears, the rules that decide it, and the check.
/// `Documentation/Scenarios.md` lists all of them.
struct Scenario: Sendable {
    let situation: String
    let outcome: String
    let rules: String
    let run: @Sendable (inout Scene) throws -> Void

    init(
        _ situation: String, _ outcome: String, _ rules: String, _ run: @escaping @Sendable (inout Scene) throws -> Void
    ) {
        self.situation = situation
        self.outcome = outcome
        self.rules = rules
        self.run = run
    }

    static let all = mixing + forgetting + calls + conversations + desktop + devices
}

/// The apps and the system's sessions of the scenarios.
enum Actor: UInt64, CaseIterable {
    case music = 1, podcast, secondPodcast, game, ambience, prompt, secondPrompt, film, clip, recorder, chat, meeting
    case synth, meter, unconfigured
    case alarm = 100, assistant, call, secondCall

    var name: String { "\(self)" }
    var id: SessionID { SessionID(rawValue) }
    var app: AppID { AppID(rawValue) }

    fileprivate var configuration: (Category, Mode, CategoryOptions) {
        switch self {
        case .music: (.playback, .default, [])
        case .podcast, .secondPodcast: (.playback, .spokenAudio, [])
        case .ambience: (.ambient, .default, [])
        case .prompt, .secondPrompt:
            (.playback, .voicePrompt, [.duckOthers, .interruptSpokenAudioAndMixWithOthers])
        case .film: (.playback, .moviePlayback, [])
        case .clip: (.playback, .shortFormVideo, [])
        case .recorder: (.record, .default, [])
        case .chat, .meeting: (.playAndRecord, .voiceChat, [])
        case .synth: (.playAndRecord, .default, .mixWithOthers)
        case .meter: (.playAndRecord, .measurement, .mixWithOthers)
        default: (.soloAmbient, .default, [])
        }
    }
}

extension Scene {
    /// Opens an app, in the foreground and with permission to record. Its session is inactive.
    mutating func open(_ actor: Actor, options: CategoryOptions? = nil) throws {
        guard state[actor.id] == nil else { return }
        try self.do(.register(actor.id, app: actor.app))
        try self.do(.setRecordPermission(actor.app, .granted))
        let (category, mode, usual) = actor.configuration
        try self.do(.configure(actor.id, .category(category, mode: mode, options: options ?? usual)))
    }

    /// Opens apps that are not open, and lets each play, in this order; the recorder and the chats
    /// take input.
    mutating func start(_ actors: Actor...) throws {
        for actor in actors {
            try open(actor)
            if actor == .recorder || actor == .chat || actor == .meeting {
                try self.do(.setInputRunning(actor.id, true))
            } else {
                try self.do(.activate(actor.id))
            }
            if actor != .recorder { try self.do(.setRunning(actor.id, true)) }
        }
    }

    /// The app stops playing or recording, and stays active.
    mutating func hush(_ actor: Actor, pausing: Bool = false) throws {
        try self.do(.setPaused(actor.id, pausing))
        try self.do(.setRunning(actor.id, false))
        if try session(actor.rawValue).isInputRunning { try self.do(.setInputRunning(actor.id, false)) }
    }

    /// The app stops and deactivates its session.
    mutating func leave(_ actor: Actor, silently: Bool = false) throws {
        try hush(actor)
        try self.do(.deactivate(actor.id, notifyOthers: !silently))
    }

    mutating func background(_ actor: Actor, declared: Bool) throws {
        try self.do(.setDeclaresBackgroundAudio(actor.app, declared))
        try self.do(.setApplicationState(actor.app, .background))
    }

    mutating func begin(_ actor: Actor, ringing: Bool = false) throws {
        let rank: Rank = actor == .alarm ? .alarm : actor == .assistant ? .assistant : .call
        try self.do(.beginSystemSession(actor.id, rank: rank, isRinging: ringing))
    }

    mutating func accept(_ actor: Actor) throws { try self.do(.acceptCall(actor.id)) }

    mutating func end(_ actor: Actor) throws { try self.do(.endSystemSession(actor.id, shouldResume: true)) }

    /// Lets time pass until no silent session has to release others. Returns after how many seconds
    /// each release was due.
    @discardableResult mutating func idle() throws -> [Int] {
        let begin = state.nextIdleRelease(policy.settings).map { _ in log.last?.time ?? .zero }
        var seconds: [Int] = []
        while let next = state.nextIdleRelease(policy.settings), let begin {
            seconds.append(Int((next.due.nanoseconds - begin.nanoseconds + 500_000_000) / 1_000_000_000))
            try self.do(next.action)
        }
        return seconds
    }

    /// What is heard of an app or a session of the system.
    func heard(_ actor: Actor) throws -> String {
        let session = try session(actor.rawValue)
        if let wait = session.wait {
            return "waits for " + (wait.interrupter.flatMap { Actor(rawValue: $0.rawValue)?.name } ?? "nobody")
        }
        guard session.isActive else { return "inactive" }
        let grant = try grant(actor.rawValue)
        if session.isInputRunning, !session.isRunning { return grant.isInputGranted ? "records" : "records silence" }
        guard session.isRunning else { return "silent" }
        if grant.isMuted { return "muted" }
        return grant.attenuation > 0 ? "plays at -\(Int(grant.attenuation)) dB" : "plays"
    }

    /// Whether another app's primary audio plays, during which the app keeps its soundtrack silent.
    func isAskedToBeSilent(_ actor: Actor) -> Bool {
        OtherAudio(state, policy.resolvedGrants(in: state)).isPrimaryPlaying(otherThan: actor.id)
    }

    /// The interruptions of which the last action notified apps, such as "music began".
    var interruptionsByName: [String] {
        interruptions.map { text in
            let words = text.split(separator: " ", maxSplits: 1)
            let name = UInt64(words[0]).flatMap(Actor.init(rawValue:))?.name ?? String(words[0])
            return "\(name) \(words[1])"
        }.sorted()
    }

    /// Expects that each of these is heard as stated.
    func expect(
        _ heard: KeyValuePairs<Actor, String>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (actor, expected) in heard {
            let actual = try self.heard(actor)
            #expect(actual == expected, "\(actor)", sourceLocation: sourceLocation)
        }
    }
}

import SessionPolicy
import TestRandom

/// Records that a next arbiter may receive: from different moments, some of them lost, and some
/// that no history produces.
struct MalformedRecords {
    var system: SystemRecord
    var sessions: [SessionRecord]

    init(_ random: inout SeededGenerator, _ systems: [SystemRecord], _ pool: [SessionRecord], isMalformed: Bool) {
        system = systems.randomElement(using: &random) ?? SystemRecord()
        sessions = []
        for id in Set(pool.map(\.session.id)).sorted() where Int.random(in: 0..<6, using: &random) > 0 {
            if let record = pool.filter({ $0.session.id == id }).randomElement(using: &random) {
                sessions.append(record)
            }
        }
        guard isMalformed else { return }
        if let twin = pool.randomElement(using: &random) { sessions.append(twin) }
        for place in sessions.indices where Bool.random(using: &random) {
            Self.damage(&sessions[place], &random)
        }
        for place in system.sessions.indices where Bool.random(using: &random) {
            Self.damage(&system.sessions[place], &random)
        }
        damageDevices(&random)
    }

    private mutating func damageDevices(_ random: inout SeededGenerator) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: system.devices += system.devices
        case 1: system.devices.append(AudioDevice(uid: "", ports: []))
        case 2: system.volume = .nan
        case 3: system.ringVolume = -1
        case 4: system.pickedInput = "nowhere"
        case 5: system.microphoneMute = .init(isOn: true, since: EventTime(nanoseconds: .max))
        case 6: system.isScreenLocked.toggle()
        default: system.apps.append(AppState(id: .system))
        }
    }

    private static func damage(_ record: inout SessionRecord, _ random: inout SeededGenerator) {
        let id = record.session.id
        let other = (RandomWalk.apps + RandomWalk.calls).randomElement(using: &random) ?? id
        switch Int.random(in: 0..<18, using: &random) {
        case 0: record.grantNumber = [0, 7, .max].randomElement(using: &random) ?? 0
        case 1: record.pending = [0, 7, .max].randomElement(using: &random) ?? 0
        case 2: record.session.activity = .active(since: EventTime(nanoseconds: .max))
        case 3: record.session.activity = .waiting(.init(interrupter: id, rule: .act2, reason: .default, since: .zero))
        case 4, 5:
            record.session.activity = .waiting(.init(interrupter: other, rule: .act2, reason: .default, since: .zero))
        case 6: record.session.activity = .waiting(.init(interrupter: nil, rule: .act2, reason: .default, since: .zero))
        case 7:
            record.session.activity = .waiting(
                .init(interrupter: nil, rule: .int10, reason: .builtInMicMuted, since: .zero))
        case 8: record.session.configuration.mode = .dualRoute
        case 9: record.session.configuration.requestedOptions = CategoryOptions(rawValue: .max)
        case 10: record.session.configuration.routeSharingPolicy = .independent
        case 11:
            record.session.preferences.ioBufferDuration = .nan
            record.session.preferences.inputChannels = -1
        case 12: record.session = SessionState(id: id, app: record.session.app, rank: .call)
        case 13: record.session = SessionState(id: id, app: .system)
        case 14: record.session = SessionState(id: SessionID(.max), app: AppID(.max))
        case 15:
            record.session.isRinging = true
            record.session.isDeferred = true
        case 16: record.session.temporaryForegroundUntil = EventTime(nanoseconds: .max)
        default:
            record.session.wasSuspended = true
            record.app = AppState(id: AppID(99))
        }
    }
}

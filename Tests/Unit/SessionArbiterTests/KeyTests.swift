import CSessionGate
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// The numbers of the sessions that duck only while they are audible, in the gates of all.
@Suite struct KeyTests {
    private final class Observer: SessionObserver {
        func receive(_ notice: SessionNotice) {}
        func replaceGate(_ gate: SessionGate) {}
    }

    private let arbiter = InProcessArbiter()
    private let listener: SessionRegistration

    init() throws {
        listener = try arbiter.register(app: arbiter.app, observer: Observer())
        try arbiter.submit(.configure(listener.id, .category(.playback, options: .mixWithOthers)))
        try arbiter.submit(.activate(listener.id))
    }

    private func makeGuide() throws -> SessionRegistration {
        let guide = try arbiter.register(app: arbiter.app, observer: Observer())
        try arbiter.submit(.configure(guide.id, .category(.playback, mode: .voicePrompt, options: .duckOthers)))
        try arbiter.submit(.setDucksOnlyWhileAudible(guide.id, true))
        try arbiter.submit(.activate(guide.id))
        return guide
    }

    /// The number of a session as a key; nil if its gate requests no detection.
    private func key(of session: SessionRegistration) -> UInt8? {
        let detection = sgate_page_detection(session.gate.page)
        return detection.enabled ? detection.key : nil
    }

    private var keysOfListener: UInt16 { sgate_page_keyed_duck(listener.gate.page).keys }

    private var audible: UInt16 { listener.gate.keys.map { sgate_keys_audible($0.page) } ?? .max }

    @Test("DUCK-2, DUCK-3: the gates have the key, its threshold and hold, and the level and ramps of the duck")
    func words() throws {
        let guide = try makeGuide()
        let detection = sgate_page_detection(guide.gate.page)
        #expect(detection.enabled && detection.threshold == 50 && detection.hold_ms == 800)
        let duck = sgate_page_keyed_duck(listener.gate.page)
        #expect(duck.keys == 1 << detection.key && duck.attenuation == 14 * 256)
        #expect(duck.attack_ms == 50 && duck.release_ms == 500)
        #expect(sgate_page_keyed_duck(guide.gate.page).keys == 0)
        try arbiter.submit(.deactivate(guide.id, notifyOthers: true))
        #expect(key(of: guide) == nil && keysOfListener == 0)
    }

    @Test("DUCK-2: sixteen active sessions have different keys; another one receives the first that is free")
    func numbers() throws {
        let guides = try (0..<17).map { _ in try makeGuide() }
        #expect(Set(guides.prefix(16).compactMap(key)).count == 16 && key(of: guides[16]) == nil)
        #expect(
            keysOfListener == .max - 1 << (try #require(key(of: guides[0]))),
            "the sixteen newest, of which one has none")
        try arbiter.submit(.setAudible(guides[16].id, true))
        #expect(listener.gate.grant.attenuation == 14, "without a key, by its message")
        let free = try #require(key(of: guides[3]))
        try arbiter.submit(.deactivate(guides[3].id, notifyOthers: true))
        #expect(key(of: guides[3]) == nil && key(of: guides[16]) == free && keysOfListener & 1 << free != 0)
        try arbiter.submit(.unregister(guides[5].id))
        #expect(key(of: guides[5]) == nil, "its client may still read the gate")
    }

    @Test("DUCK-2, ACT-12: the bit of a session that is gone, silent or no longer a key is cleared")
    func bits() throws {
        let guide = try makeGuide()
        let keys = try #require(listener.gate.keys)
        #expect(guide.gate.keys === keys)
        for ending: PolicyAction in [
            .setAudible(guide.id, false), .setDucksOnlyWhileAudible(guide.id, false), .unregister(guide.id),
        ] {
            sgate_keys_set(keys.page, UInt32(try #require(key(of: guide))), true)
            try arbiter.submit(.setAudible(guide.id, true))
            #expect(audible != 0)
            try arbiter.submit(ending)
            #expect(audible == 0, "\(ending)")
            if case .setDucksOnlyWhileAudible = ending { try arbiter.submit(.setDucksOnlyWhileAudible(guide.id, true)) }
        }
    }

    @Test("ACT-17: a session that claims to be audible, but has not played for too long, is no key of others")
    func claims() throws {
        let guide = try makeGuide()
        try arbiter.submit(.setAudible(guide.id, true))
        try arbiter.submit(.setRunning(guide.id, true))
        #expect(keysOfListener != 0)
        var settings = ArbiterSettings()
        settings.policy.idleDuckRelease = 0.01
        settings.policy.audibleThreshold = .nan
        let impatient = InProcessArbiter(settings: settings)
        let music = try impatient.register(app: impatient.app, observer: Observer())
        let claimant = try impatient.register(app: impatient.app, observer: Observer())
        try impatient.submit(.configure(claimant.id, .category(.playback, options: .duckOthers)))
        try impatient.submit(.setDucksOnlyWhileAudible(claimant.id, true))
        try impatient.submit(.activate(claimant.id))
        try impatient.submit(.setAudible(claimant.id, true))
        #expect(sgate_page_detection(claimant.gate.page).enabled, "a threshold that is no number does no harm")
        #expect(eventually { sgate_page_keyed_duck(music.gate.page).keys == 0 && music.gate.grant.attenuation == 0 })
    }
}

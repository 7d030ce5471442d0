import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestRandom
import TestSupport
import Testing

/// The render thread of an offline driver: renders as fast as possible until it is stopped.
final class Renderer: Sendable {
    private let isOn = Mutex(true)
    private let ended = DispatchSemaphore(value: 0)

    init(_ driver: OfflineDriver) {
        Thread.detachNewThread { [isOn, ended] in
            while isOn.withLock({ $0 }) { _ = try? driver.render(frames: 256) }
            ended.signal()
        }
    }

    /// Stops rendering, and returns when it has stopped.
    func stop() {
        guard
            isOn.withLock({ isOn in
                defer { isOn = false }; return isOn
            })
        else { return }
        ended.wait()
    }
}

/// A host with sessions, each with a participant and a steady signal, and random calls of their
/// public API.
///
/// Unchecked `Sendable`: immutable after init except for the tokens, which only init and deinit
/// access.
final class RandomUseFixture: @unchecked Sendable {
    let driver = OfflineDriver(channels: 1, inputChannels: 1)
    let host: AudioSessionHost
    let arbiter: InProcessArbiter
    let sessions: [AudioSession]
    let participants: [Participant]
    /// Two per session: stopping one must not stop the other's input.
    let inputs: [[AudioSessionInput]]
    private let steady: AudioBuffer
    /// The notifications, in the order of arrival.
    let posted = EventLog<Posted>()
    private var tokens: [any NSObjectProtocol] = []

    init(sessions count: Int) throws {
        var settings = ArbiterSettings.interruptingMicrophone
        settings.logCapacity = 1_000_000
        let host = AudioSessionHost(
            driver: driver, configuration: .init(maximumInputs: 2 * count), settings: settings)
        self.host = host
        arbiter = try #require(host.arbiter as? InProcessArbiter)
        sessions = try (0..<count).map { _ in try AudioSession(host: host) }
        participants = sessions.map { Participant($0) }
        inputs = try sessions.map { session in try (0..<2).map { _ in try AudioSessionInput(session: session) } }
        steady = try AudioBuffer([[Float](repeating: 0.25, count: 4_800)])
        for session in sessions {
            for name in Posted.names {
                tokens.append(
                    NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) {
                        [posted] note in
                        if let seen = Posted(note) { posted.note(seen) }
                    })
            }
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    var ids: [SessionID] { sessions.map { SessionID($0.id) } }

    func status(_ session: AudioSession) -> SessionState? { arbiter.status(of: SessionID(session.id))?.session }

    /// Returns when all pending requests are done and all their consequences have been delivered.
    func settle() {
        for session in sessions { session.settle() }
        host.settle()
    }

    /// Makes one random public call. Refusals are ignored: only the resulting state matters.
    func useAtRandom(_ random: inout SeededGenerator) {
        let index = Int.random(in: 0..<sessions.count, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: activate(sessions[index], &random)
        case 3, 4: configure(sessions[index], &random)
        case 5: request(sessions[index], &random)
        case 6: read(sessions[index], &random)
        case 7: system(&random)
        case 8: device(&random)
        case 9: input(index, &random)
        case 10: plug(sessions[index], &random)
        default: participants[index].run(Bool.random(using: &random))
        }
    }

    private func activate(_ session: AudioSession, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try? session.setActive(false)
        case 1: try? session.setActive(false, options: .notifyOthersOnDeactivation)
        case 2: _ = try? session.engine.play(.buffer(steady), on: session.bus)
        case 3: _ = try? session.requestActivation()
        case 4: try? session.recordRemotePlay()
        case 5: session.activate { _, _ in }
        case 6: session.deactivate(options: .notifyOthersOnDeactivation) { _, _ in }
        case 7: try? session.whileActive { _ = session.isActive }
        default: try? session.setActive(true)
        }
    }

    private func configure(_ session: AudioSession, _ random: inout SeededGenerator) {
        let categories: [AudioSession.Category] = [
            .ambient, .soloAmbient, .playback, .record, .playAndRecord, .multiRoute, .audioProcessing,
        ]
        let modes: [AudioSession.Mode] = [
            .default, .spokenAudio, .voicePrompt, .measurement, .voiceChat, .shortFormVideo,
        ]
        let options: [AudioSession.CategoryOptions] = [
            [], .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers, .defaultToSpeaker,
        ]
        let category = categories.randomElement(using: &random) ?? .playback
        let mode = modes.randomElement(using: &random) ?? .default
        let option = options.randomElement(using: &random) ?? []
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try? session.setCategory(category)
        case 1: try? session.setCategory(category, options: option)
        case 2: try? session.setCategory(category, mode: mode, options: option)
        case 3: try? session.setCategory(.playback, mode: mode, policy: .longFormAudio, options: option)
        case 4: try? session.setMode(mode)
        default: try? session.setOutputMuted(Bool.random(using: &random))
        }
    }

    private func request(_ session: AudioSession, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: try? session.setPreferredSampleRate([0, 44_100, -1].randomElement(using: &random) ?? 0)
        case 1: try? session.setPreferredIOBufferDuration([0, 0.002, 0.005, 0.02].randomElement(using: &random) ?? 0)
        case 2: try? session.setPreferredOutputNumberOfChannels(2)
        case 3: try? session.setPreferredInputNumberOfChannels(1)
        // Limits longer than any test.
        case 4: try? session.setIdleTimeout(Bool.random(using: &random) ? .seconds(80_000) : nil)
        case 5: try? session.setDuckLimit(Bool.random(using: &random) ? .seconds(80_000) : nil)
        default: try? session.setPrefersNoInterruptionsFromSystemAlerts(Bool.random(using: &random))
        }
    }

    private func read(_ session: AudioSession, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: _ = (session.category, session.mode, session.categoryOptions, session.routeSharingPolicy)
        case 1: _ = (session.state, session.explain(), session.isActive, session.isOutputMuted, session.lastRefusal)
        case 2: _ = (session.sampleRate, session.ioBufferDuration, session.outputLatency, session.currentRoute)
        case 3: _ = (session.isOtherAudioPlaying, session.secondaryAudioShouldBeSilencedHint, session.outputVolume)
        case 4: _ = (session.availableCategories, session.availableModes, session.events, session.interruptions)
        default: _ = try? AudioSession(host: host).setActive(Bool.random(using: &random))
        }
    }

    private func input(_ index: Int, _ random: inout SeededGenerator) {
        let input = inputs[index][Int.random(in: 0..<2, using: &random)]
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2: try? input.start()
        case 3: input.stop()
        case 4: try? host.application.setInputMuted(Bool.random(using: &random))
        case 5:
            host.setRecordPermission(
                AudioApplication.RecordPermission.allCases.randomElement(using: &random) ?? .granted)
        case 6: host.application.requestRecordPermission { _ in }
        default: try? host.setMicrophoneMuted(Int.random(in: 0..<3, using: &random) == 0)
        }
    }

    private func plug(_ session: AudioSession, _ random: inout SeededGenerator) {
        let name = ["Headphones", "Speaker", "USB"].randomElement(using: &random) ?? "USB"
        let types: [AudioSession.Port] = [.headphones, .builtInSpeaker, .usbAudio, .HDMI, .bluetoothHFP]
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1:
            let inputs = Int.random(in: 0..<2, using: &random)
            try? host.plug(name, type: types.randomElement(using: &random) ?? .usbAudio, inputs: inputs)
        case 2: try? host.unplug(name)
        case 3: try? host.pickOutput(name + ":output")
        case 4: try? host.pickInput(Bool.random(using: &random) ? name + ":input" : nil)
        case 5: try? session.setPreferredInput(session.availableInputs?.randomElement(using: &random))
        case 6: try? session.overrideOutputAudioPort(Bool.random(using: &random) ? .speaker : .none)
        default: try? session.setPrefersInterruptionOnRouteDisconnect(Bool.random(using: &random))
        }
    }

    private func system(_ random: inout SeededGenerator) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try? host.ring()
        case 1: try? host.declineCall()
        case 2: try? host.acceptCall()
        case 3: try? host.endCall()
        case 4:
            try? host.beginInterruption(by: AudioSessionHost.Interrupter.allCases.randomElement(using: &random) ?? .app)
        default: try? host.endInterruption(shouldResume: Bool.random(using: &random))
        }
    }

    private func device(_ random: inout SeededGenerator) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try? host.setSilentSwitch(Bool.random(using: &random))
        case 1: try? host.setSystemVolume([0, 0.5, 1].randomElement(using: &random) ?? 1)
        case 2: try? host.setScreenLocked(Int.random(in: 0..<4, using: &random) == 0)
        case 3: try? host.setDeclaresBackgroundAudio(Bool.random(using: &random))
        case 4:
            let states = AudioSessionHost.ApplicationState.allCases + [.foreground, .foreground, .foreground]
            try? host.setApplicationState(states.randomElement(using: &random) ?? .foreground)
        case 5: _ = host.format
        case 6: try? host.setDoNotDisturb(Bool.random(using: &random))
        default: host.close()
        }
    }

    /// Restores the defaults with public calls. The first session then plays alone, exactly at full
    /// level.
    func expectUsable() throws {
        try? host.declineCall()
        try? host.endCall()
        while (try? host.endInterruption()) != nil {}
        try host.setDoNotDisturb(false)
        try host.setMicrophoneMuted(false)
        try host.setScreenLocked(false)
        try host.setApplicationState(.foreground)
        try host.setSilentSwitch(false)
        try host.setSystemVolume(1)
        for device in host.devices where device != "server" { try host.unplug(device) }
        for session in sessions { try session.setActive(false) }
        let first = try #require(sessions.first)
        try first.setCategory(.playback)
        try first.setOutputMuted(false)
        try first.setActive(true)
        host.settle()
        #expect(first.explain().isEmpty)
        try driver.render(frames: 96_000)
        try first.engine.play(.buffer(steady, loop: .forever), on: first.bus)
        #expect(try driver.render(frames: 48_000).first?.suffix(4_800).allSatisfy { $0 == 0.25 } == true)
    }
}

import Foundation
package import SessionArbiter
package import SessionPolicy

/// One valid message of every kind, in both directions: the corpus that the fuzzers mutate.
package enum MessageCorpus {
    /// Represents a session of the sender.
    package static let session = SessionID(5)
    /// Represents the sender.
    package static let app = AppID(7)

    private static let device = AudioDevice(
        uid: "usb",
        ports: [
            DevicePort(uid: "usb-out", name: "USB out", type: .usbAudio, direction: .output, channels: 2),
            DevicePort(uid: "usb-in", name: "USB in", type: .usbAudio, direction: .input, channels: 1),
        ])

    private static let changes: [ConfigurationChange] =
        [.mode(.moviePlayback), .category(.ambient), .category(.record), .category(.multiRoute)]
        + [
            CategoryOptions.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers, .allowAirPlay,
            .defaultToSpeaker,
        ]
        .map { .category(.playAndRecord, mode: .default, options: $0) }
        + [.category(.playback, mode: .spokenAudio, routeSharingPolicy: .longFormAudio)]

    package static let actions: [PolicyAction] =
        [
            .register(session, app: app), .unregister(session), .appDied(app), .activate(session),
            .requestActivation(session), .deactivate(session, notifyOthers: true),
            .deactivate(session, notifyOthers: false),
            .preferNoInterruptionsFromSystemAlerts(session, true), .setOutputMuted(session, true),
            .setRunning(session, true), .setPaused(session, true), .setInputRunning(session, true),
            .setDucksOnlyWhileAudible(session, true), .setAudible(session, true),
            .remotePlay(session), .playSystemSounds(session), .releaseIdle(session, .all),
            .preferInput(session, "usb-in"), .preferInput(session, nil), .overrideOutput(session, toSpeaker: true),
            .preferInterruptionOnRouteDisconnect(session, false), .userPaused(session), .acceptCall(session),
            .endSystemSession(session, shouldResume: false), .setDeclaresBackgroundAudio(app, true),
            .setInputMuted(app, true), .setScreenLocked(true), .setScreenLocked(false), .plug(device), .unplug("usb"),
            .pick(.output, "usb-out"), .pick(.input, nil), .setSilentSwitch(true), .setDoNotDisturb(true),
            .setMicrophoneMuted(true), .setMicrophoneMuted(false), .setVolume(0.5), .setRingVolume(1),
            .prefer(session, .sampleRate(44_100)), .prefer(session, .ioBufferDuration(0.005)),
            .prefer(session, .inputChannels(1)), .prefer(session, .outputChannels(-2)),
            .setApplicationState(app, .background), .setApplicationState(app, .foreground),
            .setApplicationState(app, .suspended), .setRecordPermission(app, .granted),
            .setRecordPermission(app, .denied),
            .beginSystemSession(session, rank: .call, isRinging: true),
            .setRemoteCommands(session, [.play, .pause, .seek]), .setRemoteCommands(session, []),
            .setNowPlaying(
                session, NowPlayingInfo(.playing, title: "A", artworkURL: "file:///a.png", duration: 9, position: 1)),
            .setNowPlaying(session, nil), .remoteCommand(.play), .remoteCommand(.seek(to: 3)),
            .remoteCommand(.setRepeatMode(.all)), .remoteCommand(.setShuffled(true)),
        ] + changes.map { .configure(session, $0) }

    /// One valid request of every kind that clients send.
    package static func requests(restoring record: SessionRecord) -> [ClientMessage.Request] {
        [
            .hello(.init()), .hello(.init(arbiter: 9, restoring: 2)),
            .join(
                .init(
                    restoring: 1, application: record.app,
                    bufferSizeOverride: BufferSizeOverride(before: 1_024, ours: 256),
                    sampleRateOverride: SampleRateOverride(before: 48_000, ours: 44_100))),
            .restore(.init(record: record, gate: GateWords(grant: .max, volume: 1))), .register(app: nil),
            .register(app: app), .bufferSizeOverride(nil),
            .bufferSizeOverride(BufferSizeOverride(before: 1_024, ours: 256)),
            .sampleRateOverride(nil), .sampleRateOverride(SampleRateOverride(before: 48_000, ours: 44_100)),
            .permission(program: nil, nil),
            .permission(program: "/bin/true", .granted), .describe(session, nil),
            .describe(
                session,
                SessionDescription(name: "A", evidence: "role", detail: "B", entry: "C", controls: ["level", "hold"])),
            .report, .log(after: 3, follows: true),
            .log(after: 0, follows: false), .history, .nowPlaying, .keys, .synchronise, .pong(4),
        ] + Rank.allCases.map { .beginSystemSession(rank: $0, isRinging: $0 == .call, isKept: $0 == .alarm) }
            + actions.map { .submit($0) }
    }

    /// The same requests, encoded as packets.
    package static func packets(restoring record: SessionRecord) throws -> [[UInt8]] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try requests(restoring: record).map { Array(try encoder.encode(ClientMessage(serial: 1, $0))) }
    }

    /// The record of a session with some history.
    package static let record: SessionRecord = {
        let policy = Policy()
        var state = PolicyState()
        for action: PolicyAction in [
            .plug(device), .register(session, app: app),
            .configure(session, .category(.playAndRecord, mode: .voiceChat, options: .allowAirPlay)),
            .activate(session),
            .prefer(session, .sampleRate(48_000)), .setRunning(session, true), .setInputMuted(app, true),
        ] {
            if let next = try? policy.apply(PolicyEvent(action, at: EventTime(nanoseconds: 77)), to: state) {
                state = next.state
            }
        }
        return SessionRecord(
            session: state[session] ?? PolicyState().record(of: session, GrantOrder())?.session ?? state.sessions[0],
            grantNumber: 3,
            pending: 4, app: state.app(app), resolvedGrant: policy.resolvedGrants(in: state).first)
    }()
}

import SessionPolicy

/// One value of every case of all types that are encoded as JSON.
enum JSONSamples {
    static let route = Route(inputs: [.input("mic", .builtInMic)], outputs: [.output("spk", .builtInSpeaker)])
    static let device = AudioDevice(uid: "usb", ports: [.output("usb-out", .usbAudio), .input("usb-in", .usbAudio)])
    static let served = AudioDevice(uid: "hdmi", ports: [.output("hdmi-out", .hdmi, channels: 8)], server: "studio")

    static let changes: [ConfigurationChange] =
        [
            .mode(.moviePlayback), .category(.ambient), .category(.playback, mode: .spokenAudio),
            .category(.playback, options: .interruptSpokenAudioAndMixWithOthers, routeSharingPolicy: .longFormVideo),
        ] + CategoryOptions.named.map { .category(.playAndRecord, mode: .default, options: $0.option) }
        + RouteSharingPolicy.allCases.map { .category(.playback, routeSharingPolicy: $0) }

    static let preferences: [Preference] = [
        .sampleRate(44_100), .ioBufferDuration(0.005), .inputChannels(1), .outputChannels(-2),
    ]

    private static let id = SessionID(5)
    private static let app = AppID(.max)

    static let info = NowPlayingInfo(
        .playing, trackIdentifier: "7", title: "A \"title\"", artist: "Somebody", album: "An album",
        artworkURL: "file:///cover.png", duration: 200.25, position: 12.5, rate: 1.5, isShuffled: true,
        repeatMode: .one)

    static let commands: [RemoteCommand] =
        [
            .play, .pause, .togglePlayPause, .stop, .nextTrack, .previousTrack, .skip(by: -10.5), .seek(to: 12.5),
            .setRate(2), .setShuffled(true), .raise, .quit,
        ] + RepeatMode.allCases.map { .setRepeatMode($0) }

    static let actions: [PolicyAction] =
        [
            .register(SessionID(.max), app: app), .unregister(id), .appDied(app), .activate(id),
            .requestActivation(id), .deactivate(id, notifyOthers: true),
            .preferNoInterruptionsFromSystemAlerts(id, true), .setOutputMuted(id, false), .setRunning(id, true),
            .setPaused(id, true), .releaseIdle(id, .ducking), .setDucksOnlyWhileAudible(id, true),
            .setAudible(id, false),
            .setInputRunning(id, false), .remotePlay(id), .playSystemSounds(id), .preferInput(id, "usb-in"),
            .preferInput(id, nil),
            .overrideOutput(id, toSpeaker: true), .preferInterruptionOnRouteDisconnect(id, false), .userPaused(id),
            .acceptCall(id), .endSystemSession(id, shouldResume: false), .setDeclaresBackgroundAudio(app, true),
            .setInputMuted(app, true), .setScreenLocked(true), .plug(device), .unplug("usb"),
            .setDevices(app, server: "studio", [device, served]), .setDevices(app, server: "default", []),
            .resetSessions(app),
            .pick(.output, "usb-out"), .pick(.input, nil), .setSilentSwitch(true), .setDoNotDisturb(false),
            .setMicrophoneMuted(true), .setVolume(0.1), .setRingVolume(1),
        ] + changes.map { .configure(id, $0) } + preferences.map { .prefer(id, $0) }
        + Rank.allCases.map { .beginSystemSession(id, rank: $0, isRinging: $0 == .call) }
        + ApplicationState.allCases.map { .setApplicationState(app, $0) }
        + RecordPermission.allCases.map { .setRecordPermission(app, $0) }
        + commands.map { .remoteCommand($0) }
        + [[], Set(RemoteCommand.Kind.allCases)].map { .setRemoteCommands(id, $0) }
        + NowPlayingInfo.PlaybackState.allCases.map { .setNowPlaying(id, NowPlayingInfo($0)) }
        + [.setNowPlaying(id, info), .setNowPlaying(id, nil)]

    static let kinds: [Effect.Kind] =
        [
            .activated, .deactivated, .deactivatedBySystem, .interruptionEnded(shouldResume: true), .waitMoved,
            .waitLapsed, .outputDisconnected, .availableInputsChanged, .silenceSecondaryAudioHint(true),
            .outputVolumeChanged(0.3), .outputMuteChanged(true), .recordPermissionNeeded, .inputMuteChanged(false),
            .stateChanged,
        ] + InterruptionReason.allCases.map { .interruptionBegan($0) }
        + RouteChangeReason.allCases.map { .routeChanged(previous: route, $0) }
        + RecordPermission.allCases.map { .recordPermissionChanged($0) } + commands.map { .remoteCommand($0) }

    static let effects: [Effect] = kinds.flatMap { [Effect(id, $0, .act2), Effect(id, $0, .int6, by: SessionID(7))] }

    static let activities: [SessionState.Activity] = [
        .inactive(since: .zero), .active(since: EventTime(nanoseconds: .max)),
        .waiting(.init(interrupter: id, rule: .act4, reason: .default, since: EventTime(nanoseconds: 7))),
        .waiting(.init(interrupter: nil, rule: .int10, reason: .builtInMicMuted, since: .zero, mayResume: false)),
    ]
}

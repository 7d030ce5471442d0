import SessionPolicy
import TestRandom

/// Random actions of four sessions of two apps, three system sessions, and three devices.
enum RandomWalk {
    static let apps: [SessionID] = (1...4).map { SessionID($0) }
    static let calls: [SessionID] = (100...102).map { SessionID($0) }

    static let devices: [AudioDevice] = [
        AudioDevice(uid: "usb", ports: [.output("usb-out", .usbAudio), .input("usb-in", .usbAudio)]),
        AudioDevice(uid: "machine", ports: [.output("spk", .builtInSpeaker), .input("mic", .builtInMic)]),
        AudioDevice(uid: "tv", ports: [.output("tv-out", .airPlay)]),
    ]

    /// Devices that a server may have; two servers have the same ones.
    static let served: [AudioDevice] = [
        AudioDevice(uid: "usb", ports: [.output("usb-out", .usbAudio), .input("usb-in", .usbAudio)]),
        AudioDevice(uid: AudioDevice.serverUID, ports: [.output("output", .virtual), .input("input", .virtual)]),
        AudioDevice(uid: "hdmi", ports: [.output("hdmi-out", .hdmi)]),
    ]

    /// Returns the app of a session. Each app has two.
    static func owner(_ session: SessionID) -> AppID { AppID((session.rawValue + 1) / 2) }

    /// Returns a random action. Many of them are refused.
    static func action(_ random: inout SeededGenerator) -> PolicyAction {
        let app = apps[Int.random(in: 0..<apps.count, using: &random)]
        let call = calls[Int.random(in: 0..<calls.count, using: &random)]
        let yes = Bool.random(using: &random)
        switch Int.random(in: 0..<49, using: &random) {
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
        case 44: return yes ? .resetSessions(owner(app)) : .activate(app)
        case 42, 43:
            let seen = served.filter { _ in Bool.random(using: &random) }
            return .setDevices(owner(app), server: yes ? "studio" : "cellar", seen)
        case 45: return .setRemoteCommands(app, yes ? [.play, .pause, .seek] : [])
        case 46: return .setNowPlaying(app, NowPlayingInfo(yes ? .playing : .paused, title: "A", position: 1))
        case 47: return .remoteCommand(yes ? .play : .nextTrack)
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
        case 48: return .playSystemSounds(app)
        case 26: return .setScreenLocked(yes && Int.random(in: 0..<4, using: &random) == 0)
        default: return .setSilentSwitch(yes)
        }
    }
}

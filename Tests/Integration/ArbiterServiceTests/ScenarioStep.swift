import Glibc
import SessionPolicy
import TestRandom
import TestSupport

/// One step of a scenario that a Swift app and a C app play alike.
enum ScenarioStep: Hashable, Sendable {
    // What the app does
    case configure(Configuration)
    case play(Bool)
    case activate
    case requestActivation
    case deactivate(notifyOthers: Bool)
    case prefer(Preference)
    case preferNoInterruptionsFromSystemAlerts(Bool)
    case muteOutput(Bool)
    case muteInput(Bool)
    case record(Bool)
    case duckOnlyWhileAudible(Bool)
    case overrideToSpeaker(Bool)
    case preferInterruptionOnRouteDisconnect(Bool)
    /// By the position among the available inputs; nil: none.
    case preferInput(Int?)
    case userPaused
    case handle(Set<RemoteCommand.Kind>)
    /// The app's audio server has one more device, or no longer has it.
    case plug(AudioDevice)
    case unplug(AudioDevice)

    // What the trusted client does
    case system(PolicyAction)
    case begin(Rank, isRinging: Bool)
    /// The call that began last.
    case acceptCall
    /// The system session that began last.
    case end(shouldResume: Bool)
    case other(OtherStep)

    /// What the trusted client's own session does.
    enum OtherStep: Hashable, Sendable {
        case configure(Configuration)
        case activate
        case deactivate(notifyOthers: Bool)
        case play(Bool)
    }
}

/// A random scenario.
struct Scenario: Sendable {
    /// This program, which is both apps at their own services.
    static var app: AppID { AppID(UInt64(getpid())) }
    static let server = "offline"
    /// The device that is always there: all ports play to the one channel of the offline driver.
    static let base = AudioDevice.headset("base")

    let seed: UInt64
    var steps: [ScenarioStep]
    /// How many frames are rendered after each step.
    var frames: [Int]

    /// A scenario of these steps, after each of which a block is rendered.
    init(_ steps: [ScenarioStep]) {
        (seed, self.steps) = (0, steps)
        frames = steps.map { _ in 480 }
    }

    init(seed: UInt64, count: Int) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        steps = [
            .configure(Configuration(category: .playback)), .play(true), .activate,
        ]
        steps += (0..<count).map { _ in Scenario.step(&random) }
        frames = steps.map { _ in random.pick([0, 1, 100, 256, 777, 2_048, 6_000]) }
    }

    // MARK: Steps

    private static func step(_ random: inout SeededGenerator) -> ScenarioStep {
        switch random.below(20) {
        case 0...2: .configure(configuration(&random))
        case 3...5: .activate
        case 6: .requestActivation
        case 7, 8: .deactivate(notifyOthers: !random.oneIn(3))
        case 9: .play(random.oneIn(2))
        case 10...12: appStep(&random)
        case 13...16: systemStep(&random)
        default: .other(otherStep(&random))
        }
    }

    private static func appStep(_ random: inout SeededGenerator) -> ScenarioStep {
        let flag = random.oneIn(2)
        return switch random.below(12) {
        case 0: .prefer(.sampleRate(random.pick([0, 44_100, 48_000, 5])))
        case 1: .prefer(.ioBufferDuration(random.pick([0, 0.002, 0.01, 0.05, 20])))
        case 2: .prefer(random.pick([.inputChannels(1), .outputChannels(2), .outputChannels(2_000)]))
        case 3: .preferNoInterruptionsFromSystemAlerts(flag)
        case 4: .muteOutput(flag)
        case 5: .muteInput(flag)
        case 6: .record(flag)
        case 7: .overrideToSpeaker(flag)
        case 8: .preferInterruptionOnRouteDisconnect(flag)
        case 9: .preferInput(random.pick([0, 1, nil]))
        case 10: random.oneIn(2) ? .userPaused : .duckOnlyWhileAudible(flag)
        default: random.oneIn(3) ? .handle([.play, .pause]) : plugStep(&random)
        }
    }

    private static func plugStep(_ random: inout SeededGenerator) -> ScenarioStep {
        let device = random.pick(devices)
        return random.oneIn(3) ? .unplug(device) : .plug(device)
    }

    private static let devices = [
        AudioDevice.headset("headset"), .output("speaker", .builtInSpeaker), .output("table", .usbAudio),
    ]

    private static func configuration(_ random: inout SeededGenerator) -> Configuration {
        let category = random.pick([.playback, .playback, .playback] + SessionPolicy.Category.allCases)
        let suited = Mode.allCases.filter { $0.suits(category) }
        let mode: Mode =
            random.oneIn(2) ? .default : random.oneIn(10) ? random.pick(Mode.allCases) : random.pick(suited)
        let options = random.pick(
            [
                [], [], .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers, .defaultToSpeaker,
                [.duckOthers, .allowBluetoothA2DP], .overrideMutedMicrophoneInterruption,
            ] as [CategoryOptions])
        let policy: RouteSharingPolicy = random.oneIn(8) ? random.pick([.longFormAudio, .longFormVideo]) : .default
        return Configuration(category: category, mode: mode, requestedOptions: options, routeSharingPolicy: policy)
    }

    private static func systemStep(_ random: inout SeededGenerator) -> ScenarioStep {
        let flag = random.oneIn(2)
        switch random.below(14) {
        case 0...2: return .begin(.call, isRinging: true)
        case 3: return .begin(random.pick([.call, .alarm, .assistant, .sleep]), isRinging: false)
        case 4, 5: return .acceptCall
        case 6...8: return .end(shouldResume: flag)
        case 9: return .system(.setSilentSwitch(flag))
        case 10: return .system(.setVolume(random.pick([0, 0.25, 0.5, 1])))
        case 11: return .system(random.oneIn(2) ? .setMicrophoneMuted(flag) : .setDoNotDisturb(flag))
        case 12: return .system(random.oneIn(2) ? .setScreenLocked(flag) : .remoteCommand(flag ? .play : .pause))
        default: return .system(appLife(&random))
        }
    }

    /// Something about the app that the trusted client reports.
    private static func appLife(_ random: inout SeededGenerator) -> PolicyAction {
        switch random.below(4) {
        case 0: .setRecordPermission(Scenario.app, random.pick([.granted, .denied]))
        case 1: .setDeclaresBackgroundAudio(Scenario.app, random.oneIn(2))
        default: .setApplicationState(Scenario.app, random.pick([.foreground, .foreground, .background, .suspended]))
        }
    }

    private static func otherStep(_ random: inout SeededGenerator) -> ScenarioStep.OtherStep {
        switch random.below(6) {
        case 0, 1: .configure(configuration(&random))
        case 2, 3: .activate
        case 4: .deactivate(notifyOthers: random.oneIn(2))
        default: .play(random.oneIn(2))
        }
    }
}

import ArbiterTesting
import AudioRendering
import AudioSessions
import SessionArbiter
import SessionPolicy
import TestSupport

/// The Swift app: a session of a host that the service arbitrates, with one voice in its engine.
final class SwiftScenarioClient: ScenarioClient {
    private let driver = OfflineDriver(sampleRate: 48_000, channels: 1, inputChannels: 1, periodFrames: 256)
    private let host: AudioSessionHost
    private let audioSession: AudioSession
    private let input: AudioSessionInput
    private let voice: Voice
    private var events: AsyncStream<AudioSessionEvent>

    init(_ socket: String, playing samples: [Float]) throws {
        driver.plug(Scenario.base)
        host = AudioSessionHost(driver: driver, arbiter: try RemoteArbiter(at: try ArbiterAddress(path: socket)))
        audioSession = try AudioSession(host: host)
        audioSession.setPlaying(false)
        input = try AudioSessionInput(session: audioSession)
        voice = try audioSession.engine.play(.buffer(try AudioBuffer([samples])), on: audioSession.bus)
        events = audioSession.events
        _ = host.format  // opens the driver, and reports the devices
        host.settle()
    }

    var session: SessionID { SessionID(audioSession.id) }

    // MARK: Steps

    func perform(_ step: ScenarioStep) throws -> ScenarioResult? {
        do {
            guard try call(step) else { return nil }
            return .done
        } catch let error as AudioSessionError {
            return ScenarioResult(
                code: (error.underlying as? Refusal)?.code.rawValue ?? "\(error.errorCode)", rule: error.rule ?? "",
                by: audioSession.lastRefusal?.by ?? 0, message: error.description)
        }
    }

    private func call(_ step: ScenarioStep) throws -> Bool {
        switch step {
        case .configure(let configuration):
            try audioSession.setCategory(
                AudioSession.Category(rawValue: Self.name("Category", configuration.category.rawValue)),
                mode: AudioSession.Mode(rawValue: Self.name("Mode", configuration.mode.rawValue)),
                policy: configuration.routeSharingPolicy, options: configuration.requestedOptions)
        case .play(let isPlaying): audioSession.setPlaying(isPlaying)
        case .activate: try audioSession.setActive(true)
        case .requestActivation: try audioSession.requestActivation()
        case .deactivate(let notifies):
            try audioSession.setActive(false, options: notifies ? .notifyOthersOnDeactivation : [])
        case .record(let isRecording): isRecording ? try input.start() : input.stop()
        case .handle(let commands):
            let handler: AudioSessionRemoteControl.Handler = { _ in }
            try audioSession.remoteControl.setHandler(for: [.play, .pause], commands.isEmpty ? nil : handler)
        case .userPaused: audioSession.userPaused()
        case .plug(let device): driver.plug(device)
        case .unplug(let device): driver.unplug(device.uid)
        default: return try set(step)
        }
        return true
    }

    /// Returns the name of a category or mode in AVAudioSession.
    private static func name(_ type: String, _ value: String) -> String {
        "AVAudioSession" + type + value.prefix(1).uppercased() + value.dropFirst()
    }

    private func set(_ step: ScenarioStep) throws -> Bool {
        switch step {
        case .prefer(.sampleRate(let rate)): try audioSession.setPreferredSampleRate(rate)
        case .prefer(.ioBufferDuration(let duration)): try audioSession.setPreferredIOBufferDuration(duration)
        case .prefer(.inputChannels(let count)): try audioSession.setPreferredInputNumberOfChannels(count)
        case .prefer(.outputChannels(let count)): try audioSession.setPreferredOutputNumberOfChannels(count)
        case .preferNoInterruptionsFromSystemAlerts(let prefers):
            try audioSession.setPrefersNoInterruptionsFromSystemAlerts(prefers)
        case .muteOutput(let isMuted): try audioSession.setOutputMuted(isMuted)
        case .muteInput(let isMuted): try host.application.setInputMuted(isMuted)
        case .duckOnlyWhileAudible(let isOn): try audioSession.setDucksOnlyWhileAudible(isOn)
        case .overrideToSpeaker(let overrides): try audioSession.overrideOutputAudioPort(overrides ? .speaker : .none)
        case .preferInterruptionOnRouteDisconnect(let prefers):
            try audioSession.setPrefersInterruptionOnRouteDisconnect(prefers)
        case .preferInput(let index):
            let inputs = audioSession.availableInputs ?? []
            try audioSession.setPreferredInput(index.flatMap { inputs.indices.contains($0) ? inputs[$0] : nil })
        default: return false
        }
        return true
    }

    // MARK: Consequences

    func settle() throws { audioSession.settle() }

    func takeEvents() async -> [String] {
        let last = events
        events = audioSession.events
        // A task that has been cancelled reads what the stream holds, and does not wait for more.
        let task = Task {
            var names: [String] = []
            for await event in last { if let name = event.scenarioName { names.append(name) } }
            return names
        }
        task.cancel()
        return await task.value
    }

    var view: ScenarioView {
        let state = audioSession.state
        return ScenarioView(
            activity: state.activity == .running ? .active : state.activity == .interrupted ? .interrupted : .inactive,
            isOtherAudioPlaying: audioSession.isOtherAudioPlaying,
            secondaryAudioShouldBeSilenced: audioSession.secondaryAudioShouldBeSilencedHint,
            isInputAvailable: audioSession.isInputAvailable, volume: audioSession.outputVolume, isMuted: state.isMuted,
            attenuation: Int((state.attenuation * 256).rounded()),
            outputs: audioSession.currentRoute.outputs.map(\.uid),
            inputs: audioSession.currentRoute.inputs.map(\.uid),
            availableInputs: (audioSession.availableInputs ?? []).map(\.uid),
            permission: "\(host.application.recordPermission)")
    }

    // MARK: Sound

    var period: Int? { driver.isRendering ? driver.format?.periodFrames : nil }

    func render(_ frames: Int, period: Int) throws -> [Float] { try driver.render(frames: frames)[0] }
}

extension AudioSessionEvent {
    /// The name that the event has for both apps; nil if the C library reports it otherwise or not
    /// at all.
    fileprivate var scenarioName: String? {
        switch self {
        case .interruptionBegan(let reason): "interruption began: \(reason)"
        case .interruptionEnded(let shouldResume): "interruption ended: \(shouldResume)"
        case .silenceSecondaryAudioHint(let hint): "silence hint: \(hint == .begin)"
        case .routeChanged(let reason): "route changed: \(reason)"
        case .outputVolumeChanged(let volume): "volume: \(volume)"
        case .inputMuteChanged(let isMuted): "input muted: \(isMuted)"
        case .outputMuteChanged(let isMuted): "output muted: \(isMuted)"
        case .availableInputsChanged: "available inputs"
        case .recordPermissionChanged: "permission"
        case .activationGranted: "activated"
        case .remoteCommand(let command): "command: \(command.kind.rawValue)"
        case .becameInactive(.background), .becameInactive(.suspension), .becameInactive(.cutOff): "deactivated"
        case .becameActive, .becameInactive, .stateChanged, .hardwareChanged, .xrun, .mediaServicesWereLost,
            .mediaServicesWereReset:
            nil
        }
    }
}

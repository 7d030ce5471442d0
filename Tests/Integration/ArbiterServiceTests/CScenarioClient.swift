import ArbiterTesting
import CAudioSession
import Foundation
import SessionPolicy

/// The C app: a session of the C library, whose audio callback applies the gate to the next samples
/// of its source.
final class CScenarioClient: ScenarioClient {
    private let client: CSession
    private let samples: [Float]
    /// The devices of the audio server, the oldest first.
    private var devices: [AudioDevice] = []
    /// The next frame of the source.
    private var position = 0
    /// The audio server, which the C app shares with the Swift app. Unowned: that app ends before
    /// its service does.
    private unowned let server: SwiftScenarioClient

    init(_ socket: String, playing samples: [Float], on server: SwiftScenarioClient) throws {
        client = try CSession(socket)
        self.samples = samples
        self.server = server
        _ = try perform(.plug(Scenario.base))
        _ = cycle(1)  // its callback runs before the session is active
    }

    var session: SessionID { client.id }

    // MARK: Steps

    func perform(_ step: ScenarioStep) throws -> ScenarioResult? {
        var error = asession_error_t()
        guard let status = try call(step, client.session, &error) ?? set(step, client.session, &error) else {
            return nil
        }
        guard status != ASESSION_OK else { return .done }
        let code = status == ASESSION_REFUSED ? error.codeName : "status \(status.rawValue) \(error.codeName)"
        return ScenarioResult(code: code, rule: error.ruleName, by: error.by, message: error.text)
    }

    private func call(
        _ step: ScenarioStep, _ session: OpaquePointer, _ error: inout asession_error_t
    ) throws -> asession_status_t? {
        switch step {
        case .configure(let configuration):
            return asession_set_category_and_policy(
                session, asession_category_t(configuration.category), asession_mode_t(configuration.mode),
                asession_route_sharing_policy_t(configuration.routeSharingPolicy),
                UInt32(configuration.requestedOptions.rawValue), &error)
        case .play(let isPlaying): return asession_set_playing(session, isPlaying, &error)
        case .activate: return asession_activate(session, &error)
        case .requestActivation: return asession_request_activation(session, &error)
        case .deactivate(let notifies): return asession_deactivate(session, notifies, &error)
        case .record(let isRecording): return asession_set_recording(session, isRecording, &error)
        case .handle(let commands):
            let mask: UInt32 =
                commands.isEmpty ? 0 : 1 << ASESSION_COMMAND_PLAY.rawValue | 1 << ASESSION_COMMAND_PAUSE.rawValue
            return asession_set_remote_commands(session, mask, &error)
        case .userPaused:
            _ = asession_user_paused(session, &error)
            return ASESSION_OK
        case .plug(let device):
            if !devices.contains(device) { devices.append(device) }
            return try reportDevices(&error)
        case .unplug(let device):
            devices.removeAll { $0 == device }
            return try reportDevices(&error)
        default: return nil
        }
    }

    /// Reports the devices of the audio server, as a program does that follows them itself.
    private func reportDevices(_ error: inout asession_error_t) throws -> asession_status_t {
        let all = devices.map { AudioDevice(uid: $0.uid, ports: $0.ports, server: Scenario.server) }
        let report = try JSONEncoder().encode(PolicyAction.setDevices(Scenario.app, server: Scenario.server, all))
        asession_free(asession_request(client.session, String(decoding: report, as: UTF8.self), &error))
        return error.status
    }

    private func set(
        _ step: ScenarioStep, _ session: OpaquePointer, _ error: inout asession_error_t
    ) -> asession_status_t? {
        switch step {
        case .prefer(.sampleRate(let rate)): return asession_prefer(session, ASESSION_SAMPLE_RATE, rate, &error)
        case .prefer(.ioBufferDuration(let duration)):
            return asession_prefer(session, ASESSION_IO_BUFFER_DURATION, duration, &error)
        case .prefer(.inputChannels(let count)):
            return asession_prefer(session, ASESSION_INPUT_CHANNELS, Double(count), &error)
        case .prefer(.outputChannels(let count)):
            return asession_prefer(session, ASESSION_OUTPUT_CHANNELS, Double(count), &error)
        case .preferNoInterruptionsFromSystemAlerts(let prefers):
            return asession_prefer_no_interruptions_from_system_alerts(session, prefers, &error)
        case .muteOutput(let isMuted): return asession_set_output_muted(session, isMuted, &error)
        case .muteInput(let isMuted): return asession_set_input_muted(session, isMuted, &error)
        case .duckOnlyWhileAudible(let isOn): return asession_set_ducks_only_while_audible(session, isOn, &error)
        case .overrideToSpeaker(let overrides): return asession_override_output_to_speaker(session, overrides, &error)
        case .preferInterruptionOnRouteDisconnect(let prefers):
            return asession_prefer_interruption_on_route_disconnect(session, prefers, &error)
        case .preferInput(let index):
            let inputs = client.ports(ASESSION_AVAILABLE_INPUTS)
            let uid = index.flatMap { inputs.indices.contains($0) ? inputs[$0].uid : nil }
            return asession_prefer_input(session, uid, &error)
        default: return nil
        }
    }

    // MARK: Consequences

    func settle() throws {
        _ = try client.text { asession_request($0, #"{"request": "synchronise"}"#, $1) }
        asession_dispatch(client.session)
    }

    func takeEvents() async -> [String] {
        var names: [String] = []
        var event = asession_event_t()
        while asession_next_event(client.session, &event) { if let name = event.scenarioName { names.append(name) } }
        return names
    }

    var view: ScenarioView {
        let (state, gate) = (client.state, asession_gate_read(client.gate))
        let permissions = [
            ASESSION_PERMISSION_UNDETERMINED: "undetermined", ASESSION_PERMISSION_DENIED: "denied",
            ASESSION_PERMISSION_GRANTED: "granted",
        ]
        return ScenarioView(
            activity: state.activity == ASESSION_ACTIVE
                ? .active : state.activity == ASESSION_INTERRUPTED ? .interrupted : .inactive,
            isOtherAudioPlaying: state.is_other_audio_playing,
            secondaryAudioShouldBeSilenced: state.secondary_audio_should_be_silenced,
            isInputAvailable: state.is_input_available, volume: Float(state.volume), isMuted: gate.is_muted,
            attenuation: Int((gate.attenuation * 256).rounded()),
            outputs: client.ports(ASESSION_ROUTE_OUTPUTS).map(\.uid),
            inputs: client.ports(ASESSION_ROUTE_INPUTS).map(\.uid),
            availableInputs: client.ports(ASESSION_AVAILABLE_INPUTS).map(\.uid),
            permission: permissions[asession_record_permission(client.session)] ?? "unknown")
    }

    // MARK: Sound

    var period: Int? { server.period }

    /// Renders as a JACK client does that is connected to the outputs of its route, if there are
    /// any.
    func render(_ frames: Int, period: Int) throws -> [Float] {
        var output: [Float] = []
        while output.count < frames { output += cycle(min(period, frames - output.count)) }
        return client.ports(ASESSION_ROUTE_OUTPUTS).isEmpty ? [Float](repeating: 0, count: frames) : output
    }

    private func cycle(_ frames: Int) -> [Float] {
        let audible = Int(asession_gate_begin(client.gate, UInt32(frames)))
        var block = [Float](repeating: 0, count: frames)
        for frame in 0..<audible { block[frame] = samples[position + frame] }
        position += audible
        block.withUnsafeMutableBufferPointer { buffer in
            var plane = buffer.baseAddress
            withUnsafePointer(to: &plane) { _ = asession_gate_apply(client.gate, $0, 1, UInt32(frames)) }
        }
        return block
    }
}

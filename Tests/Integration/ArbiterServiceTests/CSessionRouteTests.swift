import ArbiterTesting
import CAudioSession
import Glibc
import SessionArbiter
import SessionPolicy
import Testing

@Suite("Routes and recording of sessions in C", .serialized)
struct CSessionRouteTests {
    private static let headset = AudioDevice(
        uid: "usb:headset",
        ports: [
            DevicePort(uid: "usb:headset:out", name: "Headset", type: .headphones, direction: .output, channels: 2),
            DevicePort(
                uid: "usb:headset:in", name: "Headset microphone", type: .headsetMic, direction: .input, channels: 1),
        ])
    private static let microphone = AudioDevice(
        uid: "table",
        ports: [DevicePort(uid: "table:in", name: "Table", type: .usbAudio, direction: .input, channels: 2)])

    private func record(_ stage: ServiceFixture) throws -> CSession {
        let session = try CSession(stage.folder.socket)
        try session.ask { asession_set_category($0, ASESSION_PLAY_AND_RECORD, ASESSION_MODE_DEFAULT, 0, $1) }
        try session.ask { asession_activate($0, $1) }
        return session
    }

    @Test("ROUTE-1, ROUTE-2, ROUTE-3: the route lists ports, and follows what is plugged in and unplugged")
    func route() throws {
        let stage = try ServiceFixture(trusted: true)
        let session = try record(stage)
        #expect(session.ports(ASESSION_ROUTE_OUTPUTS).isEmpty)
        try stage.witness.ask(.plug(Self.headset))
        #expect(session.waits { session.ports(ASESSION_ROUTE_OUTPUTS).count == 1 })
        #expect(
            session.waits {
                session.events.contains {
                    $0.kind == ASESSION_EVENT_ROUTE_CHANGED && $0.reasonName == "newDeviceAvailable"
                }
            })
        #expect(session.ports(ASESSION_ROUTE_OUTPUTS) == [.init("usb:headset:out", "Headset", "headphones", 2)])
        #expect(
            session.ports(ASESSION_ROUTE_INPUTS) == [.init("usb:headset:in", "Headset microphone", "headsetMic", 1)])
        #expect(session.ports(asession_ports_t(rawValue: 3)).isEmpty)
        try session.ask { asession_set_playing($0, true, $1) }
        try stage.witness.ask(.unplug("usb:headset"))
        #expect(try session.awaits(ASESSION_EVENT_INTERRUPTION_BEGAN).reasonName == "routeDisconnected")
        #expect(session.waits { session.ports(ASESSION_ROUTE_OUTPUTS).isEmpty })
        // A session that goes on elsewhere learns that its output is gone.
        try stage.witness.ask(.plug(Self.headset))
        try session.ask { asession_prefer_interruption_on_route_disconnect($0, false, $1) }
        try session.ask { asession_activate($0, $1) }
        try stage.witness.ask(.unplug("usb:headset"))
        _ = try session.awaits(ASESSION_EVENT_OUTPUT_DISCONNECTED)
    }

    @Test("ROUTE-6: the input that is preferred is used, one that is unknown is refused, and NULL takes it back")
    func preferredInput() throws {
        let stage = try ServiceFixture(trusted: true)
        let session = try record(stage)
        try stage.witness.ask(.plug(Self.microphone))
        try stage.witness.ask(.plug(Self.headset))
        _ = try session.awaits(ASESSION_EVENT_AVAILABLE_INPUTS_CHANGED)
        #expect(session.waits { session.ports(ASESSION_AVAILABLE_INPUTS).count == 2 })
        let input = { session.ports(ASESSION_ROUTE_INPUTS).map(\.uid) }
        #expect(session.waits { input() == ["usb:headset:in"] })
        try session.ask { asession_prefer_input($0, "table:in", $1) }
        #expect(input() == ["table:in"])
        var error = asession_error_t()
        #expect(asession_prefer_input(session.session, "nothing:in", &error) == ASESSION_REFUSED)
        #expect(error.ruleName == "ROUTE-6" && error.codeName == "badParam" && input() == ["table:in"])
        try session.ask { asession_prefer_input($0, nil, $1) }
        #expect(input() == ["usb:headset:in"])
    }

    @Test("ROUTE-4, ROUTE-5, INT-6: the other preferences reach the arbiter")
    func preferences() throws {
        let stage = try ServiceFixture(trusted: true)
        let session = try record(stage)
        try session.ask { asession_override_output_to_speaker($0, true, $1) }
        try session.ask { asession_prefer_interruption_on_route_disconnect($0, false, $1) }
        try session.ask { asession_prefer_no_interruptions_from_system_alerts($0, true, $1) }
        try session.ask { asession_set_paused($0, true, $1) }
        try session.ask { asession_set_output_muted($0, true, $1) }
        #expect(try session.awaits(ASESSION_EVENT_OUTPUT_MUTE_CHANGED).flag)
        let known = try #require(try stage.state(of: session.id))
        #expect(known.isOverriddenToSpeaker && known.prefersNoInterruptionsFromSystemAlerts && known.isOutputMuted)
        #expect(!known.prefersInterruptionOnRouteDisconnect && known.isPaused)
        try session.ask {
            asession_set_category_and_policy(
                $0, ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, ASESSION_ROUTE_SHARING_LONG_FORM_AUDIO, 0, $1)
        }
        #expect(try stage.state(of: session.id)?.configuration.routeSharingPolicy == .longFormAudio)
        var error = asession_error_t()
        let policy = asession_route_sharing_policy_t(rawValue: 3)
        #expect(
            asession_set_category_and_policy(
                session.session, ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, policy, 0, &error) == ASESSION_BAD_ARGUMENT)
    }

    @Test("SRV-3, ROUTE-1: the devices that a program has reported are reported to the next arbiter, and to one more")
    func devicesAfterDeath() throws {
        let stage = try ServiceFixture()
        let session = try record(stage)
        let devices = #"""
            {"action": "setDevices", "app": 0, "server": "default", "devices": [{"uid": "table", "ports": [
            {"uid": "table:out", "name": "Table", "type": "usbAudio", "direction": "output", "channels": 2}]}]}
            """#
        _ = try session.text { asession_request($0, devices, $1) }
        let outputs = { session.ports(ASESSION_ROUTE_OUTPUTS).map(\.uid) }
        #expect(outputs() == ["table:out"])
        var service = stage.service
        for _ in 1...2 {
            _ = try service.end(SIGKILL)
            service = try Service(in: stage.folder)
            _ = try session.awaits(ASESSION_EVENT_ARBITER_RETURNED)
            // Whatever the arbiter has to report of the session precedes this reply.
            try session.ask { asession_set_paused($0, true, $1) }
            #expect(session.waits { outputs() == ["table:out"] }, "\(outputs())")
        }
        _ = try service.end()
    }

    @Test("PERM-1, PERM-2, PERM-3: who records is asked once; the user's answer opens the input, and closes it")
    func permission() throws {
        let stage = try ServiceFixture(trusted: true)
        let session = try record(stage)
        #expect(asession_record_permission(session.session) == ASESSION_PERMISSION_UNDETERMINED)
        try stage.witness.ask(.plug(Self.microphone))
        try session.ask { asession_set_recording($0, true, $1) }
        _ = try session.awaits(ASESSION_EVENT_RECORD_PERMISSION_NEEDED)
        #expect(!asession_gate_read(session.gate).is_input_granted)
        try session.ask { asession_answer_record_permission($0, true, $1) }
        _ = try session.awaits(ASESSION_EVENT_RECORD_PERMISSION_CHANGED)
        #expect(asession_record_permission(session.session) == ASESSION_PERMISSION_GRANTED)
        #expect(asession_gate_read(session.gate).is_input_granted)
        // An answer is there: another one changes nothing.
        try session.ask { asession_answer_record_permission($0, false, $1) }
        #expect(asession_record_permission(session.session) == ASESSION_PERMISSION_GRANTED)
        try session.ask { asession_set_input_muted($0, true, $1) }
        #expect(try session.awaits(ASESSION_EVENT_INPUT_MUTE_CHANGED).flag)
        #expect(!asession_gate_read(session.gate).is_input_granted)
        try session.ask { asession_set_input_muted($0, false, $1) }
        // The user has changed the answer.
        try stage.witness.ask(.setRecordPermission(session.app, .denied))
        _ = try session.awaits(ASESSION_EVENT_RECORD_PERMISSION_CHANGED)
        #expect(asession_record_permission(session.session) == ASESSION_PERMISSION_DENIED)
        #expect(!asession_gate_read(session.gate).is_input_granted)
        #expect(asession_record_permission(nil) == ASESSION_PERMISSION_UNDETERMINED)
    }
}

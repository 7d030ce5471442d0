import SessionArbiter
import SessionPolicy
import Testing

@testable import SessionCommands

/// The effects of the commands, and the commands that they refuse.
@Suite struct SwitchTests {
    private let arbiter: PolicyArbiterClient
    private var interruptions: Interruptions { Interruptions(arbiter) }

    init() throws { arbiter = try PolicyArbiterClient.scene() }

    private func activity(_ id: UInt64) -> String? { arbiter.state[SessionID(id)]?.stateName }

    // SIM-1
    @Test("SIM-1: an interruption lasts from begin to end", arguments: [Rank.call, .alarm, .assistant])
    func interruption(_ rank: Rank) throws {
        let begun = try interruptions.begin(rank)
        #expect(begun == ChangeResult("interrupt begin", "Interruption began: \(rank) 4.", session: 4))
        #expect(activity(2) == "interrupted")
        let ended = try interruptions.end(nil, shouldResume: true)
        #expect(ended == ChangeResult("interrupt end", "Interruption ended: \(rank) 4.", session: 4))
        #expect(activity(2) == "inactive", "the end recommends resuming; the app itself must activate the session")
        guard case .granted(let effects)? = arbiter.log.last?.outcome else { throw CommandError(.software, "refused") }
        #expect(effects.contains { $0.session == SessionID(2) && $0.kind == .interruptionEnded(shouldResume: true) })
        #expect(arbiter.state[SessionID(4)] == nil)
    }

    @Test("An interruption may end without recommending to resume, and with a given rank")
    func ranks() throws {
        _ = try interruptions.begin(.alarm)
        _ = try interruptions.begin(.call)
        #expect(try interruptions.end(.alarm, shouldResume: false).session == 4)
        guard case .endSystemSession(_, shouldResume: false)? = arbiter.log.last?.event.action else {
            Issue.record("The end was \(String(describing: arbiter.log.last))")
            return
        }
        #expect(throws: CommandError.self) { try interruptions.end(.alarm, shouldResume: true) }
        #expect(try interruptions.end(.call, shouldResume: true).session == 5)
    }

    // INT-6
    @Test("INT-6: a call rings, is accepted, and ends")
    func call() throws {
        #expect(try interruptions.ring().text == "Call 4 is ringing.")
        #expect(try interruptions.accept().text == "Call 4 is accepted.")
        #expect(arbiter.state.isInCall)
        #expect(try interruptions.hangUp().text == "Call 4 has ended.")
        #expect(!arbiter.state.isInCall)
    }

    // GUIDE-9
    @Test("GUIDE-9: while do-not-disturb is on, a ringing call interrupts no session")
    func quietCall() throws {
        _ = try DeviceSwitches(arbiter).setDoNotDisturb(true)
        #expect(
            try interruptions.ring().text
                == "Call 4 is ringing, but do-not-disturb is on: it interrupts no session until it is accepted.")
        #expect(activity(2) == "running")
        #expect(try interruptions.decline().text == "Call 4 is declined.")
        #expect(try interruptions.begin(.assistant).text == "Interruption began: assistant 5.")
    }

    @Test("ACT-4: an alarm that begins during a call waits until the call has ended")
    func alarmInCall() throws {
        _ = try interruptions.ring()
        _ = try interruptions.accept()
        #expect(
            try interruptions.begin(.alarm).text
                == "Interruption began: alarm 5; it waits until the session of higher rank has ended.")
        #expect(activity(5) == "interrupted")
        _ = try interruptions.hangUp()
        #expect(activity(5) == "running")
    }

    @Test("Commands in the wrong state are usage errors that name the state and the remedy")
    func misplaced() throws {
        func message(_ body: () throws -> ChangeResult) -> String? {
            do {
                return "done: \(try body().text)"
            } catch let error as CommandError {
                return error.status == .usage ? error.message : "\(error.status)"
            } catch {
                return "\(error)"
            }
        }
        #expect(
            message(interruptions.decline)
                == "No call is ringing, so none can be declined; start one with `audiosession call ring`.")
        #expect(
            message(interruptions.accept)
                == "No call is ringing, so none can be accepted; start one with `audiosession call ring`.")
        #expect(
            message(interruptions.hangUp) == "No accepted call is active; start one with `audiosession call ring`.")
        #expect(
            message { try interruptions.end(nil, shouldResume: true) }
                == "No interruption that `audiosession interrupt begin` began is active; begin one first."
        )
        _ = try interruptions.ring()
        #expect(
            message(interruptions.hangUp)
                == "No accepted call is active; end ringing call 4 with `audiosession call decline`.")
        #expect(
            message { try interruptions.end(nil, shouldResume: true) }
                == """
                No interruption that `audiosession interrupt begin` began is active; end ringing call 4 with \
                `audiosession call decline`.
                """)
        _ = try interruptions.accept()
        #expect(
            message { try interruptions.end(.call, shouldResume: true) }
                == """
                No interruption of rank call that `audiosession interrupt begin` began is active; end call 4 with \
                `audiosession call end`.
                """)
        _ = try interruptions.hangUp()
        _ = try interruptions.begin(.call)
        #expect(
            message(interruptions.hangUp)
                == "No accepted call is active; end call 5 with `audiosession interrupt end`.")
    }

    @Test("A call whose start is no longer in the log is ended by either command")
    func forgottenBeginning() throws {
        _ = try interruptions.begin(.call)
        arbiter.forgetLog()
        #expect(try interruptions.hangUp().session == 4)
    }

    @Test("A call that another program started cannot be ended by `audiosession`")
    func othersCall() throws {
        _ = try arbiter.ask(.beginSystemSession(rank: .call, isRinging: true, isKept: false))
        #expect(throws: CommandError.self) { try interruptions.decline() }
    }

    // SIM-2, SIM-3
    @Test("SIM-2, SIM-3: silent switch, lock, microphone, volume")
    func switches() throws {
        let switches = DeviceSwitches(arbiter)
        #expect(try switches.setSilentSwitch(true).text == "The silent switch is on.")
        #expect(arbiter.state.silentSwitch.isOn)
        #expect(try switches.setScreen(locked: true) == ChangeResult("screen lock", "The screen is locked."))
        #expect(arbiter.state.isScreenLocked)
        #expect(try switches.setMicrophone(muted: true).text == "The microphone is muted.")
        #expect(arbiter.state.microphoneMute.isOn)
        let volume = try switches.volume(0.25, ofRinging: false)
        #expect(volume == VolumeResult(volume: 0.25, ringVolume: 1))
        #expect(try volume.json == #"{"ringVolume":1,"volume":0.25}"#)
        #expect(try switches.volume(0.5, ofRinging: true).text == "The volume is 0.25, the ring volume 0.5.")
        #expect(try switches.volume(nil, ofRinging: false) == VolumeResult(volume: 0.25, ringVolume: 0.5))
        #expect(throws: CommandError(.usage, "Invalid volume 1.5; give a number from 0 to 1.")) {
            try switches.volume(1.5, ofRinging: false)
        }
    }

    // SIM-4, SIM-5, ROUTE-8
    @Test("SIM-4, SIM-5, ROUTE-8: virtual devices are plugged in and unplugged, and can be picked")
    func devices() throws {
        let (routes, devices) = (Routes(arbiter), Devices(arbiter, FakePrograms()))
        #expect(
            try devices.plug("speaker", .builtInSpeaker, outputs: nil, inputs: nil).text == """
                speaker is plugged in as builtInSpeaker for the policy only, without sound: no audio server is running.
                """)
        _ = try devices.plug("phones", .headphones, outputs: nil, inputs: 1)
        #expect(arbiter.state.route(of: try #require(arbiter.state[SessionID(2)])).outputs.map(\.name) == ["phones"])
        #expect(try routes.pick(.output, "builtInSpeaker").text == "The output is speaker (builtInSpeaker).")
        #expect(arbiter.state.route(of: try #require(arbiter.state[SessionID(2)])).outputs.map(\.name) == ["speaker"])
        #expect(
            try routes.show().text == """
                output 'virtual-device:speaker:output': speaker, builtInSpeaker, 2 ch, picked by the user
                output 'virtual-device:phones:output': phones, headphones, 2 ch
                input 'virtual-device:phones:input': phones, headsetMic, 1 ch
                session 1 (music, pid 101): to speaker (builtInSpeaker)
                session 2 (podcast, pid 102): to speaker (builtInSpeaker)
                session 3 (maps, pid 103): to speaker (builtInSpeaker)
                """)
        #expect(try routes.pick(.output, "auto").text == "The output is chosen automatically again.")
        #expect(arbiter.state.pickedOutput == nil)
        #expect(
            try devices.list().text == """
                speaker (virtual device without sound: builtInSpeaker 2 out)
                phones (virtual device without sound: headphones 2 out, headsetMic 1 in, used by music (pid 101), podcast (pid 102) and maps (pid 103))
                """)
        #expect(try devices.unplug("phones").text == "phones is unplugged.")
        #expect(try devices.list().json.contains("phones") == false)
    }

    @Test("Invalid devices and unknown ports are usage errors")
    func wrongDevices() throws {
        let (routes, devices) = (Routes(arbiter), Devices(arbiter, FakePrograms()))
        _ = try devices.plug("phones", .headphones, outputs: nil, inputs: nil)
        for (body, message): (() throws -> ChangeResult, String) in [
            (
                { try devices.plug("phones", .hdmi, outputs: nil, inputs: nil) },
                "A virtual device 'phones' is already plugged in; unplug it first, or use another name."
            ),
            (
                { try devices.plug("tv", .hdmi, outputs: 2, inputs: 1) },
                "Invalid device: type hdmi with 2 outputs and 1 inputs; this type has only outputs."
            ),
            (
                { try devices.plug("x", .usbAudio, outputs: 0, inputs: 0) },
                "Device 'x' would have neither outputs nor inputs; specify at least one."
            ),
            ({ try devices.unplug("server") }, "No virtual device 'server' is plugged in. Virtual devices: 'phones'."),
            (
                { try routes.pick(.output, "zebra") },
                "No output matches 'zebra'. Candidates: 'virtual-device:phones:output' (phones, headphones)."
            ),
            ({ try routes.pick(.input, "zebra") }, "No input matches 'zebra'. Candidates: none."),
        ] {
            #expect(throws: CommandError(.usage, message)) { try body() }
        }
    }

    // BG-1, BG-3
    @Test("BG-1, BG-3: a session selects the app whose state changes")
    func apps() throws {
        let apps = Apps(arbiter)
        let podcast = SessionID(2)
        #expect(try apps.change(.background, appOf: podcast).text == "podcast (pid 102) is in the background.")
        #expect(activity(2) == "inactive")
        #expect(try apps.change(.suspend, appOf: podcast).text == "podcast (pid 102) is suspended.")
        #expect(
            throws: CommandError(
                .usage, "Cannot move podcast (pid 102) to the foreground: it is suspended; resume it first.")
        ) { try apps.change(.foreground, appOf: podcast) }
        #expect(try apps.change(.resume, appOf: podcast).text == "podcast (pid 102) is in the foreground.")
        #expect(
            throws: CommandError(
                .usage, "Cannot resume podcast (pid 102): it is in the foreground, not suspended.")
        ) { try apps.change(.resume, appOf: podcast) }
        _ = try interruptions.begin(.call)
        #expect(
            throws: CommandError(
                .usage, "call 4 is a system session and belongs to no app; give the number of an app's session.")
        ) { try apps.change(.background, appOf: SessionID(4)) }
    }

    // PERM-2
    @Test("PERM-2: permissions are set by path, name or pid, and reset")
    func permissions() throws {
        let permissions = Permissions(arbiter) { $0 == "/bin/recorder" }
        #expect(try permissions.show(nil).text == "No permissions are stored.")
        #expect(try permissions.set(.granted, for: "/bin/recorder").text == "/bin/recorder: granted")
        #expect(try permissions.set(.denied, for: "music").text == "/usr/bin/music: denied")
        #expect(try permissions.set(.granted, for: "103").text == "/opt/maps/maps: granted")
        #expect(try permissions.show("podcast").text == "/usr/bin/podcast: undetermined")
        #expect(
            arbiter.permissions == ["/bin/recorder": .granted, "/usr/bin/music": .denied, "/opt/maps/maps": .granted])
        #expect(
            try permissions.show("music").json == #"{"permissions":{"/usr/bin/music":"denied"}}"#)
        #expect(try permissions.reset("recorder").text == "/bin/recorder: undetermined")
        #expect(try permissions.reset(nil).permissions.count == 3)
        for wrong in ["/bin/zebra", "zebra", "999"] {
            let error = #expect(throws: CommandError.self) { try permissions.set(.granted, for: wrong) }
            #expect(error?.status == .noInput)
        }
    }

    @Test("The arbiter's reply determines the exit status")
    func statuses() {
        #expect(CommandError(RequestError(.notPermitted, "x")).status == .noPermission)
        #expect(CommandError(RequestError(.limit, "x")).status == .tryAgain)
        #expect(CommandError(RequestError(.unavailable, "x")).status == .unavailable)
        #expect(CommandError(RequestError(Refusal(.badParam, .vol1, "x"))).status == .usage)
        #expect(CommandError(RequestError(Refusal(.insufficientPriority, .act5, "x"))).status == .tryAgain)
        #expect(CommandError(ArbiterError.unavailable("x")).status == .unavailable)
    }
}

import SessionArbiter
import SessionPolicy
import Testing

@testable import Switchboard

/// What the commands do, and what they refuse to do.
@Suite struct SwitchTests {
    private let desk: PolicyDesk
    private var interruptions: Interruptions { Interruptions(desk) }

    init() throws { desk = try PolicyDesk.scene() }

    private func activity(_ id: UInt64) -> String? { desk.state[SessionID(id)]?.stateName }

    // SIM-1
    @Test("SIM-1: an interruption lasts from begin to end", arguments: [Rank.call, .alarm, .assistant])
    func interruption(_ rank: Rank) throws {
        let begun = try interruptions.begin(rank)
        #expect(begun == Done("interrupt begin", "The interruption has begun: \(rank) 4.", session: 4))
        #expect(activity(2) == "interrupted")
        let ended = try interruptions.end(nil, shouldResume: true)
        #expect(ended == Done("interrupt end", "The interruption is over: \(rank) 4.", session: 4))
        #expect(activity(2) == "inactive", "it is told to resume; that is its own doing")
        guard case .granted(let effects)? = desk.log.last?.outcome else { throw SwitchboardError(.software, "refused") }
        #expect(effects.contains { $0.session == SessionID(2) && $0.kind == .interruptionEnded(shouldResume: true) })
        #expect(desk.state[SessionID(4)] == nil)
    }

    @Test("The end of an interruption may be told without resuming, and of the rank that is named")
    func ranks() throws {
        _ = try interruptions.begin(.alarm)
        _ = try interruptions.begin(.call)
        #expect(try interruptions.end(.alarm, shouldResume: false).session == 4)
        guard case .endSystemSession(_, shouldResume: false)? = desk.log.last?.event.action else {
            Issue.record("The end was \(String(describing: desk.log.last))")
            return
        }
        #expect(throws: SwitchboardError.self) { try interruptions.end(.alarm, shouldResume: true) }
        #expect(try interruptions.end(.call, shouldResume: true).session == 5)
    }

    // INT-6
    @Test("INT-6: a call rings, is accepted, and ends")
    func call() throws {
        #expect(try interruptions.ring().words == "Call 4 rings.")
        #expect(try interruptions.accept().words == "Call 4 is accepted.")
        #expect(desk.state.isInCall)
        #expect(try interruptions.hangUp().words == "Call 4 is over.")
        #expect(!desk.state.isInCall)
    }

    // GUIDE-9
    @Test("GUIDE-9: while do-not-disturb is on, a call rings for nobody")
    func quietCall() throws {
        _ = try DeviceSwitches(desk).setDoNotDisturb(true)
        #expect(
            try interruptions.ring().words
                == "Call 4 rings, but do-not-disturb is on: nobody is disturbed until it is accepted.")
        #expect(activity(2) == "running")
        #expect(try interruptions.decline().words == "Call 4 is declined.")
        #expect(
            try interruptions.begin(.assistant).words
                == "The interruption has begun: assistant 5; it waits, since do-not-disturb is on.")
    }

    @Test("Commands out of place are wrong use, and say what is so and what to do")
    func misplaced() throws {
        func message(_ body: () throws -> Done) -> String? {
            do {
                return "done: \(try body().words)"
            } catch let error as SwitchboardError {
                return error.status == .usage ? error.message : "\(error.status)"
            } catch {
                return "\(error)"
            }
        }
        #expect(
            message(interruptions.decline)
                == "No call rings, so none can be declined; `audiosession call ring` lets one ring.")
        #expect(
            message(interruptions.accept)
                == "No call rings, so none can be accepted; `audiosession call ring` lets one ring.")
        #expect(
            message(interruptions.hangUp) == "No call goes on, so none can end; `audiosession call ring` begins one.")
        #expect(
            message { try interruptions.end(nil, shouldResume: true) }
                == "No interruption that `audiosession interrupt begin` began goes on, so none can end; begin one first."
        )
        _ = try interruptions.ring()
        #expect(
            message(interruptions.hangUp)
                == "No call goes on, so none can end; ringing call 4 is ended by `audiosession call decline`.")
        #expect(
            message { try interruptions.end(nil, shouldResume: true) }
                == """
                No interruption that `audiosession interrupt begin` began goes on, so none can end; ringing call 4 is ended by \
                `audiosession call decline`.
                """)
        _ = try interruptions.accept()
        #expect(
            message { try interruptions.end(.call, shouldResume: true) }
                == """
                No interruption of rank call that `audiosession interrupt begin` began goes on, so none can end; call 4 is ended by \
                `audiosession call end`.
                """)
        _ = try interruptions.hangUp()
        _ = try interruptions.begin(.call)
        #expect(
            message(interruptions.hangUp)
                == "No call goes on, so none can end; call 5 is ended by `audiosession interrupt end`.")
    }

    @Test("A call of which the log no longer tells how it began is ended by either command")
    func forgottenBeginning() throws {
        _ = try interruptions.begin(.call)
        desk.forgetLog()
        #expect(try interruptions.hangUp().session == 4)
    }

    @Test("A call that another program began is not the switchboard's to end")
    func othersCall() throws {
        _ = try desk.ask(.beginSystemSession(rank: .call, isRinging: true, isKept: false))
        #expect(throws: SwitchboardError.self) { try interruptions.decline() }
    }

    // SIM-2, SIM-3
    @Test("SIM-2, SIM-3: silent switch, lock, microphone, volume")
    func switches() throws {
        let switches = DeviceSwitches(desk)
        #expect(try switches.setSilentSwitch(true).words == "The silent switch is on.")
        #expect(desk.state.silentSwitch.isOn)
        #expect(try switches.setScreen(locked: true) == Done("screen lock", "The screen is locked."))
        #expect(desk.state.isScreenLocked)
        #expect(try switches.setMicrophone(muted: true).words == "The microphone is muted.")
        #expect(desk.state.microphoneMute.isOn)
        let volume = try switches.volume(0.25, ofRinging: false)
        #expect(volume == VolumeOutcome(volume: 0.25, ringVolume: 1))
        #expect(try volume.json == #"{"ringVolume":1,"volume":0.25}"#)
        #expect(try switches.volume(0.5, ofRinging: true).words == "The volume is 0.25, that of ringing 0.5.")
        #expect(try switches.volume(nil, ofRinging: false) == VolumeOutcome(volume: 0.25, ringVolume: 0.5))
        #expect(throws: SwitchboardError(.usage, "A volume of 1.5 was asked for; give a number from 0 to 1.")) {
            try switches.volume(1.5, ofRinging: false)
        }
    }

    // SIM-4, SIM-5, ROUTE-8
    @Test("SIM-4, SIM-5, ROUTE-8: stand-ins come and go, and can be picked")
    func devices() throws {
        let (routes, devices) = (Routes(desk), Devices(desk, FakePrograms()))
        #expect(
            try devices.plug("speaker", .builtInSpeaker, outputs: nil, inputs: nil).words == """
                speaker is plugged in as builtInSpeaker, for the rules alone: no sound comes out of it, since no audio server runs.
                """)
        _ = try devices.plug("phones", .headphones, outputs: nil, inputs: 1)
        #expect(desk.state.route(of: try #require(desk.state[SessionID(2)])).outputs.map(\.name) == ["phones"])
        #expect(try routes.pick(.output, "builtInSpeaker").words == "The output is speaker (builtInSpeaker).")
        #expect(desk.state.route(of: try #require(desk.state[SessionID(2)])).outputs.map(\.name) == ["speaker"])
        #expect(
            try routes.show().words == """
                output 'stand-in:speaker:output': speaker, builtInSpeaker, 2 ch, picked by the user
                output 'stand-in:phones:output': phones, headphones, 2 ch
                input 'stand-in:phones:input': phones, headsetMic, 1 ch
                session 1 (music, pid 101): to speaker (builtInSpeaker)
                session 2 (podcast, pid 102): to speaker (builtInSpeaker)
                session 3 (maps, pid 103): to speaker (builtInSpeaker)
                """)
        #expect(try routes.pick(.output, "auto").words == "The output is chosen by the rules again.")
        #expect(desk.state.pickedOutput == nil)
        #expect(
            try devices.list().words == """
                speaker (stand-in without sound: builtInSpeaker 2 out)
                phones (stand-in without sound: headphones 2 out, headsetMic 1 in, used by music (pid 101), podcast (pid 102) and maps (pid 103))
                """)
        #expect(try devices.unplug("phones").words == "phones is unplugged.")
        #expect(try devices.list().json.contains("phones") == false)
    }

    @Test("Devices that cannot be, and ports that are not there, are wrong use")
    func wrongDevices() throws {
        let (routes, devices) = (Routes(desk), Devices(desk, FakePrograms()))
        _ = try devices.plug("phones", .headphones, outputs: nil, inputs: nil)
        for (body, message): (() throws -> Done, String) in [
            (
                { try devices.plug("phones", .hdmi, outputs: nil, inputs: nil) },
                "A stand-in device 'phones' is plugged in already; unplug it first, or use another name."
            ),
            (
                { try devices.plug("tv", .hdmi, outputs: 2, inputs: 1) },
                "A hdmi with 2 outputs and 1 inputs was asked for; it has only outputs."
            ),
            (
                { try devices.plug("x", .usbAudio, outputs: 0, inputs: 0) },
                "A device 'x' without outputs and inputs was asked for; give it one at least."
            ),
            ({ try devices.unplug("server") }, "No stand-in device 'server' is plugged in; there is 'phones'."),
            (
                { try routes.pick(.output, "zebra") },
                "No output is 'zebra'; there is 'stand-in:phones:output' (phones, headphones)."
            ),
            ({ try routes.pick(.input, "zebra") }, "No input is 'zebra'; there is none."),
        ] {
            #expect(throws: SwitchboardError(.usage, message)) { try body() }
        }
    }

    // BG-1, BG-3
    @Test("BG-1, BG-3: apps are moved by their sessions")
    func apps() throws {
        let apps = Apps(desk)
        let podcast = SessionID(2)
        #expect(try apps.change(.background, appOf: podcast).words == "podcast (pid 102) is in the background.")
        #expect(activity(2) == "inactive")
        #expect(try apps.change(.suspend, appOf: podcast).words == "podcast (pid 102) is suspended.")
        #expect(
            throws: SwitchboardError(
                .usage, "podcast (pid 102) was to go to the foreground, but it is suspended; resume it first.")
        ) { try apps.change(.foreground, appOf: podcast) }
        #expect(try apps.change(.resume, appOf: podcast).words == "podcast (pid 102) is in the foreground.")
        #expect(
            throws: SwitchboardError(
                .usage, "podcast (pid 102) was to be resumed, but it is in the foreground; suspend it first.")
        ) { try apps.change(.resume, appOf: podcast) }
        _ = try interruptions.begin(.call)
        #expect(
            throws: SwitchboardError(.usage, "call 4 is the system's own and no app's; name a session of an app.")
        ) { try apps.change(.background, appOf: SessionID(4)) }
    }

    // PERM-2
    @Test("PERM-2: answers are given by path, name or pid, and taken back")
    func permissions() throws {
        let permissions = Permissions(desk) { $0 == "/bin/recorder" }
        #expect(try permissions.show(nil).words == "No program was answered yet.")
        #expect(try permissions.answer(.granted, to: "/bin/recorder").words == "/bin/recorder: granted")
        #expect(try permissions.answer(.denied, to: "music").words == "/usr/bin/music: denied")
        #expect(try permissions.answer(.granted, to: "103").words == "/opt/maps/maps: granted")
        #expect(try permissions.show("podcast").words == "/usr/bin/podcast: undetermined")
        #expect(desk.permissions == ["/bin/recorder": .granted, "/usr/bin/music": .denied, "/opt/maps/maps": .granted])
        #expect(
            try permissions.show("music").json == #"{"permissions":{"/usr/bin/music":"denied"}}"#)
        #expect(try permissions.reset("recorder").words == "/bin/recorder: undetermined")
        #expect(try permissions.reset(nil).permissions.count == 3)
        for wrong in ["/bin/zebra", "zebra", "999"] {
            let error = #expect(throws: SwitchboardError.self) { try permissions.answer(.granted, to: wrong) }
            #expect(error?.status == .noInput)
        }
    }

    @Test("What the arbiter answers decides on the status")
    func statuses() {
        #expect(SwitchboardError(RequestError(.notPermitted, "x")).status == .noPermission)
        #expect(SwitchboardError(RequestError(.limit, "x")).status == .tryAgain)
        #expect(SwitchboardError(RequestError(.unavailable, "x")).status == .unavailable)
        #expect(SwitchboardError(RequestError(Refusal(.badParam, .vol1, "x"))).status == .usage)
        #expect(SwitchboardError(RequestError(Refusal(.insufficientPriority, .act5, "x"))).status == .tryAgain)
        #expect(SwitchboardError(ArbiterError.unavailable("x")).status == .unavailable)
    }
}

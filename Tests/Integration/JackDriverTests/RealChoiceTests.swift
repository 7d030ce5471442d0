import AudioRendering
import AudioSessions
import Foundation
import TestSupport
import Testing

/// Where a session's sound goes when app or user choose: told by what arrives at the devices.
extension RealServers.RealRouteTests {
    @Test("ROUTE-5, ROUTE-8: receiver and speaker, the app's override and the user's pick")
    func receiver() throws {
        let desk = try RouteDesk()
        defer { desk.server.stop() }
        let phone = try desk.plug("Phone", .builtInReceiver, inputs: 1)
        let session = try desk.session(.playAndRecord)
        try session.setActive(true)
        try desk.play(0.5, on: session.bus, of: session)
        #expect(try desk.hears([(phone, 0.5)], silent: [desk.speaker]))
        try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
        #expect(try desk.hears([(desk.speaker, 0.5)], silent: [phone]))
        let ears = try desk.plug("Ears", .headphones)
        #expect(try desk.hears([(ears, 0.5)], silent: [phone, desk.speaker]))
        try session.overrideOutputAudioPort(.speaker)
        #expect(try desk.hears([(desk.speaker, 0.5)], silent: [phone, ears]))
        try session.overrideOutputAudioPort(.none)
        #expect(try desk.hears([(ears, 0.5)], silent: [phone, desk.speaker]))

        try desk.host.pickOutput("Phone:output")
        #expect(try desk.hears([(phone, 0.5)], silent: [ears, desk.speaker]))
        // What comes ends a pick, and an override too.
        let screen = try desk.plug("Screen", .hdmi)
        #expect(try desk.hears([(screen, 0.5)], silent: [phone, ears, desk.speaker]))
        try session.overrideOutputAudioPort(.speaker)
        #expect(try desk.hears([(desk.speaker, 0.5)], silent: [phone, ears, screen]))
        let line = try desk.plug("Line", .lineOut)
        #expect(try desk.hears([(line, 0.5)], silent: [phone, ears, screen, desk.speaker]))
        desk.host.close()
    }

    @Test("ROUTE-6, ROUTE-8: the input that the app prefers is heard, unless the user picks another")
    func preferredInput() throws {
        let desk = try RouteDesk()
        defer { desk.server.stop() }
        desk.host.setRecordPermission(.granted)
        let session = try desk.session(.record)
        let headset = try desk.plug("Headset", .headphones, inputs: 1, sound: .ramp)
        try session.setActive(true)
        let told = Signpost<[String]>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.availableInputsChangeNotification, object: session, queue: nil
        ) { [weak session] _ in told.note(session?.availableInputs?.map(\.portName) ?? []) }
        defer { NotificationCenter.default.removeObserver(token) }
        let mixer = try desk.plug("Mixer", .usbAudio, inputs: 2, sound: .tone(hertz: 1_000))
        #expect(told.wait { $0.last?.prefix(2) == ["Mixer", "Headset"] }, "\(told.noted)")
        let input = try AudioSessionInput(session: session)
        try input.start()
        /// Whether what comes in from now on is the headset's ramp, or the mixer's tone.
        func isHeadset(_ expected: Bool) throws -> Bool {
            try desk.wait {
                var last: [Float] = []
                while let block = input.capture.read() { last = block.samples }
                let isRamp = zip(last, last.dropFirst()).allSatisfy { abs(($1 - $0) * 1_048_576 - 1) < 0.01 }
                return last.count > 64 && last.contains { $0 != 0 } && isRamp == expected
            }
        }
        #expect(session.currentRoute.inputs.map(\.portName) == ["Mixer"])
        #expect(try isHeadset(false))
        let wished = try #require(session.availableInputs?.first { $0.portName == "Headset" })
        try session.setPreferredInput(wished)
        #expect(session.preferredInput == wished && session.currentRoute.inputs == [wished])
        #expect(try isHeadset(true))
        try desk.host.pickInput("Mixer:input")
        #expect(session.preferredInput == wished)
        #expect(try isHeadset(false))
        try desk.host.pickInput(nil)
        #expect(try isHeadset(true))
        headset.kill()
        #expect(told.wait { $0.last?.first == "Mixer" })
        #expect(try isHeadset(false))
        let error = #expect(throws: AudioSessionError.self) { try session.setPreferredInput(wished) }
        #expect(error?.errorCode == .badParam && error?.rule == "ROUTE-6")
        mixer.kill()
        desk.host.close()
    }

    @Test("ROUTE-7, ROUTE-9: devices that not every category may use; without one it goes on, unheard, and is told so")
    func eligible() throws {
        let desk = try RouteDesk(hidesServer: true)
        defer { desk.server.stop() }
        let microphone = try desk.plug("Microphone", .builtInMic, outputs: 0, inputs: 1)
        let buds = try desk.plug("Buds", .bluetoothA2DP)
        let hall = try desk.plug("Hall", .airPlay)
        let session = try desk.session(.playback)
        try session.setActive(true)
        try desk.play(0.5, on: session.bus, of: session)
        #expect(try desk.hears([(hall, 0.5)], silent: [buds, desk.speaker]))
        try session.setCategory(.playAndRecord)
        #expect(try desk.hears([(desk.speaker, 0.5)], silent: [buds, hall]))
        try session.setCategory(.playAndRecord, options: .allowBluetoothA2DP)
        #expect(try desk.hears([(buds, 0.5)], silent: [hall, desk.speaker]))
        try session.setCategory(.playAndRecord, options: .allowAirPlay)
        #expect(try desk.hears([(hall, 0.5)], silent: [buds, desk.speaker]))
        try session.setCategory(.multiRoute)
        #expect(try desk.hears([(desk.speaker, 0.5)], silent: [buds, hall]))

        let reasons = Signpost<AudioSession.RouteChangeReason?>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.routeChangeNotification, object: session, queue: nil
        ) { note in
            let reason = note.userInfo?[AudioSessionRouteChangeReasonKey] as? UInt
            reasons.note(reason.flatMap { AudioSession.RouteChangeReason(rawValue: $0) })
        }
        defer { NotificationCenter.default.removeObserver(token) }
        desk.speaker.kill()
        #expect(reasons.wait { $0.contains(.noSuitableRouteForCategory) }, "\(reasons.noted)")
        #expect(session.isActive && session.currentRoute.outputs.isEmpty)
        #expect(try desk.hears([], silent: [buds, hall]))
        // Where it may be heard again, it is.
        try session.setCategory(.playback)
        #expect(try desk.hears([(hall, 0.5)], silent: [buds]))
        microphone.kill()
        desk.host.close()
    }

    @Test("ROUTE-8, ROUTE-10: sessions of long form go to one device together, also where the user leads them")
    func longForm() throws {
        let desk = try RouteDesk()
        defer { desk.server.stop() }
        let (ears, hall) = (try desk.plug("Ears", .headphones), try desk.plug("Hall", .airPlay))
        let policies: [(AudioSession.RouteSharingPolicy, Float)] = [(.longFormAudio, 0.25), (.longFormVideo, 0.5)]
        let sessions = try policies.map { policy, level in
            let session = try desk.session()
            try session.setCategory(.playback, mode: .default, policy: policy, options: .mixWithOthers)
            try session.setActive(true)
            try desk.play(level, on: session.bus, of: session)
            return session
        }
        #expect(try desk.hears([(hall, 0.75)], silent: [ears, desk.speaker]))
        try desk.host.pickOutput("Ears:output")
        #expect(try desk.hears([(ears, 0.75)], silent: [hall, desk.speaker]))
        #expect(sessions.allSatisfy { $0.isActive })
        let error = #expect(throws: AudioSessionError.self) {
            try sessions[0].setCategory(.playback, mode: .shortFormVideo, policy: .longFormAudio)
        }
        #expect(error?.rule == "ROUTE-10")
        desk.host.close()
    }

    @Test("MULTI-1, MULTI-2: dualRoute takes the speaker and what goes both ways; each has a stream of its own")
    func dualRoute() throws {
        let desk = try RouteDesk()
        defer { desk.server.stop() }
        let screen = try desk.plug("Screen", .hdmi)
        let mixer = try desk.plug("Mixer", .usbAudio, inputs: 2)
        let session = try desk.session()
        try session.setCategory(.multiRoute, mode: .dualRoute, options: .allowBluetoothHFP)
        try session.setActive(true)
        let outputs = session.currentRoute.outputs
        #expect(Set(outputs.map(\.portName)) == ["Speaker", "Mixer"], "the screen has no input")
        for (name, level) in [("Speaker", Float(0.25)), ("Mixer", -0.5)] {
            let bus = try session.bus(to: outputs.filter { $0.portName == name })
            try desk.play(level, on: bus, of: session)
        }
        #expect(try desk.hears([(desk.speaker, 0.25), (mixer, -0.5)], silent: [screen]))
        mixer.kill()
        #expect(try desk.hears([(desk.speaker, 0.25)], silent: [screen]))
        desk.host.close()
    }

    @Test(
        "HW-1, HW-2: of competing wishes the shortest period is the server's; each goes back to the next, the last to what was there before"
    )
    func competingPeriods() throws {
        let desk = try RouteDesk()
        defer { desk.server.stop() }
        let witness = try desk.session(.ambient)
        /// As another program sees it; PipeWire's period is told late to whoever has only just come, and so as a session sees it.
        func serverHas(_ frames: Int) throws -> Bool {
            guard TestServer.current.isJackd else {
                return eventually { witness.ioBufferDuration == Double(frames) / 48_000 }
            }
            return try eventually {
                try ChildProcess.run("jack_bufsize", [], environment: desk.server.environment).output
                    .split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.last == frames
            }
        }
        #expect(try serverHas(RouteDesk.periodFrames))
        let sessions = try [2_048, 256, 512].map { frames in
            let session = try desk.session(.ambient)
            try session.setPreferredIOBufferDuration(Double(frames) / 48_000)
            return session
        }
        #expect(try serverHas(RouteDesk.periodFrames), "no wish of who is not active")
        try sessions[0].setActive(true)
        #expect(try serverHas(2_048))
        try sessions[1].setActive(true)
        #expect(try serverHas(256))
        try sessions[2].setActive(true)
        #expect(try serverHas(256))
        #expect(sessions.allSatisfy { $0.ioBufferDuration == 256.0 / 48_000 })
        #expect(sessions[2].preferredIOBufferDuration == 512.0 / 48_000, "a wish is not a fact")
        try sessions[1].setActive(false)
        #expect(try serverHas(512))
        try sessions[2].setActive(false)
        try sessions[0].setActive(false)
        #expect(try serverHas(RouteDesk.periodFrames), "given back")

        // What another program has set since stays. With PipeWire `jack_bufsize` changes nothing that would last.
        guard TestServer.current.isJackd else { return desk.host.close() }
        try sessions[1].setActive(true)
        #expect(try serverHas(256))
        try ChildProcess.run("jack_bufsize", ["64"], environment: desk.server.environment)
        #expect(eventually { sessions[1].ioBufferDuration == 64.0 / 48_000 })
        try sessions[1].setActive(false)
        #expect(try serverHas(64))
        desk.host.close()
    }
}

import AudioRendering
import AudioSessions
import Foundation
import TestSupport
import Testing

/// The route of a session's sound after choices by the app or the user, checked by what arrives at
/// the devices.
extension RealServers.RealRouteTests {
    @Test("ROUTE-5, ROUTE-8: receiver and speaker, the app's override and the user's pick")
    func receiver() throws {
        let fixture = try RouteFixture()
        defer { fixture.server.stop() }
        let phone = try fixture.plug("Phone", .builtInReceiver, inputs: 1)
        let session = try fixture.session(.playAndRecord)
        try session.setActive(true)
        try fixture.play(0.5, on: session.bus, of: session)
        #expect(try fixture.hears([(phone, 0.5)], silent: [fixture.speaker]))
        try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
        #expect(try fixture.hears([(fixture.speaker, 0.5)], silent: [phone]))
        let ears = try fixture.plug("Ears", .headphones)
        #expect(try fixture.hears([(ears, 0.5)], silent: [phone, fixture.speaker]))
        try session.overrideOutputAudioPort(.speaker)
        #expect(try fixture.hears([(fixture.speaker, 0.5)], silent: [phone, ears]))
        try session.overrideOutputAudioPort(.none)
        #expect(try fixture.hears([(ears, 0.5)], silent: [phone, fixture.speaker]))

        try fixture.host.pickOutput("Phone:output")
        #expect(try fixture.hears([(phone, 0.5)], silent: [ears, fixture.speaker]))
        // A newly plugged device ends a pick, and an override, too.
        let screen = try fixture.plug("Screen", .hdmi)
        #expect(try fixture.hears([(screen, 0.5)], silent: [phone, ears, fixture.speaker]))
        try session.overrideOutputAudioPort(.speaker)
        #expect(try fixture.hears([(fixture.speaker, 0.5)], silent: [phone, ears, screen]))
        let line = try fixture.plug("Line", .lineOut)
        #expect(try fixture.hears([(line, 0.5)], silent: [phone, ears, screen, fixture.speaker]))
        fixture.host.close()
    }

    @Test("ROUTE-6, ROUTE-8: the input that the app prefers is heard, unless the user picks another")
    func preferredInput() throws {
        let fixture = try RouteFixture()
        defer { fixture.server.stop() }
        fixture.host.setRecordPermission(.granted)
        let session = try fixture.session(.record)
        let headset = try fixture.plug("Headset", .headphones, inputs: 1, sound: .ramp)
        try session.setActive(true)
        let notified = EventLog<[String]>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.availableInputsChangeNotification, object: session, queue: nil
        ) { [weak session] _ in notified.note(session?.availableInputs?.map(\.portName) ?? []) }
        defer { NotificationCenter.default.removeObserver(token) }
        let mixer = try fixture.plug("Mixer", .usbAudio, inputs: 2, sound: .tone(hertz: 1_000))
        #expect(notified.wait { $0.last?.prefix(2) == ["Mixer", "Headset"] }, "\(notified.noted)")
        let input = try AudioSessionInput(session: session)
        try input.start()
        /// Returns whether the input is now the headset's ramp (or, with false, the mixer's tone).
        func isHeadset(_ expected: Bool) throws -> Bool {
            try fixture.wait {
                var last: [Float] = []
                while let block = input.capture.read() { last = block.samples }
                let isRamp = zip(last, last.dropFirst()).allSatisfy { abs(($1 - $0) * 1_048_576 - 1) < 0.01 }
                return last.count > 64 && last.contains { $0 != 0 } && isRamp == expected
            }
        }
        #expect(session.currentRoute.inputs.map(\.portName) == ["Mixer"])
        #expect(try isHeadset(false))
        let preferred = try #require(session.availableInputs?.first { $0.portName == "Headset" })
        try session.setPreferredInput(preferred)
        #expect(session.preferredInput == preferred && session.currentRoute.inputs == [preferred])
        #expect(try isHeadset(true))
        try fixture.host.pickInput("Mixer:input")
        #expect(session.preferredInput == preferred)
        #expect(try isHeadset(false))
        try fixture.host.pickInput(nil)
        #expect(try isHeadset(true))
        headset.kill()
        #expect(notified.wait { $0.last?.first == "Mixer" })
        #expect(try isHeadset(false))
        let error = #expect(throws: AudioSessionError.self) { try session.setPreferredInput(preferred) }
        #expect(error?.errorCode == .badParam && error?.rule == "ROUTE-6")
        mixer.kill()
        fixture.host.close()
    }

    @Test(
        "ROUTE-7, ROUTE-9: devices that not every category may use; without one, playback continues inaudibly, and the app is notified"
    )
    func eligible() throws {
        let fixture = try RouteFixture(hidesServer: true)
        defer { fixture.server.stop() }
        let microphone = try fixture.plug("Microphone", .builtInMic, outputs: 0, inputs: 1)
        let buds = try fixture.plug("Buds", .bluetoothA2DP)
        let hall = try fixture.plug("Hall", .airPlay)
        let session = try fixture.session(.playback)
        try session.setActive(true)
        try fixture.play(0.5, on: session.bus, of: session)
        #expect(try fixture.hears([(hall, 0.5)], silent: [buds, fixture.speaker]))
        try session.setCategory(.playAndRecord)
        #expect(try fixture.hears([(fixture.speaker, 0.5)], silent: [buds, hall]))
        try session.setCategory(.playAndRecord, options: .allowBluetoothA2DP)
        #expect(try fixture.hears([(buds, 0.5)], silent: [hall, fixture.speaker]))
        try session.setCategory(.playAndRecord, options: .allowAirPlay)
        #expect(try fixture.hears([(hall, 0.5)], silent: [buds, fixture.speaker]))
        try session.setCategory(.multiRoute)
        #expect(try fixture.hears([(fixture.speaker, 0.5)], silent: [buds, hall]))

        let reasons = EventLog<AudioSession.RouteChangeReason?>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.routeChangeNotification, object: session, queue: nil
        ) { note in
            let reason = note.userInfo?[AudioSessionRouteChangeReasonKey] as? UInt
            reasons.note(reason.flatMap { AudioSession.RouteChangeReason(rawValue: $0) })
        }
        defer { NotificationCenter.default.removeObserver(token) }
        fixture.speaker.kill()
        #expect(reasons.wait { $0.contains(.noSuitableRouteForCategory) }, "\(reasons.noted)")
        #expect(session.isActive && session.currentRoute.outputs.isEmpty)
        #expect(try fixture.hears([], silent: [buds, hall]))
        // Playback is audible again as soon as a category allows it.
        try session.setCategory(.playback)
        #expect(try fixture.hears([(hall, 0.5)], silent: [buds]))
        microphone.kill()
        fixture.host.close()
    }

    @Test("ROUTE-8, ROUTE-10: long-form sessions share one device, also one that the user picks")
    func longForm() throws {
        let fixture = try RouteFixture()
        defer { fixture.server.stop() }
        let (ears, hall) = (try fixture.plug("Ears", .headphones), try fixture.plug("Hall", .airPlay))
        let policies: [(AudioSession.RouteSharingPolicy, Float)] = [(.longFormAudio, 0.25), (.longFormVideo, 0.5)]
        let sessions = try policies.map { policy, level in
            let session = try fixture.session()
            try session.setCategory(.playback, mode: .default, policy: policy, options: .mixWithOthers)
            try session.setActive(true)
            try fixture.play(level, on: session.bus, of: session)
            return session
        }
        #expect(try fixture.hears([(hall, 0.75)], silent: [ears, fixture.speaker]))
        try fixture.host.pickOutput("Ears:output")
        #expect(try fixture.hears([(ears, 0.75)], silent: [hall, fixture.speaker]))
        #expect(sessions.allSatisfy { $0.isActive })
        let error = #expect(throws: AudioSessionError.self) {
            try sessions[0].setCategory(.playback, mode: .shortFormVideo, policy: .longFormAudio)
        }
        #expect(error?.rule == "ROUTE-10")
        fixture.host.close()
    }

    @Test("MULTI-1, MULTI-2: dualRoute uses the speaker and devices with input and output; each has a separate stream")
    func dualRoute() throws {
        let fixture = try RouteFixture()
        defer { fixture.server.stop() }
        let screen = try fixture.plug("Screen", .hdmi)
        let mixer = try fixture.plug("Mixer", .usbAudio, inputs: 2)
        let session = try fixture.session()
        try session.setCategory(.multiRoute, mode: .dualRoute, options: .allowBluetoothHFP)
        try session.setActive(true)
        let outputs = session.currentRoute.outputs
        #expect(Set(outputs.map(\.portName)) == ["Speaker", "Mixer"], "the screen has no input")
        for (name, level) in [("Speaker", Float(0.25)), ("Mixer", -0.5)] {
            let bus = try session.bus(to: outputs.filter { $0.portName == name })
            try fixture.play(level, on: bus, of: session)
        }
        #expect(try fixture.hears([(fixture.speaker, 0.25), (mixer, -0.5)], silent: [screen]))
        mixer.kill()
        #expect(try fixture.hears([(fixture.speaker, 0.25)], silent: [screen]))
        fixture.host.close()
    }

    @Test(
        "HW-1, HW-2: of competing requests the shortest buffer size applies; as each ends, the next applies, and finally the original one is restored"
    )
    func competingPeriods() throws {
        let fixture = try RouteFixture()
        defer { fixture.server.stop() }
        let witness = try fixture.session(.ambient)
        /// Returns whether the server has this buffer size, as another program sees it. PipeWire
        /// reports it late to a program that has just connected; there, as a session sees it.
        func serverHas(_ frames: Int) throws -> Bool {
            guard TestServer.current.isJackd else {
                return eventually { witness.ioBufferDuration == Double(frames) / 48_000 }
            }
            return try eventually {
                try ChildProcess.run("jack_bufsize", [], environment: fixture.server.environment).output
                    .split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.last == frames
            }
        }
        #expect(try serverHas(RouteFixture.periodFrames))
        let sessions = try [2_048, 256, 512].map { frames in
            let session = try fixture.session(.ambient)
            try session.setPreferredIOBufferDuration(Double(frames) / 48_000)
            return session
        }
        #expect(try serverHas(RouteFixture.periodFrames), "an inactive session's preferred value does not apply")
        try sessions[0].setActive(true)
        #expect(try serverHas(2_048))
        try sessions[1].setActive(true)
        #expect(try serverHas(256))
        try sessions[2].setActive(true)
        #expect(try serverHas(256))
        #expect(sessions.allSatisfy { $0.ioBufferDuration == 256.0 / 48_000 })
        #expect(sessions[2].preferredIOBufferDuration == 512.0 / 48_000, "the preferred value is not the actual one")
        try sessions[1].setActive(false)
        #expect(try serverHas(512))
        try sessions[2].setActive(false)
        try sessions[0].setActive(false)
        #expect(try serverHas(RouteFixture.periodFrames), "restored")

        // A value that another program has set since is kept. With PipeWire `jack_bufsize` has no
        // lasting effect.
        guard TestServer.current.isJackd else { return fixture.host.close() }
        try sessions[1].setActive(true)
        #expect(try serverHas(256))
        try ChildProcess.run("jack_bufsize", ["64"], environment: fixture.server.environment)
        #expect(eventually { sessions[1].ioBufferDuration == 64.0 / 48_000 })
        try sessions[1].setActive(false)
        #expect(try serverHas(64))
        fixture.host.close()
    }
}

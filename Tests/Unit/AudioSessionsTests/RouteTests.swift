import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import TestSupport
import Testing

/// Virtual devices, through the API.
@Suite struct RouteTests {
    private let stage = HostFixture()

    private func outputs(_ session: AudioSession) -> [AudioSession.Port] {
        session.currentRoute.outputs.map(\.portType)
    }

    @Test(
        "ROUTE-1, SIM-5: the route lists ports with type, name, uid and channels; the server's own have no known type"
    )
    func describes() throws {
        let session = try stage.session(.playAndRecord)
        let server = try #require(session.currentRoute.outputs.first)
        #expect(server.portType == .virtual && server.portName == "Output of offline" && server.channels?.count == 1)
        #expect(session.currentRoute.inputs.map(\.portType) == [.virtual])
        try stage.host.plug("Band", type: .usbAudio, outputs: 4, inputs: 2)
        let band = try #require(session.currentRoute.outputs.first)
        #expect(band.portType == .usbAudio && band.portName == "Band" && band.uid == "Band:output")
        #expect(band.channels?.map(\.channelNumber) == [1, 2, 3, 4])
        #expect(band.channels?.allSatisfy { $0.owningPortUID == "Band:output" } == true)
        #expect(session.availableInputs?.map(\.uid) == ["Band:input", "input"])
        #expect(stage.host.devices == ["server", "Band"])
        #expect(throws: AudioSessionError.self) { try stage.host.plug("", type: .usbAudio) }
        #expect(throws: AudioSessionError.self) { try stage.host.plug("x", type: AudioSession.Port(rawValue: "Tin")) }
        #expect(throws: AudioSessionError.self) { try stage.host.unplug("nothing") }
    }

    @Test(
        "ROUTE-2, ROUTE-3, ROUTE-4, SIM-4: (un)plugging headphones: reason and previous route are posted; players pause"
    )
    func headphones() throws {
        let music = try stage.session(.playback)
        let order = EventLog<String>()
        let player = Participant(music) { order.note($0) }
        let heard = EventLog<String>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.routeChangeNotification, object: music, queue: nil
        ) { note in
            let previous = note.userInfo?[AudioSessionRouteChangePreviousRouteKey] as? AudioSessionRouteDescription
            let reason = note.userInfo?[AudioSessionRouteChangeReasonKey] as? UInt ?? 99
            heard.note("\(reason) from \(previous?.outputs.first?.portName ?? "-")")
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try music.setActive(true)
        player.run(true)
        try stage.play(Signal.counting(frames: 100_000), in: music)
        _ = try stage.render(1_000)
        stage.host.settle()
        try stage.host.plug("Ears", type: .headphones, inputs: 1)
        stage.host.settle()
        #expect(music.isActive && outputs(music) == [.headphones], "a new device interrupts no session")
        #expect(try stage.render(1_000).allSatisfy { $0 != 0 })
        let begins = NotificationRecorder(AudioSession.interruptionNotification, of: music)
        try stage.host.unplug("Ears")
        stage.host.settle()
        #expect(heard.noted == ["3 from Output of offline", "1 from Output of offline", "2 from Ears"])
        #expect(begins.heard.noted.map { $0[AudioSessionInterruptionReasonKey] } == [4])
        #expect(order.noted == ["paused for good"] && !music.isActive)
        #expect(try stage.render(1_000)[300...].allSatisfy { $0 == 0 })
        try stage.host.plug("Ears", type: .headphones)
        stage.host.settle()
        #expect(!music.isActive && begins.heard.noted.count == 1)
    }

    @Test("ROUTE-4: a session that prefers no interruption stays active, and its players pause")
    func noInterruption() throws {
        let music = try stage.session(.playback)
        let order = EventLog<String>()
        let player = Participant(music) { order.note($0) }
        #expect(music.prefersInterruptionOnRouteDisconnect)
        try music.setPrefersInterruptionOnRouteDisconnect(false)
        try stage.host.plug("Ears", type: .headphones)
        try music.setActive(true)
        player.run(true)
        try stage.host.unplug("Ears")
        stage.host.settle()
        #expect(order.noted == ["paused for good"] && music.isActive && !music.prefersInterruptionOnRouteDisconnect)
    }

    @Test("ROUTE-5, ROUTE-6, ROUTE-8: override, preferred input and the user's choice, through the API")
    func choices() throws {
        let session = try stage.session(.playAndRecord)
        try stage.host.plug("Phone", type: .builtInReceiver, outputs: 1, inputs: 1)
        try stage.host.plug("Speaker", type: .builtInSpeaker)
        #expect(outputs(session) == [.builtInReceiver])
        try session.overrideOutputAudioPort(.speaker)
        #expect(outputs(session) == [.builtInSpeaker])
        try session.overrideOutputAudioPort(.none)
        stage.host.settle()
        let listener = NotificationRecorder(AudioSession.availableInputsChangeNotification, of: session)
        try stage.host.plug("Interface", type: .usbAudio, inputs: 2)
        stage.host.settle()
        #expect(listener.heard.noted.count == 1)
        #expect(session.currentRoute.inputs.map(\.uid) == ["Interface:input"])
        let mic = try #require(session.availableInputs?.first { $0.portType == .builtInMic })
        try session.setPreferredInput(mic)
        #expect(session.preferredInput == mic && session.currentRoute.inputs == [mic])
        let unknown = AudioSessionPortDescription(portType: .lineIn, portName: "?", uid: "?", channels: [])
        #expect(throws: AudioSessionError.self) { try session.setPreferredInput(unknown) }
        try stage.host.pickInput("Interface:input")
        #expect(session.currentRoute.inputs.map(\.uid) == ["Interface:input"])
        try stage.host.pickOutput("Speaker:output")
        #expect(outputs(session) == [.builtInSpeaker])
        try session.setPreferredInput(nil)
        #expect(session.preferredInput == nil)
    }

    @Test("ROUTE-9, CAT-7: without an input, recording categories are refused; with one they are available")
    func noInput() throws {
        let stage = HostFixture(inputChannels: 0)
        let session = try stage.session(.playAndRecord)
        #expect(!session.isInputAvailable && !session.availableCategories.contains(.record))
        let error = #expect(throws: AudioSessionError.self) { try session.setActive(true) }
        #expect(error?.errorCode == .resourceNotAvailable && error?.rule == "ROUTE-9")
        try stage.host.plug("Ears", type: .headphones, inputs: 1)
        #expect(session.isInputAvailable && session.availableCategories.contains(.record))
        try session.setActive(true)
        #expect(session.isActive)
    }

    @Test("ROUTE-1: the audio server has no data sources within a port: nil, and selecting one is refused")
    func dataSources() throws {
        let session = try stage.session(.playAndRecord)
        #expect(session.inputDataSources == nil && session.currentRoute.outputs.first?.dataSources == nil)
        let source = AudioSessionDataSourceDescription(dataSourceID: 1, dataSourceName: "front")
        #expect(throws: AudioSessionError.self) { try session.setInputDataSource(source) }
        try session.setInputDataSource(nil)
    }

    @Test("The library applies an input's gain: 0 to 1, at once and for later inputs")
    func inputGain() throws {
        let session = try stage.session(.playAndRecord)
        stage.host.setRecordPermission(.granted)
        let input = try AudioSessionInput(session: session)
        try session.setInputGain(0.5)
        #expect(session.isInputGainSettable && session.inputGain == 0.5)
        #expect(throws: AudioSessionError.self) { try session.setInputGain(.nan) }
        #expect(throws: AudioSessionError.self) { try session.setInputGain(1.5) }
        try input.start()
        _ = try stage.driver.render(frames: 1_024, inputs: [[Float](repeating: 1, count: 1_024)])
        while input.capture.read() != nil { continue }
        _ = try stage.driver.render(frames: 256, inputs: [[Float](repeating: 1, count: 256)])
        #expect(input.capture.read()?.samples.allSatisfy { $0 == 0.5 } == true)
    }
}

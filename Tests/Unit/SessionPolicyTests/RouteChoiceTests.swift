import SessionPolicy
import Testing

/// Choices among devices: the override to the speaker, the preferred input and the user's pick
/// (ROUTE-5, ROUTE-6, ROUTE-8).
@Suite struct RouteChoiceTests: RouteScenario {
    private let one = SessionID(1)

    @Test(
        "ROUTE-5: the override precedes connected devices, until another route change, an interruption, or none"
    )
    func override() throws {
        var scene = try scene(Self.phone, Self.headset)
        try scene.add(1, .playAndRecord)
        try scene.activate(1)
        func overridden() throws -> Bool { try scene.session(1).isOverriddenToSpeaker }
        try scene.do(.overrideOutput(one, toSpeaker: true))
        #expect(changes(scene) == ["1 override from ears"])
        #expect(try route(scene) == "mouth>speaker")
        try scene.do(.plug(Self.tv))
        #expect(try overridden(), "AirPlay is not for it: no route change")
        try scene.do(.plug(Self.usb))
        #expect(try !overridden() && route(scene) == "usb-in>usb-out")
        try scene.do(.overrideOutput(one, toSpeaker: true))
        try scene.begin(9, .call)
        #expect(try !overridden())
        try scene.end(9)
        try scene.do(.overrideOutput(one, toSpeaker: true))
        try scene.do(.overrideOutput(one, toSpeaker: false))
        #expect(try route(scene) == "usb-in>usb-out")
        try scene.add(2, .playback)
        let refusal = try scene.refusal(of: .overrideOutput(SessionID(2), toSpeaker: true))
        #expect(refusal.code == .badParam && refusal.rule == .route5)
    }

    @Test("ROUTE-8, ROUTE-5: the user's pick ends the override to the speaker of the apps that see the device")
    func pickEndsOverride() throws {
        var scene = try scene(Self.phone, Self.headset)
        try scene.add(1, .playAndRecord)
        try scene.activate(1)
        try scene.do(.overrideOutput(one, toSpeaker: true))
        try scene.do(.pick(.input, "mic"))
        #expect(try route(scene) == "mic>speaker", "only the pick of an output")
        try scene.do(.pick(.output, "ears"))
        #expect(try route(scene) == "mic>ears" && !scene.session(1).isOverriddenToSpeaker)
        #expect(changes(scene) == ["1 override from speaker"])
        try scene.do(.overrideOutput(one, toSpeaker: true))
        #expect(try route(scene) == "mic>speaker", "a later override precedes the pick")
        try scene.do(.setDevices(AppID(2), server: "studio", [Self.usb]))
        try scene.do(.pick(.output, "usb-out"))
        #expect(try scene.session(1).isOverriddenToSpeaker, "it does not see that device")
    }

    @Test(
        "ROUTE-8: the user's choice precedes newest device and preferred input, until its device leaves or one arrives")
    func pick() throws {
        var scene = try scene(Self.phone, Self.usb, Self.headset)
        try scene.add(1, .playAndRecord)
        try scene.do(.preferInput(one, "mic"))
        try scene.do(.pick(.output, "usb-out"))
        try scene.do(.pick(.input, "usb-in"))
        #expect(try route(scene) == "usb-in>usb-out" && changes(scene) == ["1 override from usb-out"])
        try scene.do(.plug(Self.hdmi))
        #expect(try route(scene) == "mic>hdmi-out")
        try scene.do(.pick(.output, "usb-out"))
        try scene.do(.unplug("usb"))
        #expect(try route(scene) == "mic>hdmi-out" && scene.state.pickedOutput == nil)
        #expect(try scene.refusal(of: .pick(.output, "usb-out")).rule == .route8)
        #expect(try scene.refusal(of: .pick(.input, "hdmi-out")).rule == .route8)
    }

    @Test(
        "ROUTE-6: a preferred input must be available; an unknown one is refused; changes of the inputs are reported"
    )
    func preferredInput() throws {
        var scene = try scene(Self.phone, Self.usb)
        try scene.add(1, .playAndRecord)
        try scene.do(.preferInput(one, "mic"))
        #expect(try route(scene) == "mic>usb-out")
        try scene.do(.plug(Self.headset))
        #expect(scene.notified.map(\.kind).contains(.availableInputsChanged))
        #expect(try route(scene) == "mic>ears")
        try scene.do(.preferInput(one, nil))
        #expect(try route(scene) == "mouth>ears")
        #expect(try scene.refusal(of: .preferInput(one, "nothing")).rule == .route6)
        try scene.do(.plug(Self.hfp))
        #expect(!scene.notified.map(\.kind).contains(.availableInputsChanged), "not without the option")
        #expect(try scene.refusal(of: .preferInput(one, "hfp-in")).code == .badParam)
    }
}

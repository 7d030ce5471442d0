import SessionPolicy

/// The devices of tests of routes, and what the tests read from a scene.
protocol RouteScenario {}

extension RouteScenario {
    static var phone: AudioDevice {
        AudioDevice(
            uid: "phone",
            ports: [
                .output("speaker", .builtInSpeaker), .output("receiver", .builtInReceiver, channels: 1),
                .input("mic", .builtInMic),
            ])
    }
    static var headset: AudioDevice {
        AudioDevice(uid: "headset", ports: [.output("ears", .headphones), .input("mouth", .headsetMic)])
    }
    static var usb: AudioDevice {
        AudioDevice(uid: "usb", ports: [.output("usb-out", .usbAudio), .input("usb-in", .usbAudio)])
    }
    static var tv: AudioDevice { AudioDevice(uid: "tv", ports: [.output("tv-out", .airPlay)]) }
    static var a2dp: AudioDevice { AudioDevice(uid: "bt", ports: [.output("bt-out", .bluetoothA2DP)]) }
    static var hfp: AudioDevice {
        AudioDevice(uid: "hfp", ports: [.output("hfp-out", .bluetoothHFP), .input("hfp-in", .bluetoothHFP)])
    }
    static var hdmi: AudioDevice { AudioDevice(uid: "hdmi", ports: [.output("hdmi-out", .hdmi, channels: 8)]) }

    func scene(_ devices: AudioDevice...) throws -> Scene {
        var scene = Scene()
        for device in devices { try scene.do(.plug(device)) }
        return scene
    }

    func route(_ scene: Scene, _ id: UInt64 = 1) throws -> String {
        let route = scene.state.route(of: try scene.session(id))
        return route.inputs.map(\.uid).joined(separator: "+") + ">" + route.outputs.map(\.uid).joined(separator: "+")
    }

    /// Returns the route changes of the last event: session, reason, previous outputs.
    func changes(_ scene: Scene) -> [String] {
        scene.notified.compactMap { effect in
            guard case .routeChanged(let previous, let reason) = effect.kind else { return nil }
            return "\(effect.session.rawValue) \(reason) from \(previous.outputs.map(\.uid).joined(separator: "+"))"
        }
    }
}

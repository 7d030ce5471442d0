internal import AudioRendering
internal import SessionPolicy

/// What a route description is made of; a value, so that the route before a change can be kept (ROUTE-3).
struct RouteFacts: Hashable, Sendable {
    /// What of the server makes a route another one; its rate and period do not.
    struct Device: Hashable, Sendable {
        var server: String
        var inputChannels: Int
        var outputChannels: Int

        init(_ format: HardwareFormat) {
            server = format.server
            inputChannels = format.inputChannels
            outputChannels = format.outputChannels
        }
    }

    /// Nil while no server has been reached.
    var device: Device?
    var category: Category

    init(_ format: HardwareFormat?, _ category: Category) {
        device = format.map(Device.init)
        self.category = category
    }

    var description: AudioSessionRouteDescription {
        let traits = category.traits
        return AudioSessionRouteDescription(
            inputs: port("input", "Input", traits.hasInput ? device?.inputChannels : nil),
            outputs: port("output", "Output", traits.hasOutput ? device?.outputChannels : nil))
    }

    private func port(_ uid: String, _ name: String, _ channels: Int?) -> [AudioSessionPortDescription] {
        guard let device, let channels, channels > 0 else { return [] }
        let descriptions = (1...channels).map {
            AudioSessionChannelDescription(channelName: "\(name) \($0)", channelNumber: $0, owningPortUID: uid)
        }
        return [
            AudioSessionPortDescription(
                portType: .virtual, portName: "\(name) of \(device.server)", uid: uid, channels: descriptions)
        ]
    }
}

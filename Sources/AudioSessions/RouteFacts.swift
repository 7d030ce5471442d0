internal import AudioRendering
internal import SessionPolicy

/// What a route description is made of; a value, so that the route before a change can be kept (ROUTE-3).
struct RouteFacts: Hashable, Sendable {
    var server = ""
    var inputChannels = 0
    var outputChannels = 0

    init(format: HardwareFormat?, category: Category) {
        guard let format else { return }
        server = format.server
        inputChannels = category.traits.hasInput ? format.inputChannels : 0
        outputChannels = category.traits.hasOutput ? format.outputChannels : 0
    }

    var description: AudioSessionRouteDescription {
        AudioSessionRouteDescription(
            inputs: port("input", "Input", inputChannels), outputs: port("output", "Output", outputChannels))
    }

    private func port(_ uid: String, _ name: String, _ channels: Int) -> [AudioSessionPortDescription] {
        guard channels > 0 else { return [] }
        let channels = (1...channels).map {
            AudioSessionChannelDescription(channelName: "\(name) \($0)", channelNumber: $0, owningPortUID: uid)
        }
        return [
            AudioSessionPortDescription(
                portType: .virtual, portName: "\(name) of \(server)", uid: uid, channels: channels)
        ]
    }
}

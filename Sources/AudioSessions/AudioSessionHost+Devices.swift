internal import AudioRendering
internal import Dispatch
internal import JackDriver
internal import SessionArbiter
internal import SessionPolicy

/// Devices that come and go, as calls: stand-ins for tests and tools (SIM-4), beside the audio server's own ports.
///
/// Such a stand-in takes part in every rule of routes; its sound goes through the ports that the driver opened with. Those that are heard are
/// devices of the driver: a sound card, another JACK client, `audiosession-device`.
extension AudioSessionHost {
    /// Plugs a device in: the newest that a session may use becomes its route (keeps ROUTE-2). With outputs and inputs it is one device
    /// that goes both ways; a headset's microphone is a `headsetMic`, a machine's a `builtInMic`. Known by its name: plugged in again, it
    /// has changed. Throws badParam without a name or a channel.
    public func plug(_ name: String, type: AudioSession.Port, outputs: Int = 2, inputs: Int = 0) throws {
        let output = try type.known()
        var ports: [DevicePort] = []
        if outputs != 0 {
            ports.append(
                DevicePort(uid: name + ":output", name: name, type: output, direction: .output, channels: outputs))
        }
        if inputs != 0 {
            ports.append(
                DevicePort(uid: name + ":input", name: name, type: output.input, direction: .input, channels: inputs))
        }
        try submit(.plug(Device(uid: name, ports: ports)))
    }

    /// Pulls a device out; what plays there and is the app's now-playing session is interrupted (keeps ROUTE-4).
    public func unplug(_ name: String) throws { try submit(.unplug(name)) }

    /// The names of the devices that are plugged in, the last in last; the server's own ports are `server`.
    public var devices: [String] { arbiter.devices.map(\.uid) }

    /// The user picks an output by its uid, or takes the pick back with nil; it beats every other choice until its device leaves or
    /// another comes (keeps ROUTE-8).
    public func pickOutput(_ uid: String?) throws { try submit(.pick(.output, uid)) }

    /// The same, of an input.
    public func pickInput(_ uid: String?) throws { try submit(.pick(.input, uid)) }

    /// What this app saw of its server last, and told the arbiter.
    struct Sighting: Equatable, Sendable {
        /// nil: of a driver that knows no devices.
        var server: String?
        var devices: [Device]

        var uids: Set<String> { Set(devices.flatMap(\.ports).map(\.uid)) }

        /// With what was seen before and is missing, or is there in parts; in the order of before.
        func keeping(_ before: Sighting?) -> Sighting {
            guard let before, before.server == server else { return self }
            var kept = self
            let known = Set(before.devices.map(\.uid))
            kept.devices =
                before.devices.map { old in complete(old) ?? old } + devices.filter { !known.contains($0.uid) }
            return kept
        }

        /// Whether every device of an earlier snapshot of this server is present, with all of its ports.
        func hasAll(of before: Sighting?) -> Bool {
            guard let before, before.server == server else { return true }
            return before.devices.allSatisfy { complete($0) != nil }
        }

        /// The device of an earlier snapshot as it is now; nil if it or one of its ports is missing.
        private func complete(_ old: Device) -> Device? {
            devices.first { $0.uid == old.uid && $0.hasAll(of: old) }
        }
    }

    /// How long a device may take to come back after its server: those of other programs come after it.
    static let returnLimit = Duration.seconds(2)

    /// The server is back: what is missing as yet counts as being there until it has had its time (keeps SRV-2).
    func awaitDevices() {
        let wait = returns.withLock { returns in
            returns.count += 1
            returns.isAwaited = true
            return returns.count
        }
        clock.call(after: Self.returnLimit) { [weak self] in
            guard let self else { return }
            news.async { self.endReturn(wait) }
        }
    }

    /// After a change of devices: while the server's devices are awaited, the policy still counts them as present, so the sessions
    /// are connected here to those that are back. The wait ends when all of them are.
    func followReturn() {
        guard let wait = returns.withLock({ $0.isAwaited ? $0.count : nil }) else { return }
        let isComplete = currentSnapshot().map { now in sightings.withLock { now.hasAll(of: $0) } }
        isComplete == true ? endReturn(wait) : patchAllLater()
    }

    /// Cancels the wait for devices because the server is lost again. Returns whether a wait was in progress.
    func abandonReturn() -> Bool {
        returns.withLock { returns in
            defer { returns.isAwaited = false }
            return returns.isAwaited
        }
    }

    /// Reports devices that are still missing as removed, then notifies each session once that the server has returned (keeps SRV-2).
    private func endReturn(_ wait: Int) {
        let isLast = returns.withLock { returns in
            guard returns.isAwaited, returns.count == wait else { return false }
            returns.isAwaited = false
            return true
        }
        guard isLast else { return }
        noteDevices()
        patchAllLater()
        for session in livingSessions { session.notifyReset() }
    }

    /// What the user says of devices, for the driver that looks at them.
    func applyDeviceOverrides(to driver: any RenderDriver) {
        guard let driver = driver as? JackDriver, !settings.deviceOverrides.isEmpty else { return }
        driver.setDeviceOverrides(
            settings.deviceOverrides.map {
                .init(
                    pattern: $0.pattern, kind: $0.type.flatMap { HardwareKind(rawValue: $0.rawValue) }, name: $0.name,
                    isHidden: $0.isHidden)
            })
    }

    /// Returns of the server, and whether the devices of the last one are still awaited.
    struct Returns {
        var count = 0
        var isAwaited = false
    }

    /// Tells the arbiter which devices there are, if that is news (keeps ROUTE-1, ROUTE-2); `again`: to one that may not know.
    func noteDevices(_ format: HardwareFormat? = nil, again: Bool = false) {
        guard let sighting = currentSnapshot(format) else { return }
        // One sighting after the other, as they were made.
        sightings.withLock { last in
            // A driver that knows devices knows them as long as it is open: without any, it has just been lost.
            let sighting = returns.withLock { $0.isAwaited } ? sighting.keeping(last) : sighting
            guard again || last != sighting, sighting.server != nil || last?.server == nil else { return }
            last = sighting
            if let server = sighting.server {
                // Refused, or without an arbiter just now: told again with the next news.
                if (try? submit(.setDevices(app, server: server, sighting.devices))) == nil { last = nil }
            } else {
                for device in sighting.devices { try? submit(.plug(device)) }
            }
        }
    }

    /// The devices at this moment; nil while the driver is not open.
    private func currentSnapshot(_ format: HardwareFormat? = nil) -> Sighting? {
        guard case .success(let engine) = engine, let format = format ?? engine.format else { return nil }
        guard let devices = engine.driver.devices else {
            return Sighting(server: nil, devices: [Device(channelsOf: format)].filter { !$0.ports.isEmpty })
        }
        return Sighting(
            server: format.serverName, devices: devices.map { Device($0, server: format.serverName) })
    }

    /// Whether a port is one that the driver told of, if not any more.
    func wasSeen(_ port: DevicePort) -> Bool {
        sightings.withLock { $0?.server != nil && $0?.uids.contains(port.uid) == true }
    }
}

extension Device {
    /// Whether each port of the other one is there, with as many channels at least.
    fileprivate func hasAll(of other: Device) -> Bool {
        other.ports.allSatisfy { old in ports.contains { $0.uid == old.uid && $0.channels >= old.channels } }
    }

    fileprivate init(_ device: HardwareDevice, server: String) {
        self.init(
            uid: device.uid,
            ports: device.ports.map { port in
                DevicePort(
                    uid: port.uid, name: port.name, type: PortType(rawValue: port.kind.rawValue) ?? .virtual,
                    direction: port.direction == .output ? .output : .input, channels: port.channels)
            })
        self.server = server
    }

    /// The channels of a driver that knows no devices, as a device of no known kind. Its rate and period make no other route.
    fileprivate init(channelsOf format: HardwareFormat) {
        func port(_ direction: DevicePort.Direction, _ name: String, _ channels: Int) -> [DevicePort] {
            let uid = direction.rawValue
            guard channels > 0 else { return [] }
            return [
                DevicePort(
                    uid: uid, name: "\(name) of \(format.server)", type: .virtual, direction: direction,
                    channels: channels)
            ]
        }
        self.init(
            uid: Device.serverUID,
            ports: port(.output, "Output", format.outputChannels) + port(.input, "Input", format.inputChannels))
    }
}

extension PortType {
    /// The input that goes with an output of this kind.
    fileprivate var input: PortType {
        switch self {
        case .headphones: .headsetMic
        case .builtInSpeaker, .builtInReceiver: .builtInMic
        case .lineOut: .lineIn
        default: self
        }
    }
}

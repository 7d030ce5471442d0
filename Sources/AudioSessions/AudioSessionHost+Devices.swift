internal import AudioRendering
internal import Dispatch
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// Plugs in and unplugs virtual devices that only the policy knows, in addition to the audio
/// server's own ports, for tests and tools (SIM-4).
///
/// Such a virtual device takes part in every routing rule; its sound goes through the ports that
/// the driver opened with. Devices with an output of their own are devices of the driver: a sound
/// card, another JACK client, `audiosession-device`.
extension AudioSessionHost {
    /// Plugs in a virtual device. Each session whose category, mode and options allow the device is
    /// routed to it, because it is now the newest one (keeps ROUTE-2).
    ///
    /// `outputs` and `inputs` are numbers of channels; with both, it is one bidirectional device.
    /// The input of headphones is a `headsetMic`, that of a built-in speaker or receiver a
    /// `builtInMic`, that of a line output a `lineIn`; for every other type, the input has that
    /// type too. A device is identified by its name: plugging it in again updates it. Throws
    /// badParam if the name is empty, there is no channel, or the type is unknown.
    public func plug(_ name: String, type: AudioSessionPort, outputs: Int = 2, inputs: Int = 0) throws {
        let output = try type.known()
        var ports: [DevicePort] = []
        if outputs != 0 {
            ports.append(
                DevicePort(uid: name + ":output", name: name, type: output, direction: .output, channels: outputs))
        }
        if inputs != 0 {
            ports.append(
                DevicePort(
                    uid: name + ":input", name: name, type: output.inDirection(.input), direction: .input,
                    channels: inputs))
        }
        try submit(.plug(AudioDevice(uid: name, ports: ports)))
    }

    /// Unplugs a virtual device by its name. If the app's most recent primary session plays there,
    /// it is interrupted (keeps ROUTE-4). Throws badParam if there is no such device, or if the
    /// audio server reported it.
    public func unplug(_ name: String) throws { try submit(.unplug(name)) }

    /// The uids of all devices, newest last: for a virtual device its name, for a device of the
    /// server the uid that the driver reports, for the ports of a server without known devices
    /// `server`.
    public var devices: [String] { arbiter.devices.map(\.uid) }

    /// Selects an output port on behalf of the user, by its uid; nil clears the selection. It takes
    /// precedence over every other choice until its device is unplugged or another one is plugged
    /// in (keeps ROUTE-8). Throws badParam for an unknown port.
    public func pickOutput(_ uid: String?) throws { try submit(.pick(.output, uid)) }

    /// Selects an input port on behalf of the user, by the same rules as `pickOutput`.
    public func pickInput(_ uid: String?) throws { try submit(.pick(.input, uid)) }

    /// The devices of the server that this app last saw and reported to the arbiter.
    struct DeviceSnapshot: Equatable, Sendable {
        /// The server's name; nil for a driver that reports no devices.
        var server: String?
        var devices: [AudioDevice]

        var uids: Set<String> { Set(devices.flatMap(\.ports).map(\.uid)) }

        /// Returns this snapshot with the devices of an earlier one that are now missing or
        /// incomplete, as awaited ones, in the order of the earlier one.
        func keeping(_ before: DeviceSnapshot?) -> DeviceSnapshot {
            guard let before, before.server == server else { return self }
            var kept = self
            let known = Set(before.devices.map(\.uid))
            kept.devices =
                before.devices.map { old in complete(old) ?? old.awaited }
                + devices.filter { !known.contains($0.uid) }
            return kept
        }

        /// Returns whether every device of an earlier snapshot of this server is present, with all
        /// of its ports.
        func hasAll(of before: DeviceSnapshot?) -> Bool {
            guard let before, before.server == server else { return true }
            return before.devices.allSatisfy { complete($0) != nil }
        }

        /// Returns the current version of a device from an earlier snapshot; nil if it or one of
        /// its ports is missing.
        private func complete(_ old: AudioDevice) -> AudioDevice? {
            devices.first { $0.uid == old.uid && $0.hasAll(of: old) }
        }
    }

    /// How long a device may take to return after its server: other programs that provide devices
    /// reconnect on their own, later than this one, and the session manager of PipeWire first opens
    /// the sound cards.
    static let deviceWaitLimit = Duration.seconds(10)

    /// Starts the wait for devices after the server's return: until it ends, devices that are still
    /// missing are awaited, and no session is routed to another one instead (keeps SRV-2).
    func beginDeviceWait() {
        let returnNumber = serverReturns.withLock { returns in
            returns.count += 1
            returns.isAwaited = true
            returns.isUnreported = true
            return returns.count
        }
        clock.call(after: Self.deviceWaitLimit) { [weak self] in
            guard let self else { return }
            notifications.async { self.finishDeviceWait(returnNumber) }
        }
    }

    /// Handles a change of devices while the server's devices are awaited: connects the sessions to
    /// those that have returned. The wait ends when all have.
    func updateDeviceWait() {
        guard let returnNumber = serverReturns.withLock({ $0.isAwaited ? $0.count : nil }) else { return }
        let isComplete = currentSnapshot().map { now in lastReportedDevices.withLock { now.hasAll(of: $0) } }
        isComplete == true ? finishDeviceWait(returnNumber) : applyAllRoutesAsync()
    }

    /// Cancels the wait for devices because the server is lost again. Returns whether a wait was in
    /// progress.
    func cancelDeviceWait() -> Bool {
        serverReturns.withLock { returns in
            defer { returns.isAwaited = false }
            return returns.isAwaited
        }
    }

    /// Ends the wait, unless it has ended or another return has begun a new one. Reports devices
    /// that are still missing as removed, then notifies each session that the server has returned
    /// (keeps SRV-2).
    private func finishDeviceWait(_ returnNumber: Int) {
        let isCurrent = serverReturns.withLock { returns in
            guard returns.isAwaited, returns.count == returnNumber else { return false }
            returns.isAwaited = false
            return true
        }
        guard isCurrent else { return }
        reportDevices()
        serverReturns.withLock { $0.isUnreported = $0.isAwaited }
        applyAllRoutesAsync()
        for session in livingSessions { session.notifyReset() }
    }

    /// Passes the user's device overrides from the settings to the driver.
    func applyDeviceOverrides(to driver: any RenderDriver) {
        guard !settings.deviceOverrides.isEmpty else { return }
        driver.setDeviceOverrides(settings.deviceOverrides)
    }

    /// The number of the server's returns, and whether the devices of the last return are still
    /// awaited.
    struct ServerReturns {
        var count = 0
        var isAwaited = false
        /// Whether a return of the server has not been reported to the sessions yet.
        var isUnreported = false
    }

    /// Whether ports that are missing in a route may be back soon, because the server has returned
    /// without them. Sessions are notified when this ends.
    var awaitsDevices: Bool { serverReturns.withLock { $0.isUnreported } }

    /// Reports the devices to the arbiter if they have changed (keeps ROUTE-1, ROUTE-2). With
    /// `again`, reports them even if unchanged, because the arbiter may not know them. Without
    /// `waits`, does not wait until the arbiter has adopted them, which it does before it decides
    /// on the next request.
    func reportDevices(_ format: HardwareFormat? = nil, again: Bool = false, waits: Bool = true) {
        guard let snapshot = currentSnapshot(format) else { return }
        // The lock is held while reporting, so that two threads do not report at the same time.
        lastReportedDevices.withLock { last in
            // A driver that reports devices reports them as long as it is open: if it reports none,
            // its server has just been lost.
            let snapshot = serverReturns.withLock { $0.isAwaited } ? snapshot.keeping(last) : snapshot
            let again = again || isReportDue.withLock { $0 }
            guard again || last != snapshot, snapshot.server != nil || last?.server == nil else { return }
            last = snapshot
            if let server = snapshot.server {
                // If the arbiter refuses or is unavailable, the next change reports the devices
                // again.
                isReportDue.withLock { $0 = true }
                let report = PolicyAction.setDevices(app.id, server: server, snapshot.devices)
                if !waits {
                    arbiter.post(report) { [weak self] in self?.isReportDue.withLock { $0 = false } }
                } else if (try? submit(report)) != nil {
                    isReportDue.withLock { $0 = false }
                }
            } else {
                for device in snapshot.devices { try? submit(.plug(device)) }
            }
        }
    }

    /// Returns the current devices; nil while the driver is not open.
    private func currentSnapshot(_ format: HardwareFormat? = nil) -> DeviceSnapshot? {
        guard case .success(let engine) = engine, let format = format ?? engine.format else { return nil }
        guard let devices = engine.driver.devices else {
            return DeviceSnapshot(server: nil, devices: [AudioDevice(channelsOf: format)].filter { !$0.ports.isEmpty })
        }
        return DeviceSnapshot(
            server: format.serverName,
            devices: devices.map { AudioDevice(uid: $0.uid, ports: $0.ports, server: format.serverName) })
    }

    /// Returns whether the port belongs to the last reported devices of the server, even if the
    /// driver no longer has it.
    func wasSeen(_ port: DevicePort) -> Bool {
        lastReportedDevices.withLock { $0?.server != nil && $0?.uids.contains(port.uid) == true }
    }
}

extension AudioDevice {
    /// The device as one that was lost with its server and is expected to return.
    fileprivate var awaited: AudioDevice { AudioDevice(uid: uid, ports: ports, server: server, isAwaited: true) }

    /// Returns whether this device has each port of `other`, with at least as many channels.
    fileprivate func hasAll(of other: AudioDevice) -> Bool {
        other.ports.allSatisfy { old in ports.contains { $0.uid == old.uid && $0.channels >= old.channels } }
    }

    /// Creates a device of unknown kind for the channels of a driver that reports no devices. A
    /// change of sample rate or period does not change the route.
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
            uid: AudioDevice.serverUID,
            ports: port(.output, "Output", format.outputChannels) + port(.input, "Input", format.inputChannels))
    }
}

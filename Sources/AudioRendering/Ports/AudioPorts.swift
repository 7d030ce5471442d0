internal import CRenderCore
internal import Dispatch
internal import Platform

/// Audio ports of the engine that are connected to other programs instead of a device: direct outs,
/// a send to another program and its return.
///
/// To send, route a bus to `output`. To receive, make an input (`AudioEngine.makeInput(from:)`) and
/// play it in the same cycle. The driver keeps the ports while the server is lost, and restores
/// them and their connections when it returns (SRV-2). The engine removes them when the last
/// reference to this object, or to an input made from it, is released.
public final class AudioPorts: Sendable {
    /// The ports' direction, name and channel count.
    public let group: PortGroup
    /// The driver's channels.
    let range: Range<Int>
    private let driver: any RenderDriver
    private let isRemoved = Mutex(false)
    private weak let control: EngineControl?

    init(group: PortGroup, range: Range<Int>, control: EngineControl) {
        self.group = group
        self.range = range
        self.control = control
        driver = control.driver
    }

    deinit { remove() }

    /// Removes the ports, also while an input or a voice still refers to them. Idempotent; does not
    /// wait.
    package func remove() {
        let isFirst = isRemoved.withLock { isRemoved in
            defer { isRemoved = true }
            return !isRemoved
        }
        guard isFirst else { return }
        control == nil ? driver.removePorts(group) : control?.removePorts(group)
    }

    func belongs(to control: EngineControl) -> Bool { self.control === control }

    /// The output that a bus is routed to (`SessionBus.setOutputs`), for ports of direction
    /// `output`.
    public var output: OutputRoute { OutputRoute(firstChannel: range.lowerBound, channels: range.count) }

    /// Connects the ports, channel by channel, to those of other programs, whose full names are
    /// "CLIENT:PORT"; removes their other connections. Connections to ports that do not exist yet
    /// are made when they appear; all are restored when a port returns, unless a user removed the
    /// connection. Waits for the server. Throws `DriverError`.
    public func connect(to ports: [String]) throws(DriverError) {
        guard let control else { throw .notOpen }
        try control.driver.connectPorts(named: group.name, to: ports.map { [$0] })
    }

    /// Removes all connections of the ports. Waits for the server.
    public func disconnect() { try? control?.driver.connectPorts(named: group.name, to: []) }

    /// The full names of the ports of other programs to which each port is connected now, by
    /// channel; empty while the server is lost.
    public var connections: [[String]] { control?.driver.connections(ofPortsNamed: group.name) ?? [] }
}

extension EngineControl {
    /// Removes ports. Does not wait for the driver, which may wait for the server.
    func removePorts(_ group: PortGroup) {
        portRemovals.async { [driver] in driver.removePorts(group) }
    }
}

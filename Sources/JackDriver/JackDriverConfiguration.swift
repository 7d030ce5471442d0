public import AudioSessionTypes

/// The configuration of a `JackDriver`.
public struct JackDriverConfiguration: Equatable, Sendable {
    /// The server to use.
    public enum ServerChoice: Equatable, Sendable {
        /// The default server if it is running, otherwise the managed server.
        case automatic
        /// The managed server, started if it is not running.
        case managed
        /// The server of that name, which must be running.
        case named(String)
    }

    /// What to do when the server dies.
    public enum Recovery: Equatable, Sendable {
        /// Does not reconnect: reports `serverGone` at once. The driver can be opened again.
        case never
        /// Tries for that time to reconnect, and to start the managed server again (keeps SRV-2);
        /// then reports `serverGone`.
        case within(seconds: Double)
        /// Tries without a limit until the server has returned or the driver is closed. The
        /// interval between attempts grows to two seconds.
        case always
    }

    /// What the driver connects its ports to.
    public enum ConnectionMode: String, Hashable, Sendable, CaseIterable {
        /// Nothing: other programs connect the ports. The ports exist nevertheless, including those
        /// that `connect` registers. Connections that others made are restored with their far ports
        /// and with the server.
        case none
        /// The devices, as `start` and `connect` request. Each connection is made once, so that a
        /// connection that a user removes stays removed.
        case device
        /// As `device` at the first start. From then on the driver stores all connections of its
        /// ports, including those that other clients made, in a file named after the client, and
        /// restores them at the next start.
        case remembered
    }

    /// The server to use.
    public var server: ServerChoice
    /// The client's name; the server may append a number.
    public var clientName: String
    /// The number of output ports that the driver opens with, 1…64; nil: as many as the first
    /// device has, at most 8, and 2 without a device.
    public var outputs: Int?
    /// The number of input ports that the driver opens with, 0…64; nil: as many as the first
    /// device with inputs has, at most 8.
    public var inputs: Int?
    /// What to do when the server dies.
    public var recovery: Recovery
    /// The options with which the managed server is started if necessary.
    public var managedServer: ManagedServer
    /// Seconds after which a call that the server does not answer throws `timedOut`. Opening the
    /// driver may take ten seconds longer while the managed server is being started.
    public var callTimeout: Double
    /// What the driver connects its ports to.
    public var connections: ConnectionMode
    /// The folder in which `remembered` connections are stored; nil:
    /// `$XDG_STATE_HOME/audiosession/connections`.
    public var connectionFolder: String?
    /// The user's overrides of device properties; the first override that covers a port applies.
    /// `setDeviceOverrides` replaces them.
    public var deviceOverrides: [DeviceOverride]
    /// Seconds for which jackd's own device may be missing while its sample rate changes.
    package var switchPatience = DriverSwitch.defaultPatience

    public init(
        server: ServerChoice = .automatic, clientName: String = "audio-session", outputs: Int? = nil,
        inputs: Int? = 0, recovery: Recovery = .always, managedServer: ManagedServer = ManagedServer(),
        callTimeout: Double = 5, connections: ConnectionMode = .device, connectionFolder: String? = nil,
        deviceOverrides: [DeviceOverride] = []
    ) {
        self.server = server
        self.clientName = clientName
        self.outputs = outputs
        self.inputs = inputs
        self.recovery = recovery
        self.managedServer = managedServer
        self.callTimeout = callTimeout
        self.connections = connections
        self.connectionFolder = connectionFolder
        self.deviceOverrides = deviceOverrides
    }
}

extension JackDriver {
    /// Which server to use.
    public enum ServerChoice: Equatable, Sendable {
        /// The default server if one runs, else the managed one.
        case automatic
        /// The managed one, started if it does not run.
        case managed
        /// The server of that name, which must run.
        case named(String)
    }

    /// What to do when the server dies.
    public enum Recovery: Equatable, Sendable {
        /// Nothing; the driver stays lost until it is opened again.
        case never
        /// Try for so long to reach it again, and to start the managed one again (keeps SRV-2); then `serverGone`.
        case within(seconds: Double)
        /// The same until it is back, however late, or the driver is closed; more and more seldom, at last every two seconds.
        case always
    }

    /// What the driver connects its ports to.
    public enum ConnectionMode: String, Hashable, Sendable, CaseIterable {
        /// Nothing: others patch. There are ports all the same, and those that `connect` makes. What others connected comes back with its far
        /// ends, and with the server.
        case none
        /// Its devices, as `start` and `connect` say; once, so that whoever takes a connection apart has the last word.
        case device
        /// As `device` at first. From then on what the ports are connected to, by whomever, is kept in a file called after the client, and is
        /// what the next start connects.
        case remembered
    }

    /// How a driver is set up.
    public struct Configuration: Equatable, Sendable {
        public var server: ServerChoice
        /// The client's name; the server may append a number.
        public var clientName: String
        /// Output ports that the driver opens with, 1…64; nil: as many as the first device has, at most 8, and 2 without a device.
        public var outputs: Int?
        /// Input ports that the driver opens with, 0…64; nil: as many as the first device with inputs has, at most 8.
        public var inputs: Int?
        public var recovery: Recovery
        /// How the managed server is started, if it must be.
        public var managedServer: ManagedServer
        /// Seconds after which a call that the server does not answer throws `timedOut`; opening the driver has ten more while the managed server is being started.
        public var callTimeout: Double
        public var connections: ConnectionMode
        /// The folder in which `remembered` connections are kept; nil: `$XDG_STATE_HOME/audiosession/connections`.
        public var connectionFolder: String?
        /// What the user says of devices, the first that covers a port counts. `setDeviceOverrides` replaces them.
        public var deviceOverrides: [DeviceOverride]
        /// Seconds for which jackd's own device may be gone, as it is while its rate changes.
        package var switchPatience = DriverSwitch.usualPatience

        public init(
            server: ServerChoice = .automatic, clientName: String = "audio-session", outputs: Int? = nil,
            inputs: Int? = 0,
            recovery: Recovery = .always, managedServer: ManagedServer = ManagedServer(),
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
}

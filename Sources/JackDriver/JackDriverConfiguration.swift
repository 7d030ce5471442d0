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
        /// Try for so long to reach it again, and to start the managed one again (keeps SRV-2).
        case within(seconds: Double)
    }

    /// How a driver is set up.
    public struct Configuration: Equatable, Sendable {
        public var server: ServerChoice
        /// The client's name; the server may append a number.
        public var clientName: String
        /// Output ports, 1…64; nil: as many as the server's device has, at least 1 and at most 8, and 2 without a device.
        public var outputs: Int?
        /// Input ports, 0…64, connected to the device's first ones; nil: as many as the device has, at most 8.
        public var inputs: Int?
        public var recovery: Recovery
        /// How the managed server is started, if it must be.
        public var managedServer: ManagedServer
        /// Seconds after which a call that the server does not answer throws `timedOut`.
        public var callTimeout: Double

        public init(
            server: ServerChoice = .automatic, clientName: String = "audio-session", outputs: Int? = nil,
            inputs: Int? = 0,
            recovery: Recovery = .within(seconds: 30), managedServer: ManagedServer = ManagedServer(),
            callTimeout: Double = 5
        ) {
            self.server = server
            self.clientName = clientName
            self.outputs = outputs
            self.inputs = inputs
            self.recovery = recovery
            self.managedServer = managedServer
            self.callTimeout = callTimeout
        }
    }
}

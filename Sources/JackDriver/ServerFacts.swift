public import AudioRendering
internal import CJackDriver
internal import Platform

/// The properties of a running JACK server.
public struct ServerFacts: Hashable, Sendable, Codable {
    /// The kind and version of the server: "jackd2 1.9.21".
    public var description: String
    /// The sample rate in Hz.
    public var sampleRate: Int
    public var periodFrames: Int
    /// The number of audio output ports of its devices.
    public var outputs: Int
    public var inputs: Int

    public init(description: String, sampleRate: Int, periodFrames: Int, outputs: Int, inputs: Int) {
        self.description = description
        self.sampleRate = sampleRate
        self.periodFrames = periodFrames
        self.outputs = outputs
        self.inputs = inputs
    }
}

extension JackDriver {
    /// The version of the JACK library that the loader chose: "1.9.21", "3.0.0.0 (using PipeWire
    /// …)".
    public static var libraryVersion: String { JackClient.libraryVersion }

    /// Returns the properties of the server of that name (nil: the default one); to read them, a
    /// client is opened for a moment. Does not start a server. Throws `noServer` if the server is
    /// not running, and `timedOut` if it has not answered within `seconds`.
    public static func look(at server: String?, seconds: Double = 3) throws(DriverError) -> ServerFacts {
        let control = try ControlThread()
        let reply = Promise<Result<ServerFacts, DriverError>>()
        control.post {
            reply.set(Result { () throws(DriverError) in try read(server) })
        }
        let result = reply.wait(seconds: seconds)
        control.end(after: {}, seconds: result == nil ? 0 : seconds)
        guard let result else { throw .timedOut(call: "the request for its properties", seconds: seconds) }
        return try result.get()
    }

    fileprivate static func read(_ server: String?) throws(DriverError) -> ServerFacts {
        let monitor = try ServerMonitor()
        // The client's name must not be a server's name: see make_name_distinct in CJackDriver.
        let client = try JackClient(server: server, name: "audiosession-look", monitor: monitor)
        defer { client.close() }
        let (outputs, inputs) = (client.deviceOutputs, client.deviceInputs)
        let format = client.readFormat(outputs: outputs, inputs: inputs, serverName: server ?? "default")
        return ServerFacts(
            description: format.server, sampleRate: format.sampleRate, periodFrames: format.periodFrames,
            outputs: outputs, inputs: inputs)
    }
}

extension ManagedServer {
    /// Starts the server unless it is running, and returns its properties. Waits for about 10 s at
    /// most until the server is ready; before that, waits for another process that is starting it.
    public func start() throws(DriverError) -> ServerFacts {
        try whileRunning { () throws(DriverError) in try JackDriver.read(name) }
    }
}

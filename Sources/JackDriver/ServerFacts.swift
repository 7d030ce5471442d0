public import AudioRendering
internal import CJackDriver
internal import Platform

/// What a JACK server that runs says of itself.
public struct ServerFacts: Hashable, Sendable, Codable {
    /// Its kind and version: "jackd2 1.9.21".
    public var description: String
    /// Hz.
    public var sampleRate: Int
    public var periodFrames: Int
    /// Audio ports of its devices.
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
    /// The version of the JACK library that the loader chose: "1.9.21", "3.0.0.0 (using PipeWire …)".
    public static var libraryVersion: String { String(cString: rcore_jack_version()) }

    /// Looks at the server of that name, nil: the default one, as a client for a moment. Starts none; throws `noServer` when it does not
    /// run, and `timedOut` when it has not answered within `seconds`.
    public static func look(at server: String?, seconds: Double = 3) throws(DriverError) -> ServerFacts {
        let control = try ControlThread()
        let reply = Answer<Result<ServerFacts, DriverError>>()
        control.post {
            reply.set(Result { () throws(DriverError) in try read(server) })
        }
        let result = reply.wait(seconds: seconds)
        control.end(after: {}, seconds: result == nil ? 0 : seconds)
        guard let result else { throw .timedOut(call: "the question what it is", seconds: seconds) }
        return try result.get()
    }

    fileprivate static func read(_ server: String?) throws(DriverError) -> ServerFacts {
        let news = try ServerNews()
        // No server's name: see name_apart of CJackDriver.
        let client = try JackClient(server: server, name: "audiosession-look", news: news)
        defer { client.close() }
        let (outputs, inputs) = (client.deviceOutputs, client.deviceInputs)
        let format = client.readFormat(outputs: outputs, inputs: inputs, serverName: server ?? "default")
        return ServerFacts(
            description: format.server, sampleRate: format.sampleRate, periodFrames: format.periodFrames,
            outputs: outputs, inputs: inputs)
    }
}

extension ManagedServer {
    /// Starts it unless it runs, and says what runs then. Waits for it, at most some 10 s.
    public func start() throws(DriverError) -> ServerFacts {
        try whileRunning { () throws(DriverError) in try JackDriver.read(name) }
    }
}

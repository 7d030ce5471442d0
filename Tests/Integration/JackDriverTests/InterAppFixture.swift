import AudioRendering
import AudioSessions
import Glibc
import InterAppAudio
import JackDriver
import SessionArbiter
import TestSupport

/// A host with an active, mixable session, nodes in other processes, and a listener behind them.
final class InterAppFixture: Sendable {
    let name: ServerName
    let sessionHost: AudioSessionHost
    let session: AudioSession
    let host: AudioHost
    let states = EventLog<HostedNode.State>()
    private let observation: AudioHostObservation

    /// The node program in another process.
    final class Program: Sendable {
        let process: ChildProcess

        init(_ server: JackServer, _ client: String, _ role: String, _ name: String) throws {
            process = try ChildProcess(
                try BuiltProgram.path("node-helper"), [server.name, client, role, name],
                environment: server.environment)
        }

        var isReady: Bool { process.output.contains("ready") }

        func kill() {
            process.send(SIGKILL)
            process.reap()
        }

        deinit {
            process.send(SIGCONT)
            kill()
        }
    }

    init(_ name: ServerName, activates: Bool = true, client: String = "host", suspendOnIdle: Double? = nil) throws {
        self.name = name
        var settings = ArbiterSettings()
        settings.suspendOnIdle = suspendOnIdle ?? settings.suspendOnIdle
        sessionHost = AudioSessionHost(
            driver: JackDriver(
                configuration: .init(
                    server: .named(name.text), clientName: client, outputs: 1, callTimeout: 30,
                    connections: .none)),
            settings: settings)
        session = try AudioSession(host: sessionHost)
        try session.setCategory(.playback, options: .mixWithOthers)
        if activates { try session.setActive(true) }
        host = try AudioHost(session: session)
        observation = host.observe { [states] event in
            if case .stateChanged(_, let state) = event { states.note(state) }
        }
    }

    deinit { sessionHost.close() }

    /// Waits for the node of this name.
    func node(_ name: String) throws -> NodeDescription {
        _ = eventually { host.nodes.contains { $0.name == name } }
        guard let node = host.nodes.first(where: { $0.name == name }) else {
            throw TestFailure("Node '\(name)' is not found; nodes: \(host.nodes.map(\.name)).")
        }
        return node
    }

    /// Connects what the host plays, and what effects return, to a listener.
    func connect(_ probe: MIDIProbe) throws {
        try probe.connect("host:out_1", to: "probe-listener:audio")
        try probe.connect("host-return:out_1", to: "probe-listener:audio")
    }

    /// Waits until every sample of a recording of 2,048 frames has this value.
    func hears(_ level: Float, _ probe: MIDIProbe) throws -> Bool {
        try eventually { try probe.record([], frames: 2_048).audio.allSatisfy { $0 == level } }
    }
}

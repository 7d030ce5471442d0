import ArbiterTesting
import CAudioSession
import Glibc
import SessionPolicy

/// A session of the C library, at the real service.
final class CSession {
    let session: OpaquePointer
    let gate: OpaquePointer
    private(set) var events: [asession_event_t] = []

    init(_ socket: String) throws {
        var error = asession_error_t()
        guard let session = asession_open(socket, &error), let gate = asession_gate(session) else {
            throw TrialError(error.text)
        }
        (self.session, self.gate) = (session, gate)
    }

    deinit { asession_close(session) }

    var id: SessionID { SessionID(asession_id(session)) }

    var state: asession_state_t {
        var state = asession_state_t()
        asession_state(session, &state)
        return state
    }

    /// Makes a request; throws unless it succeeds.
    func ask(_ request: (OpaquePointer, UnsafeMutablePointer<asession_error_t>) -> asession_status_t) throws {
        var error = asession_error_t()
        guard request(session, &error) == ASESSION_OK else { throw TrialError(error.text) }
    }

    /// The program's number at the arbiter.
    var app: AppID { AppID(UInt64(getpid())) }

    struct Port: Equatable {
        var uid: String
        var name: String
        var type: String
        var channels: UInt32

        init(_ uid: String, _ name: String, _ type: String, _ channels: UInt32) {
            (self.uid, self.name, self.type, self.channels) = (uid, name, type, channels)
        }
    }

    func ports(_ list: asession_ports_t) -> [Port] {
        var ports: [Port] = []
        var port = asession_port_t()
        while asession_get_port(session, list, UInt32(ports.count), &port) {
            ports.append(Port(arrayText(port.uid), arrayText(port.name), arrayText(port.type), port.channels))
        }
        return ports
    }

    /// Returns the text that a request returns; throws if there is none.
    func text(
        _ request: (OpaquePointer, UnsafeMutablePointer<asession_error_t>) -> UnsafeMutablePointer<CChar>?
    ) throws -> String {
        var error = asession_error_t()
        guard let text = request(session, &error) else { throw TrialError(error.text) }
        defer { asession_free(text) }
        return String(cString: text)
    }

    /// Dispatches what arrives, as a program's event loop does, until the condition holds.
    func waits(seconds: Double = 20, until condition: () throws -> Bool) rethrows -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while try !condition() {
            guard ContinuousClock.now < end else { return false }
            var watched = pollfd(fd: asession_fd(session), events: Int16(POLLIN), revents: 0)
            _ = poll(&watched, 1, 100)
            asession_dispatch(session)
            var event = asession_event_t()
            while asession_next_event(session, &event) { events.append(event) }
        }
        return true
    }

    /// Waits for an event of this kind, and forgets those before it.
    func awaits(_ kind: asession_event_kind_t) throws -> asession_event_t {
        guard waits(until: { events.contains { $0.kind == kind } }),
            let index = events.firstIndex(where: { $0.kind == kind })
        else { throw TrialError("no event \(kind) among \(events)") }
        defer { events.removeFirst(index + 1) }
        return events[index]
    }

    /// Applies the gate to a block of this level, and returns it with the number of frames that
    /// count.
    func render(_ count: Int = 480, level: Float = 1) -> (samples: [Float], frames: Int) {
        var samples = [Float](repeating: level, count: count)
        let frames = samples.withUnsafeMutableBufferPointer { buffer in
            var plane = buffer.baseAddress
            return withUnsafePointer(to: &plane) { asession_gate_apply(gate, $0, 1, UInt32(count)) }
        }
        return (samples, Int(frames))
    }
}

/// Returns the text in an array of C.
private func arrayText(_ array: some Any) -> String {
    withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

extension asession_error_t {
    var text: String { arrayText(message) }
    var ruleName: String { arrayText(rule) }
    var codeName: String { arrayText(code) }
}

extension asession_event_t {
    var reasonName: String { arrayText(reason) }
}

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

    /// Applies the gate to a block of ones, and returns it with the number of frames that count.
    func render(_ count: Int = 480) -> (samples: [Float], frames: Int) {
        var samples = [Float](repeating: 1, count: count)
        let frames = samples.withUnsafeMutableBufferPointer { buffer in
            var plane = buffer.baseAddress
            return withUnsafePointer(to: &plane) { asession_gate_apply(gate, $0, 1, UInt32(count)) }
        }
        return (samples, Int(frames))
    }
}

extension asession_error_t {
    var text: String { withUnsafeBytes(of: message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } }
    var ruleName: String { withUnsafeBytes(of: rule) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } }
    var codeName: String { withUnsafeBytes(of: code) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } }
}

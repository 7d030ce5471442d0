import CAudioSession
import FakeArbiter
import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import Testing

/// A session of the C library whose arbiter dies at each of its messages in turn (SRV-3).
@Suite("Sessions in C, and an arbiter that dies at each message", .serialized)
struct CSessionKillTests {
    private typealias Call = @Sendable (OpaquePointer, UnsafeMutablePointer<asession_error_t>) -> asession_status_t

    /// Each function that makes a request and that an arbiter accepts of any session.
    private static let calls: [(name: String, call: Call)] = [
        (
            "set_category_and_policy",
            {
                asession_set_category_and_policy(
                    $0, ASESSION_PLAY_AND_RECORD, ASESSION_VIDEO_RECORDING, ASESSION_ROUTE_SHARING_DEFAULT,
                    UInt32(ASESSION_DEFAULT_TO_SPEAKER), $1)
            }
        ),
        ("prefer rate", { asession_prefer($0, ASESSION_SAMPLE_RATE, 44_100, $1) }),
        ("prefer buffer", { asession_prefer($0, ASESSION_IO_BUFFER_DURATION, 0.005, $1) }),
        ("prefer_input", { asession_prefer_input($0, "table:in", $1) }),
        ("override_output_to_speaker", { asession_override_output_to_speaker($0, true, $1) }),
        (
            "prefer_interruption_on_route_disconnect",
            { asession_prefer_interruption_on_route_disconnect($0, false, $1) }
        ),
        (
            "prefer_no_interruptions_from_system_alerts",
            { asession_prefer_no_interruptions_from_system_alerts($0, true, $1) }
        ),
        ("set_ducks_only_while_audible", { asession_set_ducks_only_while_audible($0, true, $1) }),
        ("set_remote_commands", { asession_set_remote_commands($0, 1 << ASESSION_COMMAND_PAUSE.rawValue, $1) }),
        ("set_now_playing", { asession_set_now_playing($0, nil, $1) }),
        ("set_input_muted", { asession_set_input_muted($0, true, $1) }),
        ("set_output_muted", { asession_set_output_muted($0, true, $1) }),
        ("answer_record_permission", { asession_answer_record_permission($0, true, $1) }),
        ("activate", { asession_activate($0, $1) }),
        ("set_playing", { asession_set_playing($0, true, $1) }),
        ("set_recording", { asession_set_recording($0, true, $1) }),
        ("set_paused", { asession_set_paused($0, true, $1) }),
        ("user_paused", { asession_user_paused($0, $1) }),
        ("deactivate", { asession_deactivate($0, true, $1) }),
        ("request_activation", { asession_request_activation($0, $1) }),
        ("set_category", { asession_set_category($0, ASESSION_AMBIENT, ASESSION_MODE_DEFAULT, 0, $1) }),
        ("set_playing again", { asession_set_playing($0, false, $1) }),
    ]

    /// What the second arbiter, or the only one, has been asked, the last of each kind.
    private final class Requests: Sendable {
        private let last = Mutex<[String: String]>([:])

        /// Not those that the next arbiter is not sent: what the session does at a time, an
        /// override, which ends with its route (ROUTE-5), and the state of the app, which `hello`
        /// contains.
        private static let others = [
            "activate", "requestActivation", "deactivate", "setRunning", "setInputRunning", "setPaused", "userPaused",
            "overrideOutput", "setInputMuted", "setRecordPermission",
        ]

        func add(_ request: ClientMessage.Request) {
            guard case .submit(let action) = request else { return }
            // The number of the session differs.
            let text = "\(action)".replacing(/SessionID\([^)]*\)|session [0-9]+/, with: "session")
            let kind = String(text.prefix { $0 != "(" })
            let parameter = text.contains("sampleRate") ? " of the rate" : ""
            if !Self.others.contains(kind) { last.withLock { $0[kind + parameter] = text } }
        }
        var all: [String: String] { last.withLock { $0 } }
    }

    private struct Outcome {
        var statuses: [asession_status_t] = []
        var requests: [String: String] = [:]
        var isOfSecondArbiter = false
        /// How many messages the first arbiter has received.
        var messages = 0
    }

    private static let gate = Result { try FakeGate() }

    /// Makes all calls at an arbiter that dies when it has received that many messages, and repeats
    /// those that report the loss.
    private static func run(dyingAt number: Int) throws -> Outcome {
        let requests = [Requests(), Requests()]
        let messages = Mutex(0)
        let fake = try FakeArbiter { peer in
            peer.welcome(as: UInt64(peer.number))
            while let message = peer.receive() {
                if peer.number == 1 {
                    messages.withLock { $0 += 1 }
                    guard messages.withLock({ $0 }) < number else { return }
                }
                requests[min(peer.number, 2) - 1].add(message.request)
                var reply = Reply()
                switch message.request {
                case .register:
                    reply.session = SessionID(UInt64(peer.number))
                    peer.send(.reply(message.serial, reply), descriptor: (try? gate.get().descriptor) ?? -1)
                case .restore: peer.send(.failure(message.serial, RequestError(.malformed, "It is not known.")))
                case .pong: break
                default: peer.send(.reply(message.serial, reply))
                }
            }
        }
        let session = try CSession(fake.address.path)
        var outcome = Outcome()
        for (_, call) in calls {
            var error = asession_error_t()
            outcome.statuses.append(call(session.session, &error))
            if outcome.statuses.last == ASESSION_LOST {
                _ = try session.awaits(ASESSION_EVENT_ARBITER_RETURNED)
                outcome.statuses.append(call(session.session, &error))
            }
        }
        outcome.isOfSecondArbiter = session.id == SessionID(2)
        outcome.messages = messages.withLock { $0 }
        outcome.requests = requests[outcome.isOfSecondArbiter ? 1 : 0].all
        return outcome
    }

    @Test("SRV-3: one call reports the loss; the next arbiter gets all settings, and the following calls succeed")
    func dies() throws {
        let undisturbed = try Self.run(dyingAt: .max)
        #expect(undisturbed.statuses.allSatisfy { $0 == ASESSION_OK } && !undisturbed.isOfSecondArbiter)
        #expect(undisturbed.requests.count >= 9, "\(undisturbed.requests)")
        // One for each call, and two before them, which get the session and the keys.
        #expect(undisturbed.messages == Self.calls.count + 2)
        // The first message registers the session: then there is none.
        #expect(throws: (any Error).self) { try Self.run(dyingAt: 1) }
        for number in 2...undisturbed.messages {
            let outcome = try Self.run(dyingAt: number)
            let name = number == 2 ? "keys" : Self.calls[number - 3].name
            #expect(outcome.isOfSecondArbiter, "\(name)")
            #expect(outcome.statuses.count { $0 == ASESSION_LOST } == 1, "\(name): \(outcome.statuses)")
            #expect(outcome.statuses.count { $0 == ASESSION_OK } == Self.calls.count, "\(name): \(outcome.statuses)")
            for (kind, text) in undisturbed.requests {
                #expect(outcome.requests[kind] == text, "\(name): \(kind)")
            }
        }
    }
}

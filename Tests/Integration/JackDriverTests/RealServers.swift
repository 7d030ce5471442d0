import TestSupport
import Testing

/// Everything that runs a JACK server: one suite, one test after the other, since two cores carry one server well.
@Suite("Real servers", .serialized)
enum RealServers {}

extension Trait where Self == ConditionTrait {
    /// For a test that says nothing about PipeWire, or that PipeWire cannot take; the reason says which.
    static func jackdOnly(_ reason: Comment) -> Self { .enabled(if: TestServer.current.isJackd, reason) }
}

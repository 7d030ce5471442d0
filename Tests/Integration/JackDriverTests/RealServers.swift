import TestSupport
import Testing

/// The parent suite of all tests that run a JACK server. They run one after the other, since two
/// cores support one server well.
@Suite("Real servers", .serialized)
enum RealServers {}

extension Trait where Self == ConditionTrait {
    /// For a test that does not apply to PipeWire, or that PipeWire cannot pass; the reason says
    /// which.
    static func jackdOnly(_ reason: Comment) -> Self { .enabled(if: TestServer.current.isJackd, reason) }
}

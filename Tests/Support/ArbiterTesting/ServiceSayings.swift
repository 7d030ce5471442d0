import Foundation
import SessionArbiter
import SessionPolicy

/// A valid message of every kind that the service sends.
enum ArbiterMessageCorpus {
    static func packets(_ encoder: JSONEncoder) throws -> [[UInt8]] {
        let record = MessageCorpus.record
        let effects: [Effect.Kind] = [
            .activated, .interruptionBegan(.default), .interruptionEnded(shouldResume: true),
            .routeChanged(previous: Route(), .override), .outputVolumeChanged(0.5), .recordPermissionChanged(.granted),
        ]
        let messages: [ArbiterMessage] =
            [
                .long(4), .ping(7), .application(record.app), .devices([]),
                .hardware(
                    HardwareRequest(
                        ioBufferDuration: 0.005, bufferSizeOverride: BufferSizeOverride(before: 1_024, ours: 128),
                        sampleRate: 44_100,
                        sampleRateOverride: SampleRateOverride(before: 48_000, ours: 44_100))),
                .failure(3, RequestError(.limit, "Too many.")),
                .failure(3, RequestError(Refusal(.badParam, .hw4, by: record.session.id, "No."))),
            ] + effects.map { .notice(SessionNotice(decision: 3, effect: Effect(record.session.id, $0, .act2))) }
        var reply = Reply()
        reply.welcome = Reply.Welcome(arbiter: 9, app: record.app.id, isTrusted: true, settings: ArbiterSettings())
        reply.session = record.session.id
        reply.permissions = ["/bin/true": .denied]
        return try (messages + [.reply(2, reply)]).map { Array(try encoder.encode($0)) }
    }
}

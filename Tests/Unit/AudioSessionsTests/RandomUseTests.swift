import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import SessionPolicy
import TestRandom
import TestSupport
import Testing

/// Eight threads make random public calls while a ninth renders and listeners read. There must be
/// no race (the thread sanitizer's stage runs this too), and the arbiter's log must agree with what
/// every listener received.
///
/// Bounded by the number of operations. After each round all threads pause while the results are
/// compared.
@Suite struct RandomUseTests {
    private static let rounds = 20
    private static let operations = 16

    @Test(
        "ACT-11, ACT-13, INT-11: 8 threads use 1 or 4 sessions at random: gapless numbers, a replayable log, one order",
        .timeLimit(.minutes(5)), arguments: [1, 4])
    func randomUse(sessions count: Int) async throws {
        let stage = try RandomUseFixture(sessions: count)
        var replay = Replay(of: stage.ids)
        for round in 0..<Self.rounds {
            let renderer = Renderer(stage.driver)
            defer { renderer.stop() }
            // A volume that no other call sets marks the end of the round for the listeners.
            let marker = Float(round + 1) / 1_024
            let listeners = stage.sessions.map { session in
                [session.events, session.events].map { stream in Task { await heard(on: stream, until: marker) } }
            }
            await onEightThreads { thread in
                var random = SeededGenerator(seed: TestSeed.ofCase(UInt64(round * 8 + thread)))
                for _ in 0..<Self.operations { stage.useAtRandom(&random) }
            }
            // Sessions begin and cease to have signal while the engine renders.
            renderer.stop()
            stage.settle()
            try stage.host.setSystemVolume(marker)
            stage.settle()

            let scenario = try replay.follow(stage.arbiter)
            #expect(stage.posted.noted == replay.posted, "\(TestSeed.text), round \(round)")
            for (id, listeners) in zip(stage.ids, listeners) {
                for listener in listeners {
                    let events = await listener.value
                    #expect(
                        events == scenario.compactMap { $0.session == id ? AudioSessionEvent(notified: $0.kind) : nil },
                        "\(TestSeed.text), round \(round)")
                }
            }
            for (index, session) in stage.sessions.enumerated() {
                let (status, inputs) = (stage.status(session), stage.inputs[index])
                let hasSignal = try session.isActive && session.bus.hasSignal
                let plays = stage.participants[index].isRunning || hasSignal
                #expect(status?.isRunning == plays, "\(TestSeed.text), round \(round)")
                #expect(
                    status?.isInputRunning == inputs.contains(where: \.isRunning), "\(TestSeed.text), round \(round)")
            }
        }
        try stage.expectUsable()
    }
}

/// Returns the events of the arbiter that a listener received, including the marker.
private func heard(on stream: AsyncStream<AudioSessionEvent>, until marker: Float) async -> [AudioSessionEvent] {
    var events: [AudioSessionEvent] = []
    for await event in stream {
        switch event {
        case .interruptionBegan, .interruptionEnded, .silenceSecondaryAudioHint, .outputMuteChanged,
            .outputVolumeChanged:
            events.append(event)
        default: break
        }
        if event == .outputVolumeChanged(marker) { break }
    }
    return events
}

/// Runs `body` on eight new threads and returns when all are done, without blocking a thread of the
/// test's pool.
private func onEightThreads(_ body: @escaping @Sendable (Int) -> Void) async {
    let group = DispatchGroup()
    for thread in 0..<8 {
        group.enter()
        Thread.detachNewThread {
            body(thread)
            group.leave()
        }
    }
    await withCheckedContinuation { continuation in
        group.notify(queue: .global()) { continuation.resume() }
    }
}

import PolicyExploration
import SessionPolicy
import Testing
import TestRandom

@Suite struct WalkTests {
    @Test("Walk: 20,000 random events keep every invariant, and replaying the log gives the same state and effects")
    func randomWalk() throws {
        var random = SeededGenerator(seed: TestSeed.current)
        let policy = Policy.interruptingMicrophone
        var state = PolicyState()
        var log: [(event: PolicyEvent, effects: [Effect]?)] = []
        for id in RandomWalk.apps {
            let event = PolicyEvent(.register(id, app: RandomWalk.owner(id)), at: .zero)
            let transition = try policy.apply(event, to: state)
            state = transition.state
            log.append((event, transition.effects))
        }
        var refused = 0
        for step in 0..<20_000 {
            let event = PolicyEvent(RandomWalk.action(&random), at: EventTime(nanoseconds: UInt64(step)))
            let transition = try? policy.apply(event, to: state)
            log.append((event, transition?.effects))
            guard let transition else {
                refused += 1
                continue
            }
            let broken = Invariants.broken(by: Observation(before: state, transition))
            try #require(broken.isEmpty, "\(TestSeed.text), step \(step), \(event.action): \(broken)")
            state = transition.state
        }
        #expect((1_000...15_000).contains(refused), "\(TestSeed.text)")

        var replayed = PolicyState()
        for entry in log {
            let transition = try? policy.apply(entry.event, to: replayed)
            try #require(transition?.effects == entry.effects, "\(TestSeed.text), \(entry.event.action)")
            if let transition { replayed = transition.state }
        }
        #expect(replayed == state, "\(TestSeed.text)")
    }
}

import PolicyExploration
import SessionPolicy
import Testing

/// The explorer, on slices that are small enough for a debug build; `policy-explorer` runs all of
/// them.
@Suite struct ExplorationTests {
    private static let small: [Slice] = [
        Slice("calls", [.ringing, .alertsPreference], casts: [[.primary, .spoken, .ambientDucker]]),
        Slice("one app", [.sharedApp, .life], casts: [[.spoken, .spokenInterrupter, .primary]], reach: 3),
        Slice("waiting", [.call, .delayedGrant], casts: [[.mixable, .recorder, .primary]], reach: 3),
    ]

    @Test(
        "Exploration: small slices keep every invariant, including ACT-2, ACT-4, ACT-8, ACT-12, ACT-13",
        arguments: small)
    func holds(_ slice: Slice) {
        var explorer = Explorer(slice)
        let exploration = explorer.run()
        #expect(exploration.isComplete && exploration.findings.isEmpty, "\(exploration.findings)")
        #expect(exploration.states > 30 && exploration.transitions > 5 * exploration.states)
    }

    @Test("Exploration: a slice always gives the same counts, and symmetry reduction loses no state")
    func reduction() {
        for slice in [Self.small[1], Slice("alike", [], casts: [[.spoken, .spoken, .spokenInterrupter]])] {
            var first = Explorer(slice)
            var second = Explorer(slice)
            let (reduced, again) = (first.run(), second.run())
            #expect(
                [reduced.states, reduced.transitions, reduced.refused, reduced.depth]
                    == [again.states, again.transitions, again.refused, again.depth])
            // Without reduction, every order of the cast that an exchange can produce is a separate
            // start: within one app, the first two.
            var whole = slice
            whole.casts = Slice.orders(of: slice.casts[0]).filter { order in
                !slice.dimensions.contains(.sharedApp) || order[2] == slice.casts[0][2]
            }
            var unreduced = Explorer(whole, reduced: false)
            #expect(unreduced.run().states == reduced.unreducedStates)
            #expect(reduced.states < reduced.unreducedStates)
        }
    }

    @Test("Exploration: every two dimensions vary together in some slice, and session dimensions on all three sessions")
    func pairs() {
        #expect(Coverage.missingPairs(in: Slice.all).isEmpty)
        #expect(Coverage.narrowDimensions(in: Slice.all).isEmpty)
        // The table of pairs detects a missing dimension.
        #expect(Coverage.missingPairs(in: Slice.all.filter { !$0.dimensions.contains(.lock) }).count >= 20)
    }

    @Test("Exploration: each invariant detects the faulty policy injected for it, and none fires without a fault")
    func injectedFaults() {
        #expect(Set(InjectedFault.all.map(\.invariant)) == Set(Checked.invariants))
        for injected in InjectedFault.all {
            let found = injected.exploration(of: injected.subject).findings.map(\.invariant)
            #expect(found.contains(injected.invariant), "\(injected.fault): found \(found)")
        }
        for slice in InjectedFault.all.prefix(3).map(\.slice) {
            var explorer = Explorer(slice)
            #expect(explorer.run().findings.isEmpty)
        }
    }

    @Test("Exploration: the key of a state covers every field, so that different states have different keys")
    func fields() {
        func names(_ value: Any) -> Set<String> { Set(Mirror(reflecting: value).children.compactMap(\.label)) }
        let session = SessionState(id: SessionID(1), app: AppID(1))
        let wait = SessionState.Wait(interrupter: nil, rule: .act2, reason: .default, since: .zero)
        #expect(names(PolicyState()) == StateFields.state)
        #expect(names(session) == StateFields.session)
        #expect(names(wait) == StateFields.wait)
        #expect(names(session.configuration) == StateFields.configuration)
        #expect(names(AppState(id: AppID(1))) == StateFields.app)
    }
}

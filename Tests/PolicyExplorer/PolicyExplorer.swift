import PolicyExploration

/// `policy-explorer`: explores every slice, and says what was seen.
@main struct PolicyExplorer {
    static func main() {
        for slice in Slice.all {
            var explorer = Explorer(slice)
            let e = explorer.run()
            print(e.slice, e.states, e.unreducedStates, e.transitions, e.refused, e.depth, e.seconds, e.isComplete)
            for f in e.findings { print("  BROKEN", f.invariant); for a in f.events { print("     ", a) } }
        }
    }
}

/// The kind of request, and what it changes.
enum Case: String, CaseIterable {
    /// A primary session activates and interrupts another: changes two gates, whatever else runs.
    case interrupt
    /// A session that ducks others activates: changes its own gate and those of all mixing
    /// sessions.
    case duck
    /// That session deactivates: changes the same gates.
    case unduck
    /// A call begins: changes all gates.
    case call

    var text: String {
        switch self {
        case .interrupt: "a primary session interrupts another"
        case .duck: "a prompt lowers all"
        case .unduck: "the prompt ends"
        case .call: "a call interrupts all"
        }
    }
}

/// The distribution of mixing sessions over processes.
enum Clients {
    /// One process each, which sleeps until it is notified.
    case each
    /// All on one connection of the benchmark: no process is woken.
    case one
    /// This many processes, with as many sessions each.
    case shared(Int)

    var name: String {
        switch self {
        case .each: "each"
        case .one: "one"
        case .shared: "shared"
        }
    }

    /// Returns the number of processes for `sessions` sessions.
    func processes(_ sessions: Int) -> Int {
        switch self {
        case .each: sessions
        case .one: 0
        case .shared(let count): min(count, sessions)
        }
    }
}

/// The time of the next request.
enum Pace: String, CaseIterable {
    /// When the service has notified all sessions and is idle.
    case apart
    /// At once after the last reply, while other sessions are still being notified.
    case together
}

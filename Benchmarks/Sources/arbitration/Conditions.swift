/// What is asked, and what it changes.
enum Case: String, CaseIterable, Encodable {
    /// A primary session activates and interrupts another: two gates, whatever else runs.
    case interrupt
    /// A session that lowers others activates: its own gate and all of those who mix.
    case duck
    /// It deactivates: the same gates.
    case unduck
    /// A call begins: the gates of all.
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

/// Whose the sessions are that mix.
enum Clients: Hashable {
    /// A process each, asleep until it is told.
    case each
    /// One connection of the benchmark's has them all: nobody is woken.
    case one
    /// So many processes, each with as many of them.
    case shared(Int)

    var name: String {
        switch self {
        case .each: "each"
        case .one: "one"
        case .shared: "shared"
        }
    }

    /// How many processes have `sessions`.
    func processes(_ sessions: Int) -> Int {
        switch self {
        case .each: sessions
        case .one: 0
        case .shared(let count): min(count, sessions)
        }
    }
}

/// When the next request comes.
enum Pace: String, CaseIterable, Encodable {
    /// When the service has told everybody, and sleeps.
    case apart
    /// At once after the reply to the last: others are still being told.
    case together
}

/// Under which conditions something is measured.
struct Conditions: Hashable {
    var what: Case
    var sessions: Int
    var clients: Clients
    var pace: Pace

    var processes: Int { clients.processes(sessions) }
}

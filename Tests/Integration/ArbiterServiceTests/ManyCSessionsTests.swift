import ArbiterTesting
import CAudioSession
import Foundation
import Glibc
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Many sessions of the C library, each with a connection of its own, at one service: 100, or as
/// many as AUDIO_TEST_SESSIONS says. A thousand take a release build of the service 12 s; a debug
/// build of it is too slow for them.
@Suite("Many sessions in C", .serialized)
struct ManyCSessionsTests {
    private static let count = ProcessInfo.processInfo.environment["AUDIO_TEST_SESSIONS"].flatMap(Int.init) ?? 100
    /// The default limits allow 512 clients, 32 of one process.
    private static let settings = """
        service: {lease-limit: 60, rebuild-limit: 4}
        limits: {clients: 1100, clients-per-app: 1100, sessions-per-app: 1100, sessions: 1200, messages-per-second: 100000}
        """
    /// In seconds, for an event of all sessions.
    private static let limit = 120.0

    /// The sessions, and what has happened to each since it was last asked.
    private final class Programs {
        let sessions: [CSession]
        private var events: [[asession_event_t]]

        init(_ socket: String) throws {
            sessions = try (0..<ManyCSessionsTests.count).map { _ in try CSession(socket) }
            events = sessions.map { _ in [] }
            for (index, session) in sessions.enumerated() {
                // A client that does not read for long is disconnected.
                if index.isMultiple(of: 50) { for session in sessions { asession_dispatch(session.session) } }
                try session.ask {
                    asession_set_category(
                        $0, ASESSION_PLAYBACK, ASESSION_MODE_DEFAULT, UInt32(ASESSION_MIX_WITH_OTHERS), $1)
                }
                try session.ask { asession_activate($0, $1) }
                try session.ask { asession_set_playing($0, true, $1) }
            }
        }

        /// Dispatches as an event loop would, until each session has such an event; forgets the
        /// events then. Throws with the number of those that have not.
        func await(_ kind: asession_event_kind_t) throws {
            var watched = sessions.map { pollfd(fd: asession_fd($0.session), events: Int16(POLLIN), revents: 0) }
            let limit = Limit(seconds: ManyCSessionsTests.limit)
            while let missing = Optional(events.count { !$0.contains { $0.kind == kind } }), missing > 0 {
                guard !limit.hasPassed else { throw TrialError("\(missing) sessions have no event \(kind).") }
                _ = poll(&watched, nfds_t(watched.count), limit.milliseconds)
                for index in sessions.indices where watched[index].revents != 0 {
                    asession_dispatch(sessions[index].session)
                    var event = asession_event_t()
                    while asession_next_event(sessions[index].session, &event) { events[index].append(event) }
                }
            }
            for index in events.indices { events[index] = [] }
        }

        func count(_ activity: asession_activity_t) -> Int { sessions.count { $0.state.activity == activity } }
    }

    @Test("A call interrupts all of them, each one may resume, and the next arbiter gets all of them (INT-3, SRV-3)")
    func many() throws {
        // Each session has five descriptors, and the service, which inherits the limit, four.
        var files = rlimit()
        getrlimit(Int32(RLIMIT_NOFILE.rawValue), &files)
        files.rlim_cur = files.rlim_max
        setrlimit(Int32(RLIMIT_NOFILE.rawValue), &files)
        let stage = try ServiceFixture(trusted: true, Self.settings)
        let programs = try Programs(stage.folder.socket)
        #expect(programs.count(ASESSION_ACTIVE) == Self.count)
        #expect(try stage.witness.report().sessions.count { $0.status.session.isActive } == Self.count + 1)

        let call = try #require(
            try stage.witness.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: false)).session)
        try programs.await(ASESSION_EVENT_INTERRUPTION_BEGAN)
        #expect(programs.count(ASESSION_INTERRUPTED) == Self.count)
        #expect(programs.sessions.allSatisfy { $0.render(9_600).samples.last == 0 })
        try stage.witness.ask(.endSystemSession(call, shouldResume: true))
        try programs.await(ASESSION_EVENT_INTERRUPTION_ENDED)
        for session in programs.sessions { try session.ask { asession_activate($0, $1) } }
        #expect(programs.sessions.allSatisfy { $0.render(9_600).samples.last == 1 })

        let numbers = programs.sessions.map(\.id)
        stage.witness.shutDown()
        let observer = try stage.connect()
        #expect(try Limit.waits { try observer.report().sessions.count == Self.count })
        observer.shutDown()
        _ = try stage.service.end(SIGKILL)
        let next = try Service(in: stage.folder, configuration: Service.trusting(nil, Self.settings))
        defer { withExtendedLifetime(next) {} }
        try programs.await(ASESSION_EVENT_ARBITER_RETURNED)
        #expect(programs.sessions.map(\.id) == numbers)
        #expect(programs.sessions.allSatisfy { $0.render().samples.allSatisfy { $0 == 1 } })
        let client = try RawClient(stage.folder.socket)
        try client.hello()
        let restored = try client.report().sessions.filter(\.status.session.isActive).map(\.status.session.id)
        #expect(Set(numbers).isSubset(of: restored))
    }
}

import ArbiterService
import DesktopBridge
import Dispatch
import ForeignPrograms
import Foundation
import Platform
import SessionArbiter
import SessionPolicy

/// Connects adoption to the stream controller, the session bus and the arbiter. Their events arrive
/// on their threads, and are handled on one queue.
///
/// Unchecked `Sendable`: `adopter` and the other variables are used on `queue` only.
final class AdoptionService: AdoptionTools, @unchecked Sendable {
    private let arbiter: RemoteArbiter
    private let controller: StreamController
    private var settings: LiveSettings
    private var settingsChanges: FileChanges?
    private var pausedPlayers: PausedPlayersFile
    private let queue = DispatchQueue(label: "audiosession-adopt")
    private var adopter: Adopter?
    private var watch: MediaPlayerWatch?
    /// Why the service ends; set once.
    private let end = Promise<End>()
    /// Requests to play that players have not answered.
    private let plays = DispatchGroup()
    private var hasStreams = true
    private var busFailures = 0
    /// Since when the arbiter has been gone, in seconds; nil if it is connected.
    private var lostSince: Double?
    private var checksArbiter = false

    enum End: Sendable {
        case stopped
        case failed(String)
    }

    /// Seconds between two attempts to reach the session bus, and how often it is tried before its
    /// players count as gone.
    private static let (busPause, busAttempts) = (3.0, 5)
    /// Seconds that players have to play again before the program exits.
    private static let exitLimit = 1.0
    /// Seconds without an arbiter after which all programs are freed. The next arbiter is usually
    /// found or started within one.
    private static let arbiterLimit = 3.0
    /// Seconds between two checks, while anything is lowered or held.
    private static let checkInterval = 0.5

    /// Requests to players, which are sent once `pausedPlayers` is written.
    private var requests: [PlayerRequest] = []

    private enum PlayerRequest {
        case pause(ForeignPlayer.ID)
        case play(ForeignPlayer.ID)
    }

    init(
        _ settings: LiveSettings, arbiter: RemoteArbiter, controller: StreamController, pausedPlayers: PausedPlayersFile
    ) {
        self.settings = settings
        self.pausedPlayers = pausedPlayers
        self.arbiter = arbiter
        self.controller = controller
    }

    /// Serves until `stop`, or until neither PipeWire nor a session bus nor the arbiter is there.
    func run() -> End {
        queue.async { [self] in
            settingsChanges = FileChanges(
                of: settings.paths, on: queue, report: { [weak self] in self?.log($0) },
                { [weak self] in self?.readSettings() })
            if settingsChanges == nil { log("The system cannot watch the settings: changes need a restart.") }
            settings.read(isStarting: true).forEach(log)
            adopter = Adopter(
                settings.adoption, abandoned: pausedPlayers.read(), processes: SystemProcesses(), tools: self)
            openBus()
            arbiter.whenReconnected { [weak self] in self?.enqueue { $0.change { $0.arbiterChanged() } } }
            let isStarted = controller.start { [weak self] report in self?.enqueue { $0.handle(report) } }
            if !isStarted { end.set(.failed("the system cannot create a thread")) }
        }
        let reason = end.wait(seconds: .infinity) ?? .stopped
        // Players that were paused for others play again, and the controller frees the streams.
        queue.sync { change { $0.freeAll() } }
        controller.stop()
        _ = plays.wait(timeout: .now() + Self.exitLimit)
        queue.sync {
            watch?.stop()
            settingsChanges = nil
            adopter = nil
        }
        return reason
    }

    func stop() { end.set(.stopped) }

    private func enqueue(_ body: @escaping @Sendable (AdoptionService) -> Void) {
        queue.async { [weak self] in
            if let self { body(self) }
        }
    }

    private func handle(_ report: StreamController.Report) {
        switch report {
        case .event(.refused(let id, let reason)):
            log("PipeWire refuses a change of stream \(id.rawValue): \(reason).")
            change { $0.handle(.refused(id, reason: reason)) }
        case .event(.undetected(let id, let reason)):
            if adopter?.isDetected(id) == true {
                log("The sound of stream \(id.rawValue) cannot be detected: \(reason). It counts while it plays.")
            }
            change { $0.handle(.undetected(id, reason: reason)) }
        case .event(.malformed(let reason)): log("audiosession-hand did not understand a command: \(reason).")
        case .event(let event):
            if case .ready = event { hasStreams = true }
            change { $0.handle(event) }
        case .ended(let status, let wasReady):
            guard !wasReady else { return change { $0.controllerLost() } }
            change { $0.streamsLost() }
            guard hasStreams else { return }
            hasStreams = false
            if watch == nil {
                return end.set(
                    .failed("there is neither PipeWire nor a session bus, so there are no programs to adopt"))
            }
            log(
                status == EX_UNAVAILABLE
                    ? "PipeWire is not running: only media players are controlled, over the session bus."
                    : "audiosession-hand exited with status \(status).")
        }
    }

    private func change(_ body: (inout Adopter) -> Void) {
        guard adopter != nil else { return }
        // Not `adopter?`: a call into the arbiter may run other code meanwhile.
        if var current = adopter.take() {
            let before = current.pausedPlayers
            body(&current)
            adopter = current
            // Whenever this program is killed, a player that may be paused is recorded.
            let after = current.pausedPlayers
            recordPaused(before.filter { !after.contains($0) } + after)
            sendRequests()
            recordPaused(after)
        }
        watchArbiter()
    }

    private func recordPaused(_ players: [PausedPlayer]) {
        if let message = pausedPlayers.write(players) { log(message) }
    }

    /// Applies settings that have changed.
    private func readSettings() {
        settings.read().forEach(log)
        change { [settings] in $0.apply(settings.adoption) }
    }

    // MARK: The session bus

    private func openBus() {
        do throws(SessionBusFailure) {
            watch = try MediaPlayerWatch(
                receive: { [weak self] event in self?.enqueue { $0.handle(event) } },
                lost: { [weak self] _ in self?.enqueue { $0.busLost() } })
        } catch {
            retryBus()
        }
    }

    private func busLost() {
        watch = nil
        change { $0.busLost() }
        retryBus()
    }

    private func retryBus() {
        busFailures += 1
        if busFailures == Self.busAttempts { change { $0.playersSynced() } }
        queue.asyncAfter(deadline: .now() + Self.busPause) { [weak self] in
            guard let self, adopter != nil, watch == nil else { return }
            openBus()
        }
    }

    private func handle(_ event: MediaPlayerWatch.Event) {
        switch event {
        case .changed(let player): change { $0.playerChanged(player) }
        case .vanished(let id): change { $0.playerVanished(id) }
        case .synced:
            busFailures = 0
            change { $0.playersSynced() }
        }
    }

    // MARK: The arbiter

    /// While programs are lowered or held, looks whether the arbiter still lives: nobody else would
    /// free them.
    private func watchArbiter() {
        guard adopter?.hasAltered == true else {
            lostSince = nil
            return
        }
        guard !checksArbiter else { return }
        checksArbiter = true
        queue.asyncAfter(deadline: .now() + Self.checkInterval) { [weak self] in
            guard let self else { return }
            checksArbiter = false
            pausedPlayers.touch()
            lostSince = arbiter.isConnected ? nil : lostSince ?? now
            if let lostSince, now - lostSince >= Self.arbiterLimit {
                return end.set(.failed("audiosessiond has ended, and does not start again"))
            }
            watchArbiter()
        }
    }

    private func log(_ message: String) { StandardStream.writeError("audiosession-adopt: \(message.printable)\n") }

    // MARK: Tools

    func send(_ command: StreamCommand) { controller.send(command) }

    func pause(_ player: ForeignPlayer.ID) { requests.append(.pause(player)) }

    func play(_ player: ForeignPlayer.ID) { requests.append(.play(player)) }

    private func sendRequests() {
        let requests = requests
        self.requests = []
        for request in requests {
            switch request {
            case .pause(let player): sendPause(player)
            case .play(let player): sendPlay(player)
            }
        }
    }

    private func sendPause(_ player: ForeignPlayer.ID) {
        guard let watch else {
            // It is asked again when the bus has returned.
            return enqueue { $0.change { $0.playerAnswered(player, accepted: false) } }
        }
        watch.pause(player) { [weak self] isDone in
            self?.enqueue { $0.change { $0.playerAnswered(player, accepted: isDone) } }
        }
    }

    private func sendPlay(_ player: ForeignPlayer.ID) {
        guard let watch else { return }
        plays.enter()
        watch.play(player) { [plays] _ in plays.leave() }
    }

    var isConnected: Bool { arbiter.isConnected }

    func register(process: Int32?) -> SessionID? {
        let app = process.map { AppID(UInt64($0)) } ?? arbiter.app
        do throws(ArbiterError) {
            let session = try arbiter.register(app: app) { [weak self] notice in
                // On the queue, this follows the end of this function.
                self?.enqueue { $0.change { $0.sessionChanged(notice.effect.session, notice.effect.kind) } }
            }
            return session.id
        } catch {
            log("Process \(app.rawValue) gets no session: \(error.reason).")
            return nil
        }
    }

    func submit(_ action: PolicyAction) -> Bool { (try? arbiter.submit(action)) != nil }

    func describe(_ session: SessionID, as description: SessionDescription) {
        arbiter.describe(session, as: description)
    }

    func status(of session: SessionID) -> SessionState? { arbiter.status(of: session)?.session }

    func grant(of session: SessionID) -> SessionGrant? { arbiter.status(of: session)?.resolvedGrant.grant }

    var allSessions: [SessionState]? { (try? arbiter.report())?.sessions.map(\.status.session) }

    func isStrong(_ grant: SessionGrant) -> Bool {
        grant.attenuation >= arbiter.settings.policy.strongDuckAttenuation
    }

    var audibility: (threshold: Double, hold: Double) {
        let policy = arbiter.settings.policy
        return (policy.audibleThreshold, policy.audibleHold)
    }

    var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    func start(_ timer: AdoptionTimer, seconds: Double) {
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.change { $0.timerEnded(timer) } }
    }
}

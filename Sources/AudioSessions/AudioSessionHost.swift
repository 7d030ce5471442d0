public import AudioRendering
internal import Dispatch
internal import Foundation
internal import JackDriver
package import SessionArbiter
internal import SessionPolicy

/// What the sessions of a process share: the arbiter that decides for them, the engine they sound through, and the device's switches.
///
/// An app needs none but `shared`. Tests and tools make their own, with a driver of their choice.
public final class AudioSessionHost: Sendable {
    /// The host of this process: among all apps of the user, and on a JACK server, the managed one if no other runs. Its client bears the
    /// program's name.
    public static let shared = AudioSessionHost(
        driver: JackDriver(configuration: .init(clientName: clientName, inputs: nil)), arbitration: .automatic)

    /// Among whom its sessions are arbitrated.
    public enum Arbitration: Sendable {
        /// Among all apps of the user, by the service `audiosessiond`, which is started where none runs; within the process where the
        /// environment says `AUDIOSESSION_ARBITER=in-process`, and, with one warning on standard error, where the service is not to be had.
        case automatic
        /// Among the sessions of this host alone.
        case inProcess
    }

    private static var clientName: String {
        let name = ProcessInfo.processInfo.processName.filter { $0.isASCII && $0 != ":" && $0 != "/" }
        return name.isEmpty ? "audio-session" : String(name.prefix(24))
    }

    /// Decides for all sessions.
    package let arbiter: any SessionArbiter
    package var settings: ArbiterSettings { arbiter.settings }
    /// Time for the sessions' limits.
    let clock: any SessionClock
    /// The engine, or why there is none.
    package let engine: Result<AudioEngine, AudioSessionError>
    /// This process, as the arbiter names it.
    let app: AppID
    /// Where wishes for the hardware are carried out, one after the other.
    let hardware: DispatchQueue
    /// Where the driver's and the engine's news are told: their own threads must not be called back on.
    let news: DispatchQueue
    let permission: PermissionDesk
    let sightings = Locked<Sighting?>(nil)
    let returns = Locked(Returns())
    /// Ports of the driver that were connected for sessions here. On the hardware queue.
    let connected = Locked<Set<String>>([])
    /// The wish for a period that was carried out here last.
    let carriedOut = Locked(CarriedOut())
    /// What all sessions of the app share.
    public let application: AudioApplication
    let system = Locked(SystemSessions())
    private let sessions = Locked<[WeakSession]>([])
    private let observation = Locked<EngineObservation?>(nil)

    private struct WeakSession { weak var session: AudioSession? }

    /// A host whose engine is driven by `driver`; the driver is opened at the first activation, or when its values are first asked for.
    /// Arbitrated by itself unless it says otherwise: what tests and offline rendering want. What plays to people says `.automatic`.
    ///
    /// With `.automatic` it may block while the service starts, 5 s at most. A process that forks must not use it in the child.
    public convenience init(
        driver: any RenderDriver, configuration: AudioEngine.Configuration = AudioEngine.Configuration(),
        arbitration: Arbitration = .inProcess
    ) {
        switch arbitration {
        case .inProcess: self.init(driver: driver, configuration: configuration, arbiter: InProcessArbiter())
        case .automatic:
            let arbiter = ArbiterChoice.make()
            // A service keeps the user's answers itself.
            let store = arbiter is RemoteArbiter ? nil : KeptPermission.own
            self.init(driver: driver, configuration: configuration, arbiter: arbiter, store: store)
        }
    }

    package convenience init(
        driver: any RenderDriver, configuration: AudioEngine.Configuration = AudioEngine.Configuration(),
        settings: ArbiterSettings, store: KeptPermission? = nil, clock: (any SessionClock)? = nil
    ) {
        self.init(
            driver: driver, configuration: configuration, arbiter: InProcessArbiter(settings: settings), store: store,
            clock: clock)
    }

    package init(
        driver: any RenderDriver, configuration: AudioEngine.Configuration = AudioEngine.Configuration(),
        arbiter: any SessionArbiter, store: KeptPermission? = nil, clock: (any SessionClock)? = nil
    ) {
        self.arbiter = arbiter
        self.clock = clock ?? DispatchClock()
        app =
            (arbiter as? RemoteArbiter)?.app ?? AppID(UInt64(ProcessInfo.processInfo.processIdentifier))
        hardware = DispatchQueue(label: "audio-session.hardware")
        news = DispatchQueue(label: "audio-session.news")
        permission = PermissionDesk(store: store)
        application = AudioApplication()
        engine = Result { () throws(AudioSessionError) in
            do throws(AudioEngineError) {
                return try AudioEngine(driver: driver, configuration: configuration)
            } catch {
                throw AudioSessionError(error)
            }
        }
        applyDeviceOverrides(to: driver)
        observe()
        if let answer = store?.answer { try? submit(.setRecordPermission(app, answer)) }
    }

    /// Another app beside that of `host`: the same arbiter, engine and device, but foreground, declared background audio and
    /// permission of its own. For scenarios of several apps in one process; `app` is its number, not 0 and not this process's.
    package init(app: UInt64, sharing host: AudioSessionHost) {
        precondition(app != AppID.system.rawValue && app != host.app.rawValue, "an app of its own")
        self.app = AppID(app)
        arbiter = host.arbiter
        engine = host.engine
        hardware = host.hardware
        news = host.news
        clock = host.clock
        permission = PermissionDesk(store: nil)
        application = AudioApplication()
        observe()
    }

    private func observe() {
        application.bind(to: self)
        arbiter.whenHardwareChanges { [weak self] in self?.followHardwareWish() }
        guard case .success(let engine) = engine else { return }
        let observed = engine.observe { [weak self] event in
            switch event {
            case .driver(let event):
                if case .serverReturned = event { self?.silenceLost() }
                self?.tell(event)
            case .busEnded(let bus): self?.tellEnd(ofBus: bus)
            default: break
            }
        }
        observation.withLock { $0 = observed }
    }

    /// What the server is now; reaches for it if it has not been reached (HW-6). Nil while it cannot be reached.
    public var format: HardwareFormat? {
        guard case .success(let engine) = engine else { return nil }
        if let format = engine.format { return format }
        guard let format = try? engine.open() else { return nil }
        noteDevices()
        return format
    }

    /// Gives the server up; the next activation reaches it again. Sessions keep their state.
    public func close() {
        guard case .success(let engine) = engine else { return }
        engine.close()
    }

    func add(_ session: AudioSession) {
        sessions.withLock { list in
            list.removeAll { $0.session == nil }
            list.append(WeakSession(session: session))
        }
    }

    var livingSessions: [AudioSession] { sessions.withLock { $0.compactMap(\.session) } }

    private func tellEnd(ofBus slot: Int) {
        news.async { [weak self] in
            for session in self?.livingSessions ?? [] where session.plays(onBus: slot) { session.followIdleness() }
        }
    }

    /// Tells the arbiter again which devices there are.
    func noteDevicesLater() { news.async { [weak self] in self?.noteDevices(again: true) } }

    private func tell(_ event: DriverEvent) {
        news.async { [weak self] in
            guard let self else { return }
            switch event {
            case .formatChanged(let format): noteDevices(format)
            case .serverReturned(let format):
                awaitDevices()
                resetSessions()
                noteDevices(format)
                settleHardwareLater()
            case .devicesChanged: noteDevices()
            // Sessions were not yet notified of the return: for them, this is still the same loss.
            case .serverLost: if abandonReturn() { return }
            case .serverGone, .xrun: break
            }
            for session in livingSessions { session.receive(event) }
            switch event {
            case .serverReturned, .devicesChanged: followReturn()
            default: break
            }
        }
    }
}

extension AudioSessionHost {
    /// Returns when all that follows from earlier calls has been told and carried out: for drivers without a clock, whose next cycle
    /// must not depend on how fast other threads are. Not from within a notification.
    package func settle() {
        // What is told may lead to decisions, and those to more that is told: until a round brings no new one.
        var before: UInt64?
        repeat {
            before = arbiter.decisions.last?.number
            (try? engine.get())?.drain()
            arbiter.drain()
            permission.drain()
            hardware.sync {}
            news.sync {}
            arbiter.drain()
        } while arbiter.decisions.last?.number != before
    }
}

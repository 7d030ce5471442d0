public import AudioRendering
internal import Dispatch
internal import Foundation
internal import JackDriver
internal import Platform
package import SessionArbiter
internal import SessionPolicy

/// The resources that the sessions of a process share: the arbiter that decides for them, the
/// engine that renders them, and the device's switches.
///
/// An app needs only `shared`. Tests and tools create their own host, with a driver of their
/// choice.
public final class AudioSessionHost: Sendable {
    /// The host of this process. Its sessions are arbitrated together with those of all the user's
    /// apps. It connects to a running JACK server or PipeWire; if neither is running, it starts a
    /// shared JACK server. Its JACK client has the program's name.
    public static let shared = AudioSessionHost(
        driver: JackDriver(configuration: .init(clientName: clientName, inputs: nil)), arbitration: .automatic)

    /// The scope in which a host's sessions are arbitrated.
    public enum Arbitration: Sendable {
        /// All apps of the user, through the service `audiosessiond`, which the library starts if
        /// it is not running.
        ///
        /// Arbitration stays within the process if the environment sets
        /// `AUDIOSESSION_ARBITER=in-process`. If the service is not available, it stays within the
        /// process, with one warning on standard error, until the process can join the service.
        case automatic
        /// Only the sessions of this host.
        case inProcess
    }

    private static var clientName: String {
        let name = ProcessInfo.processInfo.processName.filter { $0.isASCII && $0 != ":" && $0 != "/" }
        return name.isEmpty ? "audio-session" : String(name.prefix(24))
    }

    /// This process at the arbiter.
    let app: RegisteredApp
    /// The arbiter, which decides for all sessions.
    package var arbiter: any SessionArbiter { app.arbiter }
    package var settings: ArbiterSettings { arbiter.settings }
    /// The clock for the sessions' limits, the I/O buffer tuner and the wait for devices.
    let clock: any SessionClock
    /// The engine, or the error that prevented its creation.
    package let engine: Result<AudioEngine, AudioSessionError>
    /// The serial queue that applies hardware requests and routes.
    let hardware: DispatchQueue
    /// The serial queue that handles events of the driver and the engine, because handlers call
    /// both of them and must not do so on the threads that deliver the events.
    let notifications: DispatchQueue
    /// Posts notifications on the thread that the app expects.
    let poster: NotificationPoster
    let permission: RecordPermissionPrompter
    /// The devices last reported to the arbiter; nil before the first report.
    let lastReportedDevices = Mutex<DeviceSnapshot?>(nil)
    /// Whether the arbiter has not accepted that report.
    let isReportDue = Mutex(false)
    let serverReturns = Mutex(ServerReturns())
    /// Nil without an engine.
    let idleSuspension: IdleSuspension?
    /// How often the engine is in use by something other than a session (`beginEngineUse`).
    let engineUses = Mutex(0)
    /// The driver's ports that were connected for sessions of this host. Accessed on the hardware
    /// queue.
    let connected = Mutex<Set<String>>([])
    /// The hardware requests that this host last attempted to apply.
    let attemptedRequests = Mutex(AttemptedRequests())
    /// State that all sessions of the app share.
    public let application: AudioApplication
    let system = Mutex(SystemSessions())
    let systemSounds = SystemSounds()
    private let sessions = Mutex<[WeakSession]>([])
    private let observation = Mutex<EngineObservation?>(nil)

    private struct WeakSession { weak var session: (any HostedSession)? }

    /// Creates a host whose engine is driven by `driver`. The first activation, or the first read
    /// of a value of the server, opens the driver.
    ///
    /// By default only the sessions of this host are arbitrated, which suits tests and offline
    /// rendering; a program that plays to users passes `.automatic`. With `.automatic` the call may
    /// block for up to 5 s while the service starts. After a fork, the child process must not use
    /// the host.
    public convenience init(
        driver: any RenderDriver, configuration: AudioEngine.Configuration = AudioEngine.Configuration(),
        arbitration: Arbitration = .inProcess
    ) {
        switch arbitration {
        case .inProcess: self.init(driver: driver, configuration: configuration, arbiter: InProcessArbiter())
        case .automatic:
            let arbiter = ArbiterChoice.make()
            let store = arbiter.storesPermissions ? nil : StoredPermission.own
            self.init(
                driver: driver, configuration: configuration, arbiter: arbiter, store: store,
                notificationThread: .automatic)
        }
    }

    package convenience init(
        driver: any RenderDriver, configuration: AudioEngine.Configuration = AudioEngine.Configuration(),
        settings: ArbiterSettings, store: StoredPermission? = nil, clock: (any SessionClock)? = nil,
        notificationThread: NotificationThread = .library
    ) {
        self.init(
            driver: driver, configuration: configuration, arbiter: InProcessArbiter(settings: settings), store: store,
            clock: clock, notificationThread: notificationThread)
    }

    package init(
        driver: any RenderDriver, configuration: AudioEngine.Configuration = AudioEngine.Configuration(),
        arbiter: any SessionArbiter, store: StoredPermission? = nil, clock: (any SessionClock)? = nil,
        notificationThread: NotificationThread = .library
    ) {
        app = RegisteredApp(arbiter.app, at: arbiter)
        let clock = clock ?? DispatchClock()
        self.clock = clock
        poster = NotificationPoster(on: notificationThread, clock: clock)
        hardware = DispatchQueue(label: "audio-session.hardware")
        notifications = DispatchQueue(label: "audio-session.notifications")
        permission = RecordPermissionPrompter(of: app, store: store)
        application = AudioApplication()
        engine = Result { () throws(AudioSessionError) in
            do throws(AudioEngineError) {
                return try AudioEngine(driver: driver, configuration: configuration)
            } catch {
                throw AudioSessionError(error)
            }
        }
        idleSuspension = (try? engine.get()).map { [app, hardware] engine in
            IdleSuspension(of: engine, clock: clock, startedOn: hardware) { app.arbiter.settings.suspendOnIdle }
        }
        applyDeviceOverrides(to: driver)
        observe()
        if let answer = store?.answer { try? app.submit(.setRecordPermission(app.id, answer)) }
    }

    /// Creates another app alongside that of `host`, for scenarios with several apps in one
    /// process. It has the same arbiter, engine and device, but its own foreground state, declared
    /// background audio and permission. `app` is its id, which must be neither 0 nor this
    /// process's.
    package init(app: UInt64, sharing host: AudioSessionHost) {
        precondition(app != AppID.system.rawValue && app != host.app.id.rawValue, "the app id is 0 or this process's")
        self.app = RegisteredApp(AppID(app), at: host.arbiter)
        engine = host.engine
        hardware = host.hardware
        notifications = host.notifications
        clock = host.clock
        poster = host.poster
        permission = RecordPermissionPrompter(of: self.app, store: nil)
        application = AudioApplication()
        idleSuspension = host.idleSuspension
        observe()
    }

    /// Starts to observe the arbiter's hardware requests and the engine's events.
    private func observe() {
        idleSuspension?.add { [weak self] in
            guard let self else { return false }
            return engineUses.withLock { $0 } > 0 || registeredSessions.contains(where: \.isActive)
        }
        application.bind(to: permission)
        arbiter.whenHardwareChanges { [weak self] in self?.hardwareRequestsDidChange() }
        arbiter.whenArbiterChanges { [weak self] in self?.arbiterDidChange() }
        guard case .success(let engine) = engine else { return }
        let observed = engine.observe { [weak self] event in
            switch event {
            case .driver(let event):
                if case .serverReturned = event { self?.suspendSessionsWithoutOutput() }
                self?.deliver(event)
            case .busEnded(let bus): self?.notifySession(ofBus: bus) { $0.playbackEnded() }
            case .signalChanged(let bus): self?.notifySession(ofBus: bus) { $0.signalChanged() }
            default: break
            }
        }
        observation.withLock { $0 = observed }
    }

    /// The server's current format; connects to the server if necessary, and may then block as
    /// `setActive` does (HW-6). Nil while no server can be reached.
    public var format: HardwareFormat? {
        guard case .success(let engine) = engine else { return nil }
        if let format = engine.format { return format }
        guard let format = try? engine.open() else { return nil }
        reportDevices()
        return format
    }

    /// Disconnects from the server. The next activation, or the next read of a value of the server,
    /// connects again. Sessions keep their state.
    public func close() {
        guard case .success(let engine) = engine else { return }
        engine.close()
        if cancelDeviceWait() { resumeSessions() }
    }

    func add(_ session: any HostedSession) {
        // Released after the lock: the last reference to a session may be among them.
        let living = sessions.withLock { list in
            let living = list.compactMap(\.session)
            list = (living + [session]).map { WeakSession(session: $0) }
            return living
        }
        withExtendedLifetime(living) {}
    }

    var livingSessions: [any HostedSession] { sessions.withLock { $0.compactMap(\.session) } }
    /// The living sessions at the arbiter and in the engine.
    var registeredSessions: [RegisteredSession] { livingSessions.map(\.registered) }

    /// Notifies the session that a bus belongs to.
    private func notifySession(ofBus slot: Int, _ body: @escaping @Sendable (any HostedSession) -> Void) {
        notifications.async { [weak self] in
            for session in self?.livingSessions ?? []
            where session.registered.buses.contains(where: { $0.slot == slot }) {
                body(session)
            }
        }
    }

    /// Reports the devices to a new arbiter, and which sessions play, without blocking.
    func reportAgainAsync() {
        notifications.async { [weak self] in
            guard let self else { return }
            reportDevices(again: true)
            for session in livingSessions { session.reportPlaying() }
        }
    }

    /// Applies the settings of another arbiter, which may also know other devices.
    private func arbiterDidChange() {
        if case .success(let engine) = engine { applyDeviceOverrides(to: engine.driver) }
        reportAgainAsync()
        applyAllRoutesAsync()
        idleSuspension?.update()  // by the new settings
    }

    /// Handles an event of the driver: reports devices, applies requests, then notifies sessions.
    private func deliver(_ event: DriverEvent) {
        notifications.async { [weak self] in
            guard let self else { return }
            switch event {
            case .formatChanged(let format): reportDevices(format)
            case .serverReturned(let format):
                beginDeviceWait()
                resetSessions()
                reportDevices(format)
                applyHardwareRequestsAsync()
            case .devicesChanged: reportDevices()
            // If sessions were not yet notified of the return, this is still the same loss for
            // them.
            case .serverLost:
                systemSounds.endAll(SystemSoundError.interrupted)
                if cancelDeviceWait() { return }
            case .serverGone, .xrun, .nodesChanged: break
            }
            for session in livingSessions { session.receive(event) }
            switch event {
            case .serverReturned, .devicesChanged: updateDeviceWait()
            default: break
            }
        }
    }
}

extension AudioSessionHost {
    /// Returns when all consequences of earlier calls have been applied and delivered. For drivers
    /// whose cycles the caller runs: call it between cycles, so that results do not depend on the
    /// speed of other threads. Do not call from within a notification.
    package func settle() {
        // Delivered events may cause decisions, and these further events: repeat until a round
        // brings no new decision. A round drains each queue twice, because what runs on the
        // notification queue may have decided before the round, and still add to the other queues.
        var before: UInt64?
        repeat {
            before = arbiter.decisions.last?.number
            for _ in 1...2 { drainQueues() }
        } while arbiter.decisions.last?.number != before
    }

    private func drainQueues() {
        (try? engine.get())?.drain()
        arbiter.drain()
        permission.drain()
        systemSounds.queue.sync {}
        hardware.sync {}
        notifications.sync {}
        arbiter.drain()
    }
}

internal import CRenderCore
internal import Dispatch
internal import Foundation
internal import Platform

/// The engine's transport: a position in beats and bars beside the engine's clock, which starts,
/// stops, and can be moved.
///
/// It is the engine's own or, as a follower or leader (`setRole`), the server's, which all JACK
/// clients share. The engine's own can also follow a MIDI clock or MIDI time code.
/// `AudioEngine.makeBeatScheduler` posts commands at its beats; `AudioEngine.observe` reports its
/// changes (`EngineEvent.transportChanged`). It moves only while the engine renders. Sessions do
/// not control it: a session that is interrupted is silent, while the transport rolls on.
///
/// Every method is safe from any thread. With the server's transport, the calls may wait for the
/// server.
public final class AudioTransport: MIDITarget {
    private struct State {
        var role = TransportRole.own
        var tempoMap: TempoMap
        var timeCodeStart = TimeCode(totalSeconds: 0, rate: .fps25)
        var schedulers: [(identity: ObjectIdentifier, client: WeakClient)] = []
        /// Increases with each scheduler that is added.
        var additions = 0
        var reported: TransportPosition
    }
    private struct WeakClient { weak var client: (any BeatClient)? }

    /// Connected inputs have the transport follow their MIDI clock or time code, in the roles
    /// `midiClock` and `midiTimeCode`. Other messages are ignored.
    public let midiIdentity: MIDITargetIdentity
    private weak let control: EngineControl?
    private let core: RenderCore
    private let driver: any RenderDriver
    private let state: Mutex<State>
    /// Serializes the changes of the role, which call the driver.
    private let roles = DispatchQueue(label: "audio-engine.transport-role")
    /// Runs the schedulers, on the thread that calls: `runner`.
    private let scheduling = DispatchQueue(label: "audio-engine.transport")
    private let runner = Mutex<pthread_t?>(nil)

    init(control: EngineControl) throws(AudioEngineError) {
        self.control = control
        midiIdentity = MIDITargetIdentity(number: MIDIRouting.transport, control: control)
        core = control.core
        driver = control.driver
        let position = TransportPosition(rcore_read_transport(core.handle), sampleRate: 0)
        state = Mutex(State(tempoMap: try TempoMap(tempo: 120), reported: position))
    }

    // MARK: Position

    /// The position at which the next period begins. Takes no lock that a thread holds for long.
    public var position: TransportPosition {
        TransportPosition(
            rcore_read_transport(core.handle), sampleRate: Int(rcore_configuration(core.handle).sample_rate))
    }

    // MARK: The role

    public var role: TransportRole { state.withLock { $0.role } }

    /// Whether the engine's tempo map is what the server's clients see: false once another program
    /// has replaced this leader, which is noticed while the transport rolls.
    public var isLeader: Bool { role == .leader && driver.isTransportLeader }

    /// Selects the transport. A new pass begins, at the beat where the transport is if it begins or
    /// ceases to follow a MIDI clock, or at the first clock after it. The engine keeps the role
    /// when the server is lost and returns (SRV-2). An engine that does not render, because no
    /// session is active, becomes the leader when it does, if no other program is the leader then
    /// (`isLeader`).
    ///
    /// When a leader resigns, jackd moves its transport back by a few periods.
    ///
    /// Throws a `DriverError`, and changes nothing, if the driver has no transport of a server, if
    /// another program is its leader and is not to be replaced (`replacesLeader`), or if the server
    /// does not answer; `engineGone`; `outOfMemory`; or `commandQueueFull`.
    public func setRole(_ role: TransportRole, replacesLeader: Bool = false) throws {
        try roles.sync {
            guard let control else { throw AudioEngineError.engineGone }
            let before = self.role
            // Without ports and instruments, there may be no routing that has the transport.
            if role.followsMIDI, !before.followsMIDI { try control.changeMIDI { _ in } }
            let isServers = role.ofDriver != .own || before.ofDriver != .own
            if isServers { try driver.useTransport(role.ofDriver, replacesLeader: replacesLeader) }
            do {
                try command("the transport's role") { rcore_post_transport_source($0, role.source, 0) }
            } catch {
                if isServers { try? driver.useTransport(before.ofDriver, replacesLeader: replacesLeader) }
                throw error
            }
            state.withLock { $0.role = role }
        }
    }

    // MARK: Control

    /// Starts the transport, once the schedulers have posted what is heard at its position: a
    /// period or two after a jump, a stop or another tempo map, otherwise at once. Of the engine's
    /// own transport, `time` is then the exact frame of the engine's clock; nil is the next period.
    /// The server's transport starts for all its clients in one period, once those are ready that
    /// need time to prepare. This engine takes at most two seconds for that; a client that hangs
    /// delays the start until the server's own time limit, of five to ten seconds. Throws
    /// `invalidArgument` for a time with the server's transport or if the transport follows MIDI,
    /// `engineGone`, `commandQueueFull`, or a `DriverError`.
    public func start(at time: UInt64? = nil) throws {
        try control(at: time, server: { try driver.startTransport() }) {
            rcore_post_transport_start($0, time.commandTime)
        }
    }

    /// Stops the transport at its position. Throws what `start` throws.
    public func stop(at time: UInt64? = nil) throws {
        try control(at: time, server: { try driver.stopTransport() }) {
            rcore_post_transport_stop($0, time.commandTime)
        }
    }

    /// Moves the transport to the frame nearest to a beat, whether it rolls or not. One that rolls
    /// goes on from there as after a start. If another program is the leader of the server's
    /// transport, the beat is found by its current tempo. Throws what `start` throws, and
    /// `invalidArgument` for a beat that is not in 0…16,777,215 or that the server's transport
    /// cannot reach.
    public func locate(toBeat beat: Double, at time: UInt64? = nil) throws {
        guard beat >= 0, beat <= RCORE_MAX_BEAT else {
            throw AudioEngineError.invalidArgument(what: "a transport at beat \(beat); valid: 0 to 16,777,215")
        }
        let server = { try self.driver.locateTransport(to: self.serverFrame(ofBeat: beat)) }
        try control(at: time, server: server) { rcore_post_transport_locate($0, beat, time.commandTime) }
    }

    private func serverFrame(ofBeat beat: Double) throws(AudioEngineError) -> UInt32 {
        let position = position
        let isOthers = !position.isByMap && !isLeader
        let rate = Double(rcore_configuration(core.handle).sample_rate)
        let frame =
            isOthers
            ? Double(position.frame) + (beat - position.beat) * position.framesPerBeat
            : tempoMap.seconds(atBeat: beat) * rate
        guard frame < Double(UInt32.max) else {
            throw .invalidArgument(what: "beat \(beat), which is beyond the server's last frame")
        }
        return UInt32(max(0, frame + 0.5))
    }

    private func control(
        at time: UInt64?, server: () throws -> Void, own: (OpaquePointer) -> rcore_status_t
    ) throws {
        guard control != nil else { throw AudioEngineError.engineGone }
        switch role {
        case .own: return try command("the transport", own)
        case .midiClock, .midiTimeCode:
            throw AudioEngineError.invalidArgument(
                what: "starting, stopping or moving a transport that follows MIDI; the sender does that")
        case .follower, .leader: break
        }
        guard time == nil else {
            throw AudioEngineError.invalidArgument(what: "a frame for the server's transport, which has periods")
        }
        try server()
    }

    private func command(_ what: String, _ body: (OpaquePointer) -> rcore_status_t) throws(AudioEngineError) {
        guard let control else { throw .engineGone }
        try control.command(what, body)
    }

    /// Begins a new pass at the current position, so that the schedulers are asked again for what
    /// is to be heard from here on: after an edit while the transport is stopped, say. What waits
    /// is discarded. While the transport rolls, it rolls on, and the beats until the schedulers
    /// have answered are missing: some milliseconds. Throws `engineGone` or `commandQueueFull`.
    public func reschedule() throws(AudioEngineError) {
        try command("the transport") { rcore_post_transport_renew($0, 0) }
    }

    // MARK: Tempo

    /// The tempo map of the engine's own transport, and of the server's if the engine is its
    /// leader or it has none. With a MIDI clock, only its meters count, and its tempo until the
    /// clock has been measured. Initially 120 beats per minute in 4/4.
    public var tempoMap: TempoMap { state.withLock { $0.tempoMap } }

    /// Replaces the tempo map. The position in beats stays, so that a transport that rolls changes
    /// its tempo there; after the next jump, the map counts from the start of the piece again. With
    /// a MIDI clock, the position in quarter notes stays; with time code, the time does.
    /// Throws `outOfMemory` or `engineGone`.
    public func setTempoMap(_ map: TempoMap) throws(AudioEngineError) {
        guard let control else { throw .engineGone }
        try control.withState { engine throws(AudioEngineError) in
            try map.post(to: core.handle)
            state.withLock { $0.tempoMap = map }
            control.applyCommandsIfIdle(&engine)
        }
    }

    /// Replaces the tempo map by a tempo in beats per minute, 1…1,000, and the current meter.
    public func setTempo(_ tempo: Double) throws(AudioEngineError) {
        try setTempoMap(try TempoMap(tempo: tempo, meter: tempoMap.bar(atBeat: position.beat).meter))
    }

    // MARK: Time code

    /// The time code at beat 0, for the role `midiTimeCode`; initially 00:00:00:00. Before it,
    /// beats are negative, and schedulers are not called. Takes effect when time code moves the
    /// transport next.
    public var timeCodeStart: TimeCode {
        get { state.withLock { $0.timeCodeStart } }
        set {
            state.withLock { state in
                state.timeCodeStart = newValue
                rcore_set_time_code_start(core.handle, newValue.totalSeconds)
            }
        }
    }

    // MARK: Schedulers

    /// Adds a scheduler, for which the transport waits from now on.
    func add(_ scheduler: any BeatClient) {
        state.withLock { state in
            state.schedulers.append((ObjectIdentifier(scheduler), WeakClient(client: scheduler)))
            state.additions += 1
            rcore_require_preparation(core.handle, true)
        }
    }

    /// Removes a scheduler that is being released. Others are not referred to: the last reference
    /// to one of them would be released under the lock.
    func remove(_ identity: ObjectIdentifier) {
        state.withLock { state in
            state.schedulers.removeAll { $0.identity == identity }
            if state.schedulers.isEmpty { rcore_require_preparation(core.handle, false) }
        }
    }

    /// Has the schedulers post what comes next, and returns the position if it is to be reported
    /// (`EngineEvent.transportChanged`); the caller then reports it. Calls that a scheduler makes
    /// do nothing.
    func advance() -> TransportPosition? {
        if let thread = runner.withLock({ $0 }), pthread_equal(thread, pthread_self()) != 0 { return nil }
        return scheduling.sync {
            runner.withLock { $0 = pthread_self() }
            defer { runner.withLock { $0 = nil } }
            return advanceSchedulers()
        }
    }

    private func advanceSchedulers() -> TransportPosition? {
        let position = position
        let (schedulers, additions, map) = state.withLock { state in
            (state.schedulers.compactMap(\.client.client), state.additions, state.tempoMap)
        }
        let period = Double(driver.format?.periodFrames ?? 0)
        for scheduler in schedulers {
            // A period that begins now may already read its commands: the next one is the first
            // that is safe.
            let frames = max(scheduler.lookahead * position.sampleRate, 3 * period)
            scheduler.advance(to: position, beats: beats(in: frames, from: position, map))
        }
        if driver.isRendering, driver.hasClock, position.isRolling, let soonest = schedulers.map(\.lookahead).min() {
            control?.background.runWork(after: soonest / 4)
        }
        return state.withLock { state in
            // A scheduler that was added meanwhile has posted nothing.
            if state.additions == additions { rcore_report_prepared(core.handle, position.pass.number) }
            guard position.differs(from: state.reported) else { return nil }
            state.reported = position
            return position
        }
    }

    /// Returns the beats in the frames to come: at the current tempo or, if more, by the tempo map.
    private func beats(in frames: Double, from position: TransportPosition, _ map: TempoMap) -> Double {
        let beats = frames / position.framesPerBeat
        guard position.isByMap || isLeader, position.sampleRate > 0 else { return beats }
        let end = map.seconds(atBeat: position.beat) + frames / position.sampleRate
        return max(beats, map.beat(atSeconds: end) - position.beat)
    }
}

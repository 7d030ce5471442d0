internal import AudioRendering
internal import AudioSessions
internal import Platform

/// Starting and ending the input and the writer of a recorder, and the session's events.
extension AudioRecorder {
    /// How a recording starts.
    enum Start {
        /// Paused, with the input on.
        case prepared
        case now
        case at(frame: UInt64)
        case from(level: Float)
        /// As it was before the session's interruption.
        case again
    }

    /// How long the disk may stand still without a loss, in seconds.
    private static let bufferDuration = 8

    /// Starts the input and the writer as far as they do not run, then the recording. No effect
    /// while another start is in progress.
    func start(_ start: Start, _ duration: Double? = nil) throws {
        guard duration.map({ $0 > 0 && $0 <= 1e9 }) ?? true else {
            throw AudioSessionError(
                .badParam, "A recording of \(duration ?? 0) s was requested; it must be longer than 0 s.")
        }
        let previous = state.withLock { state -> State? in
            let isPossible =
                switch start {
                case .prepared: state.phase == .stopped
                case .again: state.phase == .paused  // not if it was stopped meanwhile
                case .now, .at, .from: state.phase != .recording
                }
            guard isPossible, state.startInProgress == nil else { return nil }
            defer {
                state.startCount += 1
                (state.startInProgress, state.pausesAfterStart) = (state.startCount, false)
            }
            return state
        }
        guard let previous else { return }
        let wasActive = session.isActive
        do {
            try begin(start, duration, from: previous, number: previous.startCount + 1)
        } catch {
            state.withLock { if $0.startInProgress == previous.startCount + 1 { $0.startInProgress = nil } }
            // Nobody was interrupted by a recording that did not start. A paused one keeps the
            // session.
            if previous.phase == .stopped, !wasActive, session.isActive {
                try? session.setActive(false, options: .notifyOthersOnDeactivation)
            }
            throw error
        }
        session.participantsChanged()
        updateMonitor()
        checkInput()
    }

    private func begin(_ start: Start, _ duration: Double?, from previous: State, number: Int) throws {
        let engine = try session.engine
        let writer = try previous.writer ?? makeWriter(engine)
        var newInput: AudioSessionInput?
        do {
            let input = try previous.input ?? makeInput()
            if previous.input == nil { newInput = input }
            try input.start()
            guard let sampleRate = engine.format?.sampleRate else {
                throw AudioSessionError(.mediaServicesFailed, DriverError.serverLost)
            }
            writer.schedule(.sampleRate(sampleRate))
            let ports = session.inputPorts
            guard writer.attach(input) else {
                throw AudioSessionError(.resourceNotAvailable, DriverError.cannotCreateThread)
            }
            let (isWanted, pauses) = state.withLock { state -> (Bool, Bool) in
                // False if the recording was stopped meanwhile.
                guard state.startInProgress == number else { return (false, true) }
                state.startInProgress = nil
                if previous.writer == nil { state.recording = nil }
                let pauses = if case .prepared = start { true } else { state.pausesAfterStart }
                state.phase = pauses ? .paused : .recording
                (state.writer, state.input, state.inputPorts) = (writer, input, ports)
                state.wasRecording = false
                return (true, pauses)
            }
            guard isWanted else { return abandon(writer, newInput, isNew: previous.writer == nil) }
            guard !pauses else { return }
            let limit = duration.map { Int($0 * Double(sampleRate)) }
            switch start {
            case .prepared: break
            case .now: writer.schedule(.record(limit: limit))
            case .at(let frame): writer.schedule(.record(limit: limit), at: frame)
            case .from(let level): writer.schedule(.arm(level: level, limit: limit))
            case .again: writer.schedule(.resume)
            }
        } catch {
            abandon(writer, newInput, isNew: previous.writer == nil)
            throw error
        }
    }

    private func makeInput() throws -> AudioSessionInput {
        let sampleRate = Int(session.sampleRate)
        return try AudioSessionInput(
            session: session, channels: configuration.channels, firstChannel: configuration.firstChannel,
            captureFrames: Self.bufferDuration * (sampleRate > 0 ? sampleRate : 48_000))
    }

    /// Creates the first file, so that a file that cannot be written interrupts nobody (ACT-15).
    private func makeWriter(_ engine: AudioEngine) throws(AudioFileError) -> RecordingWriter {
        // 0 while there is no server; the activation throws the error for that.
        let sampleRate = Int(session.sampleRate)
        let files = try RecordingFiles(
            path: path, channels: configuration.channels, sampleRate: sampleRate > 0 ? sampleRate : 48_000)
        let observer = RecordingWriter.Observer(
            event: { [weak self] event in self?.listeners.send(event) },
            ended: { [weak self] writer, recording in self?.adopt(recording, of: writer) },
            inputStopped: { [weak self] input in self?.suspend(input, mayResume: false) })
        return RecordingWriter(
            RecordingWork(files: files, configuration: configuration), engine: engine, observer: observer)
    }

    private func abandon(_ writer: RecordingWriter, _ input: AudioSessionInput?, isNew: Bool) {
        input?.stop()
        if isNew { writer.discard() }
    }

    /// Suspends the recording if the session was interrupted while it started, or ends it if the
    /// input became another one: the session's calls then came too early.
    private func checkInput() {
        let input = state.withLock { $0.input }
        if let input, !session.isActive || !input.isRunning { suspend(input, mayResume: session.isInputRunning) }
        sessionInputChanged()
    }

    /// Ends the recording, without waiting for its files; returns its writer.
    @discardableResult
    func end(_ ending: Ending) -> RecordingWriter? {
        let ended = state.withLock { state in
            defer { state.release() }
            return state
        }
        ended.writer?.schedule(.finish(ending))
        release(ended)
        return ended.writer
    }

    /// Pauses because the session was interrupted, or the arbiter stopped `input`; nil: whichever
    /// is current. The gate has already silenced it. `mayResume`: the end of an interruption may
    /// resume the recording.
    func suspend(_ input: AudioSessionInput? = nil, mayResume: Bool) {
        let suspended = state.withLock { state -> State? in
            guard state.phase != .stopped, let current = state.input, input == nil || input === current else {
                return nil
            }
            defer {
                state.wasRecording = mayResume && state.phase == .recording
                state.phase = .paused
                (state.input, state.monitor) = (nil, nil)
            }
            return state
        }
        guard let suspended else { return }
        suspended.writer?.schedule(.release(pauses: suspended.phase == .recording))
        release(suspended)
    }

    private func release(_ state: State) {
        state.input?.stop()
        try? state.monitor?.stop(fadeFrames: fadeFrames)
        session.participantsChanged()
    }

    /// Stores a recording that has ended, on the thread of its writer.
    private func adopt(_ recording: AudioRecording, of writer: RecordingWriter) {
        let ended = state.withLock { state -> State? in
            state.recording = recording
            guard state.writer === writer else { return nil }
            defer { state.release() }
            return state
        }
        if let ended { release(ended) }
    }

    // MARK: Monitor

    var fadeFrames: Int { ((try? session.engine)?.format?.sampleRate ?? 48_000) / 200 }

    /// Starts, changes or stops the voice that plays the input.
    func updateMonitor() {
        monitoring.withLock { _ in
            let current = state.withLock { $0 }
            guard let gain = current.monitorGain, let input = current.input else {
                state.withLock { $0.monitor = nil }
                try? current.monitor?.stop(fadeFrames: fadeFrames)
                return
            }
            if let voice = current.monitor, voice.state != .ended {
                try? voice.setGain(gain, rampFrames: fadeFrames)
                return
            }
            guard let engine = try? session.engine, let bus = try? session.bus,
                let voice = try? engine.play(.input(input.capture), on: bus, gain: gain, fadeInFrames: fadeFrames)
            else { return }
            let isCurrent = state.withLock { state in
                guard state.input === input else { return false }
                state.monitor = voice
                return true
            }
            if !isCurrent { try? voice.stop(fadeFrames: fadeFrames) }
        }
    }
}

extension AudioSessionError {
    fileprivate convenience init(_ code: AudioSessionErrorCode, _ error: DriverError) {
        self.init(code, error.description, underlying: error)
    }
}

extension AudioRecorder.State {
    /// Forgets what belongs to the recording that ends.
    fileprivate mutating func release() {
        phase = .stopped
        startInProgress = nil
        (wasRecording, awaitsInput) = (false, false)
        (writer, input, monitor) = (nil, nil, nil)
    }

    /// What a change of the session's input ports means.
    fileprivate struct InputChange {
        /// Whether the recording's input is another one now.
        var isOther: Bool
        /// Whether the input was awaited until now.
        var endsWait: Bool
    }

    /// Adopts the session's input ports; returns nil if that changes nothing. `mayReturn`: ports
    /// that are missing may be back soon.
    fileprivate mutating func inputChange(to ports: [String], mayReturn: Bool) -> InputChange? {
        guard phase != .stopped, input != nil else { return nil }
        if mayReturn, Set(ports).isStrictSubset(of: inputPorts) {
            awaitsInput = true
            return nil
        }
        let change = InputChange(isOther: inputPorts != ports, endsWait: awaitsInput)
        (inputPorts, awaitsInput) = (ports, false)
        return change.isOther || change.endsWait ? change : nil
    }
}

extension AudioRecorder: SessionParticipant {
    /// Whether the recorder records, or will at a frame or level (`isRecording`).
    public var isRunning: Bool { isRecording }
    /// Whether the recorder is paused: `record()` will resume it (ACT-17).
    public var isPaused: Bool { state.withLock { $0.phase == .paused } }
    /// True.
    public var isRecorder: Bool { true }

    /// Pauses the recording, which keeps its file (INT-9). If the microphone's switch interrupted,
    /// nothing but `record()` resumes it (INT-10).
    public func sessionWasInterrupted() { suspend(mayResume: session.isInputRunning) }

    /// Pauses the recording if the lost output has interrupted the session (ROUTE-4).
    public func sessionOutputWasDisconnected(isGone: Bool) {
        guard !session.isActive else { return }
        suspend(mayResume: false)
    }

    /// Resumes if the recorder was recording and its policy allows it (INT-9).
    public func sessionInterruptionEnded(shouldResume: Bool) {
        let resumes = state.withLock { state in
            defer { state.wasRecording = false }
            switch state.resumePolicy {
            case .never: return false
            case .ifRecommended: return state.wasRecording && shouldResume
            case .always: return state.wasRecording
            }
        }
        // If this fails, the recorder stays paused. The app is notified of the end of the
        // interruption and can call `record` itself.
        if resumes { try? start(.again) }
    }

    /// Ends the recording; its files are completed on another thread (ACT-7).
    public func sessionDidDeactivate() { end(.deactivated) }

    /// Ends the recording, or continues in another file, if it records from another input
    /// (ROUTE-4). Waits for an input that returns later than its server (SRV-2).
    public func sessionInputChanged() {
        let mayReturn = session.awaitsDevices
        let ports = session.inputPorts
        let (writer, change) = state.withLock { ($0.writer, $0.inputChange(to: ports, mayReturn: mayReturn)) }
        guard let writer, let change else { return }
        if change.endsWait { writer.schedule(.inputReturned) }
        guard change.isOther else { return }
        switch configuration.inputChange ?? (session.recordsThroughInputChange ? .nextFile : .stop) {
        case .stop: end(.inputChanged)
        case .nextFile: writer.schedule(.nextFile)
        }
    }
}

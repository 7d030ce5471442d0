internal import ArbiterService
internal import SessionPolicy

/// Programs that lower others do so only while their streams are audible. Many keep a stream that
/// runs in silence.
extension Adopter {
    /// Has the sound of the program's streams detected, or no longer. Idempotent.
    mutating func detect(_ key: ProgramKey) {
        guard let program = programs[key] else { return }
        let kind = program.session == nil ? nil : program.sessionKind
        if kind?.ducksOthers != true || program.classification?.ducksOnlyWhileAudible != true {
            // It is tried again when it is wanted again.
            undetected.subtract(program.streams.keys)
        }
        let isDetected = kind.map { detects(program, as: $0) } ?? false
        programs[key]?.isDetected = isDetected
        let (threshold, hold) = tools.audibility
        for stream in program.outputs where !awaitedStreams.contains(stream.id) {
            let command = StreamCommand.detect(
                stream.id, threshold: threshold, milliseconds: Int((hold * 1_000).rounded()))
            let wanted = isDetected && canDetect(stream) ? command : nil
            guard wanted != detections[stream.id] else { continue }
            detections[stream.id] = wanted
            if wanted == nil { audible.remove(stream.id) }
            tools.send(wanted ?? .endDetection(stream.id))
        }
    }

    /// Whether a program of this kind lowers others only while it is audible. One none of whose
    /// streams can be detected lowers them as long as it plays.
    func detects(_ program: ForeignProgram, as kind: ProgramKind) -> Bool {
        kind.ducksOthers && program.classification?.ducksOnlyWhileAudible == true
            && program.outputs.contains(where: canDetect)
    }

    /// Whether the stream controller can detect the sound of a stream. The programs of JACK would
    /// see the connection.
    private func canDetect(_ stream: ForeignStream) -> Bool {
        stream.canBeLowered && !undetected.contains(stream.id)
    }

    /// Reports to the arbiter whether the program is audible.
    func reportSound(_ key: ProgramKey, _ session: SessionID) {
        guard let program = programs[key] else { return }
        reportDetection(session, program.isDetected)
        let isAudible =
            program.isDetected
            && program.outputs.contains { $0.isRunning && (!canDetect($0) || audible.contains($0.id)) }
        guard let state = tools.status(of: session), state.isAudible != isAudible else { return }
        _ = tools.submit(.setAudible(session, isAudible))
    }

    /// Reports to the arbiter whether the program lowers others only while it is audible.
    func reportDetection(_ session: SessionID, _ isDetected: Bool) {
        guard let state = tools.status(of: session), state.ducksOnlyWhileAudible != isDetected else { return }
        _ = tools.submit(.setDucksOnlyWhileAudible(session, isDetected))
    }

    /// Whether the sound of a stream is to be detected: otherwise what is reported about it is out
    /// of date.
    package func isDetected(_ id: StreamID) -> Bool { detections[id] != nil }

    // MARK: Events

    mutating func heard(_ id: StreamID, _ isAudible: Bool) {
        guard isDetected(id) else { return }
        if isAudible { audible.insert(id) } else { audible.remove(id) }
        if let key = key(of: id) { reconsider(key) }
    }

    /// Seconds until detection that has failed is tried again.
    private static let detectionPause = 30.0

    /// A stream whose sound cannot be detected counts as audible while it runs.
    mutating func detectionFailed(_ id: StreamID) {
        guard detections.removeValue(forKey: id) != nil else { return }
        undetected.insert(id)
        tools.start(.detection(id), seconds: Self.detectionPause)
        if let key = key(of: id) { reconsider(key) }
    }
}

import AudioPlayback
import AudioRendering
import SessionProgramSupport

/// Everything that the screen shows at one moment, besides what the observer knows.
struct RecorderStatus {
    enum Activity: Equatable {
        case waiting(String)
        case recording, paused, interrupted, ended
    }

    var file = ""
    /// The number of the current file, from 1.
    var fileNumber = 1
    var activity = Activity.paused
    /// Channels and sample rate.
    var format = ""
    var seconds = 0.0
    /// The seconds until the limit of the duration; nil without one.
    var secondsLeft: Double?
    /// The seconds until the limit of the size, and until the disk is full; nil if not known.
    var secondsOfSize: Double?
    var secondsOfDisk: Double?
    var levels: [AudioRecorder.Level] = []
    var lostFrames = 0
    /// The gain of the monitor in dB; nil while it is off.
    var monitorDecibels: Double?
    var route = ""
    var inputLatency = 0.0
    var xruns = 0
    var cpuLoad = 0.0
    var log: [String] = []
}

extension RecordingController {
    /// Returns what the screen shows.
    func status(_ options: RecorderOptions, log: [String]) -> RecorderStatus {
        var status = RecorderStatus()
        let path = paths.last ?? options.file
        status.file = path.lastComponent.description
        status.fileNumber = max(1, paths.count)
        status.activity = activity
        status.log = log
        status.route = session.currentRoute.inputs.map(\.description).joined(separator: ", ")
        status.inputLatency = session.inputLatency
        status.lostFrames = lostFrames
        status.xruns = engine.statistics.xruns
        status.cpuLoad = engine.statistics.cpuLoad
        guard let recorder else { return status }
        let rate = engine.format?.sampleRate ?? 0
        let channels = recorder.configuration.channels
        status.format = "\(rate) Hz, \(channels) ch"
        status.seconds = recorder.currentTime
        status.levels = recorder.levels
        if status.activity == .interrupted { for index in status.levels.indices { status.levels[index].peak = 0 } }
        status.monitorDecibels = recorder.monitorGain.map { Text.decibelValue($0) }
        status.secondsLeft = options.duration.map { max(0, $0 - recorder.currentTime) }
        setSpace(&status, options, uncompressed: Double(4 * channels * rate))
        return status
    }

    /// Sets the times that the limit of the size and the disk leave, at the size of a second so
    /// far.
    private func setSpace(_ status: inout RecorderStatus, _ options: RecorderOptions, uncompressed: Double) {
        let destination = Destination(path: options.file)
        let bytes = paths.reduce(0) { $0 + (destination.size(of: $1) ?? 0) }
        let perSecond = status.seconds > 2 ? Double(bytes) / status.seconds : uncompressed
        guard perSecond > 0 else { return }
        status.secondsOfDisk = destination.freeBytes.map { Double($0) / perSecond }
        status.secondsOfSize = options.maxSize.map { max(0, Double($0.bytes - bytes) / perSecond) }
    }

    private var activity: RecorderStatus.Activity {
        if isOver { return .ended }
        if let waiting { return .waiting(waiting) }
        if session.state.activity == .interrupted { return .interrupted }
        return recorder?.isRecording == true ? .recording : .paused
    }
}

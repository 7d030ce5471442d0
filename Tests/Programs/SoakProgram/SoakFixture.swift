import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import Platform
import TestSupport

/// The sessions of an app on the soak's server, and the devices around them. Driven by one thread.
///
/// The left channel carries music, a player of a counting file. The right channel carries a game's
/// raw voice, or that of the deck session instead, which plays to all outputs.
final class SoakFixture {
    let options: SoakOptions
    let journal: RunLog
    let server: SoakServer
    let checker: OutputChecker
    let driver: JackDriver
    let host: AudioSessionHost
    let engine: AudioEngine
    let music: AudioPlayer
    let game: AudioSession
    let deck: AudioSession
    let microphone: AudioSessionInput
    let recorder: AudioSession
    let folder: TemporaryDirectory
    /// A separate virtual device: if a recorded device also fed the microphone, it would form a
    /// feedback loop, which JACK breaks with a delay of one period.
    private var microphoneDevice: VirtualDevice?
    /// The devices that are plugged in. The first is the speaker, which is always there.
    private(set) var listeners: [RecordingDevice] = []
    var gameVoice: Voice?
    var deckVoice: Voice?
    var counts = Counts()
    private let frameClock: FrameClock
    private let meter = StarvationMeter()
    private let observation: EngineObservation
    let driverEvents = EventLog<DriverEvent>()
    let captureFailures = EventLog<AudioFileError>()
    private let pluggedDevices: Mutex<[RecordingDevice]>
    let xruns: Mutex<Int>
    let right: AudioBuffer

    init(_ options: SoakOptions, _ name: ServerName, _ journal: RunLog, _ checker: OutputChecker) throws {
        self.options = options
        self.journal = journal
        self.checker = checker
        // A long period for injected faults: an xrun would excuse them.
        server = try SoakServer(options.server, name, periodFrames: options.inject == nil ? 256 : 1_024)
        driver = JackDriver(configuration: server.configuration)
        host = AudioSessionHost(driver: driver)
        let musicSession = try AudioSession(host: host)
        engine = try musicSession.engine
        game = try AudioSession(host: host)
        deck = try AudioSession(host: host)
        recorder = try AudioSession(host: host)
        try engine.open()
        host.setRecordPermission(.granted)
        folder = try TemporaryDirectory()
        let counting = Signal.counting(frames: 1_048_576)
        let silence = [Float](repeating: 0, count: counting.count)
        try SoundFile.write([counting, silence], sampleRate: 48_000, to: folder.file("music.wav"))
        right = try AudioBuffer([silence, counting])
        try musicSession.setCategory(.playback)
        try game.setCategory(.ambient)
        try deck.setCategory(.multiRoute, options: [.mixWithOthers])
        try recorder.setCategory(.playAndRecord, options: [.mixWithOthers])
        music = try AudioPlayer(path: folder.file("music.wav"), session: musicSession)
        music.numberOfLoops = -1
        microphone = try AudioSessionInput(session: recorder)
        frameClock = try FrameClock(engine)
        let (pluggedDevices, xruns) = (Mutex<[RecordingDevice]>([]), Mutex(0))
        self.pluggedDevices = pluggedDevices
        self.xruns = xruns
        observation = engine.observe { [driverEvents, captureFailures] event in
            switch event {
            case .driver(.xrun):
                xruns.withLock { $0 += 1 }
                for listener in pluggedDevices.withLock({ $0 }) { listener.noteXrun() }
            case .driver(let event): driverEvents.note(event)
            case .captureFailed(let error): captureFailures.note(error)
            default: break
            }
        }
        // The server notifies the driver only while it takes part in its cycles.
        try game.setActive(true)
        try plugMicrophone()
        try plug("Speaker", .builtInSpeaker)
        try play()
        guard letPass(4_800) else { throw TestFailure("Nothing is rendered.") }
    }

    // ---- Time
    // ---------------------------------------------------------------------------------------

    /// Waits until `frames` frames have been rendered. Returns false if that takes longer than
    /// `limit` seconds.
    @discardableResult
    func letPass(_ frames: Int, limit: Double = 30) -> Bool {
        drainMicrophone()
        defer { checkUnderruns() }
        return frameClock.letPass(frames, limit: limit)
    }

    /// Checks whether streams underran since the last check. The disk or the machine is the cause
    /// only if other threads stopped, too.
    private func checkUnderruns() {
        let (frames, pause) = (engine.counters.underrunFrames, meter.take())
        defer {
            counts.underrunFrames = Int(frames)
            for listener in listeners { listener.markCheck() }
        }
        let late = Int(frames) - counts.underrunFrames
        guard late > 0 else { return }
        let event = journal.note("streams underran by \(late) frames; the process did not run for \(pause) s")
        guard pause > 0.4 else {
            return checker.note("Streams underran by \(late) frames although the process was running.")
        }
        for listener in listeners { listener.addSinceLastCheck(Span(event: event, nature: .cut)) }
    }

    /// Waits until the condition holds. Checks it every 1,200 frames.
    func wait(limit: Double = 20, until condition: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: limit)
        while !condition() {
            guard Date() < deadline else { return false }
            letPass(1_200, limit: 2)
        }
        return true
    }

    /// Waits until all consequences have been reported and rendered. Routes change one after the
    /// other, each within a few periods.
    func settle() {
        host.settle()
        letPass(1_200 + 4 * (engine.format?.periodFrames ?? 0))
    }

    /// Waits until the devices have written all sound so far to their recordings.
    func letDisksCatchUp() {
        let goals = listeners.map { ($0, $0.frames + 4_800) }
        _ = wait { goals.allSatisfy { $0.0.device.hasEnded || $0.0.frames >= $0.1 } }
    }

    /// Drains the microphone's capture, which nothing else reads.
    private func drainMicrophone() {
        while let block = microphone.capture.read() { counts.recordedFrames += block.samples.count }
    }

    // ---- Events
    // -------------------------------------------------------------------------------------

    /// Calls `body`, whose effect may be audible, and records its time on every device, or on
    /// `only`.
    func event<Result>(
        _ what: String, _ nature: Span.Nature = .fades, on only: RecordingDevice? = nil, _ body: () throws -> Result
    ) rethrows -> Result {
        let number = journal.note(what)
        let concerned = only.map { [$0] } ?? listeners
        for listener in concerned { listener.begin(Span(event: number, nature: nature)) }
        defer { for listener in concerned { listener.end(event: number) } }
        return try body()
    }

    /// Calls `body`, which must not affect the given channels of the concerned devices.
    func untouched(_ channels: [Int], on concerned: [RecordingDevice], _ what: String, _ body: () throws -> Void)
        rethrows
    {
        let number = journal.note("watched: " + what)
        for listener in concerned {
            for channel in channels { listener.begin(Span(event: number, nature: .untouched(channel: channel))) }
        }
        defer { for listener in concerned { listener.end(event: number) } }
        try body()
    }

    /// Calls `body`, which may be refused. A refusal is counted and is not a fault.
    func attempt(_ what: String, _ body: () throws -> Void) {
        do { try body() } catch {
            journal.note("\(what) was refused: \(error)")
            counts.refusals += 1
        }
    }

    // ---- Sound
    // --------------------------------------------------------------------------------------

    /// Starts all playback that has stopped, as a user would.
    func play() throws {
        // A player that was stopped begins at its position, without a fade.
        if !music.isPlaying { event("music plays by hand", .starts) { attempt("music") { try music.play() } } }
        let other = counts.isDeckOn ? deck : game
        if !other.isActive {
            event("\(counts.isDeckOn ? "deck" : "game") is activated") {
                attempt("activation") { try other.setActive(true) }
            }
        }
        if counts.isDeckOn {
            if deckVoice?.state != .playing { deckVoice = try event("deck plays") { try startVoice(on: deck.bus) } }
        } else if gameVoice?.state != .playing {
            gameVoice = try event("game plays") { try startVoice(on: game.bus) }
        }
    }

    private func startVoice(on bus: SessionBus) throws -> Voice {
        try engine.play(.buffer(right, loop: .forever), on: bus, fadeInFrames: 240)
    }

    // ---- Devices
    // ------------------------------------------------------------------------------------

    func plugMicrophone() throws {
        microphoneDevice?.kill()
        microphoneDevice = try retrying {
            try VirtualDevice("Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: 1, sound: .ramp)
        }
    }

    /// Calls `plug` up to three times, since a busy server may refuse a client after its own
    /// timeout. Throws if the third attempt fails.
    private func retrying<Device>(_ plug: () throws -> Device) throws -> Device {
        for _ in 0..<2 {
            do { return try plug() } catch { journal.note("\(error)") }
        }
        return try plug()
    }

    /// Plugs in a device. One that returns with its server starts without a fade, since it has
    /// played nothing before.
    @discardableResult
    func plug(_ name: String, _ kind: PortType, returns: Bool = false) throws -> RecordingDevice {
        try event("plug \(name) (\(kind.rawValue))\(returns ? " again" : "")") {
            let listener = try retrying { try RecordingDevice(name, kind, on: server) }
            // From here on, xruns are attributed to its recording, too.
            pluggedDevices.withLock { $0.append(listener) }
            let isSeen = wait { driver.devices?.contains { $0.ports.contains { $0.name == name } } ?? false }
            if !isSeen { checker.note("The device '\(name)' was plugged in, but the driver does not list it.") }
            settle()
            listener.add(
                Span(event: journal.count - 1, nature: returns ? .starts : .fades, begin: 0, end: listener.frames))
            listeners.append(listener)
            return listener
        }
    }

    /// Removes a device and examines its recording.
    func unplug(_ listener: RecordingDevice, inOrder: Bool) throws {
        event("\(inOrder ? "unplug" : "pull out") \(listener.name)") {
            // A device that is unplugged in order closes its ports while it still records.
            listener.begin(Span(event: -2, nature: .cut))
            if inOrder { listener.device.stop() } else { listener.device.kill() }
            forget(listener)
            let isGone = wait { !isPresent(listener.name) }
            if !isGone { checker.note("The device '\(listener.name)' was pulled out, but the driver still lists it.") }
            settle()
        }
        try checker.examine(listener)
    }

    /// Whether a device is in the driver's list or still in a route: after its server's return, a
    /// device has two seconds to return, too.
    private func isPresent(_ name: String) -> Bool {
        driver.devices?.contains { $0.ports.contains { $0.name == name } } ?? true
            || [music.session, game, deck].contains { $0.currentRoute.outputs.contains { $0.portName == name } }
    }

    private func forget(_ listener: RecordingDevice) {
        listeners.removeAll { $0 === listener }
        pluggedDevices.withLock { $0.removeAll { $0 === listener } }
    }

    /// Removes all devices after the end of their server. Returns them.
    func removeLostDevices() throws -> [(name: String, kind: PortType)] {
        let lost = listeners
        for listener in lost {
            if listener.device.waitForEnd() == nil { listener.device.kill() }
            forget(listener)
            try checker.examine(listener)
        }
        microphoneDevice?.kill()
        return lost.map { ($0.name, $0.kind) }
    }

    /// Closes everything. Whatever remains afterwards is a leak.
    func close() throws {
        for listener in listeners.reversed() {
            listener.begin(Span(event: -2, nature: .cut))
            listener.device.stop()
            forget(listener)
            try checker.examine(listener)
        }
        microphoneDevice?.stop()
        if microphone.isRunning { microphone.stop() }
        music.stop()
        for session in [music.session, game, deck, recorder] {
            attempt("deactivation") { try session.setActive(false) }
        }
        host.settle()
        host.close()
    }
}

/// What the soak has done.
struct Counts {
    var faults: [Fault: Int] = [:]
    var recoveries: [Double] = []
    var refusals = 0
    var recordedFrames = 0
    var underrunFrames = 0
    var isDeckOn = false
    var silenceChecks = 0
    var untouchedChecks = 0
}

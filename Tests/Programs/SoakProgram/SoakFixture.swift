import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import Platform
import TestSupport

/// The sessions of an app on the soak's server, and the devices around them. Driven by one thread.
///
/// Music, a player of a counting file, is heard on the left; on the right a game's raw voice, or, instead of it, a deck's, which plays to all outputs.
final class SoakFixture {
    let options: SoakOptions
    let journal: Journal
    let server: SoakServer
    let examiner: Examiner
    let driver: JackDriver
    let host: AudioSessionHost
    let engine: AudioEngine
    let music: AudioPlayer
    let game: AudioSession
    let deck: AudioSession
    let microphone: AudioSessionInput
    let recorder: AudioSession
    let folder: TemporaryDirectory
    /// Of its own: a device that heard what it says would be a loop, which JACK cuts open by a period's delay.
    private var ear: StandIn?
    /// The living devices; the speaker, in front, is always there.
    private(set) var listeners: [RecordingDevice] = []
    var gameVoice: Voice?
    var deckVoice: Voice?
    var counts = Counts()
    private let pacer: Pacer
    private let meter = StarvationMeter()
    private let observation: EngineObservation
    let driverEvents = Signpost<DriverEvent>()
    let captureFailures = Signpost<AudioFileError>()
    private let living: Locked<[RecordingDevice]>
    let xruns: Locked<Int>
    let right: AudioBuffer

    init(_ options: SoakOptions, _ name: ServerName, _ journal: Journal, _ examiner: Examiner) throws {
        self.options = options
        self.journal = journal
        self.examiner = examiner
        // Long where faults are injected: an xrun would excuse them.
        server = try SoakServer(options.server, name, periodFrames: options.plant == nil ? 256 : 1_024)
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
        pacer = try Pacer(engine)
        let (living, xruns) = (Locked<[RecordingDevice]>([]), Locked(0))
        self.living = living
        self.xruns = xruns
        observation = engine.observe { [driverEvents, captureFailures] event in
            switch event {
            case .driver(.xrun):
                xruns.withLock { $0 += 1 }
                for listener in living.withLock({ $0 }) { listener.noteXrun() }
            case .driver(let event): driverEvents.note(event)
            case .captureFailed(let error): captureFailures.note(error)
            default: break
            }
        }
        // Notified by the server only while it takes part in its cycles.
        try game.setActive(true)
        try plugMicrophone()
        try plug("Speaker", .builtInSpeaker)
        try play()
        guard letPass(4_800) else { throw TestFailure("Nothing is rendered.") }
    }

    // ---- Time ---------------------------------------------------------------------------------------------------------------------

    /// Waits until so many frames were rendered; false when they are not, in `limit` seconds.
    @discardableResult
    func letPass(_ frames: Int, limit: Double = 30) -> Bool {
        read()
        defer { look() }
        return pacer.letPass(frames, limit: limit)
    }

    /// Whether streams were late since the last look. That is the disk's doing, or the machine's, only where other threads stood still, too.
    private func look() {
        let (frames, pause) = (engine.counters.underrunFrames, meter.take())
        defer {
            counts.underrunFrames = Int(frames)
            for listener in listeners { listener.look() }
        }
        let late = Int(frames) - counts.underrunFrames
        guard late > 0 else { return }
        let event = journal.note("streams were \(late) frames late; the process stood still for \(pause) s")
        guard pause > 0.4 else { return examiner.note("Streams were \(late) frames late, and nothing stood still.") }
        for listener in listeners { listener.noteSinceLook(Span(event: event, nature: .cut)) }
    }

    /// Waits until that is so, looking after every 1,200 frames.
    func wait(limit: Double = 20, until isSo: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: limit)
        while !isSo() {
            guard Date() < deadline else { return false }
            letPass(1_200, limit: 2)
        }
        return true
    }

    /// Waits until all that follows is told and heard: routes change one after the other, each within some periods.
    func settle() {
        host.settle()
        letPass(1_200 + 4 * (engine.format?.periodFrames ?? 0))
    }

    /// Waits until what was heard before is on its way to no disk any more.
    func letDisksCatchUp() {
        let goals = listeners.map { ($0, $0.frames + 4_800) }
        _ = wait { goals.allSatisfy { $0.0.device.hasEnded || $0.0.frames >= $0.1 } }
    }

    /// Nobody else reads what the microphone hears.
    private func read() {
        while let block = microphone.capture.read() { counts.recordedFrames += block.samples.count }
    }

    // ---- Events -------------------------------------------------------------------------------------------------------------------

    /// Does something that may be heard, and notes when on every device.
    func event<Result>(
        _ what: String, _ nature: Span.Nature = .fades, on only: RecordingDevice? = nil, _ body: () throws -> Result
    ) rethrows -> Result {
        let number = journal.note(what)
        let concerned = only.map { [$0] } ?? listeners
        for listener in concerned { listener.begin(Span(event: number, nature: nature)) }
        defer { for listener in concerned { listener.end(event: number) } }
        return try body()
    }

    /// Does something that must leave a channel of some devices as it is.
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

    /// What a call may be refused by: counted, and no fault.
    func attempt(_ what: String, _ body: () throws -> Void) {
        do { try body() } catch {
            journal.note("\(what) was refused: \(error)")
            counts.refusals += 1
        }
    }

    // ---- Sound --------------------------------------------------------------------------------------------------------------------

    /// What plays, plays again: by the user's hand.
    func play() throws {
        // A player that was stopped begins where it was, without a fade.
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

    // ---- Devices ------------------------------------------------------------------------------------------------------------------

    func plugMicrophone() throws {
        ear?.kill()
        ear = try insist {
            try StandIn("Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: 1, sound: .ramp)
        }
    }

    /// A server that is busy may refuse a client, after a time of its own; three times, and the soak cannot go on.
    private func insist<Device>(_ plug: () throws -> Device) throws -> Device {
        for _ in 0..<2 {
            do { return try plug() } catch { journal.note("\(error)") }
        }
        return try plug()
    }

    /// One that returns with its server is heard from then on, without a fade: what plays was not heard before.
    @discardableResult
    func plug(_ name: String, _ kind: HardwareKind, returns: Bool = false) throws -> RecordingDevice {
        try event("plug \(name) (\(kind.rawValue))\(returns ? " again" : "")") {
            let listener = try insist { try RecordingDevice(name, kind, on: server) }
            let isSeen = wait { driver.devices?.contains { $0.ports.contains { $0.name == name } } ?? false }
            if !isSeen { examiner.note("The device '\(name)' was plugged in, and the driver does not see it.") }
            settle()
            listener.add(
                Span(event: journal.count - 1, nature: returns ? .starts : .fades, begin: 0, end: listener.frames))
            listeners.append(listener)
            living.withLock { $0.append(listener) }
            return listener
        }
    }

    /// Takes a device out, and hears what it kept.
    func unplug(_ listener: RecordingDevice, inOrder: Bool) throws {
        event("\(inOrder ? "unplug" : "pull out") \(listener.name)") {
            // What is unplugged in order closes its ports while it still listens.
            listener.begin(Span(event: -2, nature: .cut))
            if inOrder { listener.device.stop() } else { listener.device.kill() }
            forget(listener)
            let isGone = wait { !isThere(listener.name) }
            if !isGone { examiner.note("The device '\(listener.name)' was pulled out, and the driver still has it.") }
            settle()
        }
        try examiner.examine(listener)
    }

    /// In the driver's list, or still in a route: right after its server's return a device has two seconds to come, too.
    private func isThere(_ name: String) -> Bool {
        driver.devices?.contains { $0.ports.contains { $0.name == name } } ?? true
            || [music.session, game, deck].contains { $0.currentRoute.outputs.contains { $0.portName == name } }
    }

    private func forget(_ listener: RecordingDevice) {
        listeners.removeAll { $0 === listener }
        living.withLock { $0.removeAll { $0 === listener } }
    }

    /// The server is gone, and with it all devices. Returns what there was.
    func loseDevices() throws -> [(name: String, kind: HardwareKind)] {
        let lost = listeners
        for listener in lost {
            if listener.device.waitForEnd() == nil { listener.device.kill() }
            forget(listener)
            try examiner.examine(listener)
        }
        ear?.kill()
        return lost.map { ($0.name, $0.kind) }
    }

    /// Gives all up. What is left afterwards is left over.
    func close() throws {
        for listener in listeners.reversed() {
            listener.begin(Span(event: -2, nature: .cut))
            listener.device.stop()
            forget(listener)
            try examiner.examine(listener)
        }
        ear?.stop()
        if microphone.isRunning { microphone.stop() }
        music.stop()
        for session in [music.session, game, deck, recorder] {
            attempt("deactivation") { try session.setActive(false) }
        }
        host.settle()
        host.close()
    }
}

/// What was done.
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

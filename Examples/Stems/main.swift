// Four stems through a desk: groups, sends to an echo of our own, automation, a limiter.
//
//     Stems [DRUMS BASS PAD VOICE] [--output mix.wav]
//
// Without files it makes music itself; with --output it renders to that file, as fast as it goes and without a server.
import AudioRendering
import AudioSessions
import Foundation

/// Why it ends early: 64 for wrong use, else 1, and a sentence.
struct Failure: Error, CustomStringConvertible {
    var status: Int32
    var description: String

    init(_ status: Int32, _ description: String) { (self.status, self.description) = (status, description) }
}

/// What there is to do.
struct Order {
    var files: [String] = []
    var output: String?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--output", output == nil, let path = rest.popFirst() {
                output = path
            } else if argument.hasPrefix("-") {
                throw Failure(64, "'\(argument)' is not understood, or lacks its file; \(Self.usage)")
            } else {
                files.append(argument)
            }
        }
        guard files.isEmpty || files.count == 4 else {
            throw Failure(64, "\(files.count) files are given, and four are mixed, or none; \(Self.usage)")
        }
        let place = { (path: String) in URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        if let output, files.map(place).contains(place(output)) {
            throw Failure(64, "'\(output)' is a stem, and would be lost; write to another file.")
        }
    }

    private static let usage = "use: Stems [DRUMS BASS PAD VOICE] [--output FILE]"
}

/// Sets all up in a session and runs it to the end of the echo. `advance` lets time pass: a little of it, at each call.
func mix(_ order: Order, in session: AudioSession, advance: () throws -> Void) throws {
    try session.setCategory(.playback)
    try session.setActive(true)  // reaches the server: from now on its rate is known
    let (engine, bus, rate) = (try session.engine, try session.bus, Int(session.sampleRate))
    let stems =
        try order.files.isEmpty
        ? Stem.made(rate: rate)
        : order.files.enumerated().map { try Stem(path: $1, rate: rate, hasWords: $0 == 3) }
    try bus.setGraph(desk(for: stems, rate: rate))

    // Behind all of it, where the session's route leads: nothing gets above -1 dBTP, and the meter sees what is heard.
    guard let output = bus.outputs.first else { throw Failure(1, "The session has no output; connect a device.") }
    let (limiter, meter) = (try AudioLimiter(ceilingDecibels: -1), try AudioMeter(loudness: true))
    try engine.setLimiter(limiter, of: output)
    try engine.setMeter(meter, of: output)

    // All on one frame, a fifth of a second from now, so that nothing of this comes late.
    let start = engine.currentFrame + UInt64(rate / 5)
    try automate(bus, stems[3].words) { start + UInt64($0 * Double(rate)) }
    let voices = try zip(["drums", "bass", "pad", "voice"], stems).map { name, stem in
        try engine.play(stem.source, on: bus.bus(name), at: start)
    }
    var (reduction, end): (Float, UInt64?) = (0, nil)
    repeat {
        try advance()
        reduction = max(reduction, limiter.gainReduction)
        if end == nil, voices.allSatisfy({ $0.state == .ended }) { end = engine.currentFrame + UInt64(4 * rate) }
    } while end.map { engine.currentFrame < $0 } ?? true  // and then the echo

    for case .stream(let stream) in stems.map(\.source) {
        if let defect = stream.defect { throw defect }  // a file that is cut short ends early
    }
    let peak = 20 * log10(meter.levels.compactMap(\.greatestTruePeak).max() ?? 0)
    guard let loudness = meter.loudness else { return }
    print(
        String(
            format: "true peak %.1f dBTP, integrated %.1f LUFS, range %.1f LU, limited by at most %.1f dB", peak,
            loudness.integrated, loudness.range, reduction))
    try session.setActive(false, options: .notifyOthersOnDeactivation)
}

/// Plays to people, on the session's route.
func play(_ order: Order) throws {
    let (session, isGone) = (AudioSession.shared, DispatchSemaphore(value: 0))
    let observation = try session.engine.observe { event in
        if case .driver(.serverGone) = event { isGone.signal() }
    }
    try mix(order, in: session) {
        guard isGone.wait(timeout: .now() + 0.02) == .timedOut else {
            throw Failure(1, "The audio server is gone; start it again and mix once more.")
        }
    }
    withExtendedLifetime(observation) {}
}

/// Renders into a file: another driver, and a host of its own that no other app shares. The rest is the same, to the bit.
func render(_ order: Order, to path: String) throws {
    let driver = OfflineDriver(sampleRate: 48_000, channels: 2, periodFrames: 256)
    var writer: AudioFileWriter?
    let session = try AudioSession(host: AudioSessionHost(driver: driver))
    try mix(order, in: session) {
        // Made only now: with wrong stems nothing is written.
        let file = try writer ?? AudioFileWriter(path: path, channels: 2, sampleRate: 48_000)
        writer = file
        let planes = try driver.render(frames: 256)
        try file.write(zip(planes[0], planes[1]).flatMap { [$0, $1] }, frameCount: 256)
    }
    if let failure = writer?.close() { throw failure }
}

do {
    let order = try Order(Array(CommandLine.arguments.dropFirst()))
    if let output = order.output { try render(order, to: output) } else { try play(order) }
} catch {
    FileHandle.standardError.write(Data("Stems: \(error)\n".utf8))
    exit((error as? Failure)?.status ?? 1)
}

// Mixes four stems: groups, sends to a custom echo, automation, a limiter.
//
//     Stems [DRUMS BASS PAD VOICE] [--output mix.wav]
//
// Without files it synthesizes music. With --output it renders to that file, as fast as possible
// and without a server.
import AudioRendering
import AudioSessions
import Foundation

/// An error that ends the program: the exit status (64 for wrong usage, otherwise 1) and a message.
struct Failure: Error, CustomStringConvertible {
    var status: Int32
    var description: String

    init(_ status: Int32, _ description: String) { (self.status, self.description) = (status, description) }
}

/// The command line.
struct Order {
    var files: [String] = []
    var output: String?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--output", output == nil, let path = rest.popFirst() {
                output = path
            } else if argument.hasPrefix("-") {
                throw Failure(64, "Unknown option '\(argument)', or its file is missing; \(Self.usage)")
            } else {
                files.append(argument)
            }
        }
        guard files.isEmpty || files.count == 4 else {
            throw Failure(64, "\(files.count) files were given; pass four, or none to synthesize them; \(Self.usage)")
        }
        let resolved = { (path: String) in URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        if let output, files.map(resolved).contains(resolved(output)) {
            throw Failure(64, "'\(output)' is one of the stems and would be overwritten; write to another file.")
        }
    }

    private static let usage = "usage: Stems [DRUMS BASS PAD VOICE] [--output FILE]"
}

/// Mixes the stems in a session, until the echo has ended. Each call of `advance` waits for, or
/// renders, a short block.
func mix(_ order: Order, in session: AudioSession, advance: () throws -> Void) throws {
    try session.setCategory(.playback)
    try session.setActive(true)  // connects to the server, so its sample rate is known
    let (engine, bus, rate) = (try session.engine, try session.bus, Int(session.sampleRate))
    let stems =
        try order.files.isEmpty
        ? Stem.made(rate: rate)
        : order.files.enumerated().map { try Stem(path: $1, rate: rate, hasWords: $0 == 3) }
    try bus.setGraph(mixerGraph(for: stems, rate: rate))

    // At the output of the session's route: the limiter keeps the mix below -1 dBTP, and the meter
    // measures its result.
    guard let output = bus.outputs.first else { throw Failure(1, "The session has no output; connect a device.") }
    let (limiter, meter) = (try AudioLimiter(ceilingDecibels: -1), try AudioMeter(loudness: true))
    try engine.setLimiter(limiter, of: output)
    try engine.setMeter(meter, of: output)

    // All stems start on the same frame, 0.2 s from now, so that no command is late.
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
    } while end.map { engine.currentFrame < $0 } ?? true  // includes 4 s for the echo

    for case .stream(let stream) in stems.map(\.source) {
        if let defect = stream.defect { throw defect }  // a truncated file ends early
    }
    let peak = 20 * log10(meter.levels.compactMap(\.greatestTruePeak).max() ?? 0)
    guard let loudness = meter.loudness else { return }
    print(
        String(
            format: "true peak %.1f dBTP, integrated %.1f LUFS, range %.1f LU, limited by at most %.1f dB", peak,
            loudness.integrated, loudness.range, reduction))
    try session.setActive(false, options: .notifyOthersOnDeactivation)
}

/// Plays the mix on the session's route.
func play(_ order: Order) throws {
    let (session, isGone) = (AudioSession.shared, DispatchSemaphore(value: 0))
    let observation = try session.engine.observe { event in
        if case .driver(.serverGone) = event { isGone.signal() }
    }
    try mix(order, in: session) {
        guard isGone.wait(timeout: .now() + 0.02) == .timedOut else {
            throw Failure(1, "The audio server was lost; start it again and repeat the mix.")
        }
    }
    withExtendedLifetime(observation) {}
}

/// Renders the mix to a file, with the offline driver and a host that no other app shares.
/// Everything else is the same as for playback, bit for bit.
func render(_ order: Order, to path: String) throws {
    let driver = OfflineDriver(sampleRate: 48_000, channels: 2, periodFrames: 256)
    var writer: AudioFileWriter?
    let session = try AudioSession(host: AudioSessionHost(driver: driver))
    try mix(order, in: session) {
        // Created at the first block, so that invalid stems leave no file.
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

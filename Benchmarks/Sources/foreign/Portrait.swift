import Foundation
import PositionSignals
import Processes
import Reporting

/// mpv's level over time, while a prompt and a call come and go by the `audiosession` command.
enum Portrait {
    private static let rate = Double(PositionSignal.sampleRate)
    /// Frames of a point of the plot.
    private static let step = 512
    /// The level that is drawn for silence.
    private static let floor = -70.0

    /// Records until a recording has no dropout of the program's own, but at most so many times.
    static func make(on desktop: Desktop, attempts: Int) throws -> Figure {
        var recording = try record(on: desktop)
        for _ in 1..<attempts where !recording.isWhole { recording = try record(on: desktop) }
        return figure(recording, version: Program.mpv.version(desktop))
    }

    private struct Recording {
        var frames: [HeardFrame]
        var events: [(name: String, seconds: Double)]

        /// Whether there is only one silence, and no frame was missed.
        var isWhole: Bool {
            let changes = zip(frames, frames.dropFirst()).count { ($0 == .silent) != ($1 == .silent) }
            return changes == 2 && !frames.contains(.missed)
        }
    }

    private static func record(on desktop: Desktop) throws -> Recording {
        let capture = desktop.capture
        let begin = capture.end
        let child = try desktop.start(.mpv)
        defer { child.end() }
        try capture.expect("mpv plays", 48_000, since: begin, seconds: 60, where: \.isSteady)
        let origin = capture.end
        var events: [(name: String, seconds: Double)] = []
        // The command that lowers others runs while it does.
        var commands: [Child] = []
        func run(_ arguments: String...) throws {
            let text = "audiosession " + arguments.joined(separator: " ")
            events.append((text, Double(capture.now - origin) / rate))
            let log = desktop.folder + "/audiosession.log"
            commands.append(
                try Child(desktop.program("audiosession"), arguments, environment: desktop.environment, log: log))
        }
        try capture.advance(Int(1.0 * rate))
        try run("duck", "--for", "2")
        try capture.advance(Int(4.0 * rate))
        try run("call", "ring")
        try capture.advance(Int(2.5 * rate))
        try run("call", "decline")
        try capture.advance(Int(2.5 * rate))
        let frames = capture.frames(origin..<capture.end)
        child.end()
        try capture.expect("silence", 9_600, since: capture.end, seconds: 20, where: \.isSilent)
        return Recording(frames: frames, events: events)
    }

    private static func levels(_ frames: [HeardFrame]) -> [(Double, Double)] {
        stride(from: 0, to: frames.count - step, by: step).map { index in
            let gain = frames[index..<index + step].compactMap(\.gain).max() ?? 0
            let level = gain > 0 ? 20 * log10(Double(gain)) : floor
            return (Double(index) / rate, max(floor, level))
        }
    }

    private static func figure(_ recording: Recording, version: String) -> Figure {
        let marks = recording.events.map { name, seconds in
            """
            set arrow from \(seconds), graph 0 to \(seconds), graph 1 nohead dashtype 3 linecolor rgb "#777777"
            set label "$ \(name)" at \(seconds), 6 offset 0.6,0 font "monospace,10" textcolor rgb "#333333"
            """
        }
        return Figure(
            "foreign-mpv", size: "1100,420",
            caption:
                "The level of an unmodified mpv at the sink: lowered by a prompt, then held by a ringing call until it is declined",
            panels: [
                Figure.Panel(
                    title: "mpv \(version), as recorded from the sink",
                    lines: [
                        Figure.Line(title: "level", color: "#0060ad", points: levels(recording.frames), symbol: -1)
                    ],
                    settings: marks.joined(separator: "\n"))
            ],
            settings: """
                unset key
                set xlabel "s"
                set ylabel "dB"
                set yrange [\(floor):12]
                set xrange [0:10]
                """)
    }
}

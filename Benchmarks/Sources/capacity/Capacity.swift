import ArgumentParser
import Foundation

/// Measures how many nanoseconds one voice costs per frame, beside the bare multiply-add loop in the same run.
@main
struct Capacity: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures what a voice costs in the render core, beside a bare multiply-add loop in the same run.",
        discussion: """
            Mono voices, each with a pan of its own, into a stereo bus on a stereo route: what one period costs, divided by voices and \
            frames. Included: everything rcore_process does. Not included: a server, streaming, pitch. The bare loop mixes \
            equally many samples and nothing else. Repetitions of both alternate, so that whatever disturbs the machine \
            disturbs both; compare the two, not the times.
            """)

    @Flag(help: "Fewer sizes and repetitions: shows that it works, proves nothing.")
    var quick = false

    @Option(help: ArgumentHelp("Write the results as JSON to this file as well.", valueName: "file"))
    var json: String?

    static let coreSubject = "swift-audio-session"
    static let boundSubject = "bare multiply-add loop"

    func run() throws {
        let machine = Machine.present()
        print(
            "\(machine.processor), \(machine.cores) cores, largest cache \(machine.cacheBytes >> 20) MiB, \(machine.system)"
        )
        var results = try measureCosts(machine)
        results += try measureCapacity(machine)
        if let json {
            try Report(machine: machine, results: results).json().write(to: URL(fileURLWithPath: json))
        }
        print("capacity: \(results.count) results\(json.map { ", written to \($0)" } ?? "")")
    }

    // MARK: Cost of a voice

    private var sizes: [SceneSize] {
        var sizes: [SceneSize] = []
        for voices in quick ? [256] : [8, 64, 256, 1024] {
            for frames in quick ? [64] : [64, 256] {
                for data in [DataKind.hot, .cold] {
                    for gain in [GainKind.flat, .ramping] {
                        sizes.append(SceneSize(voices: voices, frames: frames, data: data, gain: gain))
                    }
                }
            }
        }
        return sizes
    }

    private func measureCosts(_ machine: Machine) throws -> [Measurement] {
        print("\nNanoseconds per voice and frame, median (99th percentile)")
        print(" voices  frames  data  gain              core                 bound          ratio")
        var results: [Measurement] = []
        for size in sizes {
            let (core, bound) = try measure(Scene(size, cacheBytes: machine.cacheBytes))
            for (subject, statistics) in [(Self.coreSubject, core), (Self.boundSubject, bound)] {
                results.append(
                    Measurement(
                        metric: "mix.ns_per_voice_frame", subject: subject, unit: "ns", statistics, voices: size.voices,
                        frames: size.frames, data: size.data, gain: size.gain))
            }
            let gain = size.gain.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
            print(
                column(size.voices), column(size.frames),
                " \(size.data.rawValue.padding(toLength: 4, withPad: " ", startingAt: 0))",
                " \(gain)", "\(column(core.median)) (\(column(core.p99)))",
                "\(column(bound.median)) (\(column(bound.p99)))",
                column(core.median / bound.median))
        }
        return results
    }

    /// Alternates core and bound, a period each, after a warm-up; checks that both did the same work.
    private func measure(_ scene: Scene) throws -> (core: Statistics, bound: Statistics) {
        let repetitions = quick ? 200 : 2000
        let unit = Double(scene.size.voices * scene.size.frames)
        var core: [Double] = []
        var bound: [Double] = []
        for repetition in 0..<(repetitions + 20) {
            let times = (scene.timeCore() / unit, scene.timeBound() / unit)
            if repetition >= 20 {
                core.append(times.0)
                bound.append(times.1)
            }
        }
        // Sums of many samples in another order: equal to rounding.
        let tolerance = scene.size.gain == .flat ? 1e-5 * Double(scene.size.voices) : 1e-3 * Double(scene.size.voices)
        guard scene.difference <= tolerance else { throw BenchmarkError.different(scene.size, scene.difference) }
        return (Statistics(core), Statistics(bound))
    }

    // MARK: Voices in half a period

    /// The most voices whose median period of 64 frames at 48 kHz takes at most half of its time, by bisection.
    private func measureCapacity(_ machine: Machine) throws -> [Measurement] {
        let frames = 64
        let half = Double(frames) / 48000 / 2 * 1e9
        print(
            "\nVoices that fit in half a period of 64 frames at 48 kHz (\(Int(half / 1000)) µs), one core, gains ramping"
        )
        var results: [Measurement] = []
        for data in [DataKind.hot, .cold] {
            var counts: [String: Double] = [:]
            for (subject, time) in [
                (Self.coreSubject, { (scene: Scene) in scene.timeCore() }),
                (Self.boundSubject, { (scene: Scene) in scene.timeBound() }),
            ] {
                var (fits, tooMany) = (1, 32769)
                while tooMany - fits > max(1, fits / (quick ? 8 : 50)) {
                    let voices = (fits + tooMany) / 2
                    let scene = try Scene(
                        SceneSize(voices: voices, frames: frames, data: data, gain: .ramping),
                        cacheBytes: machine.cacheBytes)
                    let times = (0..<(quick ? 15 : 101)).map { _ in time(scene) }
                    if Statistics(times).median <= half { fits = voices } else { tooMany = voices }
                }
                counts[subject] = Double(fits)
                results.append(
                    Measurement(
                        metric: "mix.voices_in_half_period", subject: subject, unit: "voices",
                        Statistics([Double(fits)]),
                        voices: nil, frames: frames, data: data, gain: .ramping))
            }
            let (core, bound) = (counts[Self.coreSubject] ?? 0, counts[Self.boundSubject] ?? 0)
            print(
                "  \(data.rawValue): core \(Int(core)), bound \(Int(bound)), ratio \(String(format: "%.2f", core / bound))"
            )
        }
        return results
    }
}

import AudioRendering
import Foundation
import JackDriver
import Platform
import TestRandom
import TestSupport

/// `fault-runner STORY [--script FILE] [--timeout S] [--end WORDS] [--plant thread|descriptor|driver|hang]`: tells what an app does on the
/// server of the fake libjack, under a script, and what happened, a line each.
/// `fault-runner capture --file PATH`, `fault-runner streaming --file FORMAT --fault truncate|empty|delete|replace|overwrite`, `fault-runner recording --fault …`: stories of files.
/// `fault-runner descriptors --left N`: opens a driver, and loses its server, while N file descriptors are free.
/// `fault-runner STORY --walk fail|fail-thoroughly|hang|ACTION [--every N]`: tells it again and again, each time with another call (or each Nth only, from one on that SEED chooses) failing, never returning, or finding that
/// the server has just done that.
///
/// Fails, with what is wrong, when something is left over, hangs, is told wrongly, or is a misuse of libjack.
@main struct FaultRunner {
    static func main() throws {
        let options = try FaultRunnerOptions(CommandLine.arguments)
        let jack = try FakeJack()
        guard let telling = Story.all[options.story] else {
            throw TestFailure(
                "There is no story '\(options.story)'; there are \(Story.all.keys.sorted().joined(separator: ", ")).")
        }
        openDispatchDescriptors()
        // Makes what is made once and kept: only what comes after it counts as a leak.
        _ = try Run(jack: jack, countsLeaks: false).tell(telling, script: [], quiet: true) { $0.path = options.path }
        let faults =
            if let fault = options.walk {
                try Walk(jack: jack, name: options.story, telling: telling, options: options).walk(fault)
            } else {
                try tell(telling, jack, options)
            }
        for fault in faults { say("FAULT: \(fault)") }
        say(faults.isEmpty ? "nothing is wrong" : "\(faults.count) faults")
        if !faults.isEmpty { exit(1) }
    }

    /// Has libdispatch open the three descriptors that it keeps: with its first timer, the last of them when that fires for the second
    /// time. The engine's first timer may be stopped before, on a loaded machine.
    private static func openDispatchDescriptors() {
        let fires = DispatchSemaphore(value: 0)
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now(), repeating: .milliseconds(1))
        timer.setEventHandler { fires.signal() }
        timer.activate()
        for _ in 1...3 { fires.wait() }
        timer.cancel()
    }

    private static func tell(_ telling: @escaping Story.Telling, _ jack: FakeJack, _ options: FaultRunnerOptions) throws
        -> [String]
    {
        var run = Run(jack: jack)
        if options.plant == .hang { run.limit = 2 }
        let outcome = try run.tell(
            { story in
                if options.plant == .hang { Answer<Void>().wait(seconds: .infinity) as Void? }
                try telling(story)
            }, script: options.script, quiet: false
        ) {
            $0.timeout = options.timeout
            $0.farewell = options.farewell
            $0.path = options.path
            $0.fault = options.fault
            $0.left = options.left
        } after: {
            options.plant?.plant()
        }
        say("fired: \(outcome.fired)")
        return outcome.faults
    }
}

/// What is left over on purpose, to see that it is noticed.
enum Plant: String {
    case thread, descriptor, driver, hang

    func plant() {
        switch self {
        case .thread:
            let runs = Answer<Void>()
            _ = WorkerThread().start(name: "audio-planted") {
                runs.set(())
                Answer<Void>().wait(seconds: .infinity) as Void?
            }
            runs.wait(seconds: 20) as Void?
        case .descriptor: _ = open("/dev/null", O_RDONLY | O_CLOEXEC)
        case .driver:
            guard let player = try? JackPlayer(Story(jack: FakeJack(), diary: Diary(isPrinted: false))) else { return }
            _ = try? player.engine.open()
            _ = Unmanaged.passRetained(player)
        case .hang: break
        }
    }
}

struct FaultRunnerOptions {
    var story = ""
    var walk: Walk.Fault?
    var farewell = "info"
    var script: [String] = []
    var timeout = 2.0
    var limit = 300.0
    var stride = 1
    /// The call that a walk begins with: chosen by the seed, so that as many seeds in a row as the stride try all calls.
    var first: Int { Int(TestSeed.current % UInt64(stride)) + 1 }
    var path = "wav"
    var fault = ""
    var left = 0
    var plant: Plant?

    init(_ arguments: [String]) throws {
        var rest = arguments.dropFirst()
        func value(of name: String) throws -> String {
            guard let value = rest.popFirst() else { throw TestFailure("\(name) wants a value.") }
            return value
        }
        while let word = rest.popFirst() {
            switch word {
            case "--walk":
                let fault = try value(of: word)
                walk =
                    switch fault {
                    case "fail": .failing
                    case "fail-thoroughly": .failingThoroughly
                    case "hang": .hanging
                    default: .meanwhile(fault)
                    }
            case "--end": farewell = try value(of: word)
            case "--script":
                let text = try String(contentsOfFile: try value(of: word), encoding: .utf8)
                script = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            case "--timeout": timeout = Double(try value(of: word)) ?? timeout
            case "--limit": limit = Double(try value(of: word)) ?? limit
            case "--every": stride = max(1, Int(try value(of: word)) ?? 1)
            case "--file": path = try value(of: word)
            case "--fault": fault = try value(of: word)
            case "--left": left = Int(try value(of: word)) ?? left
            case "--plant": plant = Plant(rawValue: try value(of: word))
            default: story = word
            }
        }
    }
}

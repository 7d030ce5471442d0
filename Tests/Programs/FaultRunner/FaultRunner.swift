import AudioRendering
import Foundation
import JackDriver
import Platform
import TestRandom
import TestSupport

/// `fault-runner SCENARIO [--script FILE] [--timeout S] [--end WORDS] [--inject
/// thread|descriptor|driver|hang]`: runs a body of an app on the server of the fake libjack,
/// under a script, and prints the events, one line each.
///
/// `fault-runner capture --file PATH`, `fault-runner streaming --file FORMAT --fault
/// truncate|empty|delete|replace|overwrite`, `fault-runner recording --fault …`: scenarios with
/// files.
///
/// `fault-runner descriptors --left N`: opens a driver and loses its server while N file
/// descriptors are free.
///
/// `fault-runner SCENARIO --walk fail|fail-thoroughly|hang|ACTION [--every N]`: runs a body
/// repeatedly. In each run another call fails, never returns, or comes right after the server has
/// carried out ACTION. With `--every`, only each Nth call, counted from one that SEED chooses.
///
/// Fails, with the reason, if resources leak, if a call hangs, if events are reported in a wrong
/// order, or if libjack is misused.
@main struct FaultRunner {
    static func main() throws {
        let options = try FaultRunnerOptions(CommandLine.arguments)
        let jack = try FakeJack()
        guard let body = Scenario.all[options.scenario] else {
            throw TestFailure(
                "Unknown body '\(options.scenario)'. Scenarios: \(Scenario.all.keys.sorted().joined(separator: ", ")).")
        }
        openDispatchDescriptors()
        // Creates what the process creates once and keeps: only later growth counts as a leak. The
        // driver asks only once whose libjack it uses, so that is the same as in the script.
        let library = options.script.filter { $0 == "pipewire" }
        _ = try Run(jack: jack, countsLeaks: false).run(body, script: library, quiet: true) { $0.path = options.path }
        let faults =
            if let fault = options.walk {
                try Walk(jack: jack, name: options.scenario, body: body, options: options).walk(fault)
            } else {
                try run(body, jack, options)
            }
        for fault in faults { say("FAULT: \(fault)") }
        say(faults.isEmpty ? "nothing is wrong" : "\(faults.count) faults")
        if !faults.isEmpty { exit(1) }
    }

    /// Makes libdispatch open the three descriptors that it keeps: with its first timer, and the
    /// last of them when that timer fires for the second time. On a loaded machine the engine's
    /// first timer may be stopped before that.
    private static func openDispatchDescriptors() {
        let fires = DispatchSemaphore(value: 0)
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now(), repeating: .milliseconds(1))
        timer.setEventHandler { fires.signal() }
        timer.activate()
        for _ in 1...3 { fires.wait() }
        timer.cancel()
    }

    private static func run(_ body: @escaping Scenario.Body, _ jack: FakeJack, _ options: FaultRunnerOptions) throws
        -> [String]
    {
        var run = Run(jack: jack)
        if options.inject == .hang { run.limit = 2 }
        let outcome = try run.run(
            { scenario in
                if options.inject == .hang { Promise<Void>().wait(seconds: .infinity) as Void? }
                try body(scenario)
            }, script: options.script, quiet: false
        ) {
            $0.timeout = options.timeout
            $0.shutdown = options.shutdown
            $0.path = options.path
            $0.fault = options.fault
            $0.left = options.left
        } after: {
            options.inject?.inject()
        }
        say("fired: \(outcome.fired)")
        return outcome.faults
    }
}

/// A resource that is leaked on purpose, to verify that the leak is detected.
enum InjectedFault: String {
    case thread, descriptor, driver, hang

    func inject() {
        switch self {
        case .thread:
            let runs = Promise<Void>()
            _ = WorkerThread().start(name: "audio-injected") {
                runs.set(())
                Promise<Void>().wait(seconds: .infinity) as Void?
            }
            runs.wait(seconds: 20) as Void?
        case .descriptor: _ = open("/dev/null", O_RDONLY | O_CLOEXEC)
        case .driver:
            guard let player = try? JackPlayer(Scenario(jack: FakeJack(), log: RunLog(isPrinted: false))) else {
                return
            }
            _ = try? player.engine.open()
            _ = Unmanaged.passRetained(player)
        case .hang: break
        }
    }
}

struct FaultRunnerOptions {
    var scenario = ""
    var walk: Walk.Fault?
    var shutdown = "info"
    var script: [String] = []
    var timeout = 2.0
    var limit = 300.0
    var stride = 1
    /// The call that a walk begins with. The seed chooses it, so that as many consecutive seeds as
    /// the stride cover all calls.
    var first: Int { Int(TestSeed.current % UInt64(stride)) + 1 }
    var path = "wav"
    var fault = ""
    var left = 0
    var inject: InjectedFault?

    init(_ arguments: [String]) throws {
        var rest = arguments.dropFirst()
        func value(of name: String) throws -> String {
            guard let value = rest.popFirst() else { throw TestFailure("\(name) requires a value.") }
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
            case "--end": shutdown = try value(of: word)
            case "--script":
                let text = try String(contentsOfFile: try value(of: word), encoding: .utf8)
                script = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            case "--timeout": timeout = Double(try value(of: word)) ?? timeout
            case "--limit": limit = Double(try value(of: word)) ?? limit
            case "--every": stride = max(1, Int(try value(of: word)) ?? 1)
            case "--file": path = try value(of: word)
            case "--fault": fault = try value(of: word)
            case "--left": left = Int(try value(of: word)) ?? left
            case "--inject": inject = InjectedFault(rawValue: try value(of: word))
            default: scenario = word
            }
        }
    }
}

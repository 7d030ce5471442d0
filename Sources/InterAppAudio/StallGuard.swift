internal import AudioRendering
internal import Dispatch
internal import Platform

/// Keeps an engine running when a program that it receives from hangs. An engine has one guard.
///
/// An audio server calls a client only after those that it receives from: if one of them hangs, the
/// client is not called at all. The guard notices that the engine's cycles stand still, removes the
/// connections from one program after the other until they run again, and restores those of all but
/// the last, which hangs. It restores that one's when the program is called again, which a client
/// of its own finds out (`ClientProbe`), or when the program has left: they then await its return.
///
/// While a whole process is stopped (SIGSTOP), jackd changes no connections: it waits for that
/// process to take notice of the xruns. The guard then acts when the process continues or ends.
final class StallGuard: Sendable {
    private struct Hung {
        /// The removed connections, by the name of the ports.
        var links: [String: [[String]]]
        var probe: ClientProbe?
        var nextProbe: DispatchTime
    }
    private struct Entry {
        var isMIDI: Bool
        /// Called with a client's name, and whether it hangs.
        var whenHung: @Sendable (String, Bool) -> Void
    }
    private struct State {
        /// What is guarded, by the name of the ports.
        var entries: [String: Entry] = [:]
        /// The programs that hang, by client name.
        var hung: [String: Hung] = [:]
        var lastCycle: UInt64 = 0
        /// When the cycles began to stand still; nil: they do not.
        var stalledSince: DispatchTime?
        /// When to search again after a search that found nothing, and how long to wait after the
        /// next such search, in seconds.
        var nextSearch = DispatchTime(uptimeNanoseconds: 0)
        var searchPause = StallGuard.shortestSearchPause
        var timer: (any DispatchSourceTimer)?
    }
    private let state = Mutex(State())
    private let engine: AudioEngine
    private let queue = DispatchQueue(label: "audio-host.stall-guard", qos: .userInitiated)

    /// How often the guard looks, in milliseconds.
    private static let interval = 200
    /// The shortest time without a cycle that counts as a stall, in seconds. A server that loses
    /// cycles, or starts its device again, stands still for less.
    private static let shortestStall = 0.5
    /// The same in periods: a synchronous jackd waits 20 periods for a client that hangs.
    private static let shortestStallInPeriods = 25.0
    /// How long to wait after a search that found nothing, in seconds: the device stands still, a
    /// program that this guard does not know hangs, or the machine is too busy. Each further search
    /// doubles the time.
    private static let shortestSearchPause = 1.0
    private static let longestSearchPause = 16.0
    /// How long a server may take to change connections, in seconds.
    private static let longestChange = 30.0
    /// How long to wait before the next probe after one that could not be made, in seconds.
    private static let probePause = 2.0

    private struct WeakGuard { weak var stallGuard: StallGuard? }
    /// The guards of all engines.
    private static let all = Mutex<[ObjectIdentifier: WeakGuard]>([:])

    /// Returns the guard of an engine, which lives as long as someone holds it.
    static func of(_ engine: AudioEngine) -> StallGuard {
        all.withLock { all in
            if let known = all[ObjectIdentifier(engine)]?.stallGuard { return known }
            all = all.filter { $0.value.stallGuard != nil }
            let new = StallGuard(engine)
            all[ObjectIdentifier(engine)] = WeakGuard(stallGuard: new)
            return new
        }
    }

    private init(_ engine: AudioEngine) { self.engine = engine }

    deinit { state.withLock { $0.timer.take() }?.cancel() }

    /// Guards the engine's audio or MIDI inputs with this name. `whenHung` is called on the guard's
    /// thread with the name of a client: with true when its connections were removed, with false
    /// when they were restored.
    func add(
        _ name: String, isMIDI: Bool = false, whenHung: @escaping @Sendable (String, Bool) -> Void = { _, _ in }
    ) {
        state.withLock { state in
            state.entries[name] = Entry(isMIDI: isMIDI, whenHung: whenHung)
            guard state.timer == nil else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now(), repeating: .milliseconds(Self.interval), leeway: .milliseconds(20))
            timer.setEventHandler { [weak self] in self?.check() }
            state.timer = timer
            timer.resume()
        }
    }

    /// No longer guards ports.
    func remove(_ name: String) {
        state.withLock { state in
            state.entries[name] = nil
            for client in state.hung.keys { state.hung[client]?.links[name] = nil }
            state.hung = state.hung.filter { !$0.value.links.isEmpty }
            if state.entries.isEmpty { state.timer.take()?.cancel() }
        }
    }

    // MARK: The guard's queue

    /// How long the cycles may stand still.
    private var limit: Double {
        guard let format = engine.format else { return Self.shortestStall }
        let period = Double(format.periodFrames) / Double(format.sampleRate)
        return max(Self.shortestStall, Self.shortestStallInPeriods * period)
    }

    private func check() {
        let cycle = engine.counters.cycles
        let isRunning = engine.format != nil && engine.driver.isRendering
        let (since, nextSearch) = state.withLock { state in
            let stands = isRunning && cycle == state.lastCycle
            state.lastCycle = cycle
            state.stalledSince = stands ? state.stalledSince ?? .now() : nil
            if !stands { (state.nextSearch, state.searchPause) = (.now(), Self.shortestSearchPause) }
            return (state.stalledSince, state.nextSearch)
        }
        if let since, .now() >= since + limit, .now() >= nextSearch {
            findHungClient()
        } else if since == nil, isRunning {
            checkHungClients()
        }
    }

    /// Waits until cycles run, at most for three times the limit; returns whether they do: jackd
    /// applies a change only when its client timeout, by default 0.5 s, has passed. Waits for two
    /// cycles: the first may have begun before the change.
    private func isAdvancing() -> Bool {
        let cycle = engine.counters.cycles
        return wait(seconds: 3 * limit) { engine.counters.cycles >= cycle + 2 }
    }

    private func wait(seconds: Double, until condition: () -> Bool) -> Bool {
        let (end, pause) = (DispatchTime.now() + seconds, DispatchSemaphore(value: 0))
        while !condition() {
            guard DispatchTime.now() < end else { return false }
            _ = pause.wait(timeout: .now() + .milliseconds(5))
        }
        return true
    }

    /// Makes or removes connections of guarded ports. A call that times out takes effect later:
    /// waits for that, because the next one would only wait behind it.
    private func change(_ name: String, _ ports: [[String]], connects: Bool) {
        let cycle = engine.counters.cycles
        do throws(DriverError) {
            connects
                ? try engine.driver.addConnections(ofPortsNamed: name, to: ports)
                : try engine.driver.removeConnections(ofPortsNamed: name, from: ports)
        } catch {
            guard case .timedOut = error else { return }
            let all = Set(ports.flatMap(\.self))
            _ = wait(seconds: Self.longestChange) {
                let current = Set(engine.driver.connections(ofPortsNamed: name).flatMap(\.self))
                return engine.format == nil || engine.counters.cycles >= cycle + 2
                    || (connects ? all.isSubset(of: current) : all.isDisjoint(with: current))
            }
        }
    }

    private func findHungClient() {
        var removed: [String] = []
        var isFound = false
        for client in connectedClients() where engine.format != nil && engine.driver.isRendering {
            disconnect(client)
            removed.append(client)
            guard isAdvancing() else { continue }
            isFound = true
            break
        }
        // The last one hangs; the earlier ones may hang as well. If nothing helped, none of them is
        // the cause.
        for client in isFound ? Array(removed.dropLast()) : removed {
            restore(client)
            if isFound, !isAdvancing() { disconnect(client) }
        }
        state.withLock { state in
            state.stalledSince = nil
            guard !isFound else { return }
            state.nextSearch = .now() + state.searchPause
            state.searchPause = min(2 * state.searchPause, Self.longestSearchPause)
        }
    }

    /// The clients that the guarded ports receive from, in the order of the ports' names.
    private func connectedClients() -> [String] {
        var clients: [String] = []
        for name in state.withLock({ $0.entries.keys.sorted() }) {
            for port in engine.driver.connections(ofPortsNamed: name).flatMap(\.self) {
                let client = Self.client(of: port)
                if !clients.contains(client) { clients.append(client) }
            }
        }
        return clients
    }

    private static func client(of port: String) -> String { String(port.prefix { $0 != ":" }) }

    /// Removes the connections of a client.
    private func disconnect(_ client: String) {
        for name in state.withLock({ $0.entries.keys.sorted() }) {
            let links = engine.driver.connections(ofPortsNamed: name).map { ports in
                ports.filter { Self.client(of: $0) == client }
            }
            guard links.contains(where: { !$0.isEmpty }) else { continue }
            let handler = state.withLock { state in
                var hung = state.hung[client] ?? Hung(links: [:], probe: nil, nextProbe: .now() + 0.5)
                hung.links[name] = links
                state.hung[client] = hung
                return state.entries[name]?.whenHung
            }
            change(name, links, connects: false)
            handler?(client, true)
        }
    }

    /// Makes the removed connections of a client again.
    private func restore(_ client: String) {
        guard let hung = state.withLock({ $0.hung.removeValue(forKey: client) }) else { return }
        for (name, links) in hung.links {
            change(name, links, connects: true)
            state.withLock { $0.entries[name]?.whenHung }?(client, false)
        }
    }

    /// Restores the connections of programs that no longer hang, or have left.
    private func checkHungClients() {
        for (client, hung) in state.withLock({ $0.hung }) {
            guard let port = hung.links.values.lazy.flatMap(\.self).flatMap(\.self).first else {
                state.withLock { $0.hung[client] = nil }
                continue
            }
            if let probe = hung.probe {
                switch probe.result {
                case .hangs: break
                case .runs: restore(client)
                case .left: restore(client)
                case .lost: state.withLock { $0.hung[client]?.probe = nil }
                }
            } else if .now() >= hung.nextProbe {
                let entries = state.withLock { $0.entries }
                let audio = hung.links.filter { entries[$0.key]?.isMIDI == false }.values.lazy.flatMap(\.self)
                let audioPort = audio.flatMap(\.self).first
                let probe = ClientProbe(of: audioPort ?? port, isMIDI: audioPort == nil, near: engine.driver)
                state.withLock { state in
                    state.hung[client]?.probe = probe
                    state.hung[client]?.nextProbe = .now() + Self.probePause
                }
            }
        }
    }
}

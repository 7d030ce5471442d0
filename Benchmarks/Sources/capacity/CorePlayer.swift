import CCapacity
import CRenderCore
import CSessionGate
import Processes

/// The buses, sends and routes of a render core, and how they are connected.
struct Plan {
    var buses: [rcore_bus_description_t] = []
    var sends: [rcore_send_description_t] = []
    var routes: [rcore_route_description_t] = []
    var connections: [(bus: Int, route: Int)] = []
    /// What the descriptions point to.
    var objects: [Owned] = []

    /// Adds a bus of `channels`, by default without a parent.
    mutating func addBus(
        _ slot: Int, _ channels: Int, parent: Int? = nil, _ change: (inout rcore_bus_description_t) -> Void = { _ in }
    ) {
        var bus = rcore_bus_description_t()
        (bus.slot, bus.channels) = (UInt32(slot), UInt32(channels))
        bus.parent = parent.map(UInt32.init) ?? RCORE_NONE
        change(&bus)
        buses.append(bus)
    }

    /// Adds `count` routes to consecutive outputs.
    mutating func addRoutes(_ count: Int, _ channels: Int) {
        for slot in 0..<count {
            var route = rcore_route_description_t()
            (route.slot, route.channels) = (UInt32(slot), UInt32(channels))
            route.first_output = UInt32(slot * channels)
            routes.append(route)
        }
    }

    fileprivate func post(_ queue: OpaquePointer) throws {
        let plan = rcore_plan_create()
        do {
            for var route in routes { try require(rcore_plan_add_route(plan, &route)) }
            for var bus in buses { try require(rcore_plan_add_bus(plan, &bus)) }
            for var send in sends { try require(rcore_plan_add_send(plan, &send)) }
            for (bus, route) in connections {
                try require(rcore_plan_connect(plan, UInt32(bus), UInt32(route), nil))
            }
            try require(rcore_post_plan(queue, plan, 0))
        } catch {
            rcore_plan_destroy(plan)
            throw error
        }
    }
}

/// Throws unless the call of the render core succeeded.
func require(_ status: rcore_status_t) throws {
    guard status == RCORE_OK else {
        throw BenchmarkError("A call of the render core failed: \(String(cString: rcore_status_text(status))).")
    }
}

/// A render core in which every voice of a mix plays.
final class CorePlayer: Player {
    let name: String
    let mix: Mix
    private(set) var frame = 0
    let outputs: Planes
    let core: OpaquePointer
    let queue: OpaquePointer
    private let voices: UnsafeMutableBufferPointer<rcore_voice_t>
    private let plan: Plan
    private let owned: Owned
    private let process: capacity_process_function
    private var nextCommanded = 0
    /// Called after each cycle.
    var afterCycle: () -> Void = {}

    /// Sizes for the voices are added to `sizes`. `idleVoices` are acquired and never started;
    /// `idleQueues` are opened and never used. `build`, if not nil, renders.
    init(
        _ mix: Mix, _ sizes: rcore_config_t, _ plan: Plan, commands: Int, idleVoices: Int = 0, idleQueues: Int = 0,
        build: CoreBuild? = nil
    ) throws {
        (name, process) = (build?.name ?? Subject.core.name, build?.process ?? rcore_process)
        let voices = mix.voices
        var sizes = sizes
        sizes.max_voices = UInt32(voices.count + idleVoices)
        sizes.max_playing = UInt32(voices.count)
        sizes.max_queues = UInt32(1 + idleQueues)
        sizes.command_capacity = UInt32(commands)
        owned = try Owned(rcore_create(&sizes, nil), rcore_destroy)
        core = owned.handle
        let queues = (0...idleQueues).compactMap { [core] _ in rcore_queue_open(core, nil) }
        guard let queue = queues.first, queues.count == 1 + idleQueues else {
            throw BenchmarkError("Cannot open \(1 + idleQueues) queues of the render core.")
        }
        (self.mix, self.plan, self.queue) = (mix, plan, queue)
        outputs = Planes(count: mix.outputs, frames: voices.frames)
        self.voices = .allocate(capacity: voices.count)
        self.voices.initialize(repeating: 0)
        try plan.post(queue)
        for _ in 0..<idleVoices where rcore_voice_acquire(core) == 0 {
            throw BenchmarkError("Cannot acquire \(idleVoices) idle voices.")
        }
        for voice in 0..<voices.count {
            try start(voice)
            if voices.motion == .ramping { try move(voice) }
        }
        applyCommands()
        try checkVoices()
    }

    deinit { voices.deallocate() }

    private func start(_ index: Int) throws {
        let (voices, samples) = (mix.voices, mix.voices.samples)
        var params = rcore_voice_params_default()
        params.buffer = samples.buffers[index % samples.buffers.count]
        params.bus = UInt32(mix.bus(index))
        params.gain = voices.gain
        params.pan_law = voices.isPanned ? RCORE_PAN_EQUAL_POWER : RCORE_PAN_NONE
        params.pan = voices.isPanned ? Voices.pan(index) : 0
        params.loop_count = .max
        params.speed = voices.speed(index)
        self.voices[index] = rcore_voice_acquire(core)
        try require(rcore_post_start(queue, self.voices[index], &params, 0))
    }

    private func move(_ index: Int) throws {
        let frames = UInt32(Voices.rampFrames)
        try require(rcore_post_gain(queue, voices[index], 0, frames, 0))
        if mix.voices.isPanned { try require(rcore_post_pan(queue, voices[index], -Voices.pan(index), frames, 0)) }
    }

    /// Takes all posted commands, without rendering.
    func applyCommands() { rcore_process(core, nil, 0, nil, 0, 0) }

    func cycle() -> Double {
        if mix.voices.motion == .commanded {
            var gains = gains(mix.voices.count, mix.voices.commandedGain(frame), ramp: mix.voices.frames)
            _ = capacity_post(&gains)
        }
        let taken = capacity_process(process, core, outputs.pointers, UInt32(outputs.count), UInt32(outputs.frames))
        frame += outputs.frames
        afterCycle()
        return Double(taken)
    }

    /// Returns gains for the next `count` voices in turn, for the next cycle or, with `timed`, for
    /// the first frame of the cycle after it.
    func gains(_ count: Int, _ gain: Float = 1, ramp: Int = 0, timed: Bool = false) -> capacity_gains_t {
        defer { nextCommanded = (nextCommanded + count) % voices.count }
        return capacity_gains_t(
            queue: queue, voices: voices.baseAddress, nvoices: UInt32(voices.count), first: UInt32(nextCommanded),
            count: UInt32(count), gain: gain, ramp_frames: UInt32(ramp),
            when: timed ? rcore_time(core) + UInt64(outputs.frames) : 0)
    }

    /// Stops a voice and starts it again.
    func restart(_ voice: Int) throws {
        try require(rcore_post_stop(queue, voices[voice], 0, 0))
        applyCommands()
        try require(rcore_voice_release(core, voices[voice]))
        var event = rcore_event_t()
        while rcore_next_event(core, &event) {}
        try start(voice)
    }

    func checkVoices() throws {
        let counters = rcore_read_counters(core)
        let faults = [
            counters.late_commands, counters.underrun_frames, counters.nonfinite_samples, counters.refused_voices,
            counters.stolen_voices,
        ]
        guard counters.playing_voices == UInt32(voices.count), faults.allSatisfy({ $0 == 0 }) else {
            throw BenchmarkError(
                "With \(mix.text), not every voice of the core plays, or one was late. Times would mean nothing.")
        }
    }
}

extension Owned {
    /// Makes the gate of a session without restrictions (a control page, no noise gate).
    static func openGate() throws -> Owned {
        let gate = try Owned(sgate_page_create(), sgate_page_destroy)
        var grant = sgate_grant_t()
        grant.serial = 1
        sgate_page_set_grant(gate.handle, grant)
        return gate
    }
}

import AudioRendering
import AudioSessions
import SessionArbiter
import TestSupport
import Testing

/// A driver that accepts some sample rates, like a managed server, and only powers of two as
/// periods, like some sound cards.
private final class ChoosyDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    let rates: Set<Int>
    let takesEveryPeriod: Bool
    /// Whether the driver changes its rate but reports the change too late.
    let isLate: Bool
    let asked = EventLog<Int>()

    init(rates: Set<Int>, takesEveryPeriod: Bool = true, isLate: Bool = false) {
        self.rates = rates
        self.isLate = isLate
        self.takesEveryPeriod = takesEveryPeriod
        super.init(OfflineDriver(sampleRate: 48_000, channels: 1, periodFrames: 1024))
    }

    override func requestSampleRate(_ sampleRate: Int) throws(DriverError) -> Int {
        asked.note(sampleRate)
        guard rates.contains(sampleRate) else { throw .refused(call: "a rate", reason: "not this one") }
        inner.setSampleRate(sampleRate)
        if isLate { throw .timedOut(call: "a rate", seconds: 5) }
        return sampleRate
    }

    override func requestPeriod(frames: Int) throws(DriverError) -> Int {
        guard takesEveryPeriod || frames.nonzeroBitCount == 1 else {
            throw .refused(call: "a period", reason: "not this one")
        }
        return try super.requestPeriod(frames: frames)
    }
}

@Suite("Sample rate requests")
struct SampleRateRequestTests {
    private func session(
        _ host: AudioSessionHost, mixes: Bool = false, rate: Double
    ) throws -> AudioSession {
        let session = try AudioSession(host: host)
        try session.setCategory(.playback, mode: .default, options: mixes ? .mixWithOthers : [])
        try session.setPreferredSampleRate(rate)
        return session
    }

    @Test("HW-1, HW-2: the newest primary session's preferred rate applies at activation; the last session restores it")
    func settled() throws {
        let driver = ChoosyDriver(rates: [44_100, 48_000, 96_000])
        let host = AudioSessionHost(driver: driver)
        let first = try session(host, rate: 44_100)
        #expect(first.sampleRate == 48_000, "not before activation")
        try first.setActive(true)
        #expect(first.sampleRate == 44_100)
        let mixing = try session(host, mixes: true, rate: 96_000)
        try mixing.setActive(true)
        #expect(first.sampleRate == 44_100, "a mixing session is not primary")
        try first.setPreferredSampleRate(96_000)
        #expect(mixing.sampleRate == 96_000, "at once while active")
        try first.setPreferredSampleRate(0)
        #expect(first.sampleRate == 48_000, "restored")
        try first.setPreferredSampleRate(44_100)
        try first.setActive(false)
        #expect(first.sampleRate == 48_000, "restored")
    }

    @Test("HW-2: a rate change that arrives after its timeout is restored all the same")
    func late() throws {
        let host = AudioSessionHost(driver: ChoosyDriver(rates: [44_100, 48_000], isLate: true))
        let session = try session(host, rate: 44_100)
        try session.setActive(true)
        #expect(session.sampleRate == 44_100)
        try session.setActive(false)
        #expect(session.sampleRate == 48_000)
    }

    @Test("HW-2: a rate that another client has changed is not restored")
    func foreign() throws {
        let driver = ChoosyDriver(rates: [44_100, 48_000])
        let host = AudioSessionHost(driver: driver)
        let session = try session(host, rate: 44_100)
        try session.setActive(true)
        driver.inner.setSampleRate(96_000)
        try session.setActive(false)
        #expect(session.sampleRate == 96_000)
    }

    @Test("HW-1, HW-2: a refused rate changes nothing, and is not requested again until it changes")
    func refused() throws {
        let driver = ChoosyDriver(rates: [48_000])
        let host = AudioSessionHost(driver: driver)
        let session = try session(host, rate: 44_100)
        for _ in 0..<3 {
            try session.setActive(true)
            #expect(session.sampleRate == 48_000 && session.preferredSampleRate == 44_100)
            try session.setActive(false)
        }
        #expect(driver.asked.noted == [44_100])
        try session.setPreferredSampleRate(32_000)
        try session.setActive(true)
        #expect(driver.asked.noted == [44_100, 32_000])
    }

    @Test("HW-2: a period is counted in frames of the current rate, and is no longer than preferred")
    func periodOfTheNewRate() throws {
        let driver = ChoosyDriver(rates: [44_100, 48_000])
        let host = AudioSessionHost(driver: driver)
        let session = try session(host, rate: 44_100)
        try session.setPreferredIOBufferDuration(0.005)
        try session.setActive(true)
        #expect(session.sampleRate == 44_100 && session.ioBufferDuration == 220.0 / 44_100)
        try session.setActive(false)
        #expect(session.sampleRate == 48_000 && session.ioBufferDuration == 1024.0 / 48_000)
    }

    @Test("HW-2: if only powers of two are available, the next shorter one is used")
    func powersOfTwo() throws {
        let driver = ChoosyDriver(rates: [], takesEveryPeriod: false)
        let host = AudioSessionHost(driver: driver)
        let session = try session(host, rate: 0)
        try session.setPreferredIOBufferDuration(0.005)
        try session.setActive(true)
        #expect(session.ioBufferDuration == 128.0 / 48_000)
        try session.setActive(false)
        #expect(session.ioBufferDuration == 1024.0 / 48_000, "restored")
    }
}

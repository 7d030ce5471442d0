import PositionSignals
import Testing

/// Frames of the signal from a position on, each with a gain; 0 is silence.
private func frames(_ gains: [Float], from position: Int) -> [HeardFrame] {
    gains.enumerated().map { index, gain in
        gain == 0 ? .silent : .sound(gain: gain, position: (position + index) % PositionSignal.period)
    }
}

private func constant(_ gain: Float, _ count: Int) -> [Float] { Array(repeating: gain, count: count) }

@Suite struct DuckingTests {
    /// 2,000 frames before the request, 700 until it takes effect, two steps, and back in two.
    private let gains =
        constant(0.8, 2_700) + constant(0.4, 300) + constant(0.2, 2_000) + constant(0.4, 500) + constant(0.8, 2_000)

    @Test func `each step is timed from its request`() throws {
        let passage = Passage(frames(gains, from: 0), submitted: 2_000, withdrawn: 4_900)
        let ducking = try #require(passage.ducking)
        #expect(ducking.toLower == 700)
        #expect(ducking.toDepth == 1_000)
        #expect(ducking.toHigher == 100)
        #expect(ducking.toLevel == 600)
        #expect(abs(ducking.depth - 0.25) < 1e-6)
        #expect(ducking.deviation == 0)
    }

    @Test func `a program that resamples is at its level within the tolerance`() throws {
        var wavering = gains
        for index in wavering.indices where index % 3 == 0 { wavering[index] *= 1.000_2 }
        let ducking = try #require(Passage(frames(wavering, from: 0), submitted: 2_000, withdrawn: 4_900).ducking)
        #expect(ducking.toLower == 700)
        #expect(ducking.toLevel == 600)
        #expect(abs(ducking.deviation - 0.000_2) < 1e-5)
    }

    @Test func `a program that is not lowered, or not given back, has no times`() {
        let untouched = Passage(frames(constant(0.8, 8_000), from: 0), submitted: 2_000, withdrawn: 4_900)
        #expect(untouched.ducking == nil)
        let kept = Passage(
            frames(Array(gains[..<5_000]) + constant(0.4, 500), from: 0), submitted: 2_000, withdrawn: 4_900)
        #expect(kept.ducking == nil)
    }
}

@Suite struct HoldingTests {
    /// The fade begins 500 frames after the request and lasts 300; the sound returns 400 frames
    /// after the withdrawal at `position`, and is back at its level 200 later.
    private func passage(returningAt position: Int, from begin: Int = 100) -> Passage {
        let heard =
            frames(constant(1, 2_500) + constant(0.5, 300), from: begin)
            + frames(constant(0, 2_600), from: 0)
            + frames(constant(0.5, 200) + constant(1, 2_000), from: position)
        return Passage(heard, submitted: 2_000, withdrawn: 5_000)
    }

    @Test func `a hold that passes nothing but the fade`() throws {
        let holding = try #require(passage(returningAt: 100 + 2_800).holding)
        #expect(
            holding == .init(toLower: 500, toSilence: 800, toSound: 400, toLevel: 600, positionError: 300, unheard: 0))
    }

    @Test func `frames that pass in silence are unheard, and repeated ones are negative`() throws {
        #expect(try #require(passage(returningAt: 100 + 2_850).holding).unheard == 50)
        let repeating = try #require(passage(returningAt: 100 + 2_400).holding)
        #expect(repeating.unheard == -400)
        #expect(repeating.positionError == -100)
    }

    @Test func `positions continue across the end of the signal`() throws {
        let begin = PositionSignal.period - 2_600
        let holding = try #require(passage(returningAt: 200, from: begin).holding)
        #expect(holding.positionError == 300)
    }

    @Test func `silence that ends before the withdrawal is no hold`() {
        let heard = frames(constant(1, 2_500) + constant(0, 1_000) + constant(1, 4_000), from: 0)
        #expect(Passage(heard, submitted: 2_000, withdrawn: 5_000).holding == nil)
    }

    @Test func `a program that does not continue has no times`() {
        let heard = frames(constant(1, 2_500) + constant(0, 5_000), from: 0)
        #expect(Passage(heard, submitted: 2_000, withdrawn: 5_000).holding == nil)
    }

    @Test func `missed frames are neither sound nor silence`() throws {
        var heard = passage(returningAt: 100 + 2_800).frames
        for index in 2_100..<2_200 { heard[index] = .missed }
        for index in 3_000..<3_100 { heard[index] = .missed }
        let passage = Passage(heard, submitted: 2_000, withdrawn: 5_000)
        #expect(passage.missed == 200)
        #expect(try #require(passage.holding).toSilence == 800)
    }
}

import CCapacity
import COpenAL
import Foundation
import Processes

/// OpenAL Soft with the voices of a mix, from static buffers; with the cubic resampler when
/// pitched.
final class OpenALPlayer: Player {
    let name = Subject.openal.name
    let mix: Mix
    private(set) var frame = 0
    private let device: OpenALDevice
    private var buffers: [ALuint]
    private var sources: [ALuint]
    private let interleaved: Planes
    private let gains: [SIMD2<Float>]

    init(_ mix: Mix) throws {
        let voices = mix.voices
        gains = try OpenALProperties.found.get().gains
        device = try OpenALDevice(sources: voices.count)
        self.mix = mix
        buffers = Array(repeating: 0, count: voices.samples.buffers.count)
        sources = Array(repeating: 0, count: voices.count)
        interleaved = Planes(count: 1, frames: 2 * voices.frames)
        alGenBuffers(ALsizei(buffers.count), &buffers)
        alGenSources(ALsizei(sources.count), &sources)
        try OpenALDevice.check("making \(buffers.count) buffers and \(sources.count) sources")
        fillBuffers()
        for (voice, source) in sources.enumerated() { try setUp(source, voice) }
        try OpenALDevice.check("setting sources up")
        alSourcePlayv(ALsizei(sources.count), sources)
        try OpenALDevice.check("playing all sources")
    }

    deinit {
        alDeleteSources(ALsizei(sources.count), sources)
        alDeleteBuffers(ALsizei(buffers.count), buffers)
    }

    private func fillBuffers() {
        let samples = mix.voices.samples
        let channels = samples.channels
        let format = channels == 2 ? AL_FORMAT_STEREO_FLOAT32 : AL_FORMAT_MONO_FLOAT32
        let bytes = ALsizei(4 * samples.frames * channels)
        let frames = Planes(count: 1, frames: samples.frames * channels)
        for (source, buffer) in buffers.enumerated() {
            for channel in 0..<channels {
                let plane = samples.plane(source, channel)
                for frame in 0..<samples.frames { frames.samples[frame * channels + channel] = plane[frame] }
            }
            alBufferData(buffer, format, frames.samples, bytes, ALsizei(MixConditions.sampleRate))
        }
    }

    private func setUp(_ source: ALuint, _ voice: Int) throws {
        alSourcei(source, AL_BUFFER, ALint(buffers[voice % buffers.count]))
        alSourcei(source, AL_LOOPING, AL_TRUE)
        alSourcef(source, AL_PITCH, mix.voices.speed(voice))
        if mix.voices.isPanned {
            OpenALDevice.place(source, at: Voices.pan(voice))
        } else {
            alSourcei(source, AL_DIRECT_CHANNELS_SOFT, AL_TRUE)
        }
        guard mix.voices.isPitched else { return }
        guard let cubic = Self.cubicResampler else {
            throw BenchmarkError("This OpenAL has no cubic resampler to choose.")
        }
        alSourcei(source, AL_SOURCE_RESAMPLER_SOFT, cubic)
    }

    private static let cubicResampler: ALint? = {
        guard alIsExtensionPresent("AL_SOFT_source_resampler") != 0 else { return nil }
        return (0..<alGetInteger(AL_NUM_RESAMPLERS_SOFT)).first { index in
            let name = alGetStringiSOFT(AL_RESAMPLER_NAME_SOFT, index).map { String(cString: $0) }
            return name?.localizedCaseInsensitiveContains("cubic") ?? false
        }
    }()

    /// Renders a period. When ramping or commanded, every source gets a new gain before that: the
    /// calls are not timed, but their effect is.
    func cycle() -> Double {
        if mix.voices.motion != .flat {
            let gain = mix.voices.commandedGain(frame)
            alDeferUpdatesSOFT()
            for source in sources { alSourcef(source, AL_GAIN, gain) }
            alProcessUpdatesSOFT()
        }
        frame += mix.voices.frames
        return Double(capacity_render(device.device, interleaved.samples, UInt32(mix.voices.frames)))
    }

    var outputs: Planes {
        let outputs = Planes(count: 2, frames: mix.voices.frames)
        for index in 0..<2 * mix.voices.frames {
            outputs.samples[index % 2 * outputs.stride + index / 2] = interleaved.samples[index]
        }
        return outputs
    }

    func checkVoices() throws {
        for source in sources {
            var state = AL_STOPPED
            alGetSourcei(source, AL_SOURCE_STATE, &state)
            guard state == AL_PLAYING else {
                throw BenchmarkError("With \(mix.text), not every source of OpenAL plays. Times would mean nothing.")
            }
        }
        try OpenALDevice.check("querying the sources' state")
    }

    /// The mean of OpenAL's gains, which move between 0.9 and 1.
    private var meanGain: Float { mix.voices.motion == .flat ? 1 : 0.95 }

    /// The expected gains are OpenAL's own. While they move, only their mean is known.
    func difference() -> Double {
        let expected = mix.voices.isPanned ? gains : Array(repeating: SIMD2(1, 1), count: Voices.pans)
        let ramps = expected.map { Voices.Ramp(first: $0 * meanGain) }
        return mix.difference(outputs, before: frame, ramps) / (mix.voices.motion == .flat ? 1e-3 : 0.1)
    }

    /// The power of the output relative to equal-power panning at unity gain.
    var power: Double {
        let law = mix.voices.isPanned ? gains.reduce(0) { $0 + Double(($1 * $1).sum()) } / Double(gains.count) : 1
        return law * Double(meanGain * meanGain)
    }
}

import COpenAL
import Foundation
import Processes

/// OpenAL Soft's loopback device: 32-bit float stereo at 48 kHz, without HRTF, effects and limiter.
/// Its context is current from its creation until the next device's.
final class OpenALDevice {
    let device: OpaquePointer
    private let context: OpaquePointer

    /// Opens a device for `sources` sources.
    init(sources: Int) throws {
        Self.disableUserConfiguration
        guard alcIsExtensionPresent(nil, "ALC_SOFT_loopback") != 0 else {
            throw BenchmarkError("This OpenAL has no loopback device (ALC_SOFT_loopback).")
        }
        let attributes = [
            ALC_FORMAT_CHANNELS_SOFT, ALC_STEREO_SOFT, ALC_FORMAT_TYPE_SOFT, ALC_FLOAT_SOFT,
            ALC_FREQUENCY, Int32(MixConditions.sampleRate), ALC_MONO_SOURCES, Int32(sources),
            ALC_STEREO_SOURCES, Int32(sources), ALC_MAX_AUXILIARY_SENDS, 0, ALC_HRTF_SOFT, ALC_FALSE,
            ALC_OUTPUT_LIMITER_SOFT, ALC_FALSE, 0,
        ]
        let device = alcLoopbackOpenDeviceSOFT(nil)
        guard let device, let context = alcCreateContext(device, attributes) else {
            if let device { alcCloseDevice(device) }
            throw BenchmarkError("OpenAL cannot open a stereo float loopback device for \(sources) sources.")
        }
        (self.device, self.context) = (device, context)
        alcMakeContextCurrent(context)
        alDistanceModel(AL_NONE)
        alDopplerFactor(0)
        var hrtf = ALC_TRUE
        alcGetIntegerv(device, ALC_HRTF_SOFT, 1, &hrtf)
        guard hrtf == ALC_FALSE, alIsExtensionPresent("AL_EXT_FLOAT32") != 0 else {
            throw BenchmarkError("OpenAL forces HRTF or does not support float samples.")
        }
    }

    deinit {
        if alcGetCurrentContext() == context { alcMakeContextCurrent(nil) }
        alcDestroyContext(context)
        alcCloseDevice(device)
    }

    /// Throws if a call has failed since the last call of this function.
    static func check(_ doing: String) throws {
        let error = alGetError()
        guard error == AL_NO_ERROR else {
            throw BenchmarkError("OpenAL failed, \(doing): \(alGetString(error).map { String(cString: $0) } ?? "").")
        }
    }

    /// Places a source in front of the listener, on a circle of radius 1: only the direction
    /// matters.
    static func place(_ source: ALuint, at pan: Float) {
        alSourcei(source, AL_SOURCE_RELATIVE, AL_TRUE)
        alSource3f(source, AL_POSITION, pan, 0, -(1 - pan * pan).squareRoot())
    }

    /// Disables options of the user's own configuration that would distort the comparison: OpenAL
    /// reads this file last, at the library's first call. Without the file, the attributes of the
    /// device disable the most important options.
    private static let disableUserConfiguration: Void = {
        let text = """
            [general]
            hrtf = false
            stereo-encoding = panpot
            cf_level = 0
            output-limiter = false
            dither = false

            """
        let file = FileManager.default.temporaryDirectory.appending(path: "capacity-openal-\(getpid())")
        guard (try? text.write(to: file, atomically: true, encoding: .utf8)) != nil else { return }
        setenv("ALSOFT_CONF", file.path, 1)
        _ = alcIsExtensionPresent(nil, "ALC_SOFT_loopback")
        try? FileManager.default.removeItem(at: file)
    }()
}

/// What is the same in every run of this OpenAL, found once.
struct OpenALProperties {
    let name: String
    /// Its gains for all pans, to left and right: the output of a source that is 1 throughout.
    let gains: [SIMD2<Float>]

    static let found = Result { try OpenALProperties() }

    private init() throws {
        let device = try OpenALDevice(sources: 1)
        // "1.1 ALSOFT 1.19.1"
        let version = alGetString(AL_VERSION).map { String(cString: $0) }?.split(separator: " ").last
        name = "OpenAL Soft" + (version.map { " \($0)" } ?? "")
        let frames = 256
        let ones = [Float](repeating: 1, count: frames)
        var (buffer, source): (ALuint, ALuint) = (0, 0)
        alGenBuffers(1, &buffer)
        alBufferData(buffer, AL_FORMAT_MONO_FLOAT32, ones, ALsizei(4 * frames), ALsizei(MixConditions.sampleRate))
        alGenSources(1, &source)
        alSourcei(source, AL_BUFFER, ALint(buffer))
        alSourcei(source, AL_LOOPING, AL_TRUE)
        alSourcePlay(source)
        var output = [Float](repeating: 0, count: 2 * frames)
        gains = (0..<Voices.pans).map { pan in
            OpenALDevice.place(source, at: Voices.pan(pan))
            // In the first period, the gain still moves.
            for _ in 0..<2 { alcRenderSamplesSOFT(device.device, &output, ALsizei(frames)) }
            return SIMD2(output[2 * frames - 2], output[2 * frames - 1])
        }
        try OpenALDevice.check("measuring pan gains")
        alDeleteSources(1, &source)
        alDeleteBuffers(1, &buffer)
    }
}

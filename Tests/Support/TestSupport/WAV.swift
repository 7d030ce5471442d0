public import Foundation

/// WAV files with unusual or wrong headers.
public enum WAV {
    /// Returns a file of 16-bit samples with `dataBytes` bytes of data, whose header declares
    /// `promised` bytes.
    public static func header(channels: Int, sampleRate: Int, dataBytes: Int, promised: Int? = nil) -> Data {
        var data = Data()
        func word(_ value: Int, bytes: Int) {
            for index in 0..<bytes { data.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
        }
        let promised = promised ?? dataBytes
        data.append(contentsOf: Array("RIFF".utf8))
        word(36 + promised, bytes: 4)
        data.append(contentsOf: Array("WAVEfmt ".utf8))
        word(16, bytes: 4)
        word(1, bytes: 2)
        word(channels, bytes: 2)
        word(sampleRate, bytes: 4)
        word(sampleRate * channels * 2, bytes: 4)
        word(channels * 2, bytes: 2)
        word(16, bytes: 2)
        data.append(contentsOf: Array("data".utf8))
        word(promised, bytes: 4)
        data.append(contentsOf: (0..<dataBytes).map { UInt8(truncatingIfNeeded: $0) })
        return data
    }
}

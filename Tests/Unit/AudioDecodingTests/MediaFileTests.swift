import AudioDecoding
import Testing

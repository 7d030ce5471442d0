// Most source written for iOS imports AVFoundation and means AVFAudio.
@_exported public import AVFAudio

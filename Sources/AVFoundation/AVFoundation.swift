// Source code written for iOS usually imports AVFoundation to use the declarations of AVFAudio.
@_exported public import AVFAudio

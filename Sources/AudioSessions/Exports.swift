// `session.bus` and `session.engine` hand out types of AudioRendering: importing AudioSessions is
// enough to use them.
@_exported public import AudioRendering
// The types of this API that other modules share. Only these: the names of others, such as
// `Category`, are too general for an app's namespace.
@_exported public import struct AudioSessionTypes.CategoryOptions
@_exported public import enum AudioSessionTypes.InterruptionReason
@_exported public import struct AudioSessionTypes.NowPlayingInfo
@_exported public import enum AudioSessionTypes.RecordPermission
@_exported public import enum AudioSessionTypes.RemoteCommand
@_exported public import enum AudioSessionTypes.RepeatMode
@_exported public import enum AudioSessionTypes.RouteChangeReason
@_exported public import enum AudioSessionTypes.RouteSharingPolicy

// `session.bus` and `session.engine` hand out types of AudioRendering: importing AudioSessions is
// enough to use them.
@_exported public import AudioRendering

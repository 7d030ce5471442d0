// Events, states and effects consist of these types: importing SessionPolicy is enough to use
// them.
@_exported public import AudioSessionTypes

import Testing

/// Everything that runs a JACK server: one suite, one test after the other, since two cores carry one server well.
@Suite("Real servers", .serialized)
enum RealServers {}

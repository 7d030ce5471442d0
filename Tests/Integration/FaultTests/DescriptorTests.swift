import Testing

/// Few file descriptors are free: the driver must not call libjack, which would crash and leave the
/// user's other servers locked.
@Suite("A JACK client without enough file descriptors")
struct DescriptorTests {
    @Test(
        "SRV-2: with fewer than 32 free, opening and recovery fail; both succeed once descriptors are free",
        arguments: [0, 5, 12, 31])
    func few(left: Int) throws {
        let outcome = try Runner.run("descriptors", arguments: ["--left", "\(left)"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(
            outcome.prints([
                "open: error tooFewDescriptors: A client of the audio server needs 32 free file descriptors, but \(left) of ",
                "open again: 48000 Hz", "start: done", "started: sound", "faulty event: serverLost",
                "return meanwhile: false", "faulty event: serverReturned", "return: true", "returned: sound",
                "close: done",
            ]), "\(outcome.output)")
    }

    @Test("With enough free descriptors, opening succeeds and recovery is immediate", arguments: [40, 400])
    func enough(left: Int) throws {
        let outcome = try Runner.run("descriptors", arguments: ["--left", "\(left)"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(
            outcome.prints([
                "open: 48000 Hz", "started: sound", "faulty event: serverLost", "faulty event: serverReturned",
                "return meanwhile: true", "returned: sound", "close: done",
            ]), "\(outcome.output)")
    }
}

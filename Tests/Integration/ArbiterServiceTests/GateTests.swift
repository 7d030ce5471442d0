import ArbiterTesting
import CSessionGate
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// Tests of the gate: the page of memory, read-only for clients, that carries a session's grant. It
/// is no noise gate.
@Suite("Gates of the service", .serialized)
struct GateTests {
    @Test(
        "A new gate grants nothing, opens with activation, and closes on interruption before any notification (INT-1)")
    func grants() throws {
        let stage = try ServiceFixture(mixes: false)
        let client = try stage.connect()
        let (id, gate) = try client.makeSession()
        #expect(gate.grant.paused)
        #expect(!stage.gate.grant.paused)
        try client.ask(.activate(id))
        #expect(!gate.grant.paused, "the reply comes after the gate")
        #expect(stage.gate.grant.paused)
        try client.ask(.unregister(id))
        #expect(gate.grant.paused, "the gate of an unregistered session is closed (ACT-12)")
    }

    @Test("A client cannot write its gate through its descriptor in any way")
    func sealed() throws {
        let stage = try ServiceFixture()
        let (_, gate) = try stage.witness.makeSession(.mixWithOthers)
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let before = gate.words
        #expect(mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, gate.descriptor, 0) == MAP_FAILED)
        var byte: UInt8 = 0
        #expect(pwrite(gate.descriptor, &byte, 1, 64) < 0)
        #expect(ftruncate(gate.descriptor, 0) < 0)
        #expect(ftruncate(gate.descriptor, off_t(2 * size)) < 0)
        // Opening it again does not remove the seals.
        let again = open("/proc/self/fd/\(gate.descriptor)", O_RDWR)
        if again >= 0 {
            #expect(mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0) == MAP_FAILED)
            #expect(pwrite(again, &byte, 1, 64) < 0)
            close(again)
        }
        // A read-only mapping cannot be made writable.
        let mapping = mmap(nil, size, PROT_READ, MAP_SHARED, gate.descriptor, 0)
        #expect(mapping != MAP_FAILED)
        #expect(mprotect(mapping, size, PROT_READ | PROT_WRITE) != 0)
        munmap(mapping, size)
        #expect(gate.words == before)
        #expect(!gate.grant.paused || before == gate.words)
    }

    @Test("A gate outlives the service: the last grant holds (SRV-3)")
    func outlives() throws {
        let stage = try ServiceFixture()
        let before = stage.gate.words
        #expect(try stage.service.end(SIGKILL) == 128 + SIGKILL)
        #expect(stage.gate.words == before)
        #expect(!stage.gate.grant.paused)
    }
}

import AudioRendering
import Foundation
import TestSupport
import Testing

extension RealServers {
    /// A device of audiosession-device, as seen by JACK's own tools.
    @Suite("Virtual devices")
    struct VirtualDeviceTests {
        let name: ServerName
        let program: String

        init() throws {
            name = try ServerName()
            program = try VirtualDevice.program()
        }

        /// Returns whether the server's ports satisfy the predicate within 10 s.
        private func ports(of server: JackServer, become isWanted: (String) -> Bool) throws -> Bool {
            let deadline = Date(timeIntervalSinceNow: 10)
            while Date() < deadline {
                if isWanted(try ChildProcess.run("jack_lsp", [], environment: server.environment).output) {
                    return true
                }
            }
            return false
        }

        @Test("--help lists every option, and the kinds are those of PortType")
        func help() throws {
            let (status, output) = try ChildProcess.run(program, ["--help"])
            #expect(status == 0)
            for option in [
                "name", "type", "outputs", "inputs", "server", "latency", "capture", "ramp", "tone", "source", "return",
                "ready-fd", "detach",
            ] {
                #expect(output.contains("--\(option)"))
            }
            let types = output.components(separatedBy: "Types:\n").last?.components(separatedBy: "\n\n").first ?? ""
            let words = types.split { ",\n ".contains($0) }.map(String.init)
            #expect(words.prefix { $0 != "exit" }.sorted() == PortType.allCases.map(\.rawValue).sorted())
        }

        @Test(
            "An invalid argument is a usage error, in one sentence",
            arguments: [
                (["--loud"], "Unknown option '--loud'; --help lists the options."),
                (["--name"], "--name needs a value; see --help."),
                (
                    ["--name=A", "--type=hdmi", "--latency=-1"],
                    "--latency takes a whole number from 0 to 1048576, not '-1'."
                ),
                (["--name", "A", "stray"], "Unknown option 'stray'; --help lists the options."),
                (["--name", "A"], "A device needs --name and --type; --help lists the types."),
                (
                    ["--name", "A", "--type", "hdmi", "--outputs", "65"],
                    "--outputs takes a whole number from 0 to 64, not '65'."
                ),
                (
                    ["--name", "A", "--type", "hdmi", "--latency", "-1"],
                    "--latency takes a whole number from 0 to 1048576, not '-1'."
                ),
                (["--name", "A", "--tone", "loud"], "--tone takes a frequency in Hz above 0, not 'loud'."),
                (["--name", "A", "--type", "tape"], "Unknown device type 'tape'; --help lists the types."),
                (
                    ["--name", "A:b", "--type", "hdmi"],
                    #"none of : / " \; this one is 'A:b'."#
                ),
                (
                    ["--name", "A", "--type", "hdmi", "--outputs", "0"],
                    "A device needs at least one output or input channel."
                ),
                (
                    ["--name", "A", "--type", "hdmi", "--server", "A"],
                    "A device cannot have its server's name, 'A'; choose another one."
                ),
                (
                    ["--name", "A", "--type", "lineIn", "--outputs", "0", "--inputs", "1", "--capture", "/dev/null"],
                    "A device without output channels has nothing to record."
                ),
            ])
        func usage(arguments: [String], sentence: String) throws {
            let (status, output) = try ChildProcess.run(program, arguments)
            #expect(status == 64)
            #expect(output.hasPrefix("audiosession-device: ") && output.hasSuffix(sentence + "\n"), "\(output)")
        }

        @Test("A missing server, an invalid file, or a name in use is reported, and the program ends")
        func refused() throws {
            let absent = try ChildProcess.run(
                program, ["--name", "A", "--type", "hdmi", "--server", "audio-test-absent"])
            #expect(absent.status == 69)
            #expect(absent.output.contains("JACK server 'audio-test-absent' is not running"))
            let server = try JackServer(name)
            defer { server.stop() }
            let first = try VirtualDevice("Kitchen", kind: .airPlay, on: server.environment)
            defer { first.stop() }
            #expect(throws: TestFailure.self) { try VirtualDevice("Kitchen", kind: .airPlay, on: server.environment) }
            let file = try ChildProcess.run(
                program, ["--name", "A", "--type", "lineIn", "--inputs", "1", "--source", "/nowhere.wav"],
                environment: server.environment)
            #expect(file.status == 69)
            #expect(file.output.contains("'/nowhere.wav' cannot be played"))
        }

        @Test("A device's ports are physical and terminal, and have an alias with the device's kind, and a latency")
        func ports() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let device = try VirtualDevice(
                "Living Room", kind: .hdmi, on: server.environment, outputs: 2, inputs: 1, latency: 480)
            let listing = try ChildProcess.run(
                "jack_lsp", ["-A", "-p", "-l", "Living"], environment: server.environment)
            let blocks = ("\n" + listing.output).components(separatedBy: "\nLiving Room:").dropFirst().sorted()
            #expect(blocks.map { $0.prefix { $0 != "\n" } } == ["capture_1", "playback_1", "playback_2"])
            for (block, channel) in zip(blocks, [1, 1, 2]) {
                // jack_lsp does not find PipeWire's second alias if there is no first one.
                let alias = "\n   virtual-device:hdmi:Living Room:\(channel)\n"
                #expect(block.contains(alias) || !TestServer.current.isJackd)
                #expect(block.contains("physical,terminal"))
                let way = block.hasPrefix("playback") ? "playback" : "capture"
                #expect(block.contains("port \(way) latency = [ 480 480 ] frames"))
            }
            #expect(device.stop() == 0)
            #expect(try ports(of: server) { !$0.contains("Living") })
        }

        @Test("A killed device leaves a recording, complete sample for sample, and no port")
        func killed() throws {
            let server = try JackServer(name, periodFrames: 1024, arguments: JackServer.synchronous)
            defer { server.stop() }
            let microphone = try VirtualDevice(
                "Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: 1, sound: .ramp)
            let device = try VirtualDevice("Phones", kind: .headphones, on: server.environment, captures: true)
            let linked = try ChildProcess.run(
                "jack_connect", ["Mic:capture_1", "Phones:playback_2"], environment: server.environment)
            #expect(linked.status == 0, "\(linked.output)")
            // JACK's own recorder serves as the clock: it ends after it has recorded one second.
            let folder = try TemporaryDirectory()
            try ChildProcess.run(
                "jack_rec", ["-f", folder.file("second.wav"), "-d", "1", "-b", "24", "Mic:capture_1"],
                environment: server.environment)
            device.kill()
            microphone.stop()
            let heard = try device.captured()
            #expect(heard[0].allSatisfy { $0 == 0 })
            let sounding = heard[1][(stride(from: 0, to: heard[1].count, by: 1024).first { heard[1][$0] != 0 } ?? 0)...]
            #expect(sounding.count >= 40_000)
            let mayMiss = !TestServer.current.isJackd
            #expect(Signal.firstBreak(inCounting: sounding, cycle: 1024, mayMissCycles: mayMiss) == nil)
            #expect(try ports(of: server) { !$0.contains("Phones") && !$0.contains("Mic") })
        }

        @Test(
            "A device exits with its server, or reconnects to the next one without exiting", arguments: [false, true])
        func serverEnds(comesBack: Bool) throws {
            var server = try JackServer(name)
            defer { server.stop() }
            let device = try VirtualDevice("Phones", kind: .headphones, on: server.environment, comesBack: comesBack)
            server.kill()
            guard comesBack else {
                #expect(device.waitForEnd() == 69)
                #expect(device.output == "audiosession-device: The JACK server ended.\n")
                return
            }
            server = try JackServer(name)
            #expect(try ports(of: server) { $0.contains("Phones:playback_2") })
            #expect(device.stop() == 0)
        }
    }
}

import AudioRendering
import Foundation
import TestSupport
import Testing

/// Render callbacks of an app, in Swift. The compiler guarantees that they neither lock nor
/// allocate.
@Suite struct RenderCallbackTests {
    @Test("A Swift function is a source: it plays to its end, and is panned and scaled like any other")
    func source() throws {
        let stage = try EngineFixture()
        let frames = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        defer { frames.deallocate() }
        frames.initialize(to: 1000)
        let source = RenderSource(channels: 1, context: frames) { context, planes, _, count in
            guard let left = context?.assumingMemoryBound(to: Int32.self), let plane = planes?[0] else { return 0 }
            let rendered = min(count, UInt32(left.pointee))
            for frame in 0..<Int(rendered) { plane[frame] = 0.5 }
            left.pointee -= Int32(rendered)
            return rendered
        }
        let voice = try stage.engine.play(.render(source), on: stage.bus, gain: 0.5, pan: Pan(1))
        let output = try stage.driver.render(frames: 2000)
        #expect(output[1][0] == 0.25 && output[1][999] == 0.25 && output[1][1000] == 0)
        #expect(Signal.peak(output[0]) == 0)
        #expect(voice.endReason == .finished)
    }

    @Test(
        "The compiler refuses a callback that violates the render thread's contract, and no other",
        arguments: [
            ("clean", nil), ("allocates", "error:"), ("locks", "error:"), ("counts", "error:"),
            ("calls", "unpredictable performance"),
        ])
    func contract(name: String, complaint: String?) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appending(path: "InjectedFaults/RenderCallbacks/\(name).swift").path
        let directory = try TemporaryDirectory()
        let compiler = try ChildProcess.run(
            "swiftc",
            ["-swift-version", "6", "-parse-as-library", "-emit-object", file, "-o", directory.file("object.o")])
        if let complaint {
            #expect(compiler.status != 0, "\(name) was compiled")
            #expect(compiler.output.contains(complaint), "\(compiler.output)")
        } else {
            #expect(compiler.status == 0, "\(compiler.output)")
        }
    }
}

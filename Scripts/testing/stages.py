"""The stages of Scripts/test: what each one runs, what it needs, and when it is part of a run.

A stage is a list of commands, which run one after another in the project's folder. Stages start in the
order of the table, each as soon as the stages that it needs have passed and enough cores are free for its
`cores`.
"""

import dataclasses
import os
import pathlib
import shlex

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REPORTS = ROOT / "build/test"
# Time limits per stage. Most stages need a fifth of the limit on two idle cores; the others have one of their own.
LIMIT_SECONDS = {"default": 1200, "all": 2700}
# More cores than any machine has, so that the stage runs alone.
ALONE = 10_000

# The suites that start servers and programs; all others are unit tests.
INTEGRATION = ("JackDriverTests", "PlayerTests", "ArbiterServiceTests", "FaultTests", "DesktopBridgeTests", "ForeignProgramTests")
# Suites that run on plain jackd only.
JACKD_ONLY = ("ShutdownTests", "HungAppTests", "LateThreadTests", "ManagedServerTests", "ServerProgramTests")
# A suite that preloads a library into programs. A sanitizer's runtime must be loaded first.
PRELOADING = ("LateThreadTests",)
BUILT = ("swift-build",)
SHORT, LONG, BOTH = ("default",), ("all",), ("default", "all")


# What stages need beside the packages of `Scripts/dependencies test`, from the network: the stages themselves have none.
PREPARATION = {
    "benchmarks": ["Scripts/dependencies", "benchmark"],
    "site": ["Scripts/dependencies", "site"],
    "foreign-newer": ["Scripts/with-newer-pipewire", "--download"],
    "arm64": ["Scripts/arm64", "--prepare"],
}


@dataclasses.dataclass(frozen=True)
class Stage:
    name: str
    # One line for --list.
    what: str
    commands: list
    # Stages that must have passed before.
    needs: tuple = ()
    # How many cores the stage keeps busy: less than one if it mostly waits for servers and clocks.
    cores: float = 1.0
    # The modes that include the stage. A name that occurs twice in the table is the short and the
    # long form of one stage.
    modes: tuple = BOTH
    # Whether its commands, other than builds, run in their own namespaces (Scripts/isolated). If the
    # system does not allow that, only one such stage runs at a time.
    isolated: bool = False
    # Whether the stage fails if it ran no tests; their number is read from its output.
    tests: bool = True
    environment: dict = dataclasses.field(default_factory=dict)
    # The time limit in seconds, if it is not that of the mode.
    seconds: int = 0

    @property
    def limit(self):
        return self.seconds or LIMIT_SECONDS[self.modes[0]]


# ---- Commands -----------------------------------------------------------------------------------------------------------------

BUILD_TESTS = ["swift", "build", "--build-tests"]
BENCHMARK_TESTS = [
    ["Scripts/dependencies", "benchmark"],
    ["swift", "test", "--package-path", "Benchmarks", "--configuration", "release", "--disable-testable-imports", "--no-parallel"],
]
# The thread sanitizer tolerates libjack's thread cancellation only with these options. With them, it
# reports libdispatch's handling of blocks as races. Sessions, which report through blocks, and whole
# programs are therefore excluded.
LIBJACK_UNDER_THREAD = (
    "ignore_noninstrumented_modules=0:ignore_interceptors_accesses=0:"
    f"suppressions='{ROOT}/Tests/Support/thread-sanitizer.supp'"
)
REPORT_BY_BLOCKS = (
    "HungAppTests", "RealFaultTests", "RealRouteTests", "LatencyTests", "SessionRateTests", "NetworkTests", "VirtualDeviceTests",
    "BufferTuningTests",
)
# C tests that have several threads or processes.
THREADED = (
    "test_threads", "test_rings", "test_fifo", "test_gate", "test_gate_replacement", "test_gates_and_plans", "test_gate_memory",
    "test_meters", "test_queues", "test_processes", "test_peers", "stress_ring", "torn_command", "soak",
)


def cargo(command, *arguments):
    """Returns a command of cargo for the crates and the examples in Rust."""
    return ["cargo", command, "--offline", "--locked", "--manifest-path", "Bindings/Rust/Cargo.toml", *arguments]


def named(option, names):
    return [part for name in names for part in (option, name)]


def suites(*names):
    return [f"^{name}" for name in names]


def built(name, build=".build", configuration="debug"):
    return str(ROOT / build / configuration / name)


def swift_tests(filters=(), skip=(), build=".build", parallel=False):
    """Returns the command that runs the test program itself, because `swift test` locks the build folder.

    Tests run serially unless each one runs in its own process: in parallel, they would compete for Swift's
    thread pool, and the time limit of one test would cover all of them.
    """
    order = [] if parallel else ["--no-parallel"]
    return [
        built("swift-audio-sessionPackageTests.xctest", build), "--testing-library", "swift-testing", *order,
        *named("--filter", filters), *named("--skip", skip),
    ]


def c_tests(preset, soak_seconds, only=()):
    """Returns the commands that run all C tests, or only these and the sanitizer's injected fault."""
    fault = {"thread": "injected_data_race", "realtime": "injected_allocation"}.get(preset)
    targets = ["--target", *only, fault] if only else []
    choice = ["--tests-regex", f"^({'|'.join((*only, 'injected_.*'))})$"] if only else []
    return [
        ["cmake", "--preset", preset, f"-DSOAK_SECONDS={soak_seconds}"],
        ["cmake", "--build", "--preset", preset, *targets],
        ["ctest", "--preset", preset, "--parallel", "2", *choice],
    ]


def measured(name, *options):
    """Returns the command that runs a benchmark, and once more if it fails: the load of other programs can distort the results."""
    benchmark = shlex.join(["Scripts/benchmark", name, *options, "--report", str(REPORTS / "benchmarks" / name)])
    return [["bash", "-c", f"{benchmark} || {benchmark}"]]


def sanitized_folder(sanitizer):
    return f".build/{sanitizer}"


def sanitized_build(sanitizer, *products):
    """Returns the commands that build these programs, or all tests, with a sanitizer, in a separate folder.

    SwiftPM needs the index only to find tests.
    """
    build = ["swift", "build", "--scratch-path", sanitized_folder(sanitizer), f"--sanitize={sanitizer}"]
    programs = [[*build, "--disable-index-store", "--product", product] for product in products]
    return programs or [[*build, "--build-tests"]]


def on_fake_jack(sanitizer, every):
    """Returns the commands that run the fault runner's scenarios on the fake libjack, both with a sanitizer.

    One in `every` calls gets the fault that suits the sanitizer: notifications on four threads, or a failure.
    """
    folder = sanitized_folder(sanitizer)
    library = str(ROOT / folder / "fake-jack")
    program = ["env", f"LD_LIBRARY_PATH={library}", "AUDIOSESSION_ARBITER=in-process", built("fault-runner", folder)]
    trouble = "storm" if sanitizer == "thread" else "fail"
    return [
        [str(ROOT / "Tests/Support/FakeJack/build"), library, f"-fsanitize={sanitizer}"],
        *([*program, scenario] for scenario in ("life", "session", "devices", "hosts")),
        [*program, "life", "--walk", trouble, "--every", str(every)],
    ]


def integration(name, what, server, wrapper=(), skip=()):
    return Stage(
        name, what, [[*wrapper, *swift_tests(["^JackDriverTests"], skip)]], needs=BUILT, cores=0.6, isolated=True,
        environment={"AUDIO_TEST_SERVER": server})


# ---- Stages -------------------------------------------------------------------------------------------------------------------

TABLE = [
    Stage("swift-build", "builds all Swift targets and tests once, for all stages that run in debug", [BUILD_TESTS], cores=2, tests=False),
    Stage(
        "release-build", "builds the long-running programs, optimized", [["swift", "build", "--configuration", "release"]],
        cores=2, tests=False, modes=LONG),
    # The longest stages first.
    integration("jack", "drivers, devices, routes and faults on jackd", "jackd"),
    Stage(
        "player", "the player and the recorder as programs: their screens, their arbitration with other apps",
        [swift_tests(suites("PlayerTests"))],
        needs=BUILT, cores=0.5, isolated=True),
    Stage("checks", "formatters, linters, layers, rules, links, examples", [["Scripts/check"]], needs=BUILT, tests=False),
    Stage(
        "faults", "apps on a libjack that fails, hangs and misbehaves", [swift_tests(suites("FaultTests"), parallel=True)],
        needs=BUILT, cores=0.7, isolated=True),
    Stage("c", "the C libraries, built by Clang, with a soak", c_tests("default", 3), modes=SHORT),
    Stage("c", "the C libraries, built by Clang, with a soak", c_tests("default", 30), modes=LONG),
    Stage(
        "service", "audiosessiond and its clients: authority, leases, limits, malformed packets",
        [swift_tests(suites("ArbiterServiceTests"))], needs=BUILT, cores=0.4, isolated=True),
    Stage(
        "python", "the Python package: sessions at a real arbiter, the declarations of the C library, the examples",
        [
            ["cmake", "-B", "build/python", "-G", "Ninja", "-DBUILD_TESTING=OFF", "-DCMAKE_BUILD_TYPE=Release"],
            ["cmake", "--build", "build/python"], # all, since the example in SDL2 uses the installed library
            # With the checks of Python's development mode, and warnings as errors.
            ["python3", "-X", "dev", "-W", "error", "-m", "unittest", "discover", "--start-directory", "Tests/Integration/PythonTests"],
        ],
        needs=BUILT, cores=0.5, isolated=True,
        environment={
            "PYTHONPATH": str(ROOT / "Bindings/Python"), "PYTHONDONTWRITEBYTECODE": "1",
            "AUDIOSESSION_LIBRARY": str(ROOT / "build/python/libaudiosession.so"),
        }),
    Stage(
        "packaging", "what is installed: programs, units, manual pages, completions; and its removal",
        [["python3", "-W", "error", "-m", "unittest", "discover", "--start-directory", "Tests/Integration/PackagingTests"]],
        needs=BUILT, cores=1.0,
        environment={"AUDIOSESSION_PROGRAMS": str(ROOT / ".build/debug"), "PYTHONDONTWRITEBYTECODE": "1"}),
    Stage(
        "site", "the documentation as a site: its links, its comments and samples, its search; and that faults are found",
        [
            ["Scripts/site", "--modules", str(ROOT / ".build/debug/Modules")],
            ["/usr/bin/python3", "-W", "error", "-m", "unittest", "discover", "--start-directory", "Tests/Integration/SiteTests"],
        ],
        needs=BUILT, cores=1.0, environment={"SITE": str(ROOT / "build/site/html"), "PYTHONDONTWRITEBYTECODE": "1"}),
    Stage(
        "rust", "the Rust crates: sessions and gates at a real arbiter, the declarations of the C library, the examples",
        [
            ["cmake", "-B", "build/rust", "-G", "Ninja", "-DBUILD_TESTING=OFF", "-DCMAKE_BUILD_TYPE=Release"],
            ["cmake", "--build", "build/rust", "--target", "audiosession"],
            cargo("build", "--package", "audiosession", "--no-default-features"),
            cargo("doc", "--package", "audiosession", "--no-default-features", "--no-deps"),
            cargo("doc", "--workspace", "--lib", "--no-deps"),
            cargo("test", "--workspace", "--no-fail-fast"),
        ],
        needs=BUILT, cores=0.7, isolated=True,
        environment={
            # A toolchain of rustup may be there only.
            "PATH": f"{os.environ.get('PATH', os.defpath)}:{pathlib.Path.home() / '.cargo/bin'}",
            "CARGO_TARGET_DIR": str(ROOT / "build/rust/target"), "RUSTFLAGS": "-D warnings", "RUSTDOCFLAGS": "-D warnings",
            "AUDIOSESSION_LIB_DIR": str(ROOT / "build/rust"), "LD_LIBRARY_PATH": str(ROOT / "build/rust"),
        }),
    Stage(
        "desktop", "the player on a session bus: properties, signals and commands, by playerctl and other programs",
        [swift_tests(suites("DesktopBridgeTests"))], needs=BUILT, cores=0.5, isolated=True),
    Stage(
        "foreign", "the streams of other programs on PipeWire: levels and holds by their samples, kills, malformed input",
        [swift_tests(suites("ForeignProgramTests"))], needs=BUILT, cores=0.5, isolated=True, modes=SHORT),
    Stage(
        "foreign", "", [swift_tests(suites("ForeignProgramTests"))], needs=BUILT, cores=0.5, isolated=True, modes=LONG, seconds=3600),
    Stage(
        "foreign-newer", "the suites of 'foreign' on PipeWire 1.4 and WirePlumber 0.5, from Debian's backports",
        [["Scripts/with-newer-pipewire", *swift_tests(suites("ForeignProgramTests"))]], needs=BUILT, cores=0.5, isolated=True,
        modes=LONG, seconds=3600),
    Stage(
        "foreign-soak", "an hour in which other programs come and go at random", [swift_tests(["AdoptionSoakTests"])],
        needs=BUILT, cores=0.4, isolated=True, modes=LONG, seconds=4500, environment={"AUDIO_TEST_SOAK_SECONDS": "3600"}),
    Stage("rules", "unit tests of the session rules", [swift_tests(suites("SessionPolicyTests"))], needs=BUILT),
    integration("jack-sync", "the suites of 'jack' on jackd -S", "jackd-sync", skip=JACKD_ONLY),
    Stage("c-gcc", "the C libraries, built by GCC", c_tests("gcc", 3), modes=SHORT),
    Stage("c-gcc", "the C libraries, built by GCC", c_tests("gcc", 10), modes=LONG),
    Stage(
        "arm64", "the C libraries for 64-bit ARM, by QEMU; the same samples, a client at an arbiter; --all: also by Clang",
        [["Scripts/arm64"]], needs=BUILT, modes=SHORT),
    Stage("arm64", "", [["Scripts/arm64", "--full"]], needs=BUILT, modes=LONG),
    Stage(
        "unit", "unit tests of all other Swift targets",
        [swift_tests(skip=suites("SessionPolicyTests", *INTEGRATION))], needs=BUILT, isolated=True),
    integration("pipewire", "the suites of 'jack' on PipeWire", "pipewire", wrapper=["Scripts/with-pipewire"], skip=JACKD_ONLY),
    Stage("c-address", "the C libraries, with the address and undefined behaviour sanitizers", c_tests("address", 3), modes=SHORT),
    Stage("c-address", "the C libraries, with the address and undefined behaviour sanitizers", c_tests("address", 30), modes=LONG),
    Stage("c-thread", "C tests with several threads, with the thread sanitizer; --all: all C tests", c_tests("thread", 3, THREADED), modes=SHORT),
    Stage("c-thread", "C tests with several threads, with the thread sanitizer; --all: all C tests", c_tests("thread", 30), modes=LONG),
    Stage(
        "c-realtime", "a soak of the render cycle, and the gate of C sessions, with the realtime sanitizer; --all: all C tests",
        c_tests("realtime", 5, ("soak", "test_session_gate_apply", "test_session_gate_and_core")), modes=SHORT),
    Stage("c-realtime", "", c_tests("realtime", 30), modes=LONG),
    Stage(
        "exploration", "explores the states of the session rules breadth-first: a sixth of the slices, chosen by SEED; --all: all slices",
        [
            ["swift", "build", "--configuration", "release", "--product", "policy-explorer"],
            [built("policy-explorer", configuration="release"), "--every", "6"],
        ],
        needs=BUILT, tests=False, modes=SHORT),
    Stage(
        "exploration", "", [[built("policy-explorer", configuration="release")]], needs=("release-build",), cores=2, tests=False,
        modes=LONG),
    Stage(
        "malformed-packets", "mutated messages to the arbiter's decoders and to a whole service",
        [[built("arbiter-fuzzer"), "--messages", "100000"]], needs=BUILT, tests=False, isolated=True, modes=SHORT),
    Stage(
        "malformed-packets", "", [[built("arbiter-fuzzer", configuration="release"), "--messages", "1000000"]],
        needs=("release-build",), tests=False, isolated=True, modes=LONG),
    Stage(
        "chaos", "many apps that are killed and stopped at random, and an arbiter that is killed",
        [[built("arbiter-chaos"), "--clients", "40", "--seconds", "15"]], needs=BUILT, cores=0.8, tests=False, isolated=True,
        modes=SHORT),
    Stage(
        "chaos", "", [[built("arbiter-chaos", configuration="release")]], needs=("release-build",), tests=False, isolated=True,
        modes=LONG),
    Stage(
        "soak", "injected glitches, then an app while servers die and devices come and go; --all: on every server",
        [["Scripts/soak", "--injected", "--debug"], ["Scripts/soak", "--debug", "--server", "jackd", "--seconds", "20"]],
        needs=BUILT, cores=0.5, tests=False, isolated=True, modes=SHORT),
    Stage(
        "soak", "", [["Scripts/soak", "--injected"], ["Scripts/soak", "--server", "all", "--seconds", "60"]],
        needs=("release-build",), cores=0.5, tests=False, isolated=True, modes=LONG),
    Stage(
        "swift-thread", "apps on the fake libjack; --all: also the suites with threads, and drivers on jackd",
        [*sanitized_build("thread", "fault-runner"), *on_fake_jack("thread", every=15)],
        needs=BUILT, tests=False, modes=SHORT),
    Stage(
        "swift-thread", "",
        [
            *sanitized_build("thread"),
            # Skips long single-threaded tests: random walks through the rules, and minutes of audio.
            swift_tests(
                skip=(*suites("PlayerTests", "JackDriverTests", "ArbiterServiceTests", "FaultTests", "ForeignProgramTests"), "WalkTests", "LoudnessTests",
                      "VirtualDeviceProgramTests"),
                build=sanitized_folder("thread")),
            ["env", f"TSAN_OPTIONS={LIBJACK_UNDER_THREAD}",
             *swift_tests(["^JackDriverTests"], (*REPORT_BY_BLOCKS, *PRELOADING), build=sanitized_folder("thread"))],
            *on_fake_jack("thread", every=5),
        ],
        needs=BUILT, isolated=True, modes=LONG),
    Stage(
        "swift-address", "apps on the fake libjack, malformed packets; --all: also the suites in one process",
        [
            *sanitized_build("address", "fault-runner", "arbiter-fuzzer"),
            [built("arbiter-fuzzer", sanitized_folder("address")), "--messages", "20000"],
            *on_fake_jack("address", every=10),
        ],
        needs=BUILT, tests=False, modes=SHORT),
    Stage(
        "swift-address", "",
        [
            *sanitized_build("address"),
            # Skips tests that run programs, which the sanitizer does not cover, and long random walks.
            swift_tests(
                skip=(*suites("PlayerTests", "ArbiterServiceTests", "FaultTests", "ForeignProgramTests"), "WalkTests", "RealFaultTests", "RealRouteTests",
                      "NetworkTests", "VirtualDeviceTests", "VirtualDeviceProgramTests", *PRELOADING),
                build=sanitized_folder("address")),
            [built("arbiter-fuzzer", sanitized_folder("address")), "--messages", "100000"],
            *on_fake_jack("address", every=3),
        ],
        needs=BUILT, isolated=True, modes=LONG),
    Stage(
        "benchmarks", "builds all benchmarks, tests their evaluation, and runs two briefly; --all: runs all, with browsers",
        [*BENCHMARK_TESTS, ["Scripts/benchmark", "capacity", "--quick"], ["Scripts/benchmark", "foreign", "--quick"]], modes=SHORT),
    # Runs alone, because it measures.
    Stage(
        "benchmarks", "",
        [
            *BENCHMARK_TESTS,
            *measured("all", "--quick"),
            # Nine programs, among them Chromium and Firefox.
            *measured("foreign"),
        ],
        cores=ALONE, modes=LONG, seconds=5400),
    Stage(
        "mutations", "breaks rules one after another; a test that cites the rule must fail",
        [["bash", "-c", 'Scripts/mutate --count 3 --seed "$SEED"']], tests=False, modes=LONG),
]

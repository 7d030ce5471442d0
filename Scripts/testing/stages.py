"""The stages of Scripts/test: what each one runs, what it needs, and when it is part of a run.

A stage is a list of commands, run one after the other in the project's folder. A stage starts once those that it needs have passed
and its `cores` fit on the machine beside the stages that run, in the order of the table.
"""

import dataclasses
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REPORTS = ROOT / "build/test"
# A stage that takes longer hangs. The slowest takes a third of it where two busy programs and another run share two cores.
LIMIT_SECONDS = 2400

# The suites that start servers and programs; all others are unit tests.
INTEGRATION = ("JackDriverTests", "PlayerTests", "ArbiterServiceTests", "FaultTests")
# What they start on plain jackd only.
JACKD_ONLY = ("FarewellTests", "HungAppTests", "ManagedServerTests", "ServerProgramTests")


@dataclasses.dataclass(frozen=True)
class Stage:
    name: str
    # One line for --list.
    what: str
    commands: list
    needs: tuple = ()
    # How many cores it keeps busy: less than one where it mostly waits for servers and clocks.
    cores: float = 1.0
    # Whether a run without --all includes it. A name that occurs twice is the short and the long form of one stage.
    modes: tuple = ("default", "all")
    # Whether it runs in namespaces of its own (Scripts/isolated); where the system does not allow that, no two such stages run at once.
    isolated: bool = False
    # Whether it must have run tests: their number is read from what it prints.
    tests: bool = True
    environment: dict = dataclasses.field(default_factory=dict)
    limit: int = LIMIT_SECONDS


def named(option, names):
    return [part for name in names for part in (option, name)]


def swift_tests(filters=(), skip=(), build=".build", parallel=False):
    """The test program itself, since `swift test` lets one run at a time use a build folder. One test after the other, unless each
    is a process of its own: at once they all wait for the few threads of Swift's pool, and a limit of time would be one of all."""
    program = ROOT / build / "debug/swift-audio-sessionPackageTests.xctest"
    order = [] if parallel else ["--no-parallel"]
    return [str(program), "--testing-library", "swift-testing", *order, *named("--filter", filters), *named("--skip", skip)]


def suites(*names):
    return [f"^{name}" for name in names]


def c_tests(preset, soak_seconds, targets=(), tests=None):
    return [
        ["cmake", "--preset", preset, f"-DSOAK_SECONDS={soak_seconds}"],
        ["cmake", "--build", "--preset", preset, *(["--target", *targets] if targets else [])],
        ["ctest", "--preset", preset, "--parallel", "2", *(["--tests-regex", tests] if tests else [])],
    ]


DEBUG = ["swift", "build", "--build-tests"]


def built(name, build=".build"):
    return str(ROOT / build / "debug" / name)


def sanitized_build(sanitizer):
    return f".build/{sanitizer}"


def sanitized(sanitizer, *products):
    """Builds programs under a sanitizer: the libraries and these, no tests."""
    build = ["swift", "build", "--scratch-path", sanitized_build(sanitizer), f"--sanitize={sanitizer}", "--disable-index-store"]
    return [[*build, "--product", product] for product in products]


def sanitized_tests(sanitizer):
    return [*DEBUG, "--disable-index-store", "--scratch-path", sanitized_build(sanitizer), f"--sanitize={sanitizer}"]


def on_fake_jack(sanitizer, *runs):
    """Scenarios of the fault runner on the fake libjack, both under a sanitizer."""
    build = sanitized_build(sanitizer)
    library = ROOT / build / "fake-jack"
    program = ["env", f"LD_LIBRARY_PATH={library}", "AUDIOSESSION_ARBITER=in-process", built("fault-runner", build)]
    return [
        [str(ROOT / "Tests/Support/FakeJack/build"), str(library), f"-fsanitize={sanitizer}"],
        *([*program, *run] for run in runs),
    ]


def integration(name, what, server, wrapper=(), skip=(), **choice):
    return Stage(
        name, what, [[*wrapper, *swift_tests(["^JackDriverTests"], skip)]], needs=("Swift build",), cores=0.6, isolated=True,
        environment={"AUDIO_TEST_SERVER": server}, **choice)


# libjack cancels its own threads; the thread sanitizer bears that with these options only. With them it takes what libdispatch does
# to its blocks for races: sessions, which report by blocks, and whole programs are left out.
LIBJACK_UNDER_THREAD = (
    "ignore_noninstrumented_modules=0:ignore_interceptors_accesses=0:suppressions="
    f"{ROOT}/Tests/Support/thread-sanitizer.supp"
)
REPORT_BY_BLOCKS = (
    "HungAppTests", "RealFaultTests", "RealRouteTests", "LatencyTests", "SessionRateTests", "NetworkTests", "StandInTests",
    "BufferTuningTests",
)
BENCHMARK_TESTS = [
    ["Scripts/dependencies", "benchmark"],
    ["swift", "test", "--package-path", "Benchmarks", "--configuration", "release", "--disable-testable-imports", "--no-parallel"],
]
SHORT, LONG = ("default",), ("all",)
THREADED_C = "test_threads|test_rings|test_fifo|test_gate|test_meters|test_ports|stress_ring|soak|planted|test_processes|test_peers"
THREADED_C_TARGETS = (
    "test_threads", "test_rings", "test_fifo", "test_gate", "test_gate_swaps", "test_gates_and_plans", "test_gate_memory",
    "test_meters", "test_ports", "stress_ring", "soak", "planted_data_race", "test_processes", "test_peers",
)

TABLE = [
    # Everything else waits for these two or is shorter.
    Stage("Swift build", "every Swift target and test, once, for all that runs in debug", [DEBUG], cores=2, tests=False),
    integration("JACK", "drivers, devices, routes and faults on jackd", "jackd"),
    Stage(
        "Player", "the player as a program, its screen, its arbitration with others", [swift_tests(suites("PlayerTests"))],
        needs=("Swift build",), cores=0.5, isolated=True),
    Stage("Checks", "formatters, linters, layers, rules, links, examples", [["Scripts/check"]], tests=False),
    Stage(
        "Faults", "apps on a libjack that fails, hangs and misbehaves", [swift_tests(suites("FaultTests"), parallel=True)],
        needs=("Swift build",), cores=0.7, isolated=True),
    Stage("C tests", "the C libraries, built by Clang; a short soak", c_tests("default", 3), modes=SHORT),
    Stage("C tests", "the C libraries, built by Clang; a soak of 30 s", c_tests("default", 30), modes=LONG),
    Stage(
        "Arbiter service", "audiosessiond and its clients: authority, leases, limits, malformed packets",
        [swift_tests(suites("ArbiterServiceTests"))], needs=("Swift build",), cores=0.4, isolated=True),
    Stage("Rules", "unit tests of the session rules", [swift_tests(suites("SessionPolicyTests"))], needs=("Swift build",)),
    integration(
        "JACK, synchronous", "the same suites on jackd -S", "jackd-sync", skip=JACKD_ONLY),
    Stage("C tests, GCC", "the same, built by GCC", c_tests("gcc", 3)),
    Stage(
        "Unit tests", "unit tests of all other Swift targets",
        [swift_tests(skip=suites("SessionPolicyTests", *INTEGRATION))], needs=("Swift build",), isolated=True),
    integration("PipeWire", "the same suites on PipeWire", "pipewire", wrapper=["Scripts/with-pipewire"], skip=JACKD_ONLY),
    Stage("C tests, address sanitizer", "the same, with undefined behaviour", c_tests("address", 3), modes=SHORT),
    Stage("C tests, address sanitizer", "the same, with undefined behaviour", c_tests("address", 30), modes=LONG),
    Stage(
        "C tests, thread sanitizer", "the C tests with threads",
        c_tests("thread", 3, THREADED_C_TARGETS, THREADED_C), modes=SHORT),
    Stage("C tests, thread sanitizer", "the C tests with threads", c_tests("thread", 30), modes=LONG),
    Stage(
        "C tests, realtime sanitizer", "a soak of the render cycle", c_tests("realtime", 5, ("soak", "planted_allocation"), "soak|planted"),
        modes=SHORT),
    Stage("C tests, realtime sanitizer", "a soak of the render cycle", c_tests("realtime", 30), modes=LONG),
    Stage(
        "Exploration", "the states of the session rules, breadth-first: a sixth of the slices, by SEED",
        [["swift", "run", "--configuration", "release", "policy-explorer", "--every", "6"]],
        tests=False, modes=SHORT),
    Stage(
        "Malformed packets", "mutated messages to the arbiter's decoders and to a whole service",
        [[built("arbiter-fuzzer"), "--messages", "100000"]], needs=("Swift build",), tests=False, isolated=True, modes=SHORT),
    Stage(
        "Chaos", "many apps, killed and stopped at random, and an arbiter that is killed, too",
        [[built("arbiter-chaos"), "--clients", "40", "--seconds", "15"]], needs=("Swift build",), cores=0.8, tests=False,
        isolated=True, modes=SHORT),
    Stage(
        "Soak", "injected faults of sound, then an app whose servers die and devices come and go",
        [["Scripts/soak", "--injected", "--debug"], ["Scripts/soak", "--debug", "--server", "jackd", "--seconds", "20"]],
        needs=("Swift build",), cores=0.5, tests=False, isolated=True, modes=SHORT),
    Stage(
        "Swift, thread sanitizer", "apps on the fake libjack: notices on four threads, deaths, sessions",
        [
            *sanitized("thread", "fault-runner"),
            *on_fake_jack("thread", ["life"], ["session"], ["devices"], ["hosts"], ["life", "--walk", "storm", "--every", "15"]),
        ],
        tests=False, modes=SHORT),
    Stage(
        "Swift, address sanitizer", "apps on the fake libjack; malformed packets",
        [
            *sanitized("address", "fault-runner", "arbiter-fuzzer"),
            [built("arbiter-fuzzer", sanitized_build("address")), "--messages", "20000"],
            *on_fake_jack("address", ["life"], ["session"], ["devices"], ["hosts"], ["life", "--walk", "fail", "--every", "10"]),
        ],
        tests=False, isolated=False, modes=SHORT),
    Stage(
        "Benchmarks", "all benchmarks are built and their conclusions tested; a short part runs",
        [
            *BENCHMARK_TESTS,
            ["Scripts/benchmark", "capacity", "--quick"],
        ],
        modes=SHORT),

    # The long forms.
    Stage(
        "Release build", "the programs that run for long, optimized",
        [["swift", "build", "--configuration", "release"]], cores=2, tests=False, modes=LONG),
    Stage(
        "Exploration", "the states of the session rules, breadth-first: all slices",
        [[str(ROOT / ".build/release/policy-explorer")]], needs=("Release build",), cores=2, tests=False, modes=LONG),
    Stage(
        "Malformed packets", "mutated messages to the arbiter's decoders and to a whole service",
        [[str(ROOT / ".build/release/arbiter-fuzzer"), "--messages", "1000000"]], needs=("Release build",), tests=False,
        isolated=True, modes=LONG),
    Stage(
        "Chaos", "many apps, killed and stopped at random, and an arbiter that is killed, too",
        [[str(ROOT / ".build/release/arbiter-chaos")]], needs=("Release build",), tests=False, isolated=True, modes=LONG),
    Stage(
        "Soak", "injected faults of sound, then an app whose servers die and devices come and go, on every server",
        [["Scripts/soak", "--injected"], ["Scripts/soak", "--server", "all", "--seconds", "60"]], needs=("Release build",),
        cores=0.5, tests=False, isolated=True, modes=LONG),
    Stage(
        "Swift, address sanitizer", "Swift tests with threads or unsafe code, the fake libjack and malformed packets",
        [
            sanitized_tests("address"),
            [*swift_tests(skip=suites("PlayerTests", "SessionPolicyTests", "ArbiterServiceTests", "FaultTests"),
                          build=sanitized_build("address")),
             *named("--skip", ("RealFaultTests", "RealRouteTests", "NetworkTests", "StandInTests", "StandInProgramTests"))],
            [built("arbiter-fuzzer", sanitized_build("address")), "--messages", "100000"],
            *on_fake_jack("address", ["life"], ["session"], ["devices"], ["hosts"], ["life", "--walk", "fail", "--every", "3"]),
        ],
        isolated=True, modes=LONG),
    Stage(
        "Swift, thread sanitizer", "Swift tests with threads, on the offline driver and on jackd; the fake libjack",
        [
            sanitized_tests("thread"),
            # Without minutes of sound for one thread.
            [*swift_tests(skip=suites("PlayerTests", "SessionPolicyTests", "JackDriverTests", "ArbiterServiceTests", "FaultTests"),
                          build=sanitized_build("thread")),
             *named("--skip", ("LoudnessTests", "EBULoudnessTests", "StandInProgramTests"))],
            ["env", f"TSAN_OPTIONS={LIBJACK_UNDER_THREAD}",
             *swift_tests(["^JackDriverTests"], REPORT_BY_BLOCKS, build=sanitized_build("thread"))],
            *on_fake_jack("thread", ["life"], ["session"], ["devices"], ["hosts"], ["life", "--walk", "storm", "--every", "5"]),
        ],
        isolated=True, modes=LONG),
    # Measures: nothing else runs beside it. A machine that is busy with another thing may spoil what was measured: then once more.
    Stage(
        "Benchmarks", "all benchmarks, with fewer sizes and repetitions; what they conclude is tested",
        [
            *BENCHMARK_TESTS,
            ["bash", "-c", 'Scripts/benchmark all --quick --report "$0" || Scripts/benchmark all --quick --report "$0"',
             str(REPORTS / "benchmarks")],
        ],
        cores=2, modes=LONG),
    Stage(
        "Mutations", "rules are broken one after the other: a test that cites each one must fail",
        [["bash", "-c", 'Scripts/mutate --count 3 --seed "$SEED"']], tests=False, modes=LONG),
]

//! Sessions at a real arbiter.

mod support;

use std::os::unix::io::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

use audiosession::{
    Activity, Category, Command, ErrorKind, Event, Mode, NowPlaying, Options, Permission, PlaybackState,
    Preference, RemoteCommand, RepeatMode, RouteSharingPolicy, Session, WebElements, WebType,
};
use support::{await_event, eventually, settled, within, Arbiter};

/// Well below the time after which the arbiter disconnects a program that answers no pings.
const SOON: Duration = Duration::from_secs(2);

/// Opens a session that plays.
fn playing(category: Category, options: Options) -> Session {
    let mut session = Session::open().unwrap();
    session.set_category(category, Mode::Default, options).unwrap();
    session.activate().unwrap();
    session.set_playing(true).unwrap();
    session
}

#[test]
fn opening() {
    let arbiter = Arbiter::new();
    let mut session = Session::open_at(arbiter.socket()).unwrap();
    assert!(arbiter.knows(session.id().unwrap()));
    assert!(session.unavailable().is_none());
    assert!(session.state().is_connected);
    assert_eq!(session.state().activity, Activity::Inactive);
    session.set_category(Category::Playback, Mode::SpokenAudio, Options::NONE).unwrap();
    session.prefer(Preference::IoBufferDuration, 0.01).unwrap();
    session.activate().unwrap();
    assert_eq!(session.state().activity, Activity::Active);
    assert!(arbiter.command(&["status", "--json"]).contains("spokenAudio"));
    session.deactivate().unwrap();
    assert_eq!(session.state().activity, Activity::Inactive);
    assert!(format!("{session:?}").contains("is_connected: true"));
}

/// INT-1, ACT-5: a call interrupts the session; meanwhile the gate is closed and activation
/// refused.
#[test]
fn interruption() {
    let arbiter = Arbiter::new();
    let mut session = playing(Category::Playback, Options::NONE);
    let mut gate = session.gate().unwrap();
    assert_eq!(gate.begin(480), 480);
    arbiter.command(&["call", "ring"]);
    let (rule, by) = await_event(&mut session, |event| match event {
        Event::InterruptionBegan { rule, by, .. } => Some((rule.clone(), *by)),
        _ => None,
    });
    assert!(rule.is_some() && by.is_some());
    assert_eq!(session.state().activity, Activity::Interrupted);
    assert_eq!(settled(&mut gate), 0.0);
    assert_eq!(gate.begin(480), 0);
    let refused = session.activate().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert!(refused.rule().is_some() && refused.code().is_some());
    assert_eq!(refused.by(), by);
    assert!(refused.to_string().contains("call"), "{refused}");
    let why = session.why().unwrap();
    assert!(why.contains("call"), "{why}");
    arbiter.command(&["call", "decline"]);
    await_event(&mut session, |event| {
        matches!(event, Event::InterruptionEnded { should_resume: true, .. }).then(|| ())
    });
    session.activate().unwrap();
    assert!(eventually(|| gate.begin(480) == 480));
    assert_eq!(settled(&mut gate), 1.0);
}

/// ACT-2, DUCK-1: the types of the W3C's Audio Session API lower and interrupt as it says, and the
/// state has its names.
#[test]
fn web_types() {
    let _arbiter = Arbiter::new();
    let mut music = Session::open().unwrap();
    music.set_web_type(WebType::Auto, WebElements { plays_media: true, captures: false }).unwrap();
    assert_eq!(music.web_state(), "inactive");
    music.activate().unwrap();
    assert_eq!(music.web_state(), "active");
    let mut gate = music.gate().unwrap();
    let mut other = Session::open().unwrap();
    other.set_web_type(WebType::Transient, WebElements::default()).unwrap();
    other.activate().unwrap();
    assert_eq!((gate.read().attenuation, music.web_state()), (14.0, "active"));
    other.deactivate().unwrap();
    other.set_web_type("transient-solo".parse().unwrap(), WebElements::default()).unwrap();
    other.activate().unwrap();
    await_event(&mut music, |event| matches!(event, Event::InterruptionBegan { .. }).then(|| ()));
    assert_eq!((gate.read().attenuation, music.web_state()), (0.0, "interrupted"));
    other.deactivate().unwrap();
    await_event(&mut music, |event| {
        matches!(event, Event::InterruptionEnded { should_resume: true, .. }).then(|| ())
    });
    assert_eq!(music.web_state(), "inactive");
    for name in ["auto", "playback", "transient", "transient-solo", "ambient", "play-and-record"] {
        assert_eq!(name.parse::<WebType>().unwrap().name(), name);
    }
    assert_eq!("Playback".parse::<WebType>().unwrap_err().kind(), ErrorKind::BadArgument);
    let elements = |plays_media, captures| WebElements { plays_media, captures };
    assert_eq!(WebType::Auto.resolved(elements(false, false)), WebType::Ambient);
    assert_eq!(WebType::Auto.resolved(elements(true, false)), WebType::Playback);
    assert_eq!(WebType::Auto.resolved(elements(false, true)), WebType::PlayAndRecord);
    let all = elements(true, true);
    assert_eq!(WebType::Auto.resolved(all), WebType::PlayAndRecord);
    assert_eq!(WebType::Ambient.resolved(all), WebType::Ambient);
    assert!(WebType::Playback.is_exclusive() && !WebType::Transient.is_exclusive());
}

/// DUCK-2: a session that ducks others lowers them by the level that the gate reports.
#[test]
fn ducking() {
    let _arbiter = Arbiter::new();
    let mut music = playing(Category::Playback, Options::NONE);
    let mut gate = music.gate().unwrap();
    assert_eq!(settled(&mut gate), 1.0);
    let mut prompt = playing(Category::Playback, Options::DUCK_OTHERS);
    assert!(eventually(|| gate.read().attenuation > 0.0));
    let expected = 10f32.powf(-gate.read().attenuation / 20.0);
    assert!((settled(&mut gate) / expected - 1.0).abs() < 1e-4);
    prompt.deactivate().unwrap();
    assert_eq!(settled(&mut gate), 1.0);
}

/// DUCK-2: with keys, others are lowered while the samples that pass the gate are audible.
#[test]
fn ducking_while_audible() {
    let _arbiter = Arbiter::new();
    let mut music = playing(Category::Playback, Options::NONE);
    let mut gate = music.gate().unwrap();
    let mut prompt = Session::open().unwrap();
    let mut prompt_gate = prompt.gate().unwrap();
    prompt.set_category(Category::Playback, Mode::VoicePrompt, Options::DUCK_OTHERS).unwrap();
    prompt.set_ducks_only_while_audible(true).unwrap();
    prompt.activate().unwrap();
    prompt.set_playing(true).unwrap();
    let mut cycle = |level: f32| {
        prompt_gate.apply([&mut [level; 480]]);
        gate.read().attenuation > 0.0
    };
    assert!(!cycle(0.0));
    assert!(eventually(|| cycle(0.5)));
}

/// ACT-14: a session that may not be active yet waits, and an event reports that it is active.
#[test]
fn waiting_for_activation() {
    let arbiter = Arbiter::new();
    arbiter.command(&["call", "ring"]);
    let mut session = Session::open().unwrap();
    session.set_category(Category::Ambient, Mode::Default, Options::NONE).unwrap();
    session.request_activation().unwrap();
    assert_eq!(session.state().activity, Activity::Inactive);
    assert_eq!(session.events().next(), None);
    arbiter.command(&["call", "decline"]);
    let rule = await_event(&mut session, |event| match event {
        Event::Activated { rule, .. } => Some(rule.clone()),
        _ => None,
    });
    assert_eq!(rule.as_deref(), Some("ACT-14"));
    assert_eq!(session.state().activity, Activity::Active);
}

/// SRV-3: the session is restored with the next arbiter, and events report the loss and the
/// return.
#[test]
fn arbiter_killed() {
    let arbiter = Arbiter::new();
    let mut session = playing(Category::Playback, Options::NONE);
    let mut gate = session.gate().unwrap();
    arbiter.kill();
    await_event(&mut session, |event| matches!(event, Event::ArbiterLost).then(|| ()));
    assert!(!session.state().is_connected);
    assert_eq!(gate.begin(480), 480);
    await_event(&mut session, |event| matches!(event, Event::ArbiterReturned).then(|| ()));
    assert!(session.state().is_connected);
    assert_eq!(session.state().activity, Activity::Active);
    assert_eq!(settled(&mut gate), 1.0);
}

/// SRV-3: a session whose arbiter is lost ends without another one, whether it has noticed the
/// loss or not.
#[test]
fn dropped_without_arbiter() {
    for has_noticed in [true, false] {
        let arbiter = Arbiter::new();
        let mut session = playing(Category::Playback, Options::NONE);
        let mut gate = session.gate().unwrap();
        assert_eq!(settled(&mut gate), 1.0);
        arbiter.kill();
        if has_noticed {
            await_event(&mut session, |event| matches!(event, Event::ArbiterLost).then(|| ()));
        }
        assert_eq!(settled(&mut gate), 1.0);
        drop(session);
        assert!(!arbiter.is_running());
        assert_eq!(settled(&mut gate), 0.0);
        assert_eq!(gate.begin(480), 0);
    }
}

/// SRV-3: so does one that is being restored with the next arbiter.
#[test]
fn dropped_while_joining() {
    let arbiter = Arbiter::new();
    let mut session = playing(Category::Playback, Options::NONE);
    let mut gate = session.gate().unwrap();
    assert_eq!(settled(&mut gate), 1.0);
    arbiter.kill();
    assert!(eventually(|| {
        session.dispatch();
        arbiter.is_running()
    }));
    drop(session);
    assert!(within(SOON, || !arbiter.has_sessions()));
    assert_eq!(settled(&mut gate), 0.0);
}

#[test]
fn waiting() {
    let arbiter = Arbiter::new();
    let mut session = Session::open().unwrap();
    assert_eq!(session.wait(Duration::ZERO), Ok(None));
    let begun = Instant::now();
    assert_eq!(session.wait(Duration::from_millis(50)), Ok(None));
    assert!(begun.elapsed() >= Duration::from_millis(50));
    let waiting = std::thread::spawn(move || {
        await_event(&mut session, |event| match event {
            Event::VolumeChanged { volume } => Some(*volume),
            _ => None,
        });
        // Without an end, also by a timeout that is longer than any clock.
        while !matches!(session.wait(Duration::MAX), Ok(Some(Event::VolumeChanged { .. }))) {}
        while !matches!(session.wait(None), Ok(Some(Event::VolumeChanged { .. }))) {}
        session
    });
    for volume in ["0.5", "0.25", "0.75"] {
        arbiter.command(&["volume", volume]);
    }
    assert_eq!(waiting.join().unwrap().state().volume, 0.75);
}

/// An event loop of the program watches the descriptor.
#[test]
fn descriptor() {
    let arbiter = Arbiter::new();
    let mut session = Session::open().unwrap();
    assert_eq!(session.as_fd().as_raw_fd(), session.as_raw_fd());
    arbiter.command(&["volume", "0.5"]);
    let mut events = Vec::new();
    assert!(eventually(|| {
        events.extend(session.events());
        events.contains(&Event::VolumeChanged { volume: 0.5 })
    }));
}

/// The session ends for others when it is dropped, although its gate is still in use.
#[test]
fn dropped_before_its_gate() {
    let arbiter = Arbiter::new();
    let mut music = playing(Category::Playback, Options::NONE);
    let mut other = playing(Category::Playback, Options::NONE);
    let mut gate = other.gate().unwrap();
    await_event(&mut music, |event| matches!(event, Event::InterruptionBegan { .. }).then(|| ()));
    assert_eq!(settled(&mut gate), 1.0);
    let id = other.id().unwrap();
    drop(other);
    assert!(within(SOON, || !arbiter.knows(id)));
    await_event(&mut music, |event| matches!(event, Event::InterruptionEnded { .. }).then(|| ()));
    assert_eq!(settled(&mut gate), 0.0);
}

/// So does its wait to be active: it does not begin after the call.
#[test]
fn dropped_while_waiting() {
    let arbiter = Arbiter::new();
    arbiter.command(&["call", "ring"]);
    let mut waiting = Session::open().unwrap();
    waiting.set_category(Category::Ambient, Mode::Default, Options::NONE).unwrap();
    waiting.request_activation().unwrap();
    let gate = waiting.gate();
    drop(waiting);
    arbiter.command(&["call", "decline"]);
    let status = arbiter.command(&["status", "--json"]);
    assert!(!status.contains("\"active\":true"), "{status}");
    drop(gate);
}

/// A session that is dropped is unknown to the arbiter, with its gate or after it.
#[test]
fn dropped() {
    let arbiter = Arbiter::new();
    let mut session = Session::open().unwrap();
    let id = session.id().unwrap();
    let gate = session.gate();
    drop(session);
    drop(gate);
    assert!(eventually(|| !arbiter.knows(id)));
}

#[test]
fn routes() {
    let arbiter = Arbiter::new();
    let mut session = playing(Category::PlayAndRecord, Options::NONE);
    assert_eq!(session.route_outputs(), []);
    arbiter.command(&[
        "device",
        "plug",
        "room-speaker",
        "--type",
        "usbAudio",
        "--inputs",
        "2",
        "--policy-only",
    ]);
    // CAT-3: the activation changed the route before.
    await_event(&mut session, |event| {
        matches!(event, Event::RouteChanged { reason, .. } if reason == "newDeviceAvailable").then(|| ())
    });
    let outputs = session.route_outputs();
    assert!(outputs.iter().any(|port| port.port_type == "usbAudio" && port.channels > 0), "{outputs:?}");
    assert!(outputs.iter().all(|port| !port.uid.is_empty() && !port.name.is_empty()));
    assert!(eventually(|| {
        session.dispatch();
        !session.available_inputs().is_empty() && !session.route_inputs().is_empty()
    }));
    let uid = session.available_inputs()[0].uid.clone();
    session.prefer_input(Some(&uid)).unwrap();
    session.prefer_input(None).unwrap();
    assert_eq!(session.prefer_input(Some("none")).unwrap_err().kind(), ErrorKind::Refused);
    session.prefer_interruption_on_route_disconnect(false).unwrap();
    session.override_output_to_speaker(false).unwrap();
}

/// PERM-1, PERM-2: input is silent until the user has answered.
#[test]
fn record_permission() {
    let _arbiter = Arbiter::new();
    let mut session = Session::open().unwrap();
    session.set_category(Category::PlayAndRecord, Mode::Default, Options::NONE).unwrap();
    assert_eq!(session.record_permission(), Permission::Undetermined);
    session.set_recording(true).unwrap();
    let mut gate = session.gate().unwrap();
    assert!(!gate.read().is_input_granted);
    session.answer_record_permission(true).unwrap();
    assert!(eventually(|| {
        session.dispatch();
        session.record_permission() == Permission::Granted && gate.read().is_input_granted
    }));
    session.set_input_muted(true).unwrap();
    let is_muted = await_event(&mut session, |event| match event {
        Event::InputMuteChanged { is_muted } => Some(*is_muted),
        _ => None,
    });
    assert!(is_muted);
    session.set_recording(false).unwrap();
}

/// REMOTE-1 to REMOTE-3: commands arrive with their values, and what plays is published.
#[test]
fn remote_control() {
    let arbiter = Arbiter::new();
    let mut session = playing(Category::Playback, Options::NONE);
    session
        .set_remote_commands([
            Command::Play,
            Command::Pause,
            Command::Skip,
            Command::SetShuffled,
            Command::SetRepeatMode,
        ])
        .unwrap();
    let track = NowPlaying::new(PlaybackState::Playing)
        .track_identifier("1")
        .title("Gymnopédie 1")
        .artist("Satie")
        .album("Gymnopédies")
        .artwork_url("file:///cover.png")
        .duration(185.0)
        .position(10.0)
        .rate(1.0)
        .shuffled(true)
        .repeat_mode(RepeatMode::All);
    session.set_now_playing(Some(&track)).unwrap();
    assert!(arbiter.command(&["remote"]).contains("Gymnopédie 1"));
    let mut remote = |arguments: &[&str]| {
        arbiter.command(arguments);
        await_event(&mut session, |event| match event {
            Event::RemoteCommand(command) => Some(*command),
            _ => None,
        })
    };
    assert_eq!(remote(&["remote", "pause"]), RemoteCommand::Pause);
    assert_eq!(remote(&["remote", "skip", "15"]), RemoteCommand::Skip(15.0));
    assert_eq!(remote(&["remote", "shuffle", "on"]), RemoteCommand::SetShuffled(true));
    assert_eq!(remote(&["remote", "repeat", "one"]), RemoteCommand::SetRepeatMode(RepeatMode::One));
    session.user_paused().unwrap();
    session.set_now_playing(None).unwrap();
    session.set_remote_commands([]).unwrap();
}

#[test]
fn other_requests() {
    let _arbiter = Arbiter::new();
    let mut session = playing(Category::Playback, Options::NONE);
    let policy = RouteSharingPolicy::LongFormAudio;
    session.set_category_and_policy(Category::Playback, Mode::Default, policy, Options::NONE).unwrap();
    session.set_paused(true).unwrap();
    session.prefer_no_interruptions_from_system_alerts(true).unwrap();
    session.set_output_muted(true).unwrap();
    let is_muted = await_event(&mut session, |event| match event {
        Event::OutputMuteChanged { is_muted } => Some(*is_muted),
        _ => None,
    });
    assert!(is_muted);
    assert_eq!(session.gate().unwrap().read().volume, 1.0);
    session.deactivate_silently().unwrap();
    let report = session.request(r#"{"request": "report"}"#).unwrap();
    assert!(report.starts_with('{') && report.contains("sessions"), "{report}");
    for json in ["", "[]", "{\"request\": \"hello\"}", "{\0}"] {
        assert_eq!(session.request(json).unwrap_err().kind(), ErrorKind::BadArgument, "{json}");
    }
}

#[test]
fn bad_arguments() {
    let _arbiter = Arbiter::new();
    let mut session = Session::open().unwrap();
    let kinds = [
        session.prefer(Preference::SampleRate, f64::NAN).unwrap_err().kind(),
        session.prefer(Preference::SampleRate, -1.0).unwrap_err().kind(),
        session.prefer_input(Some("a\0b")).unwrap_err().kind(),
        session.set_now_playing(Some(&NowPlaying::default().title("a\0b"))).unwrap_err().kind(),
        Session::open_at("a\0b").unwrap_err().kind(),
    ];
    assert_eq!(kinds, [ErrorKind::BadArgument; 5]);
    assert_eq!(Session::open_at("a".repeat(200)).unwrap_err().kind(), ErrorKind::NoArbiter);
    let error = session.prefer_input(Some("a\0b")).unwrap_err();
    assert_eq!(error.to_string(), "The input's uid contains a null character (byte 1); remove it.");
    assert_eq!((error.code(), error.rule(), error.by()), (None, None, None));
}

#[test]
fn without_an_arbiter() {
    let _arbiter = Arbiter::missing();
    let error = Session::open().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoArbiter);
    assert!(error.message().contains("missing"), "{error}");

    let mut session = Session::open_or_detached().unwrap();
    assert_eq!(session.unavailable(), Some(&error));
    session.set_category(Category::Playback, Mode::Default, Options::DUCK_OTHERS).unwrap();
    session.activate().unwrap();
    session.set_playing(true).unwrap();
    session.set_recording(true).unwrap();
    session.set_remote_commands([Command::Play]).unwrap();
    session.set_now_playing(Some(&NowPlaying::default())).unwrap();
    session.deactivate().unwrap();
    assert_eq!(session.prefer(Preference::SampleRate, -1.0).unwrap_err().kind(), ErrorKind::BadArgument);
    assert_eq!((session.id(), session.state()), (None, audiosession::State::default()));
    assert_eq!((session.route_outputs(), session.record_permission()), (vec![], Permission::Undetermined));
    assert_eq!(session.why(), Err(error.clone()));
    assert_eq!(session.request("{}"), Err(error.clone()));
    // Its descriptor works in an event loop, and is never readable.
    assert!(session.as_fd().as_raw_fd() >= 0);
    assert_eq!(session.events().count(), 0);
    assert_eq!(session.wait(Duration::from_millis(10)), Ok(None));
    assert_eq!(session.wait(None), Err(error));

    let mut gate = session.gate().unwrap();
    assert_eq!(gate.begin(2), 2);
    let mut block = [0.5, -0.25];
    assert_eq!(gate.apply([&mut block]), 2);
    assert_eq!(block, [0.5, -0.25]);
    assert!(gate.read().is_input_granted && !gate.read().is_paused);
    drop(session);
    gate.set_sample_rate(44_100);
    assert_eq!(gate.begin(2), 2);
}

extern "C" {
    fn fork() -> i32;
    fn _exit(status: i32) -> !;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
}

/// A child process that was forked has no part in the session, and does not end it. One without
/// an arbiter works there.
#[test]
fn forked_child() {
    let arbiter = Arbiter::new();
    let mut session = playing(Category::Playback, Options::NONE);
    let mut detached = Session::open_at("a".repeat(200)).or_else(Session::detached).unwrap();
    let gate = session.gate();
    // SAFETY: The child only calls functions of the crate that make no request, and ends.
    let child = unsafe { fork() };
    if child == 0 {
        let refused = session.activate().is_err() && session.wait(Duration::ZERO).is_err();
        let works = detached.activate().is_ok() && detached.wait(Duration::ZERO) == Ok(None);
        let silent = session.events().next().is_none() && session.id().is_some();
        let has_gates = (session.gate().is_some(), detached.gate().is_some()) == (false, true);
        drop(session);
        drop(gate);
        // SAFETY: The function ends the process.
        unsafe { _exit(if refused && works && silent && has_gates { 7 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: The pointer is to a status that exists during the call.
    assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 7 << 8);
    session.set_playing(false).unwrap();
    assert!(arbiter.knows(session.id().unwrap()));
    assert_eq!(session.state().activity, Activity::Active);
}

/// The crate and the library that it runs with are of the same version.
#[test]
fn version() {
    assert_eq!(audiosession::library_version(), env!("CARGO_PKG_VERSION"));
}

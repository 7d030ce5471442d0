//! The gate: its samples, and its life beside the session's.

mod support;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

use audiosession::{sys, Category, Event, Gate, Mode, Options, Session};
use support::{await_event, eventually, settled, Arbiter};

fn playing() -> Session {
    let mut session = Session::open().unwrap();
    session.set_category(Category::Playback, Mode::Default, Options::NONE).unwrap();
    session.activate().unwrap();
    session.set_playing(true).unwrap();
    session
}

/// While the gate is open, it does not change a bit, of NaN and -0 neither.
#[test]
fn open_gate() {
    let _arbiter = Arbiter::new();
    let mut session = playing();
    let mut gate = session.gate().unwrap();
    assert_eq!(settled(&mut gate), 1.0);
    let mut random = 0x2545_f491u32;
    let mut samples: Vec<f32> = (0..4_096)
        .map(|_| {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            f32::from_bits(random)
        })
        .chain([-0.0, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE / 2.0])
        .collect();
    let before: Vec<u32> = samples.iter().map(|sample| sample.to_bits()).collect();
    let (left, right) = samples.split_at_mut(2_050);
    assert_eq!(gate.apply([left, right]), 2_050);
    assert!(samples.iter().map(|sample| sample.to_bits()).eq(before));
}

/// Channels of different lengths: the shortest counts, and nothing passes around the gate.
#[test]
fn unequal_channels() {
    let mut gate = detached();
    let (mut short, mut long, mut empty) = ([1.0f32; 3], [1.0f32; 5], [0.0f32; 0]);
    assert_eq!(gate.apply([&mut short, &mut long]), 3);
    assert_eq!((short, long), ([1.0; 3], [1.0, 1.0, 1.0, 0.0, 0.0]));
    assert_eq!(gate.apply([&mut short, &mut empty]), 0);
    assert_eq!(short, [0.0; 3]);
    assert_eq!(gate.begin(480), 480);
    assert_eq!(gate.apply([]), 0);
}

/// A gate that is always open, as hosts without a session have it.
fn detached() -> Gate {
    // SAFETY: Null is a gate that is always open.
    unsafe { Gate::from_raw(std::ptr::null_mut()) }
}

/// A gate by its C pointer, as hosts that own the session pass it on.
#[test]
fn raw_gate() {
    let arbiter = Arbiter::new();
    // SAFETY: Null is the socket of the environment, and no error is requested.
    let session = unsafe { sys::asession_open(std::ptr::null(), std::ptr::null_mut()) };
    assert!(!session.is_null());
    // SAFETY: The session is closed after the last use of the gate, and has no other one.
    let mut gate = unsafe { Gate::from_raw(sys::asession_gate(session)) };
    arbiter.command(&["volume", "0.5"]);
    assert_eq!(gate.read().volume, 0.5);
    // The session is not active.
    assert_eq!(settled(&mut gate), 0.0);
    drop(gate);
    // SAFETY: Nothing uses the session any longer.
    unsafe { sys::asession_close(session) };
}

/// The gain of each frame, for interleaved samples, is that of planar ones.
#[test]
fn gains() {
    let arbiter = Arbiter::new();
    let mut session = playing();
    let mut gate = session.gate().unwrap();
    arbiter.command(&["volume", "0.5"]);
    let gain = settled(&mut gate);
    assert!(gain > 0.0 && gain < 1.0);
    let mut planar = [0.25f32; 64];
    gate.apply([&mut planar]);
    assert_eq!(planar, [0.25 * gain; 64]);
}

/// There is one gate at a time, which may be replaced.
#[test]
fn one_gate() {
    let _arbiter = Arbiter::new();
    let mut session = playing();
    let gate = session.gate();
    assert!(gate.is_some());
    assert!(session.gate().is_none());
    drop(gate);
    assert!(session.gate().is_some());
}

/// The gate fades out within its ramp, and the sources go on with the very next frame.
#[test]
fn pause_and_resume() {
    let arbiter = Arbiter::new();
    let mut session = playing();
    let mut gate = session.gate().unwrap();
    assert_eq!(settled(&mut gate), 1.0);
    arbiter.command(&["call", "ring"]);
    await_event(&mut session, |event| matches!(event, Event::InterruptionBegan { .. }).then(|| ()));
    let ramp = gate.read().fade_ms * 48;
    let mut rendered = 0;
    for _ in 0..100 {
        let frames = gate.begin(64);
        let mut block = [1.0f32; 64];
        assert_eq!(gate.apply([&mut block]), frames as usize);
        assert!(block[frames as usize..].iter().all(|&sample| sample == 0.0));
        rendered += frames;
    }
    assert_eq!(rendered, ramp, "the sources stop at the end of the fade-out");
}

/// The audio thread uses the gate while the session is used and dropped.
#[test]
fn audio_thread() {
    let _arbiter = Arbiter::new();
    for _ in 0..20 {
        let mut session = playing();
        let mut gate = session.gate().unwrap();
        let stops = Arc::new(AtomicBool::new(false));
        let cycles = Arc::new(AtomicUsize::new(0));
        let (stopped, counted) = (Arc::clone(&stops), Arc::clone(&cycles));
        let audio = std::thread::spawn(move || {
            let (mut left, mut right) = ([0.5f32; 128], [0.5f32; 128]);
            while !stopped.load(Ordering::Relaxed) {
                let frames = gate.begin(128);
                assert_eq!(gate.apply([&mut left, &mut right]), frames as usize);
                assert!(gate.read().attenuation >= 0.0);
                counted.fetch_add(1, Ordering::Relaxed);
            }
            gate // dropped by the thread that joins this one
        });
        assert!(eventually(|| cycles.load(Ordering::Relaxed) > 10));
        for is_playing in [false, true, false] {
            session.set_playing(is_playing).unwrap();
            session.events().for_each(drop);
        }
        drop(session);
        let before = cycles.load(Ordering::Relaxed);
        assert!(eventually(|| cycles.load(Ordering::Relaxed) > before + 10));
        stops.store(true, Ordering::Relaxed);
        drop(audio.join().unwrap());
    }
}

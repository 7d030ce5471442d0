//! What a session plays, for lock screens and panels.

use std::ffi::CString;
use std::ptr;

use audiosession_sys as sys;

use crate::text;
use crate::{Error, PlaybackState, RepeatMode};

/// What a session plays ([`Session::set_now_playing`](crate::Session::set_now_playing)). What is
/// not set is unknown.
///
/// ```
/// use audiosession::{NowPlaying, PlaybackState};
///
/// let track = NowPlaying::new(PlaybackState::Playing)
///     .title("Gymnopédie 1")
///     .artist("Satie")
///     .duration(185.0);
/// # let _ = track;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "pass it to Session::set_now_playing"]
pub struct NowPlaying {
    playback_state: PlaybackState,
    track_identifier: Option<String>,
    title: Option<String>,
    artist: Option<String>,
    album: Option<String>,
    artwork_url: Option<String>,
    duration: f64,
    position: f64,
    rate: f64,
    is_shuffled: bool,
    repeat_mode: RepeatMode,
}

impl NowPlaying {
    /// Says only whether the program plays.
    pub fn new(playback_state: PlaybackState) -> Self {
        Self { playback_state, ..Self::default() }
    }

    /// Sets what identifies the track among those of the program.
    pub fn track_identifier(mut self, identifier: impl Into<String>) -> Self {
        self.track_identifier = Some(identifier.into());
        self
    }

    /// Sets the title.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the artist.
    pub fn artist(mut self, artist: impl Into<String>) -> Self {
        self.artist = Some(artist.into());
        self
    }

    /// Sets the album.
    pub fn album(mut self, album: impl Into<String>) -> Self {
        self.album = Some(album.into());
        self
    }

    /// Sets the URL of the artwork, such as `file:///home/user/cover.png`.
    pub fn artwork_url(mut self, url: impl Into<String>) -> Self {
        self.artwork_url = Some(url.into());
        self
    }

    /// Sets the duration in seconds.
    pub fn duration(mut self, seconds: f64) -> Self {
        self.duration = seconds;
        self
    }

    /// Sets the position in seconds, at the time of the request. It advances by the rate while
    /// playing.
    pub fn position(mut self, seconds: f64) -> Self {
        self.position = seconds;
        self
    }

    /// Sets the speed; 1 is normal speed, and the initial value.
    pub fn rate(mut self, rate: f64) -> Self {
        self.rate = rate;
        self
    }

    /// Sets whether tracks are played in random order. It is published if the session handles
    /// [`Command::SetShuffled`](crate::Command::SetShuffled).
    pub fn shuffled(mut self, is_shuffled: bool) -> Self {
        self.is_shuffled = is_shuffled;
        self
    }

    /// Sets what is repeated. It is published if the session handles
    /// [`Command::SetRepeatMode`](crate::Command::SetRepeatMode).
    pub fn repeat_mode(mut self, mode: RepeatMode) -> Self {
        self.repeat_mode = mode;
        self
    }

    /// Calls a function with the C structure, whose texts exist until it returns.
    pub(crate) fn with_c<R>(&self, call: impl FnOnce(&sys::asession_now_playing_t) -> R) -> Result<R, Error> {
        let copy = |text: &Option<String>, what| {
            text.as_ref().map(|text| text::to_c(text.as_str(), what)).transpose()
        };
        let track_identifier = copy(&self.track_identifier, "The track's identifier")?;
        let title = copy(&self.title, "The title")?;
        let artist = copy(&self.artist, "The artist")?;
        let album = copy(&self.album, "The album")?;
        let artwork_url = copy(&self.artwork_url, "The URL of the artwork")?;
        let pointer = |text: &Option<CString>| {
            text.as_ref().map_or(ptr::null(), |text| text.as_ptr().cast::<sys::c_char>())
        };
        Ok(call(&sys::asession_now_playing_t {
            playback_state: self.playback_state.to_c(),
            track_identifier: pointer(&track_identifier),
            title: pointer(&title),
            artist: pointer(&artist),
            album: pointer(&album),
            artwork_url: pointer(&artwork_url),
            duration: self.duration,
            position: self.position,
            rate: self.rate,
            is_shuffled: self.is_shuffled,
            repeat_mode: self.repeat_mode.to_c(),
        }))
    }
}

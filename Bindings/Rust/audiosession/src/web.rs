//! The Audio Session API of the W3C, for browsers.

use std::ffi::CStr;
use std::str::FromStr;

use audiosession_sys as sys;

use crate::values::enumeration;
use crate::{Error, ErrorKind};

enumeration! {
    /// A type of the W3C's Audio Session API.
    ///
    /// [`FromStr`] parses the names of the API, such as `transient-solo`.
    ///
    /// ```
    /// # use audiosession::WebType;
    /// let web_type: WebType = "transient-solo".parse()?;
    /// assert_eq!(web_type.name(), "transient-solo");
    /// # Ok::<(), audiosession::Error>(())
    /// ```
    #[derive(Default)]
    WebType {
        /// The browser chooses by what the page does.
        #[default]
        Auto = ASESSION_WEB_AUTO,
        /// Music, videos; interrupts other such sound.
        Playback = ASESSION_WEB_PLAYBACK,
        /// A short notification; lowers others meanwhile.
        Transient = ASESSION_WEB_TRANSIENT,
        /// A spoken direction; interrupts others, which resume afterwards.
        TransientSolo = ASESSION_WEB_TRANSIENT_SOLO,
        /// Mixes with others; silenced by the silent switch.
        Ambient = ASESSION_WEB_AMBIENT,
        /// A conversation while the page captures (ACT-18).
        PlayAndRecord = ASESSION_WEB_PLAY_AND_RECORD,
    }
}

/// The elements of a page that are audible, or would be, for [`WebType::Auto`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WebElements {
    /// A media element plays.
    pub plays_media: bool,
    /// The page captures from a microphone.
    pub captures: bool,
}

impl WebElements {
    pub(crate) fn bits(self) -> sys::c_uint {
        let media = if self.plays_media { sys::ASESSION_WEB_PLAYS_MEDIA } else { 0 };
        media | if self.captures { sys::ASESSION_WEB_CAPTURES } else { 0 }
    }
}

impl WebType {
    const ALL: [Self; 6] = [
        Self::Auto,
        Self::Playback,
        Self::Transient,
        Self::TransientSolo,
        Self::Ambient,
        Self::PlayAndRecord,
    ];

    /// The name in the API, such as `transient-solo`.
    #[must_use]
    pub fn name(self) -> &'static str {
        // SAFETY: The function reads only its argument.
        static_text(unsafe { sys::asession_web_type_name(self.to_c()) })
    }

    /// The type that `Auto` becomes by the elements of the page; other types are returned as they
    /// are.
    #[must_use]
    pub fn resolved(self, elements: WebElements) -> Self {
        // SAFETY: The function reads only its arguments.
        let resolved = unsafe { sys::asession_web_resolve_type(self.to_c(), elements.bits()) };
        Self::from_c(resolved).unwrap_or(self)
    }

    /// Whether the API calls the type exclusive: one such session of a page is active at a time.
    #[must_use]
    pub fn is_exclusive(self) -> bool {
        // SAFETY: The function reads only its argument.
        unsafe { sys::asession_web_type_is_exclusive(self.to_c()) }
    }
}

impl FromStr for WebType {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|each| each.name() == name).ok_or_else(|| {
            Error::new(ErrorKind::BadArgument, format!("No type of an audio session has the name '{name}'."))
        })
    }
}

/// Returns a text of the library that is never freed; null: an empty one.
pub(crate) fn static_text(text: *const sys::c_char) -> &'static str {
    if text.is_null() {
        return "";
    }
    // SAFETY: The library's constant, which ends with a null character.
    unsafe { CStr::from_ptr(text.cast()) }.to_str().unwrap_or_default()
}

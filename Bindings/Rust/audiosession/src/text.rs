//! Texts of the C library.

use std::ffi::{CStr, CString};

use audiosession_sys as sys;

use crate::{Error, ErrorKind};

/// Copies the text of an array, up to its first null character or its end.
pub(crate) fn from_array(text: &[sys::c_char]) -> String {
    // `c_char` is signed on some machines.
    #[allow(clippy::unnecessary_cast)]
    let bytes: Vec<u8> = text.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The same, and `None` for an empty text.
pub(crate) fn from_optional_array(text: &[sys::c_char]) -> Option<String> {
    Some(from_array(text)).filter(|text| !text.is_empty())
}

/// Copies a text; an empty one for null.
///
/// # Safety
///
/// The pointer is null, or to a text that ends with a null character.
pub(crate) unsafe fn from_pointer(text: *const sys::c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: The caller guarantees it.
    unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned()
}

/// Copies a text for the library. `what` names it in the error if it contains a null character.
pub(crate) fn to_c(text: impl Into<Vec<u8>>, what: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|error| {
        let at = error.nul_position();
        Error::new(
            ErrorKind::BadArgument,
            format!("{what} contains a null character (byte {at}); remove it."),
        )
    })
}

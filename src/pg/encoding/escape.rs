//! Bytes that are not a character, in Rust's texts: the byte 0x80 is U+10FF80 and so on, at the end of Unicode's
//! private use area, which no text uses. Each byte string has one form and comes back from it unchanged.

use std::borrow::Cow;

const FIRST: u32 = 0x10_FF80;

/// The character that stands for a byte from 0x80 on; others are themselves.
pub fn of_byte(byte: u8) -> char {
    match byte {
        0x80.. => {
            char::from_u32(FIRST + u32::from(byte - 0x80)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::from(byte),
    }
}

/// The byte that a character stands for; None: it is itself.
pub fn byte_of(character: char) -> Option<u8> {
    let place = u32::from(character).checked_sub(FIRST)?;
    u8::try_from(place).ok().map(|place| place | 0x80)
}

/// Valid UTF-8 as it is, all other bytes escaped; so is a character that would be taken for an escape.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes)
        && !text.chars().any(|c| byte_of(c).is_some())
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() * 2);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match byte_of(c) {
                Some(_) => text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(of_byte)),
                None => text.push(c),
            }
        }
        text.extend(chunk.invalid().iter().map(|&byte| of_byte(byte)));
    }
    Cow::Owned(text)
}

/// The bytes that [`decode`] made the text of.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !text.chars().any(|c| byte_of(c).is_some()) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        for byte in 0..=255 {
            let escaped = decode(&[b'a', byte, b'z']).into_owned();
            assert_eq!(*encode(&escaped), [b'a', byte, b'z'], "{byte:#x}");
        }
        assert_eq!(of_byte(0x80), '\u{10FF80}');
        assert_eq!(of_byte(0xFF), '\u{10FFFF}');
        assert_eq!(byte_of('\u{10FF7F}'), None);
    }

    #[test]
    fn valid_utf8_is_text() {
        let text = "tä → 本";
        assert!(matches!(decode(text.as_bytes()), Cow::Borrowed(same) if same == text));
        assert!(matches!(encode(text), Cow::Borrowed(same) if same == text.as_bytes()));
        assert_eq!(decode(b"t\xe4 \xc3\xa4"), "t\u{10FFE4} ä");
        assert_eq!(*encode("t\u{10FFE4} ä"), *b"t\xe4 \xc3\xa4");
    }

    #[test]
    fn a_character_that_looks_like_an_escape_comes_back_too() {
        let bytes = "\u{10FFE4}".as_bytes();
        let text = decode(bytes).into_owned();
        assert_eq!(text.chars().count(), 4);
        assert_eq!(*encode(&text), *bytes);
    }

    #[test]
    fn arbitrary_bytes_come_back() {
        let mut state = 1_u64;
        for len in 0..200 {
            let bytes: Vec<u8> = (0..len)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    (state >> 56) as u8
                })
                .collect();
            assert_eq!(*encode(&decode(&bytes)), *bytes);
        }
    }
}

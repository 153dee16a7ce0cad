//! Puts a mistake in SQL into what was built: the library holds the text of most files, the install script that of the others.

use std::fs;

use crate::Result;
use crate::list;

/// Changes a mistake's text in each of the files that holds the whole of its SQL file; fails if none does.
pub fn patch(list: &str, number: &str, files: &[&str]) -> Result<()> {
    let number: usize = number.parse()?;
    let mistake = list::read(list)?
        .into_iter()
        .find(|mistake| mistake.number == number)
        .ok_or("no such mistake")?;
    let text = fs::read(&mistake.file)?;
    let mut changed = false;
    for file in files {
        let mut built = fs::read(file)?;
        for at in places_of(&built, text.trim_ascii()) {
            let start = at + mistake.bytes.start - (text.len() - text.trim_ascii_start().len());
            for (byte, by) in built.iter_mut().skip(start).zip(mistake.is.bytes()) {
                *byte = by;
            }
            changed = true;
        }
        fs::write(file, built)?;
    }
    if changed {
        Ok(())
    } else {
        Err(format!("no file holds {}", mistake.file).into())
    }
}

/// Where a text stands.
fn places_of(built: &[u8], text: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = built
        .get(from..)
        .and_then(|rest| rest.windows(text.len()).position(|window| window == text))
    {
        places.push(from + at);
        from += at + text.len().max(1);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_places() {
        assert_eq!(places_of(b"xabyab", b"ab"), [1, 4]);
        assert_eq!(places_of(b"xa", b"ab"), [0; 0]);
    }
}

//! A capture in one piece, to be taken from one server to another: a head, which says what it is, its segments, and a checksum of all.

use crate::segment;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What a bundle begins with: what it is, and the version of its form.
const BEGINNING: &[u8; 16] = b"pgperf bundle 1\n";
/// A head is not longer.
const HEAD_BYTES: u32 = 1 << 20;

/// Writes a bundle of the segments in a folder.
///
/// # Errors
/// Those of the file system and of what is written to.
pub fn write(folder: &Path, head: &[u8], to: impl Write) -> io::Result<()> {
    let mut to = Summed::new(to);
    to.write_all(BEGINNING)?;
    let length = u32::try_from(head.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(head)?;
    for path in segment::paths(folder) {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        to.write_all(&length.to_le_bytes())?;
        io::copy(&mut (&mut file).take(length), &mut to)?;
    }
    // No segment is empty.
    to.write_all(&0_u64.to_le_bytes())?;
    let sum = to.sum.finalize();
    to.inner.write_all(&sum.to_le_bytes())?;
    to.inner.flush()
}

/// Reads a bundle into an empty folder. Returns its head. After an error the folder has some of it.
///
/// # Errors
/// Those of the file system, and [`io::ErrorKind::InvalidData`] or [`io::ErrorKind::UnexpectedEof`] where it is no bundle, or not whole.
pub fn read(from: impl Read, folder: &Path) -> io::Result<Vec<u8>> {
    let mut from = Summed::new(from);
    let mut beginning = [0; BEGINNING.len()];
    from.read_exact(&mut beginning)?;
    if beginning != *BEGINNING {
        return Err(damaged(
            "it does not begin as one, or is of a later version of pgperf",
        ));
    }
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > HEAD_BYTES {
        return Err(damaged("its head is too long"));
    }
    let mut head = vec![0; length as usize];
    from.read_exact(&mut head)?;
    for number in 1.. {
        let mut length = [0; 8];
        from.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length == 0 {
            break;
        }
        let path = folder.join(segment::name(number));
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        if io::copy(&mut (&mut from).take(length), &mut file)? != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.sync_all()?;
    }
    let sum = from.sum.clone().finalize();
    let mut expected = [0; 4];
    from.inner.read_exact(&mut expected)?;
    if u32::from_le_bytes(expected) != sum {
        return Err(damaged("its checksum differs"));
    }
    if from.inner.read(&mut [0])? != 0 {
        return Err(damaged("it goes on after its end"));
    }
    File::open(folder)?.sync_all()?;
    Ok(head)
}

fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// What goes through has a checksum.
struct Summed<T> {
    inner: T,
    sum: crc32fast::Hasher,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Summed<T> {
        Summed {
            inner,
            sum: crc32fast::Hasher::new(),
        }
    }
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::{Rest, Writer};
    use std::error::Error;

    fn bundle() -> Result<Vec<u8>, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut writer = Writer::begin(folder.path())?;
        writer.add(1, b"one")?;
        writer.sync()?;
        let mut bundle = Vec::new();
        write(folder.path(), b"head", &mut bundle)?;
        Ok(bundle)
    }

    #[test]
    fn a_bundle_comes_back() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        assert_eq!(read(&bundle()?[..], folder.path())?, b"head");
        let mut shown = Vec::new();
        let rest = segment::read(folder.path(), |session, bytes| {
            shown.push((session, bytes.to_vec()));
            Ok(())
        })?;
        assert_eq!((rest, shown), (Rest::Complete, vec![(1, b"one".to_vec())]));
        Ok(())
    }

    #[test]
    fn one_that_is_cut_damaged_or_longer_is_refused() -> Result<(), Box<dyn Error>> {
        let bundle = bundle()?;
        let refused = |bundle: &[u8]| -> Result<bool, Box<dyn Error>> {
            let folder = tempfile::tempdir()?;
            Ok(read(bundle, folder.path()).is_err())
        };
        for at in 0..bundle.len() {
            assert!(refused(&bundle[..at])?, "cut at {at}");
            let mut damaged = bundle.clone();
            damaged[at] ^= 0x11;
            assert!(refused(&damaged)?, "damaged at {at}");
        }
        assert!(refused(&[&bundle[..], b"x"].concat())?);
        Ok(())
    }
}

//! The files of a capture: segments of compressed blocks.
//!
//! A block is for itself: its length, a checksum, and what several sessions left, compressed. What a crash cut off is the last block of the
//! last segment, and all before it can be read.

use crate::code::{Read, Write};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What a segment begins with: what it is, and the version of its form.
const BEGINNING: &[u8; 16] = b"pgperf capture 1";
/// Length and checksum of a block, four bytes each.
const BLOCK_HEADER: usize = 8;
/// A block is not longer, compressed or not; that of a single session's bytes may be.
const BLOCK_BYTES: usize = 1 << 20;
/// No block that was written here has more: a session's bytes are those of a ring.
const UNPACKED_BYTES: u64 = 64 << 20;
/// After so many bytes comes the next segment.
const SEGMENT_BYTES: u64 = 16 << 20;

/// Writes the segments of a capture.
pub struct Writer {
    folder: PathBuf,
    segment: u32,
    file: File,
    in_segment: u64,
    /// Of all segments.
    bytes: u64,
    block: Vec<u8>,
}

impl Writer {
    /// Begins in an empty folder.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn begin(folder: &Path) -> io::Result<Writer> {
        let file = create(folder, 1)?;
        Ok(Writer {
            folder: folder.to_owned(),
            segment: 1,
            file,
            in_segment: BEGINNING.len() as u64,
            bytes: BEGINNING.len() as u64,
            block: Vec::new(),
        })
    }

    /// Bytes in the files so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds what a session left.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn add(&mut self, session: u64, left: &[u8]) -> io::Result<()> {
        self.block.number(session);
        self.block.text(left);
        if self.block.len() >= BLOCK_BYTES {
            self.end_block()
        } else {
            Ok(())
        }
    }

    /// Writes what was added, so that it outlives the server.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn sync(&mut self) -> io::Result<()> {
        self.end_block()?;
        self.file.sync_data()
    }

    fn end_block(&mut self) -> io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        if self.in_segment >= SEGMENT_BYTES {
            self.file.sync_data()?;
            self.segment += 1;
            self.file = create(&self.folder, self.segment)?;
            self.in_segment = BEGINNING.len() as u64;
            self.bytes += self.in_segment;
        }
        let mut bytes = vec![0; BLOCK_HEADER];
        let mut encoder = DeflateEncoder::new(&mut bytes, Compression::fast());
        encoder.write_all(&self.block)?;
        encoder.finish()?;
        let length = u32::try_from(bytes.len() - BLOCK_HEADER).map_err(io::Error::other)?;
        let sum = crc32fast::hash(&bytes[BLOCK_HEADER..]);
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes[4..BLOCK_HEADER].copy_from_slice(&sum.to_le_bytes());
        self.file.write_all(&bytes)?;
        self.in_segment += bytes.len() as u64;
        self.bytes += bytes.len() as u64;
        self.block.clear();
        Ok(())
    }
}

/// The segments that a folder has, in their order.
pub(crate) fn paths(folder: &Path) -> impl Iterator<Item = PathBuf> + use<'_> {
    (1..)
        .map(|segment| folder.join(name(segment)))
        .take_while(|path| path.exists())
}

/// That of a segment's file.
pub(crate) fn name(segment: u32) -> String {
    format!("{segment:08}.segment")
}

fn create(folder: &Path, segment: u32) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(folder.join(name(segment)))?;
    file.write_all(BEGINNING)?;
    // So that its name outlives a crash of the machine.
    File::open(folder)?.sync_all()?;
    Ok(file)
}

/// How the reading of a capture's files ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// At their end.
    Complete,
    /// At a block that a crash cut off, or that is damaged.
    Cut,
}

/// Shows each session's bytes, in the order in which they were written.
///
/// # Errors
/// Those of the file system, and where a file is no segment of this version.
pub fn read(folder: &Path, mut show: impl FnMut(u64, &[u8]) -> io::Result<()>) -> io::Result<Rest> {
    for segment in 1.. {
        let file = match File::open(folder.join(name(segment))) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && segment > 1 => break,
            other => other?,
        };
        if read_segment(file, &mut show)? == Rest::Cut {
            return Ok(Rest::Cut);
        }
    }
    Ok(Rest::Complete)
}

fn read_segment(
    file: File,
    show: &mut impl FnMut(u64, &[u8]) -> io::Result<()>,
) -> io::Result<Rest> {
    let mut file = io::BufReader::new(file);
    let mut beginning = [0; BEGINNING.len()];
    if !fill(&mut file, &mut beginning)? {
        return Ok(Rest::Cut);
    }
    if beginning != *BEGINNING {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "this is no capture, or one of a later version of pgperf",
        ));
    }
    loop {
        let mut header = [0; BLOCK_HEADER];
        match file.read(&mut header[..1])? {
            0 => return Ok(Rest::Complete),
            _ if fill(&mut file, &mut header[1..])? => {}
            _ => return Ok(Rest::Cut),
        }
        let [l0, l1, l2, l3, s0, s1, s2, s3] = header;
        let mut packed = Vec::new();
        let length = u64::from(u32::from_le_bytes([l0, l1, l2, l3]));
        (&mut file).take(length).read_to_end(&mut packed)?;
        if packed.len() as u64 != length
            || crc32fast::hash(&packed) != u32::from_le_bytes([s0, s1, s2, s3])
        {
            return Ok(Rest::Cut);
        }
        let mut block = Vec::new();
        let unpacked = DeflateDecoder::new(&packed[..])
            .take(UNPACKED_BYTES)
            .read_to_end(&mut block);
        if unpacked.is_err() || block.len() as u64 == UNPACKED_BYTES {
            return Ok(Rest::Cut);
        }
        let mut block = Read::new(&block);
        while !block.is_empty() {
            let (Some(session), Some(left)) = (block.number(), block.text()) else {
                return Ok(Rest::Cut);
            };
            show(session, left)?;
        }
    }
}

/// Whether there were enough bytes.
fn fill(file: &mut impl io::Read, bytes: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;
    use std::os::unix::fs::PermissionsExt;

    /// What sessions left, piece by piece.
    type Shown = Vec<(u64, Vec<u8>)>;

    fn all(folder: &Path) -> io::Result<(Rest, Shown)> {
        let mut shown = Vec::new();
        let rest = read(folder, |session, bytes| {
            shown.push((session, bytes.to_vec()));
            Ok(())
        })?;
        Ok((rest, shown))
    }

    #[test]
    fn what_was_added_comes_back_and_only_its_owner_may_read_it() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut writer = Writer::begin(folder.path())?;
        writer.add(1, b"one")?;
        writer.add(2, b"two")?;
        writer.sync()?;
        writer.add(1, b"three")?;
        writer.sync()?;
        let expected = vec![
            (1, b"one".to_vec()),
            (2, b"two".to_vec()),
            (1, b"three".to_vec()),
        ];
        assert_eq!(all(folder.path())?, (Rest::Complete, expected));
        let file = std::fs::metadata(folder.path().join(name(1)))?;
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
        assert_eq!(file.len(), writer.bytes());
        Ok(())
    }

    #[test]
    fn a_file_that_is_cut_anywhere_has_its_first_blocks() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut writer = Writer::begin(folder.path())?;
        let mut ends = vec![writer.bytes()];
        for session in 0..3 {
            writer.add(session, &[session as u8; 100])?;
            writer.sync()?;
            ends.push(writer.bytes());
        }
        let path = folder.path().join(name(1));
        let whole = std::fs::read(&path)?;
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length])?;
            let (rest, shown) = all(folder.path())?;
            let blocks = ends
                .iter()
                .skip(1)
                .filter(|&&end| end <= length as u64)
                .count();
            assert_eq!(shown.len(), blocks, "cut at {length}");
            assert_eq!(
                rest == Rest::Complete,
                ends.contains(&(length as u64)),
                "cut at {length}"
            );
        }
        Ok(())
    }

    #[test]
    fn a_damaged_byte_ends_the_reading_before_its_block() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut writer = Writer::begin(folder.path())?;
        writer.add(1, b"one")?;
        writer.sync()?;
        let first = writer.bytes() as usize;
        writer.add(2, b"two")?;
        writer.sync()?;
        let path = folder.path().join(name(1));
        let whole = std::fs::read(&path)?;
        for at in first..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            std::fs::write(&path, &damaged)?;
            assert_eq!(all(folder.path())?, (Rest::Cut, vec![(1, b"one".to_vec())]));
        }
        std::fs::write(&path, b"something else, but long enough")?;
        assert!(all(folder.path()).is_err());
        Ok(())
    }

    #[test]
    fn long_captures_have_several_segments() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut writer = Writer::begin(folder.path())?;
        let mut seed = 1_u64;
        let mut noise = Vec::new();
        for _ in 0..1 << 17 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            noise.extend_from_slice(&seed.to_le_bytes());
        }
        for session in 0..20 {
            writer.add(session, &noise)?;
        }
        writer.sync()?;
        assert!(folder.path().join(name(2)).exists());
        let files = std::fs::read_dir(folder.path())?;
        let sizes: io::Result<u64> = files.map(|file| Ok(file?.metadata()?.len())).sum();
        assert_eq!(sizes?, writer.bytes());
        let (rest, shown) = all(folder.path())?;
        assert_eq!((rest, shown.len()), (Rest::Complete, 20));
        Ok(())
    }
}

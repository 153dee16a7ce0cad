//! The operating system's cache of the pages of a file.

use rustix::fs::{Advice, fadvise, fdatasync};
use std::fs::File;
use std::io::{Error, Result};
use std::os::fd::AsRawFd;
use std::path::Path;

/// Bytes of a file, and those of them that are in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Residency {
    pub bytes: u64,
    pub resident: u64,
}

impl Residency {
    pub fn add(&mut self, other: Residency) {
        self.bytes += other.bytes;
        self.resident += other.resident;
    }
}

/// Lets the operating system drop a file's pages, which it does with those that are on disk and not in use. No privilege is needed.
///
/// # Errors
/// The file cannot be opened or written out, or the file system does not know the call.
pub fn drop_pages(path: &Path) -> Result<()> {
    let file = File::open(path)?;
    // Pages that differ from the disk would stay.
    fdatasync(&file)?;
    Ok(fadvise(&file, 0, None, Advice::DontNeed)?)
}

/// How much of a file is in memory, without reading it.
///
/// # Errors
/// The file cannot be opened or mapped.
pub fn residency(path: &Path) -> Result<Residency> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let length = usize::try_from(bytes).unwrap_or(0);
    if length == 0 {
        return Ok(Residency::default());
    }
    let page = procfs::page_size() as usize;
    let mut pages = vec![0u8; length.div_ceil(page)];
    // SAFETY: a mapping of its own that nobody touches, so that no page is read and a file that shrinks meanwhile does no harm; the vector has a
    // byte for each of its pages; it is unmapped before the function ends.
    let failed = unsafe {
        let mapped = libc::mmap(
            std::ptr::null_mut(),
            length,
            libc::PROT_READ,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        );
        if mapped == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        let failed = libc::mincore(mapped, length, pages.as_mut_ptr().cast()) != 0;
        let error = Error::last_os_error();
        libc::munmap(mapped, length);
        failed.then_some(error)
    };
    if let Some(error) = failed {
        return Err(error);
    }
    let resident = pages.iter().filter(|&&page| page & 1 == 1).count() * page;
    Ok(Residency {
        bytes,
        resident: (resident as u64).min(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_written_is_in_memory() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![7; 1_000_001]).unwrap();
        let all = residency(&path).unwrap();
        assert_eq!((all.bytes, all.resident), (1_000_001, 1_000_001));
        // Not every file system can do it.
        drop_pages(&path).unwrap();
        assert!(residency(&path).unwrap().resident <= all.resident);
        std::fs::write(&path, "").unwrap();
        assert_eq!(residency(&path).unwrap(), Residency::default());
    }
}

//! Files that outlive a crash of the machine, and are always whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Writes a file as a whole, for the server's user alone. Where that fails, the one before it stays.
///
/// # Errors
/// As of the file system.
pub fn write(folder: &Path, name: &str, contents: &[u8]) -> io::Result<()> {
    let new = folder.join(format!("{name}.tmp"));
    let written = write_new(&new, contents).and_then(|()| fs::rename(&new, folder.join(name)));
    if written.is_err() {
        // What there is of it takes room on a full disk.
        let _ = fs::remove_file(&new);
    }
    written?;
    File::open(folder)?.sync_all()
}

fn write_new(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(path)?;
    file.write_all(contents)?;
    file.sync_all()
}

/// Removes a file, if there is one.
///
/// # Errors
/// As of the file system.
pub fn remove(folder: &Path, name: &str) -> io::Result<()> {
    match fs::remove_file(folder.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = std::env::temp_dir().join(format!("pgperf-file-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for contents in ["one line, and more of it", "another"] {
            write(&folder, "file", contents.as_bytes()).expect("written");
            let read = fs::read_to_string(folder.join("file"));
            assert_eq!(read.expect("a file"), contents);
        }
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
        remove(&folder, "file").expect("removed");
        remove(&folder, "file").expect("gone already");
        write(&folder.join("missing"), "file", b"").expect_err("no folder");
        fs::remove_dir(&folder).expect("an empty folder");
    }
}

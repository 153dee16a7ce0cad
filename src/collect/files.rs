//! Files of relations, of which the server's functions would take a lock.

use std::fs;

/// The bytes in the files of a relation's main fork: `path`, `path.1`, … under the data directory, where every
/// process of the server works. None if there is no file (any more).
pub fn main_fork_bytes(path: &str) -> Option<u64> {
    let first = fs::metadata(path).ok()?.len();
    let further = (1..).map_while(|segment| fs::metadata(format!("{path}.{segment}")).ok());
    Some(further.fold(first, |sum, file| sum + file.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_that_of_all_segments() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("16384");
        let path = path.to_str().unwrap();
        assert_eq!(main_fork_bytes(path), None);
        fs::write(path, [0; 10]).unwrap();
        fs::write(format!("{path}.1"), [0; 5]).unwrap();
        fs::write(format!("{path}.3"), [0; 5]).unwrap();
        assert_eq!(main_fork_bytes(path), Some(15));
    }
}

//! Room on a file system.

use rustix::fs::statvfs;
use rustix::io::Result;
use std::path::Path;

/// In bytes.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Bytes that the server, not being root, may still write.
    pub free: u64,
    pub total: u64,
    pub block_size: u64,
}

/// Of the file system that holds a path.
pub fn room(path: &Path) -> Result<Room> {
    let found = statvfs(path)?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Ok(Room {
        free: bytes(found.f_bavail),
        total: bytes(found.f_blocks),
        block_size: found.f_bsize,
    })
}

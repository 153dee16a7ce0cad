//! File systems, as the kernel describes them to any process that can open a file of theirs.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Room of a file system, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    pub block_bytes: u64,
    pub total_bytes: u64,
    /// What processes without privileges may still fill.
    pub available_bytes: u64,
}

/// The room of the file system that holds `path`; None if it cannot be asked.
pub fn space(path: &Path) -> Option<Space> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: integers only, for which zeroes are values; the string and the struct outlive the call.
    let (failed, stat) = unsafe {
        let mut stat: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(path.as_ptr(), &mut stat), stat)
    };
    (failed == 0).then(|| Space {
        block_bytes: stat.f_bsize,
        total_bytes: stat.f_blocks * stat.f_frsize,
        available_bytes: stat.f_bavail * stat.f_frsize,
    })
}

/// How an XFS was made: `struct xfs_fsop_geom_v1` of the kernel's `xfs_fs.h`, which every version answers with.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct XfsGeometry {
    pub blocksize: u32,
    pub rtextsize: u32,
    pub agblocks: u32,
    pub agcount: u32,
    pub logblocks: u32,
    pub sectsize: u32,
    pub inodesize: u32,
    pub imaxpct: u32,
    pub datablocks: u64,
    pub rtblocks: u64,
    pub rtextents: u64,
    pub logstart: u64,
    pub uuid: [u8; 16],
    /// In blocks, as `swidth`.
    pub sunit: u32,
    pub swidth: u32,
    pub version: i32,
    pub flags: u32,
    pub logsectsize: u32,
    pub rtsectsize: u32,
    pub dirblocksize: u32,
}

/// `XFS_IOC_FSGEOMETRY_V1`: reads (2 at bit 30) so many bytes (at bit 16), 'X', number 100.
const XFS_IOC_FSGEOMETRY_V1: u64 =
    2 << 30 | (size_of::<XfsGeometry>() as u64) << 16 | (b'X' as u64) << 8 | 100;

/// The geometry of the XFS that holds `path`.
///
/// # Errors
/// The file cannot be opened, or lies on another kind of file system.
pub fn xfs_geometry(path: &Path) -> std::io::Result<XfsGeometry> {
    let file = File::open(path)?;
    let mut geometry = XfsGeometry::default();
    // SAFETY: the descriptor is open; the kernel writes as many bytes as the request's number says, which is
    // the struct's own size.
    let failed = unsafe {
        libc::ioctl(
            file.as_raw_fd(),
            XFS_IOC_FSGEOMETRY_V1 as _,
            &raw mut geometry,
        )
    };
    if failed == 0 {
        Ok(geometry)
    } else {
        Err(std::io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_the_kernels() {
        // As in xfsprogs' headers on x86_64 and arm64.
        assert_eq!(XFS_IOC_FSGEOMETRY_V1, 0x8070_5864);
    }

    #[test]
    fn room_is_told() {
        let space = space(Path::new("/")).unwrap();
        assert!(space.total_bytes > space.available_bytes && space.block_bytes >= 512);
        assert_eq!(super::space(Path::new("/no/such/path")), None);
    }

    #[test]
    fn another_file_system_has_no_such_geometry() {
        assert!(xfs_geometry(Path::new("/proc")).is_err());
    }
}

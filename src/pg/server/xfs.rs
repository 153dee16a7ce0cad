//! The geometry of an XFS, which the kernel gives any process that can open a file on it.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

/// The geometry of an XFS: `struct xfs_fsop_geom_v1` of the kernel's `xfs_fs.h`, which every version supports.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Geometry {
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
    2 << 30 | (size_of::<Geometry>() as u64) << 16 | (b'X' as u64) << 8 | 100;

/// The geometry of the XFS that holds `path`.
///
/// # Errors
/// The file cannot be opened, or lies on another kind of file system.
pub fn geometry(path: &Path) -> std::io::Result<Geometry> {
    let file = File::open(path)?;
    let mut geometry = Geometry::default();
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
    fn another_file_system_has_no_such_geometry() {
        assert!(geometry(Path::new("/proc")).is_err());
    }
}

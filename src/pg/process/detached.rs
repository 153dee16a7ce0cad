//! Programs that outlive this process, and the server.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};

/// Runs a program to its end, with a session of its own and none of the files and sockets of this process. What it starts in the
/// background goes on.
///
/// # Errors
/// It could not be started.
pub fn run(program: &mut Command) -> io::Result<ExitStatus> {
    program
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // SAFETY: between fork and exec there are only system calls. Shared memory of the server is left by exec.
    unsafe {
        program.pre_exec(|| {
            libc::setsid();
            close_at_exec();
            Ok(())
        });
    }
    program.status()
}

/// Not at once: the parent hears through one of them whether exec has worked.
fn close_at_exec() {
    const FIRST: u32 = 3;
    #[cfg(target_os = "linux")]
    {
        // SAFETY: sets a flag of whatever is open.
        let done = unsafe {
            libc::syscall(
                libc::SYS_close_range,
                FIRST,
                u32::MAX,
                libc::CLOSE_RANGE_CLOEXEC,
            )
        };
        if done == 0 {
            return;
        }
    }
    // SAFETY: as above; those that are not open give an error.
    unsafe {
        let limit = libc::sysconf(libc::_SC_OPEN_MAX).clamp(256, 65_536);
        for file in FIRST as i32..limit as i32 {
            libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}

//! Programs, and the user that runs those of the server.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The user that root's servers run as.
const SERVER_USER: &str = "postgres";
/// The uid and gid of root's servers; None if this process is an ordinary user's, who runs them himself.
fn server_owner() -> Option<(u32, u32)> {
    static OWNER: OnceLock<Option<(u32, u32)>> = OnceLock::new();
    *OWNER.get_or_init(|| {
        let own_uid = fs::metadata("/proc/self").expect("/proc").uid();
        (own_uid == 0).then(|| {
            let id = |option| {
                text_of(Command::new("id").args([option, SERVER_USER]))
                    .parse()
                    .expect("an id")
            };
            (id("-u"), id("-g"))
        })
    })
}

/// Makes a folder that of the servers' user.
pub fn hand_over(path: &Path) {
    if let Some((uid, gid)) = server_owner() {
        chown(path, Some(uid), Some(gid)).expect("chown of a temporary folder");
    }
}

/// A command that runs as the servers' user. RUST_BACKTRACE stays out of the server: there, every caught
/// error would capture a backtrace.
pub fn as_server(program: impl AsRef<OsStr>) -> Command {
    let mut command = if server_owner().is_some() {
        let mut command = Command::new("runuser");
        command.args(["-u", SERVER_USER, "--"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command
        .env_remove("RUST_BACKTRACE")
        .current_dir("/")
        .stdin(Stdio::null());
    command
}

pub fn output(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The same for a program that reads this.
pub fn output_with(command: &mut Command, input: &[u8]) -> Output {
    use std::io::Write;
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut pipe = process.stdin.take().expect("a pipe");
    // A program that has ended need not have read all of it.
    let _ = pipe.write_all(input);
    drop(pipe);
    process.wait_with_output().expect("its output")
}

pub fn run(command: &mut Command) -> Output {
    let output = output(command);
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

pub fn text_of(command: &mut Command) -> String {
    String::from_utf8_lossy(&run(command).stdout)
        .trim()
        .to_owned()
}

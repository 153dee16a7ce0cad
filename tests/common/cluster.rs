//! A cluster: made, configured, started, stopped, crashed and asked.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use super::programs::{as_server, output, output_with, run};
use super::server::{bindir, initdb, server_tempdir, server_tempdir_on_disk};
use super::{clock, costs, server_log, templates, wait_until};
use postgres::{Client, Config, NoTls};
use tempfile::TempDir;

/// The superuser of every cluster.
pub const SUPERUSER: &str = "postgres";

/// Settings of every cluster; a test's own lines come after them and win. No fsync, because the tests
/// crash servers, never the machine.
const SETTINGS: &str = "\
listen_addresses = ''
shared_preload_libraries = 'pg_stat_statements'
max_worker_processes = 16
shared_buffers = 64MB
fsync = off
log_line_prefix = '%m [%p] %b %a: '
";

/// How `pg_ctl stop` ends a cluster.
#[derive(Clone, Copy, Debug)]
pub enum StopMode {
    Smart,
    Fast,
    Immediate,
}

impl StopMode {
    fn name(self) -> &'static str {
        match self {
            StopMode::Smart => "smart",
            StopMode::Fast => "fast",
            StopMode::Immediate => "immediate",
        }
    }
}

/// A cluster in a temporary folder: stopped and removed when dropped, which fails the test if the log shows trouble.
pub struct Cluster {
    dir: TempDir,
    port: u16,
    expected_trouble: Mutex<Vec<&'static str>>,
    bindir: PathBuf,
    /// If it is not the machine's.
    pub(super) clock: Option<clock::Clock>,
}

impl Cluster {
    /// Starts a cluster with further lines for postgresql.conf.
    pub fn new(conf: &[&str]) -> Cluster {
        Cluster::create(conf, None)
    }

    pub(super) fn create(conf: &[&str], clock: Option<clock::Clock>) -> Cluster {
        let mut cluster = Cluster::stopped(conf);
        cluster.clock = clock;
        cluster.start();
        cluster
    }

    /// The same without starting it.
    pub fn stopped(conf: &[&str]) -> Cluster {
        Cluster::copied(templates::empty(), conf)
    }

    /// A copy of a template, or of the data directory of a cluster that is stopped.
    pub fn copied(template: &Path, conf: &[&str]) -> Cluster {
        Cluster::copied_to(server_tempdir(), template, conf)
    }

    /// Starts a copy of a template whose files have a device under them.
    pub fn on_disk(template: &Path, conf: &[&str]) -> Cluster {
        let cluster = Cluster::copied_to(server_tempdir_on_disk(), template, conf);
        cluster.start();
        cluster
    }

    fn copied_to(dir: TempDir, template: &Path, conf: &[&str]) -> Cluster {
        let cluster = Cluster::placed(dir, bindir());
        let from = [template, &cluster.data_dir()];
        run(Command::new("cp").args(["-a", "--reflink=auto"]).args(from));
        cluster.configure(conf);
        cluster
    }

    /// Starts a cluster of a server other than `PG_CONFIG`'s.
    pub fn of(bindir: &Path, conf: &[&str]) -> Cluster {
        let cluster = Cluster::placed(server_tempdir(), bindir);
        run(&mut initdb(bindir, &cluster.data_dir()));
        cluster.configure(conf);
        cluster.start();
        cluster
    }

    /// A place for a cluster.
    fn placed(dir: TempDir, bindir: &Path) -> Cluster {
        Cluster {
            dir,
            port: free_port(),
            bindir: bindir.to_owned(),
            expected_trouble: Mutex::default(),
            clock: None,
        }
    }

    fn configure(&self, conf: &[&str]) {
        let place = format!(
            "{SETTINGS}unix_socket_directories = '{}'\nport = {}",
            self.socket_dir().display(),
            self.port
        );
        self.add_settings(&[&[place.as_str()], conf].concat());
    }

    /// Starts a cluster with the extension in database `postgres`.
    pub fn with_pgperf(conf: &[&str]) -> Cluster {
        let cluster = Cluster::copied(templates::with_pgperf(), conf);
        cluster.start();
        cluster
    }

    /// A standby of this cluster, streaming through a replication slot.
    pub fn standby(&self, slot: &str) -> Cluster {
        let dir = server_tempdir();
        let port = free_port();
        let data = dir.path().join("data");
        run(as_server(bindir().join("pg_basebackup"))
            .args(["--checkpoint=fast", "--no-sync", "--write-recovery-conf"])
            .arg(format!("--slot={slot}"))
            .arg("-D")
            .arg(&data)
            .arg("-h")
            .arg(self.socket_dir())
            .args(["-p", &self.port.to_string(), "-U", SUPERUSER]));
        let settings = format!(
            "unix_socket_directories = '{}'\nport = {port}\n",
            dir.path().display()
        );
        append(&data.join("postgresql.conf"), &settings);
        let standby = Cluster {
            dir,
            port,
            bindir: self.bindir.clone(),
            expected_trouble: Mutex::default(),
            clock: None,
        };
        standby.start();
        standby
    }

    pub fn data_dir(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The folder of the socket, to be given as host.
    pub fn socket_dir(&self) -> &Path {
        self.dir.path()
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn start(&self) {
        assert!(
            self.try_start(),
            "the server did not start:\n{}",
            self.log()
        );
    }

    /// Whether it has started.
    pub fn try_start(&self) -> bool {
        let output = output(self.pg_ctl("start").arg("-l").arg(self.log_file()));
        output.status.success()
    }

    /// Stops the server and waits for it; panics if it is not gone within pg_ctl's minute.
    pub fn stop(&self, mode: StopMode) {
        if let Some(postmaster) = self.postmaster_pid() {
            costs::note(postmaster);
        }
        run(self.pg_ctl("stop").args(["-m", mode.name()]));
    }

    pub fn restart(&self, mode: StopMode) {
        self.stop(mode);
        self.start();
    }

    /// Starts it from the folder of its data directory, which it is told by the name alone.
    pub fn start_from_folder(&self) {
        let data = self.data_dir();
        let (folder, name) = data
            .parent()
            .zip(data.file_name())
            .expect("a folder and a name");
        run(as_server(self.bindir.join("pg_ctl"))
            .args(["start", "-w", "-D"])
            .arg(name)
            .arg("-l")
            .arg(self.log_file())
            .current_dir(folder));
    }

    /// Data checksums from now on; the server must be stopped.
    pub fn enable_checksums(&self) {
        run(as_server(bindir().join("pg_checksums"))
            .args(["--enable", "--no-sync", "-D"])
            .arg(self.data_dir()));
    }

    /// Adds lines to postgresql.conf and waits until the server has read them.
    pub fn reconfigure(&self, conf: &[&str]) {
        let read_at = || {
            let mut session = self
                .config()
                .options("-c statement_timeout=0")
                .connect(NoTls)?;
            session.query_one("SELECT pg_conf_load_time()::text", &[])
        };
        let before: String = read_at().expect("a session").get(0);
        self.add_settings(conf);
        run(&mut self.pg_ctl("reload"));
        wait_until("the reload", Duration::from_secs(30), || {
            read_at().is_ok_and(|row| row.get::<_, String>(0) != before)
        });
    }

    /// Adds lines to postgresql.conf, which the server reads when it starts.
    pub fn add_settings(&self, conf: &[&str]) {
        append(
            &self.data_dir().join("postgresql.conf"),
            &format!("{}\n", conf.join("\n")),
        );
    }

    /// The server's log so far.
    pub fn log(&self) -> String {
        // Lines of a database in another encoding are in that encoding.
        let log = fs::read(self.log_file()).unwrap_or_default();
        String::from_utf8_lossy(&log).into_owned()
    }

    /// Allows lines with this text, which the test causes and which would otherwise fail it.
    pub fn expect_trouble(&self, text: &'static str) {
        self.expected_trouble.lock().expect("a list").push(text);
    }

    /// The process id of the postmaster; None while the server is stopped.
    pub fn postmaster_pid(&self) -> Option<u32> {
        let text = fs::read_to_string(self.data_dir().join("postmaster.pid")).ok()?;
        text.lines().next()?.trim().parse().ok()
    }

    /// Whether there is a postmaster.
    pub fn is_running(&self) -> bool {
        self.postmaster_pid()
            .is_some_and(|pid| Path::new(&format!("/proc/{pid}")).exists())
    }

    /// Kills a process of this cluster (its postmaster or a child of it) without warning.
    pub fn kill(&self, pid: u32) {
        self.signal(pid, "KILL");
    }

    /// The same of a process that may end by itself just now; whether it was there.
    pub fn try_kill(&self, pid: u32) -> bool {
        let postmaster = self.postmaster_pid().expect("the server runs");
        let kill = format!("kill -KILL {pid} 2>/dev/null");
        parent_of(pid) == Some(postmaster)
            && output(as_server("sh").args(["-c", &kill])).status.success()
    }

    /// Sends a signal to a process of this cluster.
    pub fn signal(&self, pid: u32, signal: &str) {
        let postmaster = self.postmaster_pid().expect("the server runs");
        assert!(
            pid == postmaster || parent_of(pid) == Some(postmaster),
            "{pid} is not a process of this cluster"
        );
        run(as_server("sh").args(["-c", &format!("kill -{signal} {pid}")]));
    }

    /// Kills a backend and waits until the server has noticed, and has recovered.
    pub fn crash_backend(&self, pid: i32) {
        let restarts = || self.log().matches("reinitializing").count();
        let before = restarts();
        self.kill(pid.try_into().expect("a process id"));
        wait_until("the end of recovery", Duration::from_secs(60), || {
            // Before it has noticed, it still answers.
            restarts() > before && self.psql("SELECT 1").status.success()
        });
    }

    /// Kills the postmaster without warning, and waits until its children have noticed and left.
    pub fn crash(&self) {
        let postmaster = self.postmaster_pid().expect("the server runs");
        self.kill(postmaster);
        wait_until("the end of the postmaster", Duration::from_secs(60), || {
            !Path::new(&format!("/proc/{postmaster}")).exists()
        });
        // Every process of a server works in its data directory.
        let data = self.data_dir();
        wait_until("the end of all processes", Duration::from_secs(60), || {
            let processes = fs::read_dir("/proc").expect("/proc").flatten();
            !processes
                .filter_map(|process| fs::read_link(process.path().join("cwd")).ok())
                .any(|folder| folder == data)
        });
    }

    /// Connection settings of the superuser in database `postgres`, to be changed and used.
    pub fn config(&self) -> Config {
        let mut config = Config::new();
        config
            .host_path(self.socket_dir())
            .port(self.port)
            .user(SUPERUSER)
            .dbname("postgres");
        config
    }

    /// A session of the superuser in database `postgres`.
    pub fn connect(&self) -> Client {
        self.config().connect(NoTls).expect("a connection")
    }

    /// A session of the superuser in another database.
    pub fn connect_to(&self, database: &str) -> Client {
        self.config()
            .dbname(database)
            .connect(NoTls)
            .expect("a connection")
    }

    /// A session of another role in database `postgres`.
    pub fn connect_as(&self, role: &str) -> Client {
        self.config()
            .user(role)
            .connect(NoTls)
            .expect("a connection")
    }

    /// The same, with options of the server process: settings that hold from the beginning.
    pub fn connect_with(&self, role: &str, options: &str) -> Client {
        self.config()
            .user(role)
            .options(options)
            .connect(NoTls)
            .expect("a connection")
    }

    /// A program of the server (psql, pgbench, pg_dump, …), set to connect to this cluster.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.bindir.join(name));
        command
            .env("PGHOST", self.socket_dir())
            .env("PGPORT", self.port.to_string())
            .env("PGUSER", SUPERUSER)
            .env("PGDATABASE", "postgres")
            .stdin(Stdio::null());
        command
    }

    /// psql's output for one `-c` argument; unaligned, without headers.
    pub fn psql(&self, sql: &str) -> Output {
        output(
            self.program("psql")
                .args(["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]),
        )
    }

    /// psql's output for a script on its standard input, ended by the first error if the script says so.
    pub fn psql_script(&self, script: &str) -> Output {
        let mut psql = self.program("psql");
        output_with(psql.args(["-X", "-q", "-A", "-t"]), script.as_bytes())
    }

    /// The rows that psql prints; panics with its complaint if it fails.
    pub fn run_sql(&self, sql: &str) -> String {
        let output = self.psql(sql);
        assert!(
            output.status.success(),
            "{sql}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    fn log_file(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    fn pg_ctl(&self, action: &str) -> Command {
        let mut command = as_server(self.bindir.join("pg_ctl"));
        command.arg(action).arg("-w").arg("-D").arg(self.data_dir());
        command.envs(self.clock.iter().flat_map(clock::Clock::environment));
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.end_guards();
        if let Some(postmaster) = self.postmaster_pid() {
            costs::note(postmaster);
            // A failure shows elsewhere: a panic here would hide the test's own.
            let _ = self.pg_ctl("stop").args(["-m", "immediate"]).output();
        }
        if std::thread::panicking() {
            eprintln!("--- server log ---\n{}", self.log());
            return;
        }
        let log = self.log();
        let expected = self.expected_trouble.lock().expect("a list");
        let trouble = server_log::trouble(&log, &expected);
        assert!(
            trouble.is_empty(),
            "{}\n--- server log ---\n{log}",
            trouble.join("\n")
        );
    }
}

/// A port that nobody listens on. Clusters listen on their own sockets only, unless a test says otherwise.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("a bound port").port()
}

fn append(file: &Path, text: &str) {
    use std::io::Write;
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(file)
        .expect("postgresql.conf");
    file.write_all(text.as_bytes()).expect("postgresql.conf");
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold spaces; the parent is the second field after it.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

//! Conditions of made-up runs.

use super::*;

fn laboratory(version: &'static str, settings: &[&str]) -> Gathered {
    let version = [version];
    let mut all: Vec<(&str, &str, &[&str])> = vec![
        ("run", "server_version", &version),
        ("run", "run", &["a 1", "a 2"]),
        ("run", "clients", &["16", "1", "8", "2", "4", "32", "64"]),
        (
            "run",
            "data",
            &[r#"[{"family": "pgbench", "load": {"scale": 2, "options": {}, "rows": null}}]"#],
        ),
        ("run", "data_bytes", &["142606336", "142614528"]),
        ("run", "duration_s", &["60"]),
        ("run", "warmup_s", &["10"]),
        ("run", "dates", &["2026-11-28 20:04", "2026-11-28 20:35"]),
        ("system", "hostname", &["laboratory"]),
        ("cpu", "cpus", &["8"]),
        ("cpu", "model", &["AMD EPYC"]),
        ("memory", "total", &["25276510208"]),
        ("file system", "data.type", &["ext4"]),
        ("file system", "data.device", &["/dev/sda1"]),
        ("file system", "data.size", &["107374182400"]),
        ("file system", "wal.type", &["xfs"]),
        ("file system", "wal.device", &["/dev/sdb1"]),
        ("setting", "port", &["5433"]),
    ];
    if !settings.is_empty() {
        all.push(("setting", "shared_buffers", settings));
    }
    Gathered::of(&all)
}

#[test]
fn one_line_has_the_most_important_ones() {
    let one = Conditions(vec![laboratory("16.4 (Debian 16.4-1)", &["1GB"])]);
    assert_eq!(
        one.line().unwrap(),
        "PostgreSQL 16.4; laboratory; 8 CPUs; 23.5 GB of memory; data: ext4 on /dev/sda1, WAL: xfs on /dev/sdb1; \
         pgbench scale 2, 136 MB; 1 min after 10 s of warm-up; 2026-11-28 20:04 to 20:35"
    );
    assert_eq!(
        one.machine().unwrap(),
        "laboratory; 8 CPUs; 23.5 GB of memory; data: ext4 on /dev/sda1, WAL: xfs on /dev/sdb1"
    );
    assert_eq!(one.cpus(), Some(8));
    assert_eq!(Conditions::default().line(), None);
    assert_eq!(Conditions::default().cpus(), None);
}

#[test]
fn what_sides_do_not_have_in_common_is_told_of_each() {
    let both = Conditions(vec![
        laboratory("15.20", &["1GB", "128MB"]),
        laboratory("16.4", &[]),
    ]);
    let line = both.line().unwrap();
    assert!(
        line.starts_with("PostgreSQL 15.20 | PostgreSQL 16.4; laboratory; 8 CPUs;"),
        "{line}"
    );
    assert!(line.ends_with("; 2026-11-28 20:04 to 20:35"), "{line}");
    let lines = both.topic(&["old", "new"]).unwrap().lines();
    let text = lines.join(" ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "server PostgreSQL 15.20 PostgreSQL 16.4",
        "clients 1 to 64 duration",
        "shared_buffers 1GB, 128MB (default)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        !lines.iter().any(|line| line.contains("5433")),
        "{lines:#?}"
    );
}

#[test]
fn nothing_is_said_of_settings_that_were_not_stored() {
    let imported = Gathered::of(&[("run", "server_version", &["10.23"])]);
    let both = Conditions(vec![imported, laboratory("16.4", &["1GB"])]);
    let text = both.topic(&["old", "new"]).unwrap().lines().join(" ");
    assert!(!text.contains("(default)"), "{text}");
    assert!(text.contains("shared_buffers"), "{text}");
}

#[test]
fn machines_with_different_cpus_have_no_number_of_cpus() {
    let other = Gathered::of(&[("cpu", "cpus", &["4"])]);
    let both = Conditions(vec![laboratory("16.4", &[]), other]);
    assert_eq!(both.cpus(), None);
}

#[test]
fn dates_and_sizes_of_sides_are_one_range_in_the_line() {
    let side = |scale: &str, bytes: &str, dates: &[&str]| {
        let data = format!(
            r#"[{{"family": "pgbench", "load": {{"scale": {scale}, "options": {{}}, "rows": null}}}}]"#
        );
        let all: [(&str, &str, &[&str]); 3] = [
            ("run", "data", &[data.as_str()]),
            ("run", "data_bytes", &[bytes]),
            ("run", "dates", dates),
        ];
        Gathered::of(&all)
    };
    let first = side("2", "142606336", &["2026-11-28 20:04", "2026-11-28 20:35"]);
    let alike = side("2", "285212672", &["2026-11-28 21:10", "2026-11-28 21:20"]);
    let other = side("3", "285212672", &["2026-11-29 07:00", "2026-11-29 07:20"]);
    assert_eq!(
        Conditions(vec![first.clone(), alike]).line().unwrap(),
        "pgbench scale 2, 136 MB to 272 MB; 2026-11-28 20:04 to 21:20"
    );
    assert_eq!(
        Conditions(vec![first, other]).line().unwrap(),
        "pgbench scale 2, 136 MB | pgbench scale 3, 272 MB; 2026-11-28 20:04 to 2026-11-29 07:20"
    );
}

//! Memory, and the amount of data compared with it.

use super::finding::{Finding, Status, size};
use super::settings::Settings;
use crate::error::Result;
use crate::facts::environment::machine;
use crate::pg::sql::spi;
use procfs::{Current, Meminfo};
use serde::Deserialize;

const GB: f64 = 1_073_741_824.0;

pub fn check(settings: &Settings) -> Result<Vec<Finding>> {
    let memory = Meminfo::current().ok();
    let total = memory.as_ref().map(|memory| memory.mem_total as f64);
    let buffers = settings.number("shared_buffers");
    let database = database_bytes()?;
    Ok(vec![
        shared_buffers(settings, buffers, total, database),
        data(database, buffers, total),
        huge_pages(settings, buffers, memory.as_ref()),
        transparent_huge_pages(machine::transparent_huge_pages()),
        swap(memory.as_ref()),
    ])
}

fn shared_buffers(settings: &Settings, buffers: f64, total: Option<f64>, database: f64) -> Finding {
    const CHECK: &str = "shared_buffers";
    let Some(total) = total else {
        return Finding::ok(CHECK, size(buffers));
    };
    let percent = 100.0 * buffers / total;
    let detail = format!(
        "{}, {percent:.0}% of memory ({})",
        size(buffers),
        size(total)
    );
    let fits = database <= FITTING * buffers;
    if buffers < GB && percent < 10.0 && !fits {
        // A quarter of memory, in whole MB.
        let quarter = format!("'{:.0}MB'", (total / 4.0 / 1_048_576.0).floor());
        return Finding::new(
            CHECK,
            Status::Warning,
            format!("{detail}: most of it is not used for the database (takes a restart)"),
        )
        .mended_by(settings.fix(CHECK, &quarter));
    }
    Finding::ok(CHECK, detail)
}

fn database_bytes() -> Result<f64> {
    #[derive(Deserialize)]
    struct Size {
        bytes: f64,
    }
    let database: Option<Size> = spi::select_one(
        "SELECT pg_catalog.pg_database_size(pg_catalog.current_database()) AS bytes",
        &[],
    )?;
    Ok(database.map_or(f64::NAN, |database| database.bytes))
}

/// The figures of a run depend on where its data is; they vary most at the transitions.
fn data(bytes: f64, buffers: f64, total: Option<f64>) -> Finding {
    let (status, place) = data_in(bytes, buffers, total);
    let detail = format!("the database has {}: {place}", size(bytes));
    Finding::new("data_size", status, detail)
}

/// The part of shared_buffers that data can fill without evicting other data.
const FITTING: f64 = 0.8;

fn data_in(bytes: f64, buffers: f64, total: Option<f64>) -> (Status, &'static str) {
    match total {
        _ if bytes <= FITTING * buffers => (Status::Ok, "it fits into shared_buffers"),
        _ if bytes <= 1.2 * buffers => (
            Status::Warning,
            "about the size of shared_buffers, so small differences have large effects",
        ),
        None => (Status::Ok, "more than shared_buffers"),
        Some(total) if bytes <= 0.5 * total => (
            Status::Ok,
            "more than shared_buffers, but it fits into memory",
        ),
        Some(total) if bytes <= 1.2 * total => (
            Status::Warning,
            "about the size of memory, so small differences have large effects",
        ),
        Some(_) => (Status::Ok, "more than memory: reads come from the device"),
    }
}

/// Below this they save little.
const WORTH_HUGE_PAGES: f64 = 2.0 * GB;

fn huge_pages(settings: &Settings, buffers: f64, memory: Option<&Meminfo>) -> Finding {
    const CHECK: &str = "huge_pages";
    let setting = settings.text(CHECK);
    let needed = settings.number("shared_memory_size_in_huge_pages");
    let used = match settings.text("huge_pages_status") {
        "on" => Some(true),
        "off" => Some(false),
        // Before 17 the server does not report it: they are in use if enough are taken.
        _ => match setting {
            "on" => Some(true),
            "off" => Some(false),
            _ => memory.and_then(|memory| {
                let total = memory.hugepages_total? as f64;
                let free = memory.hugepages_free? as f64;
                let reserved = memory.hugepages_rsvd.unwrap_or(0) as f64;
                Some(total > 0.0 && total - free + reserved >= needed)
            }),
        },
    };
    match used {
        Some(true) => Finding::ok(CHECK, "shared memory is in huge pages".to_owned()),
        None => Finding::unknown(CHECK, "the kernel does not report it"),
        Some(false) if buffers < WORTH_HUGE_PAGES => Finding::ok(
            CHECK,
            format!(
                "not used; with {} of shared_buffers little is lost",
                size(buffers)
            ),
        ),
        Some(false) => {
            let fix = (setting == "off")
                .then(|| settings.fix(CHECK, "try"))
                .flatten();
            let detail = format!(
                "not used: the server needs {needed:.0} of them (sysctl vm.nr_hugepages; takes a restart)"
            );
            Finding::new(CHECK, Status::Warning, detail).mended_by(fix)
        }
    }
}

fn transparent_huge_pages(chosen: Option<String>) -> Finding {
    const CHECK: &str = "transparent_huge_pages";
    match chosen.as_deref() {
        Some("always") => Finding::new(
            CHECK,
            Status::Warning,
            "always: the kernel may stall processes to create them (madvise in \
             /sys/kernel/mm/transparent_hugepage/enabled avoids that)"
                .to_owned(),
        ),
        Some(chosen) => Finding::ok(CHECK, chosen.to_owned()),
        None => Finding::ok(CHECK, "the kernel has none".to_owned()),
    }
}

fn swap(memory: Option<&Meminfo>) -> Finding {
    const CHECK: &str = "swap";
    let Some(memory) = memory else {
        return Finding::unknown(CHECK, "/proc/meminfo could not be read");
    };
    let used = memory.swap_total.saturating_sub(memory.swap_free) as f64;
    let detail = format!("{} of swap in use", size(used));
    if used > 0.05 * memory.mem_total as f64 {
        let detail = format!("{detail}: memory has been short");
        return Finding::new(CHECK, Status::Warning, detail);
    }
    Finding::ok(CHECK, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_near_a_limit_is_a_warning() {
        let status = |gb: f64| data_in(gb * GB, 10.0 * GB, Some(64.0 * GB)).0;
        let expected = [
            (1.0, Status::Ok),
            (10.0, Status::Warning),
            (20.0, Status::Ok),
            (60.0, Status::Warning),
            (100.0, Status::Ok),
        ];
        for (gb, expected) in expected {
            assert_eq!(status(gb), expected, "{gb} GB");
        }
    }

    #[test]
    fn small_buffers_in_a_large_machine_are_raised() {
        let settings = Settings::of(&[("shared_buffers", "0", "default")]);
        let finding = shared_buffers(&settings, 128.0 * 1_048_576.0, Some(64.0 * GB), GB);
        assert_eq!(
            finding.fix.unwrap(),
            "ALTER SYSTEM SET shared_buffers = '16384MB'"
        );
        let of = |buffers, data| shared_buffers(&settings, buffers, Some(64.0 * GB), data).status;
        assert_eq!(of(16.0 * GB, 20.0 * GB), Status::Ok);
        assert_eq!(of(0.5 * GB, 0.6 * GB), Status::Warning);
        assert_eq!(of(0.5 * GB, 0.1 * GB), Status::Ok, "all of it fits");
    }

    #[test]
    fn huge_pages_matter_for_large_buffers() {
        let of = |status: &str, buffers| {
            let settings = Settings::of(&[
                ("huge_pages", "off", "default"),
                ("huge_pages_status", status, "override"),
            ]);
            huge_pages(&settings, buffers, None)
        };
        assert_eq!(of("on", 8.0 * GB).status, Status::Ok);
        assert_eq!(of("off", 0.1 * GB).status, Status::Ok);
        let missing = of("off", 8.0 * GB);
        assert_eq!(missing.fix.unwrap(), "ALTER SYSTEM SET huge_pages = try");
    }
}

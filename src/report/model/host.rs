//! The machine during the run.

use super::samples::{At, Between, Samples, neighbours, rate};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// CPU and memory of the machine.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Host {
    pub cpus: Option<i64>,
    pub memory_total_bytes: Option<i64>,
    pub rates: Vec<Cpu>,
}

/// Shares of the CPUs' time in a stretch; null: the machine was restarted in between.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cpu {
    #[serde(flatten)]
    pub between: Between,
    pub user_percent: Option<f64>,
    pub system_percent: Option<f64>,
    pub iowait_percent: Option<f64>,
    pub steal_percent: Option<f64>,
    /// At the end of the stretch.
    pub memory_available_bytes: Option<i64>,
}

#[derive(Deserialize)]
struct Machine {
    boot_id: Option<String>,
    cpus: Option<i64>,
    memory_total_bytes: Option<i64>,
    memory_available_bytes: Option<i64>,
    user_ms: Option<i64>,
    system_ms: Option<i64>,
    iowait_ms: Option<i64>,
    steal_ms: Option<i64>,
    all_ms: Option<i64>,
}

pub fn load(samples: &Samples) -> Result<Option<Host>> {
    let rows = samples.rows::<Machine>(
        "host_history",
        "h.boot_id, h.cpus, h.memory_total_bytes, h.memory_available_bytes, \
         h.cpu_user_ms + h.cpu_nice_ms AS user_ms, \
         h.cpu_system_ms + COALESCE(h.cpu_irq_ms, 0) + COALESCE(h.cpu_softirq_ms, 0) AS system_ms, \
         h.cpu_iowait_ms AS iowait_ms, h.cpu_steal_ms AS steal_ms, \
         h.cpu_user_ms + h.cpu_nice_ms + h.cpu_system_ms + h.cpu_idle_ms + COALESCE(h.cpu_iowait_ms, 0) \
         + COALESCE(h.cpu_irq_ms, 0) + COALESCE(h.cpu_softirq_ms, 0) + COALESCE(h.cpu_steal_ms, 0) AS all_ms",
        "true",
    )?;
    let Some(last) = rows.last() else {
        return Ok(None);
    };
    let rates: Vec<Cpu> = neighbours(&rows)
        .map(|(before, after)| cpu(before, after))
        .collect();
    Ok((!rates.is_empty()).then_some(Host {
        cpus: last.row.cpus,
        memory_total_bytes: last.row.memory_total_bytes,
        rates,
    }))
}

fn cpu(before: &At<Machine>, after: &At<Machine>) -> Cpu {
    let same = before.row.boot_id == after.row.boot_id;
    let rise = |counter: fn(&Machine) -> Option<i64>| {
        rate(counter(&before.row), counter(&after.row), 1.0).filter(|_| same)
    };
    let all = rise(|row| row.all_ms).filter(|all| *all > 0.0);
    let percent = |counter: fn(&Machine) -> Option<i64>| Some(100.0 * rise(counter)? / all?);
    Cpu {
        between: Between::of(before, after),
        user_percent: percent(|row| row.user_ms),
        system_percent: percent(|row| row.system_ms),
        iowait_percent: percent(|row| row.iowait_ms),
        steal_percent: percent(|row| row.steal_ms),
        memory_available_bytes: after.row.memory_available_bytes,
    }
}

/// A block device under the server's files.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Device {
    pub device: String,
    /// Its contents: data, wal, tablespaces.
    pub holds: String,
    /// 0: it holds the files itself; 1 and more: it lies beneath.
    pub level: i64,
    pub rates: Vec<DeviceRate>,
}

/// Activity of a device in a stretch.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeviceRate {
    #[serde(flatten)]
    pub between: Between,
    pub reads_per_s: Option<f64>,
    pub writes_per_s: Option<f64>,
    pub read_bytes_per_s: Option<f64>,
    pub write_bytes_per_s: Option<f64>,
    /// The share of the time during which it was busy.
    pub util_percent: Option<f64>,
    /// Mean time of a read, ms.
    pub read_await_ms: Option<f64>,
    pub write_await_ms: Option<f64>,
}

#[derive(Deserialize)]
struct Counters {
    device: String,
    holds: String,
    level: i64,
    boot_id: Option<String>,
    read_ios: Option<i64>,
    read_sectors: Option<i64>,
    read_ticks: Option<i64>,
    write_ios: Option<i64>,
    write_sectors: Option<i64>,
    write_ticks: Option<i64>,
    io_ticks: Option<i64>,
}

/// Bytes of a sector in the kernel's counters, whatever the device's own are.
const SECTOR: f64 = 512.0;

pub fn devices(samples: &Samples) -> Result<Vec<Device>> {
    let mut rows = samples.rows::<Counters>(
        "device_history",
        "h.device, h.holds, h.level, h.boot_id, h.read_ios, h.read_sectors, h.read_ticks, h.write_ios, h.write_sectors, \
         h.write_ticks, h.io_ticks",
        "true",
    )?;
    rows.sort_by(|a, b| {
        (a.row.level, &a.row.device)
            .cmp(&(b.row.level, &b.row.device))
            .then(a.at_s.total_cmp(&b.at_s))
    });
    let of_each = rows.chunk_by(|a, b| a.row.device == b.row.device);
    Ok(of_each
        .filter_map(|rows| {
            let last = &rows.last()?.row;
            let rates: Vec<DeviceRate> = neighbours(rows)
                .map(|(before, after)| device_rate(before, after))
                .collect();
            (!rates.is_empty()).then(|| Device {
                device: last.device.clone(),
                holds: last.holds.clone(),
                level: last.level,
                rates,
            })
        })
        .collect())
}

fn device_rate(before: &At<Counters>, after: &At<Counters>) -> DeviceRate {
    let between = Between::of(before, after);
    let same = before.row.boot_id == after.row.boot_id;
    let per_s = |counter: fn(&Counters) -> Option<i64>| {
        rate(counter(&before.row), counter(&after.row), between.seconds).filter(|_| same)
    };
    let each = |time: Option<f64>, count: Option<f64>| Some(time? / count.filter(|n| *n > 0.0)?);
    let (reads_per_s, writes_per_s) = (per_s(|row| row.read_ios), per_s(|row| row.write_ios));
    DeviceRate {
        between,
        reads_per_s,
        writes_per_s,
        read_bytes_per_s: per_s(|row| row.read_sectors).map(|sectors| sectors * SECTOR),
        write_bytes_per_s: per_s(|row| row.write_sectors).map(|sectors| sectors * SECTOR),
        util_percent: per_s(|row| row.io_ticks).map(|ms| (ms / 10.0).min(100.0)),
        read_await_ms: each(per_s(|row| row.read_ticks), reads_per_s),
        write_await_ms: each(per_s(|row| row.write_ticks), writes_per_s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn at<T: serde::de::DeserializeOwned>(row: Value) -> At<T> {
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn shares_are_of_the_time_between_two_samples() {
        let before = json!({"at_s": 0.0, "epoch": 1, "boot_id": "a", "user_ms": 100, "system_ms": 50, "iowait_ms": null,
            "steal_ms": 0, "all_ms": 1000, "cpus": 2, "memory_total_bytes": 1, "memory_available_bytes": 1});
        let mut after = before.clone();
        after["at_s"] = json!(1.0);
        after["user_ms"] = json!(600);
        after["all_ms"] = json!(3000);
        let figures = cpu(&at(before.clone()), &at(after.clone()));
        assert_eq!(figures.user_percent, Some(25.0));
        assert_eq!(figures.system_percent, Some(0.0));
        assert_eq!(figures.iowait_percent, None);
        after["boot_id"] = json!("b");
        assert_eq!(cpu(&at(before), &at(after)).user_percent, None);
    }

    #[test]
    fn a_device_s_times_are_of_its_requests() {
        let row = |at_s: f64, ios: i64, ticks: i64| {
            json!({"at_s": at_s, "epoch": 1, "device": "sda", "holds": "data", "level": 0, "boot_id": "a", "read_ios": 0,
                "read_sectors": 0, "read_ticks": 0, "write_ios": ios, "write_sectors": ios * 16, "write_ticks": ticks, "io_ticks": ticks})
        };
        let figures = device_rate(&at(row(0.0, 0, 0)), &at(row(2.0, 100, 500)));
        assert_eq!(figures.writes_per_s, Some(50.0));
        assert_eq!(figures.write_bytes_per_s, Some(409_600.0));
        assert_eq!(figures.write_await_ms, Some(5.0));
        assert_eq!(figures.util_percent, Some(25.0));
        assert_eq!(figures.read_await_ms, None);
    }
}

//! The machine during the run.

use super::samples::{Between, rows};
use crate::error::Result;
use crate::show::span::samples::Samples;
use crate::subject::{devices, host};
use serde::{Deserialize, Serialize};

/// CPU and memory of the machine.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Host {
    pub cpus: Option<i64>,
    pub memory_total_bytes: Option<i64>,
    pub rates: Vec<Cpu>,
}

/// Shares of the CPUs' time in a stretch.
#[derive(Debug, Clone, Serialize, Deserialize)]
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

pub fn load(samples: &Samples) -> Result<Option<Host>> {
    #[derive(Deserialize)]
    struct HostCpu {
        cpus: Option<i64>,
        memory_total_bytes: Option<i64>,
        #[serde(flatten)]
        cpu: Cpu,
    }
    let rows: Vec<HostCpu> = rows(samples, &host::SECTION, "cpu")?;
    Ok(rows.last().map(|last| Host {
        cpus: last.cpus,
        memory_total_bytes: last.memory_total_bytes,
        rates: rows.iter().map(|row| row.cpu.clone()).collect(),
    }))
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
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeviceRate {
    #[serde(flatten)]
    pub between: Between,
    #[serde(rename(deserialize = "reads"))]
    pub reads_per_s: Option<f64>,
    #[serde(rename(deserialize = "writes"))]
    pub writes_per_s: Option<f64>,
    #[serde(rename(deserialize = "read"))]
    pub read_bytes_per_s: Option<f64>,
    #[serde(rename(deserialize = "written"))]
    pub write_bytes_per_s: Option<f64>,
    /// The share of the time during which it was busy.
    #[serde(rename(deserialize = "busy_percent"))]
    pub util_percent: Option<f64>,
    /// Mean time of a read, ms.
    #[serde(rename(deserialize = "read_ms"))]
    pub read_await_ms: Option<f64>,
    #[serde(rename(deserialize = "write_ms"))]
    pub write_await_ms: Option<f64>,
}

pub fn devices(samples: &Samples) -> Result<Vec<Device>> {
    #[derive(Deserialize)]
    struct SampledDevice {
        device: String,
        holds: String,
        level: i64,
        #[serde(flatten)]
        rate: DeviceRate,
    }
    let rows: Vec<SampledDevice> = rows(samples, &devices::SECTION, "rates")?;
    let of_each = rows.chunk_by(|a, b| a.device == b.device);
    let devices = of_each.filter_map(|rows| {
        let last = rows.last()?;
        Some(Device {
            device: last.device.clone(),
            holds: last.holds.clone(),
            level: last.level,
            rates: rows.iter().map(|row| row.rate.clone()).collect(),
        })
    });
    Ok(devices.collect())
}

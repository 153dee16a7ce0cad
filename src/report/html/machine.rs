//! Activity of the machine during a run.

use super::checkpoints::Checkpoints;
use super::series::{points, series};
use crate::report::model::{Cpu, Device, DeviceRate, Host};
use crate::show::charts::{Shape, TimeChart};
use crate::show::number::{Unit, bytes};
use crate::show::text::count;
use maud::{Markup, html};

/// CPU time and memory.
pub fn host(host: &Host, checkpoints: &Checkpoints) -> Markup {
    let rates = &host.rates;
    let at = || points(rates, |row| (row.between.at_s, row.between.seconds));
    let area = |name, color, value: fn(&Cpu) -> Option<f64>| {
        series(rates, name, color, Shape::Stacked, value)
    };
    let mut cpu = TimeChart::new(
        "CPU time",
        Unit::Percent,
        at(),
        vec![
            area("user", 1, |row| row.user_percent),
            area("system", 2, |row| row.system_percent),
            area("waiting for I/O", 6, |row| row.iowait_percent),
            area("stolen", 7, |row| row.steal_percent),
        ],
    );
    cpu.note = host.cpus.map(|cpus| {
        let cpus = count(cpus, "CPU");
        format!("share of {cpus}; the whole machine, other processes too")
    });
    let mut memory = TimeChart::new(
        "Available memory",
        Unit::Bytes,
        at(),
        vec![series(rates, "available", 3, Shape::Line, |row| {
            row.memory_available_bytes.map(|size| size as f64)
        })],
    );
    memory.note = host
        .memory_total_bytes
        .map(|size| format!("of {}", bytes(size as f64)));
    html! { div class="pair" { (checkpoints.in_chart(cpu).render()) (checkpoints.in_chart(memory).render()) } }
}

/// Each device under the server's files.
pub fn devices(devices: &[Device], checkpoints: &Checkpoints) -> Markup {
    let several = devices.len() > 1;
    html! {
        @for device in devices {
            @if several {
                h3 {
                    (device.device) " "
                    small { @if device.level == 0 { "holds " } @else { "lies beneath " } (device.holds) }
                }
            }
            (device_charts(device, checkpoints))
        }
    }
}

/// Name, colour and values of a line.
type Line = (&'static str, u8, fn(&DeviceRate) -> Option<f64>);

fn device_charts(device: &Device, checkpoints: &Checkpoints) -> Markup {
    let rates = &device.rates;
    let chart = |title: &str, unit, lines: Vec<Line>| {
        let lines = lines
            .into_iter()
            .map(|(name, color, value)| series(rates, name, color, Shape::Line, value))
            .collect();
        let at = points(rates, |row| (row.between.at_s, row.between.seconds));
        let mut chart = checkpoints.in_chart(TimeChart::new(title, unit, at, lines));
        chart.height = 150.0;
        chart.render()
    };
    let name = &device.device;
    html! {
        div class="pair" {
            (chart(&format!("{name}: throughput"), Unit::BytesPerSecond, vec![
                ("read", 1, |row| row.read_bytes_per_s), ("written", 2, |row| row.write_bytes_per_s)]))
            (chart(&format!("{name}: requests"), Unit::Count("per second"), vec![
                ("reads", 1, |row| row.reads_per_s), ("writes", 2, |row| row.writes_per_s)]))
            (chart(&format!("{name}: busy"), Unit::Percent, vec![("busy", 4, |row| row.util_percent)]))
            (chart(&format!("{name}: time of a request"), Unit::Milliseconds, vec![
                ("read", 1, |row| row.read_await_ms), ("write", 2, |row| row.write_await_ms)]))
        }
    }
}

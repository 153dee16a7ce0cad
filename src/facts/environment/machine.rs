//! The machine: kernel, processors, memory. Read as the server's OS user, in its own namespaces.

use super::fact::{CategoryFacts, Fact, chosen, distinct, line};
use crate::pg::process::clock;
use procfs::{Current, Meminfo};
use std::fs;
use std::io::Read;
use std::path::Path;

const CPUS: &str = "/sys/devices/system/cpu";
const TRANSPARENT_HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage";
const CLOCK_SOURCE: &str = "/sys/devices/system/clocksource/clocksource0";

/// Everything of the machine but its storage.
pub fn facts() -> Vec<Fact> {
    [system(), cpu(), memory()].concat()
}

fn system() -> Vec<Fact> {
    let mut facts = CategoryFacts::new("system");
    let kernel = |name: &str| line(format!("/proc/sys/kernel/{name}"));
    facts.add_known("hostname", kernel("hostname"));
    facts.add_known("operating_system", operating_system());
    facts.add_known("kernel", kernel("osrelease"));
    facts.add_known("kernel_build", kernel("version"));
    facts.add("architecture", std::env::consts::ARCH);
    for (name, file) in [("vendor", "sys_vendor"), ("product", "product_name")] {
        facts.add_known(name, line(format!("/sys/class/dmi/id/{file}")));
    }
    facts.add_or_why(
        "clock_source",
        clock_source(),
        "the kernel does not show it",
    );
    let choices = format!("{CLOCK_SOURCE}/available_clocksource");
    facts.add_known("clock_sources_available", line(choices));
    facts.into_vec()
}

/// The kernel's clock source.
pub fn clock_source() -> Option<String> {
    line(format!("{CLOCK_SOURCE}/current_clocksource"))
}

/// The cost of reading the clock once, measured like pg_test_timing: by reading it again and again. The least of
/// several rounds, so that one in which the process had to wait does not count.
pub fn clock_reading_ns() -> f64 {
    const READINGS: u64 = 2_000;
    let round = || {
        let began = clock::now();
        let last = (0..READINGS).fold(began, |_, _| clock::now());
        (last - began) as f64 / READINGS as f64
    };
    (0..5).map(|_| round()).fold(f64::INFINITY, f64::min)
}

fn operating_system() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

fn cpu() -> Vec<Fact> {
    let mut facts = CategoryFacts::new("cpu");
    facts.add_or_why("model", cpu_model(), "/proc/cpuinfo does not contain it");
    let cpus = online_cpus();
    facts.add("cpus", cpus.len());
    let of_each = |file: &str| -> Vec<String> {
        let path = |cpu: &usize| format!("{CPUS}/cpu{cpu}/{file}");
        cpus.iter().filter_map(|cpu| line(path(cpu))).collect()
    };
    let count = |file: &str| {
        let mut values = of_each(file);
        values.sort();
        values.dedup();
        Some(values.len()).filter(|&count| count > 0)
    };
    facts.add_known("cores", count("topology/thread_siblings_list"));
    facts.add_known("sockets", count("topology/physical_package_id"));
    facts.add_known("numa_nodes", numa_nodes());
    facts.add_known(
        "level_3_cache",
        line(format!("{CPUS}/cpu0/cache/index3/size")),
    );
    facts.add_or_why("governor", governor(), NO_GOVERNOR);
    facts.add_known(
        "frequency_driver",
        line(format!("{CPUS}/cpu0/cpufreq/scaling_driver")),
    );
    if let Some(khz) = line(format!("{CPUS}/cpu0/cpufreq/cpuinfo_max_freq")) {
        facts.add_with_unit("frequency_max", khz, "kHz");
    }
    facts.add_known("boost", line(format!("{CPUS}/cpufreq/boost")));
    facts.add_known("no_turbo", line(format!("{CPUS}/intel_pstate/no_turbo")));
    facts.add_known("smt", line(format!("{CPUS}/smt/control")));
    facts.add_known("allowed_cpus", own_status("Cpus_allowed_list:"));
    facts.add_known("control_group_limit", control_group("cpu.max"));
    facts.into_vec()
}

/// Why it may be missing.
pub const NO_GOVERNOR: &str = "the kernel does not set the frequency here (a virtual machine)";

/// The frequency governors of all CPUs.
pub fn governor() -> Option<String> {
    let policies = fs::read_dir(format!("{CPUS}/cpufreq")).ok()?;
    let of_policy = |policy: fs::DirEntry| line(policy.path().join("scaling_governor"));
    distinct(policies.flatten().filter_map(of_policy))
}

/// The first CPU's; the rest of the file, which can be long, is not read.
fn cpu_model() -> Option<String> {
    let mut start = Vec::new();
    let file = fs::File::open("/proc/cpuinfo").ok()?;
    file.take(4096).read_to_end(&mut start).ok()?;
    model_name(&String::from_utf8_lossy(&start))
}

fn model_name(cpuinfo: &str) -> Option<String> {
    let value = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    value("model name").or_else(|| value("Model")).or_else(|| {
        let (implementer, part) = (value("CPU implementer")?, value("CPU part")?);
        Some(format!("implementer {implementer}, part {part}"))
    })
}

/// The number of online CPUs.
pub fn cpus() -> usize {
    online_cpus().len()
}

/// Their numbers.
fn online_cpus() -> Vec<usize> {
    let list = line(format!("{CPUS}/online")).unwrap_or_default();
    cpu_list(&list)
}

/// Reads the kernel's form of a list: `0-3,8`.
fn cpu_list(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<usize>().ok()?..=last.parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

fn numa_nodes() -> Option<usize> {
    Some(cpu_list(&line("/sys/devices/system/node/online")?).len())
}

/// A line of the kernel's status of this process.
fn own_status(name: &str) -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.trim().to_owned())
}

/// A limit of the control group (version 2) that this process is in; None if there is none.
fn control_group(file: &str) -> Option<String> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let value = line(Path::new("/sys/fs/cgroup").join(group).join(file))?;
    (!value.starts_with("max")).then_some(value)
}

fn memory() -> Vec<Fact> {
    let mut facts = CategoryFacts::new("memory");
    match Meminfo::current() {
        Ok(memory) => {
            facts.add_with_unit("total", memory.mem_total, "bytes");
            facts.add_with_unit("swap_total", memory.swap_total, "bytes");
            facts.add_known("huge_pages_total", memory.hugepages_total);
            if let Some(size) = memory.hugepagesize {
                facts.add_with_unit("huge_page_size", size, "bytes");
            }
        }
        Err(error) => facts.add_unknown("total", error),
    }
    facts.add_known("transparent_huge_pages", transparent_huge_pages());
    let defrag = format!("{TRANSPARENT_HUGE_PAGES}/defrag");
    facts.add_known("transparent_huge_pages_defrag", chosen(defrag));
    for name in [
        "swappiness",
        "dirty_ratio",
        "dirty_bytes",
        "dirty_background_ratio",
        "dirty_background_bytes",
        "overcommit_memory",
        "overcommit_ratio",
        "zone_reclaim_mode",
    ] {
        facts.add_known(name, line(format!("/proc/sys/vm/{name}")));
    }
    facts.add_known("numa_balancing", line("/proc/sys/kernel/numa_balancing"));
    if let Some(bytes) = control_group("memory.max") {
        facts.add_with_unit("control_group_limit", bytes, "bytes");
    }
    facts.into_vec()
}

/// Whether the kernel gives them without being asked: `always`, `madvise` or `never`.
pub fn transparent_huge_pages() -> Option<String> {
    chosen(format!("{TRANSPARENT_HUGE_PAGES}/enabled"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus_are_read() {
        assert_eq!(cpu_list("0-3,8"), [0, 1, 2, 3, 8]);
        assert_eq!(cpu_list("0"), [0]);
        assert!(cpu_list("").is_empty());
    }

    #[test]
    fn models_are_named_in_several_ways() {
        let intel = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R)\n";
        assert_eq!(model_name(intel).unwrap(), "Intel(R) Xeon(R)");
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n";
        assert_eq!(model_name(arm).unwrap(), "implementer 0x41, part 0xd40");
        assert_eq!(model_name("processor\t: 0\n"), None);
    }

    #[test]
    fn a_clock_reading_takes_some_time() {
        let ns = clock_reading_ns();
        assert!(ns > 0.0 && ns < 1e6, "{ns}");
    }

    #[test]
    fn the_machine_is_described() {
        let facts = facts();
        for name in ["kernel", "architecture", "cpus", "total"] {
            let fact = facts.iter().find(|fact| fact.name == name);
            assert!(fact.is_some_and(|fact| fact.value.is_some()), "{name}");
        }
        let mut names: Vec<_> = facts.iter().map(|f| (f.category, &f.name)).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), facts.len(), "each fact once");
    }
}

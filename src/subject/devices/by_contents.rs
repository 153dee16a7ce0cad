//! Names of devices that are the same on every machine: what they hold.

/// A device at some moment.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// As the kernel names it.
    pub device: &'a str,
    /// Its contents, a list: `data, wal`.
    pub holds: &'a str,
    /// 0: it holds the files itself; 1 and more: it lies beneath such a device.
    pub level: i64,
}

/// The names of each device, in the order of these: one for each of its contents, `data`; of one that lies beneath, `beneath data`, with a
/// number where there are several.
pub fn names(devices: &[Placed]) -> Vec<Vec<String>> {
    let name = |content: &str, device: &Placed| {
        if device.level == 0 {
            return content.to_owned();
        }
        let mut beneath: Vec<&Placed> = (devices.iter())
            .filter(|other| other.level > 0 && contents(other.holds).contains(&content))
            .collect();
        beneath.sort_by_key(|other| (other.level, other.device));
        let place = (beneath.iter()).position(|other| other.device == device.device);
        match (beneath.len(), place) {
            (2.., Some(place)) => format!("beneath {content} {}", place + 1),
            _ => format!("beneath {content}"),
        }
    };
    let names = devices.iter().map(|device| {
        let contents = contents(device.holds).into_iter();
        contents.map(|content| name(content, device)).collect()
    });
    names.collect()
}

/// The contents in such a list; a tablespace's name may have a comma.
fn contents(holds: &str) -> Vec<&str> {
    let mut contents = Vec::new();
    let mut from = 0;
    for (comma, _) in holds.match_indices(", ") {
        let rest = &holds[comma + 2..];
        if rest == "wal" || rest.starts_with("wal, ") || rest.starts_with("tablespace ") {
            contents.push(&holds[from..comma]);
            from = comma + 2;
        }
    }
    contents.push(&holds[from..]);
    contents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed<'a>(device: &'a str, holds: &'a str, level: i64) -> Placed<'a> {
        Placed {
            device,
            holds,
            level,
        }
    }

    #[test]
    fn a_device_has_the_name_of_each_of_its_contents() {
        let one = names(&[placed("sda", "data, wal, tablespace a, b", 0)]);
        assert_eq!(one, [["data", "wal", "tablespace a, b"]]);
        let two = names(&[placed("nvme0n1", "data", 0), placed("nvme1n1", "wal", 0)]);
        assert_eq!(two, [["data"], ["wal"]]);
    }

    #[test]
    fn those_beneath_are_counted_from_the_top() {
        let found = names(&[
            placed("sdb", "data, wal", 2),
            placed("md0", "data", 0),
            placed("sda1", "data", 1),
            placed("sdb2", "wal", 0),
        ]);
        assert_eq!(found[0], ["beneath data 2", "beneath wal"]);
        assert_eq!(found[1], ["data"]);
        assert_eq!(found[2], ["beneath data 1"]);
        assert_eq!(found[3], ["wal"]);
    }
}

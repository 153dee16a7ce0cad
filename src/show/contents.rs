//! What an object holds, such as a device the data directory and the WAL: by that it is found again where it has another name.
//!
//! The contents of an object are a list, `data, wal`. Where one server has them on one device and another one on two, each of them is
//! matched by itself: what all servers have on one device stays together.

use std::collections::BTreeSet;

/// Between the contents of an object.
const COMMA: &str = ", ";

/// Contents that no server, run or window separates.
#[derive(Debug, Default, PartialEq)]
pub struct Together<'a> {
    sets: Vec<Vec<&'a str>>,
}

impl<'a> Together<'a> {
    /// Of these servers, runs or windows: for each, the lists of its objects.
    pub fn of(everywhere: &[Vec<&'a str>]) -> Together<'a> {
        let mut known: BTreeSet<&str> = BTreeSet::new();
        let mut sets: Vec<(Vec<BTreeSet<&str>>, Vec<&'a str>)> = Vec::new();
        let all = everywhere.iter().flatten();
        for content in all.flat_map(|list| list.split(COMMA)) {
            if !known.insert(content) {
                continue;
            }
            let lists = everywhere.iter().map(|lists| {
                let lists = lists.iter().copied();
                lists.filter(|list| holds(list, content)).collect()
            });
            let lists: Vec<BTreeSet<&str>> = lists.collect();
            match sets.iter_mut().find(|(known, _)| *known == lists) {
                Some((_, set)) => set.push(content),
                None => sets.push((lists, vec![content])),
            }
        }
        Together {
            sets: sets.into_iter().map(|(_, set)| set).collect(),
        }
    }

    /// The parts of a list that are matched by themselves.
    pub fn parts(&self, list: &str) -> Vec<String> {
        let is_part = |set: &&Vec<&str>| set.iter().all(|content| holds(list, content));
        let parts = self.sets.iter().filter(is_part);
        parts.map(|set| set.join(COMMA)).collect()
    }
}

fn holds(list: &str, content: &str) -> bool {
    list.split(COMMA).any(|held| held == content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_together_everywhere_stays_together() {
        let alike = Together::of(&[vec!["data, wal"], vec!["data, wal"]]);
        assert_eq!(alike.parts("data, wal"), ["data, wal"]);
    }

    #[test]
    fn one_device_meets_two() {
        let apart = Together::of(&[
            vec!["data, wal, tablespace slow"],
            vec!["data, tablespace slow", "wal"],
        ]);
        assert_eq!(
            apart.parts("data, wal, tablespace slow"),
            ["data, tablespace slow", "wal"]
        );
        assert_eq!(apart.parts("wal"), ["wal"]);
        assert_eq!(
            apart.parts("data, tablespace slow"),
            ["data, tablespace slow"]
        );
    }

    #[test]
    fn contents_of_one_server_alone_are_a_part() {
        let more = Together::of(&[vec!["data, wal"], vec!["data, wal, tablespace new"]]);
        assert_eq!(
            more.parts("data, wal, tablespace new"),
            ["data, wal", "tablespace new"]
        );
        // A name with a comma comes out whole.
        let odd = Together::of(&[vec!["tablespace a, b"], vec!["tablespace a, b"]]);
        assert_eq!(odd.parts("tablespace a, b"), ["tablespace a, b"]);
        assert!(Together::default().parts("data").is_empty());
    }

    #[test]
    fn disks_beneath_are_found_by_all_that_lies_above_them() {
        let members = Together::of(&[vec!["data, wal", "data"], vec!["data, wal"]]);
        assert_eq!(members.parts("data, wal"), ["data", "wal"]);
        assert_eq!(members.parts("data"), ["data"]);
    }
}

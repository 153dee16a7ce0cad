//! Writes a copy of the sources with mistakes in it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::Result;
use crate::found::Found;
use crate::list::Mistake;
use crate::{rust, sql};

/// Folders with what is tested, each with its root module.
const CRATES: &[(&str, &str)] = &[
    ("src", "lib.rs"),
    ("crates/script/src", "lib.rs"),
    ("crates/measure/src", "lib.rs"),
    ("crates/engine/src", "lib.rs"),
    ("crates/results/src", "lib.rs"),
    ("crates/memory/src", "lib.rs"),
    ("crates/wire/src", "lib.rs"),
];

/// The switch. The postmaster hands the variable down to all its processes.
const SWITCH: &str = r#"
pub(crate) mod mutants {
    pub(crate) fn chosen(number: u32) -> bool {
        static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
        let read = || std::env::var("PGPERF_MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(0);
        *CHOSEN.get_or_init(read) == number
    }
}
"#;

/// Chooses mistakes at random, those of all files alike, and writes the files that change. `sources` and `copy` are roots of checkouts;
/// the copy has all files already. Prints the list.
pub fn plant(sources: &str, copy: &str, count: &str, seed: &str, without: &[&str]) -> Result<()> {
    let (count, seed): (usize, u64) = (count.parse()?, seed.parse()?);
    let without: HashSet<usize> = without
        .iter()
        .map(|n| n.parse())
        .collect::<std::result::Result<_, _>>()?;
    let mut places = Vec::new();
    for (folder, _) in CRATES {
        let mut for_tests = Vec::new();
        let mut files = Vec::new();
        read_files(Path::new(sources), Path::new(folder), &mut files)?;
        let mut folder_places = Vec::new();
        for file in &files {
            let text = fs::read_to_string(Path::new(sources).join(file))?;
            let found = if file.extension().is_some_and(|end| end == "sql") {
                sql::find(&text)
            } else {
                let (found, modules) = rust::find(&text)?;
                for_tests.extend(modules.iter().map(|module| place_of_module(file, module)));
                found
            };
            folder_places.extend(lots(file, &text, found, seed));
        }
        folder_places.retain(|(_, file, _)| {
            !for_tests
                .iter()
                .any(|module| file.with_extension("").starts_with(module))
        });
        places.extend(folder_places);
    }
    eprintln!("{} places", places.len());
    places.sort_by_key(|(lot, ..)| *lot);

    // Numbers are those of the order in which they were drawn, so that they stay when others are left out.
    let mut chosen: BTreeMap<PathBuf, Vec<(usize, Found)>> = BTreeMap::new();
    let mut drawn = 0;
    for (number, (_, file, found)) in places.into_iter().enumerate() {
        if drawn == count {
            break;
        }
        let its = chosen.entry(file).or_default();
        let meets = |(_, other): &(usize, Found)| {
            other.bytes.start < found.bytes.end && found.bytes.start < other.bytes.end
        };
        if without.contains(&(number + 1)) || its.iter().any(meets) {
            continue;
        }
        its.push((number + 1, found));
        drawn += 1;
    }
    let mut list = Vec::new();
    for (file, mut its) in chosen {
        let text = fs::read_to_string(Path::new(sources).join(&file))?;
        its.sort_by_key(|(_, found)| found.bytes.start);
        let is_sql = file.extension().is_some_and(|end| end == "sql");
        let (changed, mistakes) = rewritten(&file, &text, &its, is_sql);
        if !is_sql {
            fs::write(Path::new(copy).join(&file), changed)?;
        }
        list.extend(mistakes);
    }
    for (folder, root) in CRATES {
        let root = Path::new(copy).join(folder).join(root);
        let text = fs::read_to_string(&root)?;
        if !text.contains(SWITCH) {
            fs::write(&root, text + SWITCH)?;
        }
    }
    list.sort_by_key(|mistake| mistake.number);
    for mistake in list {
        println!("{mistake}");
    }
    Ok(())
}

/// Each mistake of a file with its lot: a number from the seed, the file's name, and what stands there. A change elsewhere leaves it
/// as it is, so that a seed draws nearly the same mistakes in later sources.
fn lots(file: &Path, text: &str, found: Vec<Found>, seed: u64) -> Vec<(u64, PathBuf, Found)> {
    let mut times: HashMap<(String, String), usize> = HashMap::new();
    let lot = |found: Found| {
        let before = text[..found.bytes.start].rfind('\n').map_or(0, |n| n + 1);
        let after = text[found.bytes.end..].find('\n');
        let after = after.map_or(text.len(), |n| found.bytes.end + n);
        let key = (text[before..after].to_owned(), found.mistake.clone());
        let time = times.entry(key.clone()).or_default();
        *time += 1;
        let mut hasher = DefaultHasher::new();
        (seed, file, found.kind, key, time).hash(&mut hasher);
        (hasher.finish(), file.to_owned(), found)
    };
    found.into_iter().map(lot).collect()
}

/// All `.rs` and `.sql` files of a folder, in order, relative to the root.
fn read_files(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<_> =
        fs::read_dir(root.join(folder))?.collect::<std::result::Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            read_files(root, &path, files)?;
        } else if path
            .extension()
            .is_some_and(|end| end == "rs" || end == "sql")
        {
            files.push(path);
        }
    }
    Ok(())
}

/// Where a module that a file declares stands, without the ending.
fn place_of_module(file: &Path, module: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default();
    let folder = if stem == "mod" || stem == "lib" {
        file.parent().unwrap_or(file).to_owned()
    } else {
        file.with_extension("")
    };
    folder.join(module)
}

/// The text of a file with its mistakes, each behind a switch, and their list.
fn rewritten(
    file: &Path,
    text: &str,
    its: &[(usize, Found)],
    is_sql: bool,
) -> (String, Vec<Mistake>) {
    let mut changed = String::new();
    let mut list = Vec::new();
    let mut at = 0;
    for (number, found) in its {
        let was = &text[found.bytes.clone()];
        changed.push_str(&text[at..found.bytes.start]);
        let start = changed.len();
        let name = format!("crate::mutants::chosen({number})");
        changed.push_str(&if found.statement {
            format!("if !{name} {{ {was} }}")
        } else if found.mistake.contains("-=") || found.mistake.contains("+=") {
            format!("if {name} {{ {} }} else {{ {was} }}", found.mistake)
        } else {
            format!("(if {name} {{ {} }} else {{ {was} }})", found.mistake)
        });
        list.push(Mistake {
            number: *number,
            file: file.display().to_string(),
            line: text[..found.bytes.start].matches('\n').count() + 1,
            kind: found.kind.to_owned(),
            was: was.to_owned(),
            is: found.mistake.clone(),
            bytes: if is_sql {
                found.bytes.clone()
            } else {
                start..changed.len()
            },
        });
        at = found.bytes.end;
    }
    changed.push_str(&text[at..]);
    (changed, list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_behind_its_switch() {
        let text = "fn f() { g(); a < b }";
        let (found, _) = rust::find(text).unwrap();
        let its: Vec<_> = (1..).zip(found).collect();
        let (changed, list) = rewritten(Path::new("f.rs"), text, &its, false);
        assert_eq!(
            changed,
            "fn f() { if !crate::mutants::chosen(1) { g(); } (if crate::mutants::chosen(2) { a <= b } else { a < b }) }"
        );
        assert_eq!(
            &changed[list[1].bytes.clone()],
            &changed[48..changed.len() - 2]
        );
    }

    #[test]
    fn a_lot_stays_when_something_else_changes() {
        let lots = |text: &str| -> Vec<u64> {
            let (found, _) = rust::find(text).unwrap();
            let lots = lots(Path::new("f.rs"), text, found, 7);
            lots.iter().map(|(lot, ..)| *lot).collect()
        };
        let before = lots("fn f() {\n a < b\n}");
        let after = lots("fn f() {\n c > d;\n a < b\n}");
        assert_eq!(before.len(), 1);
        assert_eq!(after.len(), 2);
        assert!(after.contains(&before[0]));
        // The same line twice.
        assert_ne!(
            lots("fn f() {\n a < b\n}\nfn g() {\n a < b\n}")[0],
            lots("fn f() {\n a < b\n}\nfn g() {\n a < b\n}")[1]
        );
    }

    #[test]
    fn modules_of_a_file() {
        assert_eq!(
            place_of_module(Path::new("src/a/mod.rs"), "t"),
            Path::new("src/a/t")
        );
        assert_eq!(
            place_of_module(Path::new("src/a.rs"), "t"),
            Path::new("src/a/t")
        );
    }
}

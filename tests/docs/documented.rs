//! The tables of docs/ list exactly the extension's objects: every public one, and none that does not exist. Links
//! between documents work, and the README leads to each page.

use crate::common::runs::Runs;
use crate::common::{Cluster, checkout, document};
use postgres::Client;
use std::collections::BTreeSet;
use std::fs;

type Names = BTreeSet<String>;

/// Where the extension's objects are listed: these pages have tables.
const LISTS: &[&str] = &[FUNCTIONS_PAGE, RELATIONS_PAGE, SETTINGS_PAGE];
const FUNCTIONS_PAGE: &str = "docs/functions.md";
const RELATIONS_PAGE: &str = "docs/relations.md";
const SETTINGS_PAGE: &str = "docs/settings.md";

/// Where the pages are. The last folder has those that the reference leads to.
const FOLDERS: &[&str] = &["docs", "docs/reference"];
const REFERENCE_PAGE: &str = "docs/reference.md";

fn file(name: &str) -> String {
    document(name)
}

/// The project's pages, by their paths in the repository.
fn documents() -> Vec<String> {
    let mut documents = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    for folder in FOLDERS {
        for entry in fs::read_dir(checkout().join(folder)).expect(folder) {
            let name = entry.expect(folder).file_name();
            documents.push(format!("{folder}/{}", name.to_string_lossy()));
        }
    }
    documents.retain(|name| name.ends_with(".md"));
    assert!(documents.len() > 40, "{documents:?}");
    documents
}

/// The folder of a page, by its path in the repository.
fn folder_of(document: &str) -> &str {
    document.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The lines outside fenced blocks.
fn prose(text: &str) -> Vec<&str> {
    let mut is_fenced = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            lines.push(line);
        }
    }
    lines
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> Names {
    prose(text)
        .into_iter()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

/// The targets of a page's links and pictures, except those in code.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        let line: String = line.split('`').step_by(2).collect();
        for (before, end) in [("](", ')'), ("src=\"", '"')] {
            for after in line.split(before).skip(1) {
                links.extend(after.split(end).next().map(str::to_owned));
            }
        }
    }
    links
}

/// The text `between backticks`.
fn code_spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn is_name_part(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'
}

/// The names of a code span: for a call its own and not those of its arguments; `…_deltas` stays as it is.
fn names(span: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut depth = 0;
    let is_separator = |c: char| !is_name_part(c) && c != '.' && c != '…';
    for (i, part) in span.split_inclusive(is_separator).enumerate() {
        let word = part.trim_end_matches(is_separator);
        if depth == 0 && !word.is_empty() && (i > 0 || word != "SELECT") {
            names.push(word.trim_start_matches("pgperf."));
        }
        match part.chars().last() {
            Some('(') => depth += 1,
            Some(')') => depth -= 1,
            _ => {}
        }
    }
    names
}

/// The documented objects: names in the first column of the section's tables.
fn listed(section: &str) -> Names {
    section
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .filter_map(|row| row.split(" | ").next())
        .flat_map(code_spans)
        .filter(|span| !span.starts_with('/'))
        .flat_map(names)
        .filter(|name| name.starts_with("…_") || name.starts_with(|c: char| c.is_ascii_lowercase()))
        .map(str::to_owned)
        .collect()
}

/// Names below the tables, such as types.
fn parts(section: &str) -> Names {
    let lines = section.lines().filter(|line| !line.starts_with('|'));
    let text = lines.collect::<Vec<_>>().join("\n");
    code_spans(&text)
        .into_iter()
        .flat_map(names)
        .map(str::to_owned)
        .collect()
}

fn has(names: &Names, name: &str) -> bool {
    let suffix = |pattern: &String| {
        pattern
            .strip_prefix('…')
            .is_some_and(|end| name.ends_with(end))
    };
    names.contains(name) || names.iter().any(suffix)
}

/// The members of the extension. A table or view has a row type, and each type an array of it, which since 18 are members, too.
const MEMBERS: &str = "pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'pgperf' \
    LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid \
    LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid \
    LEFT JOIN pg_type t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid \
    LEFT JOIN pg_type element ON element.oid = t.typelem \
    LEFT JOIN pg_class r ON r.oid IN (t.typrelid, element.typrelid) \
    WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND COALESCE(t.typelem, 0) = 0 AND (r.relkind IS NULL OR r.relkind = 'c')";

/// The schemas of public things, and of their parts.
const PUBLIC: &str = "pgperf";
const INTERNAL: &str = "pgperf_internal";

/// Where statements about them are.
const SOURCES: [&str; 4] = ["src", "crates", "bench", "tools"];

/// The objects of the extension of these kinds in a schema, by name.
fn objects(session: &mut Client, schema: &str, kinds: &str) -> Names {
    let rows = session
        .query(
            &format!(
                "SELECT DISTINCT COALESCE(c.relname, p.proname, t.typname)::text FROM {MEMBERS} AND {kinds} \
                   AND COALESCE(c.relnamespace, p.pronamespace, t.typnamespace) = '{schema}'::regnamespace"
            ),
            &[],
        )
        .expect("the objects");
    rows.iter().map(|row| row.get(0)).collect()
}

const FUNCTIONS: &str = "d.classid = 'pg_proc'::regclass";
const RELATIONS: &str = "d.classid = 'pg_class'::regclass AND c.relkind IN ('r', 'p', 'v', 'm')";
const TYPES: &str = "d.classid = 'pg_type'::regclass";
const SEQUENCES: &str = "d.classid = 'pg_class'::regclass AND c.relkind = 'S'";

fn settings(session: &mut Client) -> Names {
    // Loads the library, which defines them.
    session.value("LOAD 'pgperf'");
    let names = session.value(
        "SELECT string_agg(substr(name, 8), ' ') FROM pg_settings WHERE name LIKE 'pgperf.%'",
    );
    names.split(' ').map(str::to_owned).collect()
}

fn missing(there: &Names, documented: &Names) -> Vec<String> {
    let is_missing = |name: &&String| !has(documented, name);
    there.iter().filter(is_missing).cloned().collect()
}

#[test]
fn every_object_is_documented() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let nothing = Vec::<String>::new();
    for (page, there) in [
        (FUNCTIONS_PAGE, objects(&mut session, PUBLIC, FUNCTIONS)),
        (RELATIONS_PAGE, objects(&mut session, PUBLIC, RELATIONS)),
        (SETTINGS_PAGE, settings(&mut session)),
    ] {
        assert!(there.len() > 4, "{page}: {there:?}");
        let left_out = missing(&there, &listed(&file(page)));
        assert_eq!(left_out, nothing, "missing in {page}");
    }
    let types = objects(&mut session, PUBLIC, TYPES);
    assert!(types.len() > 1, "{types:?}");
    assert_eq!(missing(&types, &parts(&file(FUNCTIONS_PAGE))), nothing);
    // Nothing else gets there in use either: partitions are in the other schema.
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.value("SELECT count(*) FROM pgperf.maintain()");
    let seen = session.value(
        "SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = 'pgperf'::regnamespace AND relkind NOT IN ('i', 'I', 'c')",
    );
    let seen: Names = seen.split(' ').map(str::to_owned).collect();
    let undocumented = missing(&seen, &listed(&file(RELATIONS_PAGE)));
    assert_eq!(undocumented, nothing, "in the schema pgperf");
    // Of other kinds there are a wrapper and nothing else, no operator, no event trigger, except casts to types of the extension: they mean
    // nothing to a statement without such a type.
    let others = session.value(&format!(
        "SELECT string_agg(pg_describe_object(d.classid, d.objid, 0), ', ') FROM {MEMBERS} \
           AND d.classid NOT IN ('pg_proc'::regclass, 'pg_type'::regclass, 'pg_namespace'::regclass) \
           AND NOT EXISTS (SELECT FROM pg_cast k JOIN pg_type y ON y.oid = k.casttarget \
                            WHERE d.classid = 'pg_cast'::regclass AND k.oid = d.objid AND y.typnamespace = 'pgperf'::regnamespace) \
           AND (c.relkind IS NULL OR c.relkind NOT IN ('r', 'p', 'v', 'm', 'S'))",
    ));
    assert_eq!(
        others, "foreign-data wrapper pgperf_target",
        "docs/targets.md"
    );
    let bare = session.value(&format!(
        "SELECT string_agg(pg_describe_object(d.classid, d.objid, 0), ', ') FROM {MEMBERS} \
           AND obj_description(d.objid, d.classid::regclass::name) IS NULL",
    ));
    assert_eq!(bare, "", "without a COMMENT");
    // For partitions, the comment of their table suffices.
    let columns = session.value(
        "SELECT string_agg(format('%s.%s', c.relname, a.attname), ', ' ORDER BY c.relname, a.attnum) \
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
         WHERE c.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace) AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition \
           AND col_description(c.oid, a.attnum) IS NULL",
    );
    assert_eq!(
        columns, "",
        "columns without a COMMENT (src/schema/comments)"
    );
}

#[test]
fn internal_parts_are_in_no_list() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for kinds in [FUNCTIONS, RELATIONS, SEQUENCES] {
        let internal = objects(&mut session, INTERNAL, kinds);
        assert!(internal.len() > 2, "{internal:?}");
        for page in LISTS {
            let documented = listed(&file(page));
            let listed: Vec<_> = internal
                .iter()
                .filter(|name| has(&documented, name))
                .collect();
            assert!(listed.is_empty(), "{page}: {listed:?}");
        }
    }
    assert_eq!(objects(&mut session, INTERNAL, TYPES), Names::new());
}

#[test]
fn everything_documented_exists() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let functions = objects(&mut session, PUBLIC, FUNCTIONS);
    let relations = objects(&mut session, PUBLIC, RELATIONS);
    let settings = settings(&mut session);
    let in_server: Names = session
        .query("SELECT name FROM pg_settings", &[])
        .expect("the settings")
        .iter()
        .map(|row| row.get(0))
        .collect();
    let exists = |there: &Names, name: &str| match name.strip_prefix('…') {
        Some(end) => there.iter().any(|one| one.ends_with(end)),
        None => there.contains(name),
    };
    for page in LISTS {
        let listed = listed(&file(page));
        assert!(listed.len() > 4, "{page}: {listed:?}");
        for name in listed {
            let found = match *page {
                FUNCTIONS_PAGE => exists(&functions, &name),
                RELATIONS_PAGE => exists(&relations, &name),
                _ => settings.contains(&name) || in_server.contains(&name),
            };
            assert!(found, "{page}: there is no {name}");
        }
    }

    // Wherever a document says pgperf.x, there is an x.
    let there: Names = [
        functions,
        relations,
        settings,
        objects(&mut session, PUBLIC, TYPES),
    ]
    .into_iter()
    .flatten()
    .collect();
    let internal: Names = [FUNCTIONS, RELATIONS, SEQUENCES]
        .map(|kinds| objects(&mut session, INTERNAL, kinds))
        .into_iter()
        .flatten()
        .collect();
    let files = ["so", "control", "spec"];
    let mut unknown = Vec::new();
    for document in documents() {
        let text = file(&document);
        for (schema, there) in [(PUBLIC, &there), (INTERNAL, &internal)] {
            for after in text.split(&format!("{schema}.")).skip(1) {
                let end = after.find(|c| !is_name_part(c)).unwrap_or(after.len());
                let name = &after[..end];
                if !name.is_empty() && !files.contains(&name) && !there.contains(name) {
                    unknown.push(format!("{document}: {schema}.{name}"));
                }
            }
        }
    }
    // In the sources, a name of the other schema would fail when it is needed.
    let mut folders = SOURCES.map(|name| checkout().join(name)).to_vec();
    let mut texts = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources") {
            let path = entry.expect("the sources").path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                texts += 1;
                for (schema, others) in [(PUBLIC, &internal), (INTERNAL, &there)] {
                    for after in text.split(&format!("{schema}.")).skip(1) {
                        let end = after.find(|c| !is_name_part(c)).unwrap_or(after.len());
                        if others.contains(&after[..end]) {
                            unknown.push(format!("{}: {schema}.{}", path.display(), &after[..end]));
                        }
                    }
                }
            }
        }
    }
    assert!(texts > 100, "{texts}");
    assert_eq!(unknown, Vec::<String>::new(), "there is no such thing");
}

#[test]
fn links_lead_somewhere() {
    let root = checkout();
    let mut dead = Vec::new();
    let mut followed = 0;
    for document in documents() {
        let text = file(&document);
        for link in links(&text) {
            if link.contains("://") {
                continue;
            }
            followed += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => root.join(&document),
                path => root.join(folder_of(&document)).join(path),
            };
            let found = if anchor.is_empty() {
                target.exists()
            } else {
                fs::read_to_string(&target).is_ok_and(|page| anchors(&page).contains(anchor))
            };
            if !found {
                dead.push(format!("{document}: {link}"));
            }
        }
    }
    assert_eq!(dead, Vec::<String>::new(), "links that lead nowhere");
    assert!(followed > 100, "{followed} links");
}

#[test]
fn the_readme_leads_to_each_page() {
    let mut linked = links(&file("README.md"));
    // The reference leads to its own pages.
    let of_reference = links(&file(REFERENCE_PAGE)).into_iter();
    let own_pages = of_reference.filter(|link| link.starts_with("reference/"));
    linked.extend(own_pages.map(|link| format!("docs/{link}")));
    // Earlier results belong to their newest page.
    let elsewhere = ["README.md", "docs/benchmarks-history.md"];
    let unlinked: Vec<String> = documents()
        .into_iter()
        .filter(|page| !elsewhere.contains(&page.as_str()) && !linked.contains(page))
        .collect();
    assert_eq!(
        unlinked,
        Vec::<String>::new(),
        "pages that the README does not link"
    );
}

/// Recipes name the files that a change touches.
#[test]
fn files_that_pages_name_exist() {
    const PLACES: &[&str] = &[
        "src/",
        "crates/",
        "tests/",
        "tools/",
        "sql/",
        "expected/",
        "docs/",
        "bench/",
        "debian/",
    ];
    let root = checkout();
    let mut missing = Vec::new();
    let mut named = 0;
    for document in ["CONTRIBUTING.md", "docs/testing.md", "docs/benchmarks.md"] {
        let text = file(document);
        let text = prose(&text).join("\n");
        for span in code_spans(&text) {
            let path = span.split_whitespace().next().unwrap_or_default();
            // There are several files of such a name.
            let is_pattern = path.contains('*') || path.contains("A--B");
            if is_pattern || !PLACES.iter().any(|place| path.starts_with(place)) {
                continue;
            }
            named += 1;
            if !root.join(path).exists() {
                missing.push(format!("{document}: {path}"));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "there is no such file");
    assert!(named > 80, "{named}");
}

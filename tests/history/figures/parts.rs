//! Tables and charts of the history, of the expectations and of a document in one form.

use serde_json::Value;

const EXPECTED: &str = include_str!("sections.txt");

/// A table or a chart of the expectations, or of a document: what it is, and its rows in order. Of a chart each line is a row, and so are its
/// times; its figures are named by their numbers.
#[derive(Debug, Default)]
pub struct Part {
    /// `section/table`.
    pub name: String,
    pub is_chart: bool,
    /// Columns with their kinds, or the unit of a chart.
    pub kinds: Vec<String>,
    pub rows: Vec<Row>,
}

#[derive(Debug)]
pub struct Row {
    /// Its list or object, and its keys.
    pub name: String,
    pub figures: Vec<(String, String)>,
}

fn row_name(list: &str, keys: &str) -> String {
    format!("{list} / {keys}")
}

/// The expectations of a window.
pub fn expected(window: &str) -> Vec<Part> {
    let start = format!("=== {window}\n");
    let (_, text) = EXPECTED.split_once(&start).expect("the window");
    let text = text.split("\n===").next().unwrap_or_default();
    let blocks = text.split("== ").skip(1);
    blocks.map(part).collect()
}

fn part(block: &str) -> Part {
    let mut lines = block.lines().filter(|line| !line.is_empty());
    let head = lines.next().expect("a head");
    let (name, kinds) = head.split_once(": ").expect(head);
    let mut part = match name.strip_prefix("chart ") {
        Some(name) => Part {
            name: name.to_owned(),
            is_chart: true,
            kinds: vec![kinds.to_owned()],
            ..Part::default()
        },
        None => Part {
            name: name.to_owned(),
            kinds: kinds.split(", ").map(str::to_owned).collect(),
            ..Part::default()
        },
    };
    let mut list = "";
    for line in lines {
        if let Some(title) = line.strip_prefix("= ") {
            list = title;
            continue;
        }
        let (keys, figures) = line.split_once(":: ").expect(line);
        let figures = if part.is_chart {
            let points = figures.split(", ").enumerate();
            points
                .map(|(n, point)| (n.to_string(), point.to_owned()))
                .collect()
        } else {
            let cells = figures.split("; ").map(|cell| {
                let (name, expression) = cell.split_once(" = ").expect(cell);
                (name.to_owned(), expression.to_owned())
            });
            cells.collect()
        };
        part.rows.push(Row {
            name: row_name(list, keys.trim()),
            figures,
        });
    }
    part
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name]
        .as_array()
        .unwrap_or_else(|| panic!("no {name}"))
}

/// The tables and charts of a document. `seconds`: moments in seconds since the window began.
pub fn found(document: &Value, mut seconds: impl FnMut(&str) -> f64) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for section in list(document, "sections") {
        let unread = text(&section["why"]);
        assert!(!unread.contains("could not be read"), "{unread}");
        let name = |part: &Value| format!("{}/{}", text(&section["name"]), text(&part["name"]));
        for table in list(section, "tables") {
            let columns = list(table, "columns");
            let is_key = |column: &&Value| column["kind"] == "key";
            let of_kind =
                |column: &Value| format!("{} {}", text(&column["name"]), text(&column["kind"]));
            let figures = columns.iter().filter(|column| !is_key(column));
            let keys: Vec<String> = columns
                .iter()
                .filter(is_key)
                .map(|key| text(&key["name"]))
                .collect();
            let part = Part {
                name: name(table),
                is_chart: false,
                kinds: figures.clone().map(of_kind).collect(),
                rows: Vec::new(),
            };
            if parts.last().is_none_or(|last| last.name != part.name) {
                parts.push(part);
            }
            // A list has its title, a table that of its definition.
            let is_of_lists = |name: &str| {
                let mut rows = list(table, "rows").iter();
                !keys.iter().any(|key| key == name) && rows.any(|row| !row[name].is_null())
            };
            let is_list = ["list", "holds"].into_iter().any(is_of_lists);
            let title = if is_list {
                text(&table["title"])
            } else {
                String::new()
            };
            for row in list(table, "rows") {
                let keys: Vec<String> = keys.iter().map(|key| text(&row[key])).collect();
                let cells = figures.clone().filter_map(|column| {
                    let name = text(&column["name"]);
                    let value = &row[&name];
                    let value = match column["kind"].as_str() {
                        Some("time") if !value.is_null() => Value::from(seconds(&text(value))),
                        _ => value.clone(),
                    };
                    (!value.is_null()).then(|| (name, value.to_string()))
                });
                let row = Row {
                    name: row_name(&title, keys.join(" | ").trim()),
                    figures: cells.collect(),
                };
                parts.last_mut().expect("a table").rows.push(row);
            }
        }
        for chart in list(section, "charts") {
            if parts.last().is_none_or(|last| last.name != name(chart)) {
                parts.push(Part {
                    name: name(chart),
                    is_chart: true,
                    kinds: vec![text(&chart["unit"])],
                    rows: Vec::new(),
                });
            }
            let object = text(&chart["object"]);
            let times = ["at_s", "seconds"].map(|name| (name.to_owned(), list(chart, name)));
            let lines = list(chart, "lines").iter();
            let lines = lines.map(|line| (text(&line["name"]), list(line, "values")));
            for (name, points) in times.into_iter().chain(lines) {
                let points = points.iter().enumerate();
                parts.last_mut().expect("a chart").rows.push(Row {
                    name: row_name(&object, &name),
                    figures: points
                        .map(|(n, point)| (n.to_string(), point.to_string()))
                        .collect(),
                });
            }
        }
    }
    parts
}

//! The queries of a workload's author: conditions of its tables, and metrics of its runs.

use crate::error::{Error, Result, hinted, invalid};
use crate::pg::sql::spi::Cells;
use measure::metrics::{self, Better, Source};

/// A condition and whether it holds.
#[derive(Debug, PartialEq)]
pub struct Condition {
    pub name: String,
    pub passed: bool,
    pub detail: Option<String>,
}

/// A metric that a workload defines.
#[derive(Debug, PartialEq)]
pub struct Figure {
    pub name: String,
    pub value: Option<f64>,
    pub unit: String,
    pub better: Option<Better>,
}

/// The conditions of a data set that the rows of a query tell.
pub fn conditions(rows: Vec<Cells>) -> Result<Vec<Condition>> {
    rows.into_iter().map(condition).collect()
}

fn condition(cells: Cells) -> Result<Condition> {
    if !(2..=3).contains(&cells.len()) {
        let columns = "check_name, passed and detail";
        return Err(wrong_columns("check_sql", "2 or 3", columns, &cells));
    }
    let mut cells = cells.into_iter();
    let mut next = || cells.next().flatten();
    let name = next().unwrap_or_default();
    let passed = match next().as_deref() {
        Some("true") => true,
        // As a condition of a query, one that is not known does not hold.
        Some("false") | None => false,
        Some(other) => {
            return Err(invalid(format!(
                "the second column of check_sql must be boolean, not \"{other}\""
            )));
        }
    };
    Ok(Condition {
        name,
        passed,
        detail: next(),
    })
}

/// The metrics of a run that the rows of a query tell.
pub fn figures(rows: Vec<Cells>) -> Result<Vec<Figure>> {
    let mut figures: Vec<Figure> = Vec::new();
    for cells in rows {
        let figure = figure(cells)?;
        if figures.iter().any(|known| known.name == figure.name) {
            return Err(invalid(format!(
                "metrics_sql has several rows for metric \"{}\"",
                figure.name
            )));
        }
        figures.push(figure);
    }
    Ok(figures)
}

fn figure(cells: Cells) -> Result<Figure> {
    if !(2..=4).contains(&cells.len()) {
        let columns = "metric, value, unit and direction";
        return Err(wrong_columns("metrics_sql", "2 to 4", columns, &cells));
    }
    let mut cells = cells.into_iter();
    let mut next = || cells.next().flatten();
    let name = next().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| invalid("a metric must have a name".to_owned()))?;
    let is_known = |source| {
        let whole = name
            .split_once('.')
            .map_or(name.as_str(), |(whole, _)| whole);
        metrics::named(source, whole).is_some()
    };
    if is_known(Source::Facts) || is_known(Source::Columns) {
        return Err(invalid(format!(
            "every run has a metric \"{name}\" already"
        )));
    }
    let value = next().map(|text| {
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| {
            invalid(format!(
                "the value of metric \"{name}\" must be a finite number, not \"{text}\""
            ))
        })
    });
    let value = value.transpose()?;
    let unit = next().unwrap_or_default();
    let better = next().map(|text| {
        Better::named(&text).ok_or_else(|| {
            invalid(format!(
                "the direction of metric \"{name}\" must be higher or lower, not \"{text}\""
            ))
        })
    });
    Ok(Figure {
        value,
        unit,
        better: better.transpose()?,
        name,
    })
}

fn wrong_columns(argument: &str, count: &str, columns: &str, cells: &Cells) -> Error {
    hinted(
        format!(
            "{argument} must return {count} columns, not {}",
            cells.len()
        ),
        &format!("They are {columns}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(texts: &[&str]) -> Cells {
        let cell = |text: &&str| (*text != "NULL").then(|| (*text).to_owned());
        texts.iter().map(cell).collect()
    }

    #[test]
    fn a_condition_has_a_name_and_whether_it_holds() {
        let read =
            |texts: &[&str]| condition(cells(texts)).map(|it| (it.name, it.passed, it.detail));
        let told = |passed, detail: Option<&str>| {
            Some(("rows".to_owned(), passed, detail.map(str::to_owned)))
        };
        assert_eq!(read(&["rows", "true"]).ok(), told(true, None));
        assert_eq!(
            read(&["rows", "false", "7 rows"]).ok(),
            told(false, Some("7 rows"))
        );
        assert_eq!(read(&["rows", "NULL", "NULL"]).ok(), told(false, None));
        let error = |texts| read(texts).unwrap_err().to_string();
        assert_eq!(
            error(&["rows", "7"]),
            "the second column of check_sql must be boolean, not \"7\""
        );
        assert_eq!(
            error(&["true"]),
            "check_sql must return 2 or 3 columns, not 1"
        );
        assert_eq!(
            error(&["a", "true", "b", "c"]),
            "check_sql must return 2 or 3 columns, not 4"
        );
    }

    #[test]
    fn a_metric_has_a_name_of_its_own_and_a_finite_value() {
        let read = |texts: &[&str]| figure(cells(texts));
        let orders = Figure {
            name: "orders".to_owned(),
            value: Some(2.5),
            unit: String::new(),
            better: None,
        };
        assert_eq!(read(&["orders", "2.5"]).ok(), Some(orders));
        let full = read(&["orders.new", "1e+20", "per minute", "higher"]).unwrap();
        assert_eq!(full.better, Some(Better::Higher));
        assert_eq!((full.value, full.unit.as_str()), (Some(1e20), "per minute"));
        assert_eq!(read(&["orders", "NULL"]).unwrap().value, None);
        for (texts, said) in [
            (
                &["orders"][..],
                "metrics_sql must return 2 to 4 columns, not 1",
            ),
            (&["NULL", "1"], "a metric must have a name"),
            (&["tps", "1"], "every run has a metric \"tps\" already"),
            (
                &["wal_bytes.Heap", "1"],
                "every run has a metric \"wal_bytes.Heap\" already",
            ),
            (
                &["a", "NaN"],
                "the value of metric \"a\" must be a finite number, not \"NaN\"",
            ),
            (
                &["a", "b"],
                "the value of metric \"a\" must be a finite number, not \"b\"",
            ),
            (
                &["a", "1", "s", "up"],
                "the direction of metric \"a\" must be higher or lower, not \"up\"",
            ),
        ] {
            assert_eq!(read(texts).unwrap_err().to_string(), said);
        }
    }
}

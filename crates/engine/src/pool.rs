//! `\\pool`: the rows of a query, read once by each session, before the run if that is possible.

use crate::error::SqlError;
use crate::executor::Fault;
use crate::transport::Transport;
use script::{Pool, SqlCommand, Variables};

/// Reads a pool, as the session's role.
#[cold]
pub fn read<T: Transport>(
    session: &mut T,
    query: &SqlCommand,
    variables: &Variables,
) -> Result<Pool, Fault> {
    if session.in_pipeline() {
        return Err(Fault::misplaced("\\pool is not allowed in pipeline mode"));
    }
    let mut text = String::new();
    query.fill_names(variables, &mut text);
    session.keep_results(true);
    let sent = session.execute_unprepared(&as_one_value(&text), query.arguments(variables));
    session.keep_results(false);
    sent?;
    let kept = session.kept().last();
    let rows = kept.as_ref().and_then(|result| result.values().next());
    let json = session.decode(rows.unwrap_or_default());
    let pool = pool_of(&query.text, &json).map_err(Fault::of_script)?;
    if pool.rows() == 0 {
        let none = SqlError::new("21000", "the query of \\pool returned no rows");
        return Err(Fault::of_script(none));
    }
    Ok(pool)
}

/// A query whose result is all rows of another one as one value: an array of arrays of texts. Results that a session keeps
/// are of one row, and tell no NULL from an empty text.
fn as_one_value(query: &str) -> String {
    format!(
        "SELECT pg_catalog.json_agg(pgperf_rows.texts) FROM (\
             SELECT ARRAY(SELECT e.value FROM pg_catalog.json_each_text(pg_catalog.row_to_json(pgperf_row.*)) AS e) AS texts \
               FROM (\n{query}\n) AS pgperf_row) AS pgperf_rows"
    )
}

/// Without rows there is no value.
fn pool_of(query: &str, json: &str) -> Result<Pool, SqlError> {
    if json.is_empty() {
        return Ok(Pool::default());
    }
    let rows = serde_json::from_str(json);
    rows.map(|rows| Pool::new(query, rows))
        .map_err(|error| SqlError::new("22000", &error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_texts_and_nulls() {
        let text = |text: &str| Some(text.to_owned());
        let rows = vec![vec![text("7"), None], vec![text(""), text("a\"b")]];
        let expected = Pool::new("q", rows);
        assert_eq!(pool_of("q", r#"[["7",null], ["","a\"b"]]"#), Ok(expected));
        assert_eq!(pool_of("q", ""), Ok(Pool::default()));
        assert!(pool_of("q", "[").is_err());
    }
}

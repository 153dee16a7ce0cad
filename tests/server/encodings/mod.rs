//! Databases in encodings other than UTF-8: the same objects, scripts, reports and errors as in UTF-8.

mod errors;
mod history;
mod runs;

use crate::common::Cluster;
use postgres::Client;

/// An encoding, and a word in its letters that every name and text of the test has.
struct Place {
    encoding: &'static str,
    word: &'static str,
}

const LATIN1: Place = Place {
    encoding: "LATIN1",
    word: "tä",
};

const EUC_JP: Place = Place {
    encoding: "EUC_JP",
    word: "表",
};

/// Bytes that happen to be UTF-8, as in most such databases.
const SQL_ASCII: Place = Place {
    encoding: "SQL_ASCII",
    word: "tä",
};

/// A server with a database of that encoding that has pgperf.
fn create(place: &Place) -> (Cluster, Client) {
    let cluster = Cluster::new(&["max_worker_processes = 24"]);
    create_in(&cluster, place.encoding);
    let session = cluster.connect_to("other");
    (cluster, session)
}

fn create_in(cluster: &Cluster, encoding: &str) {
    cluster.run_sql(&format!(
        "CREATE DATABASE other ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    ));
    cluster
        .connect_to("other")
        .batch_execute("CREATE EXTENSION pgperf CASCADE")
        .expect("CREATE EXTENSION");
}

/// The rows of a query's first column.
fn column(session: &mut Client, sql: &str) -> Vec<String> {
    let rows = session.query(sql, &[]).expect(sql);
    rows.iter().map(|row| row.get(0)).collect()
}

fn text(session: &mut Client, sql: &str) -> String {
    column(session, sql).join("\n")
}

/// Objects with such names, some pages each, in a schema with such a name.
fn make_objects(session: &mut Client, word: &str) {
    session
        .batch_execute(&format!(
            "CREATE SCHEMA \"schema_{word}\"; \
             CREATE TABLE \"schema_{word}\".\"{word}\" (id int, \"{word}\" text); \
             INSERT INTO \"schema_{word}\".\"{word}\" SELECT g, repeat('{word}', 20) FROM generate_series(1, 2000) g; \
             CREATE INDEX \"index_{word}\" ON \"schema_{word}\".\"{word}\" (\"{word}\"); \
             ANALYZE \"schema_{word}\".\"{word}\"; \
             SELECT count(*) FROM \"schema_{word}\".\"{word}\" WHERE \"{word}\" LIKE '{word}%'"
        ))
        .expect("objects");
}

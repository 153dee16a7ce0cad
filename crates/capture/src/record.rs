//! What a session leaves in a capture, in this order: once who it is; then statements, each after its text if that is new, and the ends
//! of transactions.
//!
//! Times of a session are microseconds since it was first seen. Records need nothing of one another to be read.

use crate::code::{Read, Write};
use serde::{Deserialize, Serialize};

/// One record of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// Who the session is; the first one.
    Start(Start),
    /// A statement's text, by which later records name it.
    Text { hash: u64, text: Vec<u8> },
    /// A statement that has ended.
    Statement(Statement),
    /// The end of a transaction: all statements since the last one are of it.
    End(End),
    /// The transaction since the last end, and so many more, found no room in the ring.
    Dropped { transactions: u64 },
    /// The session has ended.
    Closed { at: i64 },
}

/// Who a session is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The server's process.
    pub pid: i32,
    /// When it was first seen, microseconds since 2000 in UTC, as the server has it.
    pub at: i64,
    /// The role that logged in.
    pub role: String,
    /// `application_name`.
    pub application: String,
    /// Settings that decide what statements mean or how long they take, as the session had them.
    pub settings: Vec<(String, String)>,
}

/// How a statement reached the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// In a text with all values.
    Simple,
    /// Parsed for this execution, with values beside it.
    Extended,
    /// Parsed before under a name.
    Prepared,
}

/// What a statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// It reads, and locks no row.
    Reads,
    /// It changes or locks rows.
    Changes,
    /// It begins a transaction block.
    Begins,
    /// It ends a transaction block.
    Ends,
    /// Any other one that is not planned.
    Utility,
}

/// Why a statement cannot be run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unrecorded {
    /// COPY FROM STDIN: its rows are not recorded.
    CopyFrom,
    /// Its text may hold a password, and is not recorded.
    Secret,
}

/// What a statement could see: transactions up to a number, but those that were in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visible {
    /// The first transaction number that it could not see for being later.
    pub xmax: u32,
    /// Earlier ones that had not ended.
    pub in_progress: Vec<u32>,
}

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Null,
    Integer(i64),
    /// As the type's output function writes it, dates and times in ISO's form.
    Text(Vec<u8>),
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The type's number in the server's catalog.
    pub type_oid: u32,
    pub value: Value,
}

/// A statement that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Of its text.
    pub hash: u64,
    pub protocol: Protocol,
    pub work: Work,
    /// When the server got it.
    pub started: i64,
    /// None where it needed no snapshot.
    pub visible: Option<Visible>,
    pub parameters: Vec<Parameter>,
    pub outcome: Outcome,
}

/// How a statement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Microseconds.
    pub took: i64,
    /// Rows returned or changed.
    pub rows: u64,
    /// The five characters of its error; None if it had none.
    pub sqlstate: Option<[u8; 5]>,
    pub unrecorded: Option<Unrecorded>,
}

/// How a transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Committed,
    Aborted,
    /// PREPARE TRANSACTION.
    Prepared,
}

/// The end of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    pub at: i64,
    pub ending: Ending,
    /// Its number, if it wrote.
    pub xid: Option<u32>,
    /// The position of its commit in the WAL: the order of commits.
    pub lsn: u64,
    /// 0 to 3: read uncommitted to serializable.
    pub isolation: u8,
    pub read_only: bool,
}

const START: u8 = 1;
const TEXT: u8 = 2;
const STATEMENT: u8 = 3;
const END: u8 = 4;
const DROPPED: u8 = 5;
const CLOSED: u8 = 6;

/// Appends the record of who a session is.
pub fn write_start(bytes: &mut Vec<u8>, start: &Start) {
    bytes.push(START);
    // Plain data: it has a form in JSON.
    bytes.text(&serde_json::to_vec(start).unwrap_or_default());
}

/// Appends a text. `hash` names it.
pub fn write_text(bytes: &mut Vec<u8>, hash: u64, text: &[u8]) {
    bytes.push(TEXT);
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes.text(text);
}

/// Appends what is known of a statement when it starts. Next come its parameters ([`write_count`], and one of the `write_` functions for
/// each), then [`write_outcome`].
pub fn write_statement(
    bytes: &mut Vec<u8>,
    hash: u64,
    protocol: Protocol,
    work: Work,
    started: i64,
    visible: Option<(u32, &[u32])>,
) {
    bytes.push(STATEMENT);
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes.push(protocol as u8 | (work as u8) << 2 | u8::from(visible.is_some()) << 5);
    bytes.signed(started);
    if let Some((xmax, in_progress)) = visible {
        bytes.number(u64::from(xmax));
        bytes.number(in_progress.len() as u64);
        for &xid in in_progress {
            bytes.number(u64::from(xmax.wrapping_sub(xid)));
        }
    }
}

/// Appends the number of parameters.
pub fn write_count(bytes: &mut Vec<u8>, parameters: usize) {
    bytes.number(parameters as u64);
}

/// Appends a parameter that is NULL.
pub fn write_null(bytes: &mut Vec<u8>, type_oid: u32) {
    bytes.number(u64::from(type_oid));
    bytes.push(0);
}

/// Appends a parameter that is a whole number.
pub fn write_integer(bytes: &mut Vec<u8>, type_oid: u32, value: i64) {
    bytes.number(u64::from(type_oid));
    bytes.push(1);
    bytes.signed(value);
}

/// Appends any other parameter.
pub fn write_value(bytes: &mut Vec<u8>, type_oid: u32, text: &[u8]) {
    bytes.number(u64::from(type_oid));
    bytes.push(2);
    bytes.text(text);
}

/// Appends how a statement ended, which ends its record.
pub fn write_outcome(bytes: &mut Vec<u8>, outcome: &Outcome) {
    bytes.signed(outcome.took);
    bytes.number(outcome.rows);
    let unrecorded = match outcome.unrecorded {
        None => 0,
        Some(Unrecorded::CopyFrom) => 1,
        Some(Unrecorded::Secret) => 2,
    };
    bytes.push(unrecorded | u8::from(outcome.sqlstate.is_some()) << 7);
    if let Some(sqlstate) = outcome.sqlstate {
        bytes.extend_from_slice(&sqlstate);
    }
}

/// Appends the end of a transaction.
pub fn write_end(bytes: &mut Vec<u8>, end: &End) {
    bytes.push(END);
    bytes.signed(end.at);
    bytes.push(end.ending as u8 | u8::from(end.read_only) << 2 | (end.isolation & 3) << 3);
    bytes.number(u64::from(end.xid.unwrap_or(0)));
    bytes.number(end.lsn);
}

/// Appends that the transaction since the last end, and so many, found no room.
pub fn write_dropped(bytes: &mut Vec<u8>, transactions: u64) {
    bytes.push(DROPPED);
    bytes.number(transactions);
}

/// Appends the end of the session.
pub fn write_closed(bytes: &mut Vec<u8>, at: i64) {
    bytes.push(CLOSED);
    bytes.signed(at);
}

/// Reads the next record. `None`: the bytes are not what was written.
pub fn read(bytes: &mut Read<'_>) -> Option<Record> {
    Some(match bytes.byte()? {
        START => Record::Start(serde_json::from_slice(bytes.text()?).ok()?),
        TEXT => Record::Text {
            hash: hash(bytes)?,
            text: bytes.text()?.to_vec(),
        },
        STATEMENT => Record::Statement(statement(bytes)?),
        END => Record::End(end(bytes)?),
        DROPPED => Record::Dropped {
            transactions: bytes.number()?,
        },
        CLOSED => Record::Closed {
            at: bytes.signed()?,
        },
        _ => return None,
    })
}

fn array<const N: usize>(bytes: &mut Read<'_>) -> Option<[u8; N]> {
    let mut array = [0; N];
    for byte in &mut array {
        *byte = bytes.byte()?;
    }
    Some(array)
}

fn hash(bytes: &mut Read<'_>) -> Option<u64> {
    Some(u64::from_le_bytes(array(bytes)?))
}

fn xid(bytes: &mut Read<'_>) -> Option<u32> {
    u32::try_from(bytes.number()?).ok()
}

fn statement(bytes: &mut Read<'_>) -> Option<Statement> {
    let hash = hash(bytes)?;
    let kinds = bytes.byte()?;
    let started = bytes.signed()?;
    let visible = if kinds >> 5 & 1 == 1 {
        let xmax = xid(bytes)?;
        let in_progress = (0..bytes.number()?).map(|_| Some(xmax.wrapping_sub(xid(bytes)?)));
        Some(Visible {
            xmax,
            in_progress: in_progress.collect::<Option<_>>()?,
        })
    } else {
        None
    };
    let parameters = (0..bytes.number()?).map(|_| parameter(bytes));
    Some(Statement {
        hash,
        protocol: match kinds & 3 {
            0 => Protocol::Simple,
            1 => Protocol::Extended,
            2 => Protocol::Prepared,
            _ => return None,
        },
        work: match kinds >> 2 & 7 {
            0 => Work::Reads,
            1 => Work::Changes,
            2 => Work::Begins,
            3 => Work::Ends,
            4 => Work::Utility,
            _ => return None,
        },
        started,
        visible,
        parameters: parameters.collect::<Option<_>>()?,
        outcome: outcome(bytes)?,
    })
}

fn parameter(bytes: &mut Read<'_>) -> Option<Parameter> {
    Some(Parameter {
        type_oid: xid(bytes)?,
        value: match bytes.byte()? {
            0 => Value::Null,
            1 => Value::Integer(bytes.signed()?),
            2 => Value::Text(bytes.text()?.to_vec()),
            _ => return None,
        },
    })
}

fn outcome(bytes: &mut Read<'_>) -> Option<Outcome> {
    let took = bytes.signed()?;
    let rows = bytes.number()?;
    let kinds = bytes.byte()?;
    Some(Outcome {
        took,
        rows,
        sqlstate: if kinds >> 7 == 1 {
            Some(array(bytes)?)
        } else {
            None
        },
        unrecorded: match kinds & 0x7f {
            0 => None,
            1 => Some(Unrecorded::CopyFrom),
            2 => Some(Unrecorded::Secret),
            _ => return None,
        },
    })
}

fn end(bytes: &mut Read<'_>) -> Option<End> {
    let at = bytes.signed()?;
    let kinds = bytes.byte()?;
    let number = xid(bytes)?;
    Some(End {
        at,
        ending: match kinds & 3 {
            0 => Ending::Committed,
            1 => Ending::Aborted,
            2 => Ending::Prepared,
            _ => return None,
        },
        xid: (number != 0).then_some(number),
        lsn: bytes.number()?,
        isolation: kinds >> 3 & 3,
        read_only: kinds >> 2 & 1 == 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> (Vec<u8>, Vec<Record>) {
        let start = Start {
            pid: 4711,
            at: 700_000_000_000_000,
            role: "app".to_owned(),
            application: "shop".to_owned(),
            settings: vec![("TimeZone".to_owned(), "Europe/Berlin".to_owned())],
        };
        let outcome = Outcome {
            took: 250,
            rows: 3,
            sqlstate: Some(*b"40001"),
            unrecorded: Some(Unrecorded::CopyFrom),
        };
        let end = End {
            at: 900,
            ending: Ending::Prepared,
            xid: Some(u32::MAX),
            lsn: 0x16_B374_D848,
            isolation: 3,
            read_only: true,
        };
        let mut bytes = Vec::new();
        write_start(&mut bytes, &start);
        write_text(&mut bytes, 7, b"SELECT $1, $2, $3");
        write_statement(
            &mut bytes,
            7,
            Protocol::Prepared,
            Work::Utility,
            100,
            Some((3, &[u32::MAX, 2])),
        );
        write_count(&mut bytes, 3);
        write_null(&mut bytes, 25);
        write_integer(&mut bytes, 23, -5);
        write_value(&mut bytes, 1114, b"2026-11-30 00:00:00");
        write_outcome(&mut bytes, &outcome);
        write_end(&mut bytes, &end);
        write_dropped(&mut bytes, 2);
        write_closed(&mut bytes, 1000);
        let parameter = |type_oid, value| Parameter { type_oid, value };
        let records = vec![
            Record::Start(start),
            Record::Text {
                hash: 7,
                text: b"SELECT $1, $2, $3".to_vec(),
            },
            Record::Statement(Statement {
                hash: 7,
                protocol: Protocol::Prepared,
                work: Work::Utility,
                started: 100,
                visible: Some(Visible {
                    xmax: 3,
                    in_progress: vec![u32::MAX, 2],
                }),
                parameters: vec![
                    parameter(25, Value::Null),
                    parameter(23, Value::Integer(-5)),
                    parameter(1114, Value::Text(b"2026-11-30 00:00:00".to_vec())),
                ],
                outcome,
            }),
            Record::End(end),
            Record::Dropped { transactions: 2 },
            Record::Closed { at: 1000 },
        ];
        (bytes, records)
    }

    #[test]
    fn records_come_back() {
        let (bytes, records) = written();
        let mut read_from = Read::new(&bytes);
        for record in records {
            assert_eq!(read(&mut read_from), Some(record));
        }
        assert!(read_from.is_empty());
    }

    #[test]
    fn a_record_that_is_cut_anywhere_is_none_and_no_panic() {
        let (bytes, records) = written();
        for length in 0..bytes.len() {
            let mut cut = Read::new(&bytes[..length]);
            let mut whole = 0;
            while let Some(record) = read(&mut cut) {
                assert_eq!(record, records[whole]);
                whole += 1;
            }
            assert!(whole < records.len());
        }
    }

    #[test]
    fn damaged_bytes_do_not_panic() {
        let (bytes, _) = written();
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let mut damaged = Read::new(&damaged);
                while read(&mut damaged).is_some() {}
            }
        }
    }
}

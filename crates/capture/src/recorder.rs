//! What a session does, made into records: statements that end later than others that began after them, errors that come after a
//! statement's end, and transactions that are in the ring as a whole or not at all.

use crate::area::Place;
use crate::code::hash;
use crate::record::{self, End, Outcome, Protocol, Start, Unrecorded, Work};
use crate::ring::Pushed;
use std::collections::HashSet;

/// A transaction with more bytes is given to the writer in parts.
const PART_BYTES: usize = 64 * 1024;
/// A statement with more bytes is not recorded, and with it its transaction.
pub const LONGEST: usize = 128 * 1024;
/// So many texts are remembered as given. Where values are in the texts, each is another one.
const MOST_TEXTS: usize = 8192;

/// How a statement begins.
#[derive(Debug, Clone, Copy)]
pub struct Beginning<'s> {
    /// What names it until it ends: nothing else that is open has the same.
    pub key: usize,
    /// The depth of subtransactions.
    pub level: i32,
    pub text: &'s [u8],
    pub protocol: Protocol,
    pub work: Work,
    /// When the server got the message that it is of, microseconds since 2000.
    pub message: i64,
    /// The end of its snapshot, and the transactions in progress below it.
    pub visible: Option<(u32, &'s [u32])>,
    pub unrecorded: Option<Unrecorded>,
}

/// The records of a session.
pub struct Recorder {
    place: Place,
    start: Start,
    /// Whether the writer has been given who the session is.
    has_start: bool,
    /// Hashes of the texts that it has been given.
    texts: HashSet<u64>,
    /// Whether a statement has been seen since the last end of a transaction, and whether the transaction is taken.
    in_transaction: bool,
    is_taken: bool,
    /// The transaction's records so far.
    records: Vec<u8>,
    statements: u64,
    /// Whether some of them are in the ring, and whether some found no room.
    is_in_parts: bool,
    is_lost: bool,
    /// Whether the ring has become half full since the writer was told.
    is_half_full: bool,
    /// Transactions that found no room, of which the writer does not know.
    dropped: u64,
    open: Vec<Open>,
    /// The last statement that ended: an error of the same message may still come.
    held: Option<Held>,
    /// Transactions that ended inside the statement that is under way.
    ends: Vec<End>,
    /// When the last statement ended.
    last: i64,
    /// Room for records, to be used again.
    spare: Vec<Vec<u8>>,
}

struct Open {
    key: usize,
    level: i32,
    message: i64,
    started: i64,
    ended: Option<i64>,
    rows: u64,
    unrecorded: Option<Unrecorded>,
    record: Vec<u8>,
}

struct Held {
    message: i64,
    record: Vec<u8>,
    outcome: Outcome,
    /// Transactions that ended inside of it, as in a procedure that commits.
    ends: Vec<End>,
}

impl Recorder {
    /// Of a session that has a place.
    pub fn new(place: Place, start: Start) -> Recorder {
        Recorder {
            last: start.at,
            place,
            start,
            has_start: false,
            texts: HashSet::new(),
            in_transaction: false,
            is_taken: false,
            records: Vec::new(),
            statements: 0,
            is_in_parts: false,
            is_lost: false,
            is_half_full: false,
            dropped: 0,
            open: Vec::new(),
            held: None,
            ends: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// A transaction that is not taken is under way.
    pub fn pass_transaction(&mut self) {
        self.in_transaction = true;
        self.is_taken = false;
    }

    /// A statement begins: whether its transaction is taken. `draw` decides it for a new one.
    pub fn begins(&mut self, draw: impl FnOnce() -> bool) -> bool {
        if !self.in_transaction {
            self.in_transaction = true;
            self.is_taken = draw();
        }
        self.is_taken
    }

    /// Opens a statement of a transaction that is taken. Its parameters are to be written to what is returned.
    pub fn open(&mut self, beginning: &Beginning) -> &mut Vec<u8> {
        self.flush();
        let text = match beginning.unrecorded {
            Some(Unrecorded::Secret) => b"",
            _ => beginning.text.trim_ascii(),
        };
        let text = match text.len() > LONGEST {
            true => {
                self.lose();
                b""
            }
            false => text,
        };
        let hash = hash(text);
        if self.texts.len() >= MOST_TEXTS {
            self.texts.clear();
        }
        if self.texts.insert(hash) {
            record::write_text(&mut self.records, hash, text);
        }
        let started = beginning.message.max(self.last);
        let mut bytes = self.spare.pop().unwrap_or_default();
        record::write_statement(
            &mut bytes,
            hash,
            beginning.protocol,
            beginning.work,
            started - self.start.at,
            beginning.visible,
        );
        self.open.push(Open {
            key: beginning.key,
            level: beginning.level,
            message: beginning.message,
            started,
            ended: None,
            rows: 0,
            unrecorded: beginning.unrecorded,
            record: bytes,
        });
        let last = self.open.len() - 1;
        &mut self.open[last].record
    }

    /// The transaction cannot be recorded.
    pub fn lose(&mut self) {
        self.is_lost = true;
        self.records.clear();
        self.texts.clear();
    }

    /// An open statement was run, or a part of it, and has processed so many rows.
    pub fn ran(&mut self, key: usize, rows: u64, now: i64) {
        if let Some(open) = self.open.iter_mut().find(|open| open.key == key) {
            open.rows += rows;
            open.ended = Some(now);
            self.last = now;
        }
    }

    /// An open statement has ended.
    pub fn close(&mut self, key: usize) {
        if let Some(at) = self.open.iter().position(|open| open.key == key) {
            let open = self.open.remove(at);
            self.close_one(open, None);
        }
    }

    /// Statements that were opened at this depth or deeper have ended without saying so: that which was under way, if one was, by an error.
    pub fn close_from(&mut self, level: i32, under_way: bool, error: Option<[u8; 5]>, now: i64) {
        let mut error = error.filter(|_| under_way);
        while let Some(at) = self.open.iter().rposition(|open| open.level >= level) {
            let mut open = self.open.remove(at);
            // The one that was opened last is under way.
            let error = error.take();
            if error.is_some() {
                open.ended = Some(now);
                self.last = now;
            }
            self.close_one(open, error);
        }
    }

    fn close_one(&mut self, open: Open, sqlstate: Option<[u8; 5]>) {
        // One that was only bound leaves nothing.
        let Some(ended) = open.ended else {
            return self.give_back(open.record);
        };
        let ends = std::mem::take(&mut self.ends);
        self.flush();
        self.held = Some(Held {
            message: open.message,
            record: open.record,
            outcome: Outcome {
                took: ended - open.started,
                rows: open.rows,
                sqlstate,
                unrecorded: open.unrecorded,
            },
            ends,
        });
    }

    /// An error that no open statement had: of the statement that ended last if it is of the same message, else of a text that could not be
    /// run.
    pub fn failed(&mut self, beginning: &Beginning, error: [u8; 5], now: i64) {
        match &mut self.held {
            Some(held) if held.message == beginning.message => held.outcome.sqlstate = Some(error),
            _ => {
                record::write_count(self.open(beginning), 0);
                self.close_from(beginning.level, true, Some(error), now);
            }
        }
    }

    /// The transaction failed at the end of the message of the statement that ended last.
    pub fn failed_at_end(&mut self, error: [u8; 5]) {
        if let Some(held) = &mut self.held {
            held.outcome.sqlstate.get_or_insert(error);
        }
    }

    /// The transaction has ended, inside a statement or not.
    pub fn end(&mut self, mut end: End, inside: bool) -> Pushed {
        end.at -= self.start.at;
        if !self.in_transaction {
            return Pushed::Room;
        }
        if inside {
            if self.is_taken {
                self.ends.push(end);
            }
            return Pushed::Room;
        }
        self.in_transaction = false;
        if !self.is_taken {
            return Pushed::Room;
        }
        self.flush();
        record::write_end(&mut self.records, &end);
        let statements = std::mem::take(&mut self.statements);
        self.push();
        let has_room = !self.is_lost;
        if self.is_lost {
            self.dropped += 1;
        }
        self.place.count(statements, has_room);
        (self.is_lost, self.is_in_parts) = (false, false);
        match std::mem::take(&mut self.is_half_full) {
            true => Pushed::HalfFull,
            false => Pushed::Room,
        }
    }

    /// The session ends.
    pub fn leave(&mut self, now: i64) {
        self.records.clear();
        if self.has_start {
            if self.is_in_parts {
                record::write_dropped(&mut self.records, 0);
            }
            record::write_closed(&mut self.records, now - self.start.at);
            self.push();
        }
        self.place.leave();
    }

    /// Adds the statement that is held to the transaction's records, and the ends inside of it.
    fn flush(&mut self) {
        if let Some(held) = self.held.take() {
            self.records.extend_from_slice(&held.record);
            record::write_outcome(&mut self.records, &held.outcome);
            self.statements += 1;
            self.give_back(held.record);
            for end in held.ends {
                record::write_end(&mut self.records, &end);
            }
        }
        if self.records.len() >= PART_BYTES {
            self.push();
            self.is_in_parts = true;
        }
    }

    fn give_back(&mut self, mut record: Vec<u8>) {
        record.clear();
        // One long statement is no reason to keep so much.
        if record.capacity() <= 2 * PART_BYTES {
            self.spare.push(record);
        }
    }

    /// Gives the writer what there is.
    fn push(&mut self) {
        if self.is_lost {
            // Nobody has been given the texts that were new in them.
            return self.lose();
        }
        let needs_more = !self.has_start || self.dropped > 0;
        let pushed = if needs_more {
            let mut bytes = self.spare.pop().unwrap_or_default();
            if !self.has_start {
                record::write_start(&mut bytes, &self.start);
            }
            if self.dropped > 0 {
                record::write_dropped(&mut bytes, self.dropped);
            }
            bytes.extend_from_slice(&self.records);
            let pushed = self.place.ring().push(&bytes);
            self.give_back(bytes);
            pushed
        } else {
            self.place.ring().push(&self.records)
        };
        self.records.clear();
        self.records.shrink_to(2 * PART_BYTES);
        self.is_half_full |= pushed == Pushed::HalfFull;
        if pushed == Pushed::Full {
            self.lose();
        } else {
            self.has_start = true;
            self.dropped = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::{self, Area, Scope, ShareOf};
    use crate::code::Read;
    use crate::record::{Ending, Record};
    use std::sync::atomic::AtomicU64;

    const START: i64 = 1_000_000;

    fn recorder() -> (Recorder, Place) {
        let scope = Scope {
            database: 5,
            roles: Vec::new(),
            applications: Vec::new(),
            share: 1.0,
            share_of: ShareOf::Sessions,
        };
        let words: Vec<AtomicU64> = (0..area::words(1, &scope))
            .map(|_| AtomicU64::new(0))
            .collect();
        let Some(place) = Area::create(words.leak(), 1, &scope).claim() else {
            panic!("a place");
        };
        let start = Start {
            pid: 1,
            at: START,
            role: String::new(),
            application: String::new(),
            settings: Vec::new(),
        };
        (Recorder::new(place, start), place)
    }

    fn records(place: &Place) -> Vec<Record> {
        let mut bytes = Vec::new();
        place.ring().drain(&mut bytes);
        let mut read = Read::new(&bytes);
        let mut records = Vec::new();
        while !read.is_empty() {
            let Some(record) = record::read(&mut read) else {
                panic!("a record after {records:?}");
            };
            records.push(record);
        }
        records
    }

    /// The statements' texts, each with how it ended; `|` for the ends of transactions.
    fn shown(place: &Place) -> String {
        let mut texts = std::collections::HashMap::new();
        let mut shown = Vec::new();
        for record in records(place) {
            match record {
                Record::Text { hash, text } => {
                    texts.insert(hash, String::from_utf8_lossy(&text).into_owned());
                }
                Record::Statement(it) => {
                    let text = texts.get(&it.hash).map_or("?", String::as_str);
                    let error = it
                        .outcome
                        .sqlstate
                        .map(|it| String::from_utf8_lossy(&it).into_owned());
                    let error = error.map_or(String::new(), |error| format!("!{error}"));
                    shown.push(format!(
                        "{text}@{}+{}={}{error}",
                        it.started, it.outcome.took, it.outcome.rows
                    ));
                }
                Record::End(end) => shown.push(format!("|{}", end.at)),
                Record::Dropped { transactions } => shown.push(format!("-{transactions}")),
                Record::Closed { at } => shown.push(format!(".{at}")),
                Record::Start(_) => {}
            }
        }
        shown.join(" ")
    }

    fn beginning(key: usize, text: &str, message: i64) -> Beginning<'_> {
        Beginning {
            key,
            level: 1,
            text: text.as_bytes(),
            protocol: Protocol::Extended,
            work: Work::Reads,
            message: START + message,
            visible: None,
            unrecorded: None,
        }
    }

    fn open(recorder: &mut Recorder, key: usize, text: &str, message: i64) {
        assert!(recorder.begins(|| true));
        record::write_count(recorder.open(&beginning(key, text, message)), 0);
    }

    fn run(recorder: &mut Recorder, text: &str, message: i64, ended: i64) {
        open(recorder, 7, text, message);
        recorder.ran(7, 1, START + ended);
        recorder.close(7);
    }

    fn end(at: i64) -> End {
        End {
            at: START + at,
            ending: Ending::Committed,
            xid: None,
            lsn: 0,
            isolation: 1,
            read_only: false,
        }
    }

    #[test]
    fn statements_are_seen_with_the_end_of_their_transaction() {
        let (mut recorder, place) = recorder();
        run(&mut recorder, "a", 10, 15);
        assert!(place.ring().is_empty());
        run(&mut recorder, " b ;", 20, 21);
        recorder.end(end(30), false);
        assert!(matches!(records(&place)[0], Record::Start(_)));
        run(&mut recorder, "a", 40, 41);
        recorder.end(end(42), false);
        assert_eq!(records(&place).len(), 2);
        assert_eq!(place.counts().statements, 3);
        assert_eq!(place.counts().transactions, 2);
    }

    #[test]
    fn a_statement_of_a_text_with_several_begins_at_the_end_of_the_last() {
        let (mut recorder, place) = recorder();
        run(&mut recorder, "a", 10, 15);
        run(&mut recorder, "b", 10, 25);
        recorder.end(end(30), false);
        assert_eq!(shown(&place), "a@10+5=1 b@15+10=1 |30");
    }

    #[test]
    fn a_portal_may_stay_open_while_others_run() {
        let (mut recorder, place) = recorder();
        open(&mut recorder, 1, "rows", 10);
        recorder.ran(1, 50, START + 12);
        run(&mut recorder, "other", 20, 21);
        recorder.ran(1, 30, START + 35);
        recorder.close(1);
        // Bound, and never run.
        open(&mut recorder, 2, "nothing", 40);
        recorder.close(2);
        recorder.end(end(50), false);
        assert_eq!(shown(&place), "other@20+1=1 rows@10+25=80 |50");
    }

    #[test]
    fn an_error_is_that_of_what_was_under_way() {
        let (mut recorder, place) = recorder();
        open(&mut recorder, 1, "cursor", 5);
        recorder.ran(1, 2, START + 6);
        open(&mut recorder, 2, "fails", 10);
        recorder.close_from(1, true, Some(*b"22012"), START + 30);
        recorder.end(end(31), false);
        assert_eq!(shown(&place), "fails@10+20=0!22012 cursor@5+1=2 |31");
    }

    #[test]
    fn an_error_of_a_savepoint_leaves_what_was_opened_before() {
        let (mut recorder, place) = recorder();
        open(&mut recorder, 1, "cursor", 5);
        recorder.ran(1, 2, START + 6);
        assert!(recorder.begins(|| true));
        let inner = Beginning {
            level: 2,
            ..beginning(2, "fails", 10)
        };
        record::write_count(recorder.open(&inner), 0);
        recorder.close_from(2, true, Some(*b"23505"), START + 30);
        recorder.ran(1, 3, START + 40);
        recorder.close(1);
        recorder.end(end(50), false);
        assert_eq!(shown(&place), "fails@10+20=0!23505 cursor@5+35=5 |50");
    }

    #[test]
    fn an_error_of_the_commit_is_that_of_its_message() {
        let (mut recorder, place) = recorder();
        run(&mut recorder, "insert", 10, 15);
        // A deferred constraint.
        recorder.failed(&beginning(0, "insert", 10), *b"23503", START + 20);
        recorder.end(end(21), false);
        // A text that cannot be parsed.
        run(&mut recorder, "begin", 30, 31);
        recorder.failed(&beginning(0, "selec", 40), *b"42601", START + 45);
        recorder.end(end(46), false);
        assert_eq!(
            shown(&place),
            "insert@10+5=1!23503 |21 begin@30+1=1 selec@40+5=0!42601 |46"
        );
    }

    #[test]
    fn transactions_that_end_in_a_statement_come_after_it() {
        let (mut recorder, place) = recorder();
        open(&mut recorder, 1, "call", 10);
        recorder.end(end(20), true);
        recorder.end(end(30), true);
        recorder.ran(1, 0, START + 35);
        recorder.close(1);
        recorder.end(end(40), false);
        assert_eq!(shown(&place), "call@10+25=0 |20 |30 |40");
    }

    #[test]
    fn a_transaction_that_is_not_taken_leaves_nothing() {
        let (mut recorder, place) = recorder();
        recorder.pass_transaction();
        assert!(!recorder.begins(|| true));
        recorder.end(end(10), false);
        assert!(!recorder.begins(|| false));
        assert!(!recorder.begins(|| true));
        recorder.end(end(20), false);
        run(&mut recorder, "a", 30, 31);
        recorder.end(end(32), false);
        assert_eq!(shown(&place), "a@30+1=1 |32");
    }

    #[test]
    fn a_transaction_without_room_is_dropped_as_a_whole() {
        let (mut recorder, place) = recorder();
        run(&mut recorder, "a", 1, 2);
        recorder.end(end(3), false);
        assert_eq!(shown(&place), "a@1+1=1 |3");
        // Longer than the ring.
        let long = "x".repeat(PART_BYTES);
        for _ in 0..10 {
            let text = format!("{long}{}", recorder.texts.len());
            run(&mut recorder, &text, 10, 11);
        }
        assert_eq!(recorder.end(end(12), false), Pushed::HalfFull);
        // What it had in the ring goes with it; and a text that was in it is given again.
        run(&mut recorder, "b", 20, 21);
        recorder.end(end(22), false);
        assert_eq!(place.counts().dropped, 1);
        let mut all = Vec::new();
        place.ring().drain(&mut all);
        run(&mut recorder, "a", 30, 31);
        recorder.end(end(32), false);
        assert!(
            shown(&place).ends_with("a@30+1=1 |32"),
            "told, with its text"
        );
        recorder.leave(START + 50);
        assert_eq!(shown(&place), ".50");
        assert!(place.is_left());
    }

    #[test]
    fn a_text_that_went_with_its_transaction_is_given_again() {
        let (mut recorder, place) = recorder();
        run(&mut recorder, "a", 1, 2);
        recorder.end(end(3), false);
        shown(&place);
        run(&mut recorder, "b", 10, 11);
        run(&mut recorder, &"x".repeat(LONGEST + 1), 12, 13);
        run(&mut recorder, "c", 14, 15);
        recorder.end(end(16), false);
        run(&mut recorder, "b", 20, 21);
        run(&mut recorder, "c", 22, 23);
        recorder.end(end(24), false);
        assert_eq!(shown(&place), "-1 b@20+1=1 c@22+1=1 |24");
        assert_eq!(place.counts().dropped, 1);
    }

    #[test]
    fn an_error_at_the_end_of_messages_is_that_of_the_last_statement() {
        let (mut recorder, place) = recorder();
        run(&mut recorder, "insert", 10, 15);
        recorder.failed_at_end(*b"23503");
        recorder.end(end(21), false);
        assert_eq!(shown(&place), "insert@10+5=1!23503 |21");
    }

    #[test]
    fn a_session_remembers_a_limited_number_of_texts() {
        let (mut recorder, place) = recorder();
        let mut bytes = Vec::new();
        for no in 0..3 * MOST_TEXTS {
            run(&mut recorder, &format!("SELECT {no}"), 1, 2);
            recorder.end(end(3), false);
            assert!(recorder.texts.len() <= MOST_TEXTS);
            place.ring().drain(&mut bytes);
        }
        assert_eq!(place.counts().dropped, 0);
    }

    #[test]
    fn a_secret_has_no_text() {
        let (mut recorder, place) = recorder();
        assert!(recorder.begins(|| true));
        let secret = Beginning {
            unrecorded: Some(Unrecorded::Secret),
            ..beginning(1, "ALTER ROLE a PASSWORD 'secret'", 1)
        };
        record::write_count(recorder.open(&secret), 0);
        recorder.ran(1, 0, START + 2);
        recorder.close(1);
        recorder.end(end(3), false);
        assert_eq!(shown(&place), "@1+1=0 |3");
    }
}

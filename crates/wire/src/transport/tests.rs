use super::*;
use crate::clock::now;
use crate::fake::{Server, bound, complete, copy_in, copy_out, error, no_rows, parsed, ready, row};
use crate::wait::Waker;
use engine::{Answers, Parts};
use std::sync::Arc;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(3600);

/// What was done over a connection to a server with these answers, and what that was asked.
fn with<R>(
    answers: Vec<Vec<u8>>,
    body: impl FnOnce(&mut Wire<Arc<Waker>>) -> R,
) -> (R, Vec<String>) {
    let server = Server::new(answers);
    let waker = Arc::new(Waker::new().unwrap());
    let connection = Connection::open(&server.info(), waker, LONG).unwrap();
    let mut wire = Wire::new(connection);
    let result = body(&mut wire);
    drop(wire);
    (result, server.asked())
}

fn texts<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
    texts
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect()
}

#[test]
fn results_are_counted_and_kept() {
    let answer = [
        row(&["a", "b"], &[Some("12"), None]),
        complete("SELECT 1"),
        complete("UPDATE 5"),
        row(&["c"], &[Some("345")]),
        complete("SELECT 1"),
        ready(b'I'),
    ];
    with(vec![answer.concat()], |wire| {
        wire.keep_results(true);
        let done = wire.execute_simple("SELECT; UPDATE; SELECT").unwrap();
        assert_eq!((done.rows, done.processed), (2, 7));
        // Two headers, three columns, five bytes of values.
        assert_eq!(done.bytes, 2 * 7 + 3 * 4 + 5);
        wire.keep_results(false);
        let kept: Vec<_> = wire.kept().all().collect();
        assert_eq!(texts(kept[0].names()), ["a", "b"]);
        assert_eq!(texts(kept[0].values()), ["12", ""]);
        let last = wire.kept().last().unwrap();
        assert_eq!(
            (last.rows, texts(last.values())),
            (1, vec!["345".to_owned()])
        );
    });
}

#[test]
fn an_error_fails_the_block_and_not_the_connection() {
    let answers = vec![
        [complete("BEGIN"), ready(b'T')].concat(),
        [error("23505"), ready(b'E')].concat(),
        [complete("ROLLBACK"), ready(b'I')].concat(),
    ];
    with(answers, |wire| {
        wire.execute_simple("BEGIN").unwrap();
        assert!(wire.in_transaction_block());
        let error = wire.execute_simple("INSERT").unwrap_err();
        assert_eq!(
            (error.sqlstate.as_str(), error.message.as_str()),
            ("23505", "wrong")
        );
        assert_eq!(error.detail.as_deref(), Some("more"));
        assert!(wire.in_transaction_block());
        wire.roll_back();
        assert!(!wire.in_transaction_block());
    });
}

#[test]
fn statements_are_prepared_by_names_and_given_up() {
    let answers = vec![
        [parsed(), ready(b'I')].concat(),
        [bound(), no_rows(), complete("UPDATE 3"), ready(b'I')].concat(),
        [complete("DEALLOCATE"), ready(b'I')].concat(),
        [parsed(), ready(b'I')].concat(),
    ];
    let ((), asked) = with(answers, |wire| {
        let statement = wire.prepare("UPDATE $1, $2", 2).unwrap();
        let values = [Some(Value::Int(42)), None];
        let done = wire
            .execute(&statement, values.iter().map(Option::as_ref))
            .unwrap();
        assert_eq!((done.processed, done.rows, done.bytes), (3, 0, 0));
        wire.forget(statement);
        wire.prepare("SELECT 1", 0).unwrap();
    });
    let of = |number: usize, text: &str| assert!(asked[number].contains(text), "{asked:?}");
    of(0, "P1\0UPDATE $1, $2\0");
    of(1, "\0\0\0\u{2}42\u{fffd}");
    of(2, "DEALLOCATE P1\0");
    of(3, "P2\0SELECT 1\0");
}

#[test]
fn a_pipeline_is_sent_at_once_and_its_first_error_waits_for_its_end() {
    let part = |answer: Vec<u8>| [answer, ready(b'I')].concat();
    let done = [parsed(), bound(), no_rows(), complete("INSERT 0 1")].concat();
    let answers = vec![
        part(done.clone()),
        part(error("42P01")),
        part([done.clone(), done].concat()),
    ];
    with(answers, |wire| {
        wire.begin_pipeline();
        assert!(wire.in_pipeline());
        wire.pipeline_unprepared("INSERT 1", std::iter::empty());
        wire.sync_pipeline();
        wire.pipeline_unprepared("INSERT 2", std::iter::empty());
        wire.pipeline_unprepared("INSERT 3", std::iter::empty());
        assert_eq!(wire.end_pipeline().unwrap_err().sqlstate, "42P01");
        assert!(!wire.in_pipeline());
        wire.begin_pipeline();
        wire.pipeline_unprepared("INSERT 4", std::iter::empty());
        wire.pipeline_unprepared("INSERT 5", std::iter::empty());
        assert_eq!(wire.end_pipeline().unwrap().processed, 2);
    });
}

#[test]
fn what_a_pipeline_has_not_committed_is_rolled_back() {
    let done = [parsed(), bound(), no_rows(), complete("INSERT 0 1")].concat();
    let answer = [done.clone(), done, ready(b'I')].concat();
    let ((), asked) = with(vec![answer], |wire| {
        wire.abandon_pipeline();
        wire.begin_pipeline();
        wire.pipeline_unprepared("INSERT 1", std::iter::empty());
        wire.abandon_pipeline();
        assert!(!wire.in_pipeline() && !wire.in_transaction_block());
    });
    assert!(asked[0].contains("ROLLBACK"), "{asked:?}");
}

/// What the clock of statements shows.
fn parts(completion: Completion) -> Parts {
    completion.laps.parts(now())
}

#[test]
fn the_beginning_of_an_answer_is_known_but_for_a_pipeline() {
    let done = || [complete("SELECT 0"), ready(b'I')].concat();
    let piped = [parsed(), bound(), no_rows(), done()].concat();
    with(vec![done(), done(), piped], |wire| {
        // Far more than the socket takes at once: it was not answered before all was sent.
        for text in ["SELECT", &"x".repeat(8 << 20)] {
            let began = now();
            wire.begin_laps(began);
            let Parts { answers, .. } = parts(wire.execute_simple(text).unwrap());
            assert_eq!(answers.count, 1);
            assert!(answers.first_byte_ns > 0, "{answers:?}");
            assert!(answers.first_byte_ns + answers.receive_ns <= now() - began);
        }
        wire.begin_laps(now());
        wire.begin_pipeline();
        wire.pipeline_unprepared("SELECT", std::iter::empty());
        let ended = wire.end_pipeline().unwrap();
        assert_eq!(parts(ended).answers, Answers::default());
    });
}

#[test]
fn copy_is_refused() {
    let answers = vec![
        [copy_out(), complete("COPY 1"), ready(b'I')].concat(),
        copy_in(),
        [error("57014"), ready(b'I')].concat(),
        [complete("SELECT 0"), ready(b'I')].concat(),
    ];
    with(answers, |wire| {
        for _ in 0..2 {
            assert_eq!(wire.execute_simple("COPY").unwrap_err().sqlstate, "0A000");
        }
        wire.execute_simple("SELECT").unwrap();
    });
}

#[test]
fn copy_in_a_pipeline_ends_the_connection() {
    for copy in [copy_in(), copy_out()] {
        let answer = [parsed(), bound(), copy].concat();
        with(vec![answer], |wire| {
            wire.begin_pipeline();
            wire.pipeline_unprepared("COPY", std::iter::empty());
            assert_eq!(wire.end_pipeline().unwrap_err().sqlstate, "0A000");
            assert!(!wire.in_pipeline() && wire.is_lost());
            assert_eq!(wire.execute_simple("SELECT").unwrap_err().sqlstate, "08003");
        });
    }
}

#[test]
fn a_broken_pipeline_ends_with_what_the_server_says() {
    let server = vec![[parsed(), error("57P01"), ready(b'I')].concat()];
    with(server, |wire| {
        wire.begin_pipeline();
        wire.pipeline_unprepared("SELECT", std::iter::empty());
        wire.sync();
        wire.connection.abandon();
        assert_eq!(wire.finish_pipeline().unwrap_err().sqlstate, "57P01");
    });
}

#[test]
fn a_loop_without_statements_can_be_cancelled() {
    let server = Server::new(Vec::new());
    let waker = Arc::new(Waker::new().unwrap());
    let connection = Connection::open(&server.info(), Arc::clone(&waker), LONG).unwrap();
    let mut wire = Wire::new(connection);
    wire.interrupts().unwrap();
    waker.cancel();
    assert_eq!(wire.interrupts().unwrap_err().sqlstate, "57014");
    wire.interrupts().unwrap();
    waker.give_up();
    assert!(wire.interrupts().is_err() && wire.interrupts().is_err());
}

//! Random expressions and scripts, run by pgbench and by pgperf with the same seed: equal values and types,
//! equal errors, equal tables, equal words about scripts that cannot be read, statements that end where
//! pgbench ends them.
//!
//! A script is a chain for each client, chosen by `\if :client_id = n`: each link computes an expression
//! through `debug()`, which prints type and value, and inserts the value. An error ends its chain in both, at
//! the same link with the same words, so expressions may fail and still hundreds of them cost one run.
//! Later links use the values of earlier ones.
//!
//! Not generated, because pgbench has no defined result: abs() of a boolean (it reads a union's other
//! member), and parameters of random functions that are NaN or infinite (it loops for ever or converts NaN
//! to an integer).
//!
//! The generator is seeded: the same cases every time. `PGPERF_DIFFERENTIAL=100000` sets how many expressions
//! are compared (and a tenth as many unreadable scripts), `PGPERF_DIFFERENTIAL_SEED=2` gives others.

use super::generator::{Generator, VARIABLES};
use super::referee::{Outcome, Referee, Refusal, Trial};
use crate::common::cases;
use crate::common::pair::{QUERY_MODES, execute, rows};

/// Chains of a script, one for each client.
const CHAINS: usize = 20;
/// Expressions of a chain.
const LINKS: usize = 12;

const SETUP: &str = "CREATE TABLE results (client int, link int, value text)";
const RESULTS: &str =
    "SELECT client, link, value FROM results ORDER BY client, link, value COLLATE \"C\"";

fn number_of(variable: &str, default: usize) -> usize {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is not a number: {text:?}")),
        Err(_) => default,
    }
}

fn expressions() -> usize {
    number_of("PGPERF_DIFFERENTIAL", cases(1500, 4000))
}

fn generator(stream: u64) -> Generator {
    Generator::new(number_of("PGPERF_DIFFERENTIAL_SEED", 1) as u64, stream)
}

/// Runs a script in both and compares what they tell and what they leave; yields how many values there were
/// and how many errors.
fn compare(referee: &mut Referee, trial: &Trial<'_>) -> (usize, usize) {
    for session in [&mut referee.theirs, &mut referee.ours] {
        execute(session, "TRUNCATE results");
    }
    let theirs = referee.by_pgbench(trial);
    let ours = referee.by_pgperf(trial);
    let (their_rows, our_rows) = (
        rows(&mut referee.theirs, RESULTS),
        rows(&mut referee.ours, RESULTS),
    );
    if theirs == ours && their_rows == our_rows {
        return match theirs {
            Outcome::Ran { debug, aborts } => (debug.len(), aborts.len()),
            Outcome::Refused(refusal) => panic!("{refusal:?}\n{}", trial.script),
        };
    }
    println!("--- the script ---\n{}", trial.script);
    println!(
        "seed {}, {} mode, {} clients, {} transactions",
        trial.seed, trial.query_mode, trial.clients, trial.transactions
    );
    if let (
        Outcome::Ran { debug, aborts },
        Outcome::Ran {
            debug: our_debug,
            aborts: our_aborts,
        },
    ) = (&theirs, &ours)
    {
        tell_differences("debug()", debug, our_debug);
        tell_differences("aborts", aborts, our_aborts);
    } else {
        println!("theirs: {theirs:?}\nours: {ours:?}");
    }
    tell_differences("rows", &their_rows, &our_rows);
    panic!("pgperf differs from pgbench");
}

/// Prints what only one of two sorted lists has. The number of a command finds it in the script.
fn tell_differences<T: std::fmt::Debug + PartialEq>(what: &str, theirs: &[T], ours: &[T]) {
    for item in theirs.iter().filter(|item| !ours.contains(item)) {
        println!("{what}: only pgbench: {item:?}");
    }
    for item in ours.iter().filter(|item| !theirs.contains(item)) {
        println!("{what}: only pgperf: {item:?}");
    }
}

/// `:name` where the value becomes text: a simple query quotes it, a parameter is never quoted.
fn as_text(name: &str, query_mode: &str) -> String {
    match query_mode {
        "simple" => format!("':{name}'"),
        _ => format!(":{name}"),
    }
}

#[test]
fn expressions_have_equal_values() {
    let mut generator = generator(1);
    let mut referee = Referee::new(SETUP);
    let (mut values, mut errors) = (0, 0);
    for trial in 0..expressions().div_ceil(CHAINS * LINKS) {
        let query_mode = QUERY_MODES[trial % 3];
        let mut script = String::new();
        for chain in 0..CHAINS {
            generator.forget();
            script += &format!("\\if :client_id = {chain}\n");
            for link in 0..LINKS {
                let (kind, expression) = generator.expression();
                let name = generator.name(kind, link);
                let value = as_text(&name, query_mode);
                script += &format!(
                    "\\set {name} debug({expression})\n\
                     INSERT INTO results VALUES ({chain}, {link}, {value});\n"
                );
                generator.defined(kind, &name);
            }
            script += "\\endif\n";
        }
        let trial = Trial {
            script: &script,
            query_mode,
            clients: CHAINS,
            transactions: 1,
            seed: generator.seed(),
            variables: VARIABLES,
            ..Trial::default()
        };
        let (found, failed) = compare(&mut referee, &trial);
        values += found;
        errors += failed;
    }
    println!("{values} values, {errors} errors");
    // Not so many errors that little is left to compare, and not so few that they are not compared.
    assert!(values * 2 > expressions(), "{values} values");
    assert!(errors * 200 > expressions(), "{errors} errors");
}

#[test]
fn scripts_leave_equal_tables() {
    const CLIENTS: usize = 4;
    const TRANSACTIONS: u32 = 3;
    let mut generator = generator(2);
    let mut referee = Referee::new(SETUP);
    let (mut values, mut errors) = (0, 0);
    for trial in 0..expressions().div_ceil(50) {
        let query_mode = QUERY_MODES[trial % 3];
        generator.forget();
        let script = generator.script(query_mode);
        let trial = Trial {
            script: &script,
            query_mode,
            clients: CLIENTS,
            transactions: TRANSACTIONS,
            seed: generator.seed(),
            variables: VARIABLES,
            transport: ["inside", "wire"][trial % 2],
        };
        let (found, failed) = compare(&mut referee, &trial);
        values += found;
        errors += failed;
    }
    println!("{values} values, {errors} errors");
    assert!(values > expressions() / 10 && errors > 0);
}

/// Of several errors, pgbench sometimes reports a later one. When it has found an error in an expression, it
/// reads on to the end of the command, and if there is a token that is none, it complains about the last of
/// these instead. It checks conditionals when all commands have been read, and names when a command is run.
/// pgperf stays with the first error.
fn is_later(theirs: &Refusal, ours: &Refusal) -> bool {
    const NO_TOKENS: [&str; 3] = [
        ": unexpected character (",
        ": bigint constant overflow (",
        ": double constant overflow (",
    ];
    let place = |refusal: &Refusal| refusal.message.split(": ").next().map(str::to_owned);
    let caret = |refusal: &Refusal| {
        let last = refusal.source.lines().last();
        last.and_then(|line| line.find('^'))
    };
    let same_command = place(theirs) == place(ours);
    (same_command
        && NO_TOKENS.iter().any(|words| theirs.message.contains(words))
        && caret(theirs) > caret(ours))
        || (!same_command
            && (ours.message.contains(": invalid variable name (")
                || ours.message.starts_with("condition error ")))
}

#[test]
fn unreadable_scripts_get_equal_words() {
    let mut generator = generator(3);
    let mut referee = Referee::new("");
    let (mut refused, mut later, mut read, mut differences) = (0, 0, 0, 0);
    for _ in 0..expressions() / 10 {
        let script = generator.damaged_script();
        let theirs = referee.pgbench_reads(&script);
        let ours = referee.pgperf_reads(&script);
        // Of a command on several lines pgperf shows the one that is wrong, pgbench all of them.
        let continued = script.contains("\\\n") || script.contains("\\\r\n");
        match (&theirs, &ours) {
            (None, None) => read += 1,
            // What pgbench says when the command is run.
            (None, Some(ours)) if ours.message.contains(": invalid variable name (") => read += 1,
            (Some(theirs), Some(ours))
                if theirs.message == ours.message
                    && (continued || theirs.source.is_empty() || theirs.source == ours.source) =>
            {
                refused += 1;
            }
            (Some(theirs), Some(ours)) if is_later(theirs, ours) => later += 1,
            _ => {
                println!("--- the script ---\n{script}\npgbench: {theirs:?}\npgperf: {ours:?}");
                differences += 1;
            }
        }
    }
    println!("{refused} refused, {later} of them for a later error by pgbench, {read} read");
    assert_eq!(differences, 0);
    assert!(refused > expressions() / 40 && read > 0 && later < refused / 4);
}

/// A conditional that is left open is an error that gives the number of commands in the script.
#[test]
fn statements_end_at_equal_places() {
    /// For a misplaced `\gset`, pgbench reports the line where the command before it ended.
    fn words(refusal: Refusal) -> String {
        match refusal.message.split_once(": \\gset must") {
            Some((_, words)) => words.to_owned(),
            None => refusal.message,
        }
    }

    let mut generator = generator(4);
    let mut referee = Referee::new("");
    let (mut several, mut differences) = (0, 0);
    for _ in 0..expressions() / 10 {
        let script = generator.open_script();
        let theirs = referee.pgbench_reads(&script).map(words);
        let ours = referee.pgperf_reads(&script).map(words);
        if theirs != ours {
            println!("--- the script ---\n{script:?}\npgbench: {theirs:?}\npgperf: {ours:?}");
            differences += 1;
        }
        several += u32::from(theirs.is_some_and(|message| !message.contains(" command 2:")));
    }
    println!("{several} scripts of several commands");
    assert_eq!(differences, 0);
    assert!(several as usize > expressions() / 40);
}

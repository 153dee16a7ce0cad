//! The meta-commands of a script as one line below its SQL: a generated script has dozens, which take hardly any time.

use crate::report::stored_run::Statement;
use crate::show::text::count;

/// The commands, script by script, with one line for the meta-commands of a script that has several.
pub fn folded(commands: &[Statement]) -> Vec<Statement> {
    let scripts = commands.chunk_by(|a, b| a.script_no == b.script_no);
    let of_script = |commands: &[Statement]| match metas(commands).count() {
        0 | 1 => commands.to_vec(),
        number => {
            let sql = commands.iter().filter(|command| command.is_sql).cloned();
            sql.chain(together(commands, number)).collect()
        }
    };
    scripts.flat_map(of_script).collect()
}

/// The meta-commands of the scripts that have several.
pub fn hidden(commands: &[Statement]) -> Vec<&Statement> {
    let scripts = commands.chunk_by(|a, b| a.script_no == b.script_no);
    let several = scripts.filter(|commands| metas(commands).count() > 1);
    several.flat_map(metas).collect()
}

/// The time of all its calls, ms. Where their number is not known, as of pgbench, a command counts once.
pub fn time(command: &Statement) -> f64 {
    command.latency_avg_ms.unwrap_or(0.0) * command.calls.unwrap_or(1) as f64
}

/// The share of a command in the time of these, in percent.
pub fn share(command: &Statement, commands: &[Statement]) -> Option<f64> {
    let all: f64 = commands.iter().map(time).sum();
    (all > 0.0).then(|| 100.0 * time(command) / all)
}

fn metas(commands: &[Statement]) -> impl Iterator<Item = &Statement> {
    commands.iter().filter(|command| !command.is_sql)
}

/// Some may be in a loop or a branch: the time is that in a pass of the script.
fn together(commands: &[Statement], number: usize) -> Option<Statement> {
    let first = metas(commands).next()?;
    let sum = |value: fn(&Statement) -> Option<i64>| metas(commands).map(value).sum();
    let passes = first.calls.unwrap_or(1);
    let all: f64 = metas(commands).map(time).sum();
    Some(Statement {
        statement: count(number as i64, "meta-command"),
        failed: sum(|command| command.failed),
        retries: sum(|command| command.retries),
        latency_avg_ms: (passes > 0).then(|| all / passes as f64),
        latency_p50_ms: None,
        latency_p95_ms: None,
        latency_p99_ms: None,
        latency_max_ms: None,
        ..first.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn command(script_no: i64, statement: &str, calls: i64, ms: f64) -> Statement {
        serde_json::from_value(json!({"script_no": script_no, "statement": statement, "is_sql": !statement.starts_with('\\'),
            "calls": calls, "failed": 0, "latency_avg_ms": ms}))
        .unwrap()
    }

    #[test]
    fn they_are_one_line_below_the_sql_with_their_share() {
        let commands = [
            command(1, "\\set a 1", 10, 0.1),
            command(1, "\\while :a < 3", 30, 0.1),
            command(1, "SELECT :a", 10, 3.6),
            command(2, "\\set b 1", 5, 0.1),
            command(2, "SELECT :b", 5, 1.0),
        ];
        let folded = folded(&commands);
        let names: Vec<&str> = folded.iter().map(|it| it.statement.as_str()).collect();
        assert_eq!(
            names,
            ["SELECT :a", "2 meta-commands", "\\set b 1", "SELECT :b"]
        );
        // 1 ms and 3 ms in ten passes, beside 36 ms.
        let together = &folded[1];
        assert_eq!((together.calls, together.failed), (Some(10), Some(0)));
        assert!((together.latency_avg_ms.unwrap() - 0.4).abs() < 1e-12);
        assert!((share(together, &folded[..2]).unwrap() - 10.0).abs() < 1e-9);
        assert_eq!(hidden(&commands).len(), 2);
    }
}

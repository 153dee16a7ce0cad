//! The size limits of a run's scripts. Each command, however short, has statistics of its own in the run's shared
//! memory, and each client reads all of the scripts.

use super::scripts::ScriptSpec;
use crate::error::{Result, failure};
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED;
use script::Script;

/// Commands in all scripts: 165 MB of shared memory. Statements that are joined by `\;` are one command.
pub const MAX_COMMANDS: usize = 5_000;
/// Bytes in all scripts.
pub const MAX_BYTES: usize = 1 << 20;

/// Checks the texts before they are parsed.
///
/// # Errors
/// They have more than [`MAX_BYTES`].
pub fn check_bytes(scripts: &[ScriptSpec]) -> Result<()> {
    let bytes: usize = scripts.iter().map(|script| script.text.len()).sum();
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(failure(
        ERRCODE_PROGRAM_LIMIT_EXCEEDED,
        format!("the scripts have {bytes} bytes, more than {MAX_BYTES}"),
    )
    .hinting("Keep long texts in tables or functions, and use them from the script."))
}

/// Checks the scripts before anything is stored or started.
///
/// # Errors
/// They have more than [`MAX_COMMANDS`].
pub fn check_commands(scripts: &[Script]) -> Result<()> {
    let commands: usize = scripts.iter().map(|script| script.commands.len()).sum();
    if commands <= MAX_COMMANDS {
        return Ok(());
    }
    Err(failure(
        ERRCODE_PROGRAM_LIMIT_EXCEEDED,
        format!("the scripts have {commands} commands, more than {MAX_COMMANDS}"),
    )
    .hinting(
        "Each command, including \\if and \\set, has its own statistics in shared memory. Join statements with \\; or put them \
         into functions.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::scripts::parse;
    use script::Symbols;

    fn scripts(texts: &[String]) -> Vec<ScriptSpec> {
        texts
            .iter()
            .map(|text| ScriptSpec::new("x", text, 1))
            .collect()
    }

    #[test]
    fn commands_of_every_kind_count_over_all_scripts() {
        let branches = |count: usize| {
            format!(
                "{}{}",
                "\\if 1\n".repeat(count / 2),
                "\\endif\n".repeat(count / 2)
            )
        };
        let check = |texts: &[String]| {
            check_commands(&parse(&scripts(texts), &mut Symbols::new()).unwrap())
        };
        let half = MAX_COMMANDS / 2;
        let statements = "SELECT 1;\n".repeat(half);
        assert!(check(&[branches(half), statements.clone()]).is_ok());
        let error = check(&[branches(half), statements, "SELECT 1".to_owned()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the scripts have 5001 commands, more than 5000"
        );
        assert!(error.hint().unwrap().contains("shared memory"));
        assert!(check(&[branches(80_000)]).is_err());
        // Joined statements are one command.
        assert!(check(&["SELECT 1\\;".repeat(2 * MAX_COMMANDS)]).is_ok());
    }

    #[test]
    fn bytes_count_over_all_scripts() {
        let half = " ".repeat(MAX_BYTES / 2);
        assert!(check_bytes(&scripts(&[half.clone(), half.clone()])).is_ok());
        let error = check_bytes(&scripts(&[half.clone(), half, "x".to_owned()])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the scripts have 1048577 bytes, more than 1048576"
        );
        assert!(error.hint().is_some());
    }
}

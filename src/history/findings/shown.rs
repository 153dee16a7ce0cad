//! Findings at the head of a report, as text and on its page.

use super::judge::Finding;
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use crate::show::text::{WIDTH, moment, one_line, wrap_names};
use maud::html;

const TITLE: &str = "Findings";
const NONE: &str = "Nothing stands out in this window.";
const INDENT: usize = 2;

/// The lines of the text, with its heading.
pub fn lines(findings: &[Finding], muted: usize) -> Vec<String> {
    let mut lines = vec![TITLE.to_owned(), "-".repeat(TITLE.len())];
    if findings.is_empty() {
        lines.push(NONE.to_owned());
    }
    for finding in findings {
        let head = format!("{}: {}", finding.severity.name(), finding.title);
        lines.push(one_line(&head, WIDTH));
        let about = [object(finding), seen(finding)];
        let about: Vec<String> = about.into_iter().flatten().collect();
        let below = [
            about.join(", "),
            finding.evidence.clone(),
            finding.advice.to_owned(),
        ];
        for text in below.iter().filter(|text| !text.is_empty()) {
            let wrapped = wrap_names(text, WIDTH - 2 * INDENT);
            lines.extend(
                wrapped
                    .iter()
                    .map(|line| format!("  {}", line.trim_start())),
            );
        }
    }
    lines.extend(of_muted(muted));
    lines
}

/// That there are more; None: there are not.
fn of_muted(muted: usize) -> Option<String> {
    let more = match muted {
        0 => return None,
        1 => "1 more is".to_owned(),
        more => format!("{more} more are"),
    };
    Some(format!(
        "{more} switched off or muted in pgperf.finding_rules."
    ))
}

/// The first section of the page.
pub fn section(findings: &[Finding], muted: usize) -> Chapter {
    let cells: Vec<Vec<Cell>> = (findings.iter())
        .map(|finding| {
            vec![
                Cell::text(finding.severity.name()),
                Cell::text(finding.title),
                Cell::text(object(finding).unwrap_or_default()),
                Cell::text(seen(finding).unwrap_or_default()),
                Cell::text(&finding.evidence),
                Cell::text(finding.advice),
            ]
        })
        .collect();
    let heads = [
        "severity",
        "finding",
        "object",
        "when",
        "evidence",
        "what to do",
    ];
    Chapter::new(
        "findings",
        TITLE,
        html! {
            @if findings.is_empty() { p { (NONE) } } @else { div class="findings" { (table(&heads, &cells)) } }
            @if let Some(more) = of_muted(muted) { p { (more) } }
        },
    )
}

/// What a finding is about.
fn object(finding: &Finding) -> Option<String> {
    let name = finding.object_name.as_deref()?;
    let kind = finding.object_kind.as_deref().unwrap_or_default();
    let schema = finding
        .schema_name
        .as_deref()
        .map_or_else(String::new, |schema| format!("{schema}."));
    Some(format!("{kind} {schema}{name}").trim_start().to_owned())
}

/// When it was seen.
fn seen(finding: &Finding) -> Option<String> {
    match (&finding.since, &finding.until) {
        (Some(since), Some(until)) => Some(format!("{} to {}", moment(since), moment(until))),
        _ => finding.at.as_deref().map(moment),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rule::Severity;
    use super::*;
    use serde_json::Value;

    fn finding() -> Finding {
        Finding {
            rule: "bulk_delete",
            severity: Severity::Note,
            weight: 60.0,
            title: "many rows were deleted",
            object_kind: Some("table".to_owned()),
            schema_name: Some("public".to_owned()),
            object_name: Some("<audit>".to_owned()),
            at: Some("2026-11-20T12:20:00+00:00".to_owned()),
            since: None,
            until: None,
            evidence: "rows ".repeat(30).trim_end().to_owned(),
            figures: Value::Null,
            advice: "Vacuum the table.",
            fix_sql: None,
        }
    }

    #[test]
    fn a_finding_has_its_object_time_evidence_and_advice() {
        let lines = lines(&[finding()], 0);
        assert_eq!(lines[2], "note: many rows were deleted");
        assert!(
            lines[3].starts_with("  table public.<audit>, 2026-11-20 12:20:00"),
            "{}",
            lines[3]
        );
        assert_eq!(
            lines.last().map(String::as_str),
            Some("  Vacuum the table.")
        );
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn what_is_muted_is_counted() {
        let last = |muted| lines(&[finding()], muted).pop();
        assert_eq!(
            last(1).as_deref(),
            Some("1 more is switched off or muted in pgperf.finding_rules.")
        );
        assert_eq!(of_muted(0), None);
    }

    #[test]
    fn a_quiet_window_says_so() {
        assert_eq!(lines(&[], 0).last().map(String::as_str), Some(NONE));
    }
}

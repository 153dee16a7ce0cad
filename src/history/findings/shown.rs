//! Findings at the head of a report, as text and on its page.

use super::judge::Finding;
use super::rule::Severity;
use crate::show::blocks::Topic;
use crate::show::number::{Unit, integer};
use crate::show::text::{WIDTH, moment, one_line, plural, wrap_names};
use maud::{Markup, html};

const TITLE: &str = "Findings";
const NONE: &str = "Nothing stands out in this window.";
const INDENT: usize = 2;

/// The lines of the text, with its heading.
pub fn lines(findings: &[Finding], muted: usize) -> Vec<String> {
    let mut lines = vec![TITLE.to_owned(), "-".repeat(TITLE.len())];
    if findings.is_empty() {
        lines.push(NONE.to_owned());
    }
    for (whole, parts) in Finding::with_parts(findings) {
        let head = |finding: &Finding| format!("{}: {}", finding.severity.name(), finding.title);
        lines.push(one_line(&head(whole), WIDTH));
        let mut below = vec![
            about(whole),
            whole.evidence.clone(),
            whole.advice.to_owned(),
        ];
        for part in parts {
            below.push(format!("with it, {}; {}", head(part), about(part)));
            below.push(part.evidence.clone());
        }
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

/// A finding in one line.
pub fn one_line_of(finding: &Finding) -> String {
    let (severity, title) = (finding.severity.name(), finding.title);
    match about(finding).as_str() {
        "" => format!("{severity}: {title}"),
        about => format!("{severity}: {title}, {about}"),
    }
}

/// What it is about, when it was seen, and its share of database time.
fn about(finding: &Finding) -> String {
    let about = [object(finding), seen(finding), share(finding)];
    about.into_iter().flatten().collect::<Vec<_>>().join(", ")
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

/// How many findings there are of each severity, the most urgent first; what is part of another does not count.
fn counts(findings: &[Finding]) -> Vec<(Severity, String)> {
    let counts = Severity::ALL.into_iter().rev().filter_map(|severity| {
        let count = Finding::count(findings, severity) as i64;
        let noun = match severity {
            // An adjective.
            Severity::Critical => severity.name().to_owned(),
            Severity::Warning | Severity::Note => plural(count, severity.name()),
        };
        (count > 0).then(|| (severity, format!("{} {noun}", integer(count))))
    });
    counts.collect()
}

/// The same in words; None without any.
pub fn in_words(findings: &[Finding]) -> Option<String> {
    let counts: Vec<String> = counts(findings).into_iter().map(|(_, text)| text).collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

/// The same as a line.
pub fn counted(findings: &[Finding]) -> String {
    in_words(findings).map_or_else(|| NONE.to_owned(), |counts| format!("{TITLE}: {counts}"))
}

/// The same as links to the first of each severity.
pub fn chips(findings: &[Finding]) -> Markup {
    let counts = counts(findings);
    let first = |severity| Finding::wholes(findings).position(|whole| whole.severity == severity);
    html! {
        ul class="chips" {
            @if counts.is_empty() { li { a href="#findings" { (NONE) } } }
            @for (severity, text) in counts {
                @let number = first(severity).unwrap_or_default() + 1;
                li { a class={ "severity-" (severity.name()) } href={ "#finding-" (number) } { (shape(severity)) (text) } }
            }
        }
    }
}

/// A severity that can be told from others without its colour.
fn shape(severity: Severity) -> Markup {
    let shape = match severity {
        Severity::Critical => "\u{25c6}",
        Severity::Warning => "\u{25b2}",
        Severity::Note => "\u{25cf}",
    };
    html! { span class="shape" aria-hidden="true" { (shape) } " " }
}

/// The first section of the page.
pub fn section(findings: &[Finding], muted: usize) -> Topic {
    Topic::page("findings", TITLE, all(findings, muted))
}

fn all(findings: &[Finding], muted: usize) -> Markup {
    html! {
        @if findings.is_empty() { p { (NONE) } }
        @for (place, (whole, parts)) in Finding::with_parts(findings).enumerate() { (folded(whole, &parts, place + 1)) }
        @if let Some(more) = of_muted(muted) { p { (more) } }
    }
}

/// A finding in one line, which opens to the rest and to its parts.
fn folded(whole: &Finding, parts: &[&Finding], number: usize) -> Markup {
    html! {
        details class="finding" id={ "finding-" (number) } {
            summary { (head(whole)) }
            (body(whole))
            @for part in parts {
                p class="part" { (head(part)) }
                (body(part))
            }
        }
    }
}

fn head(finding: &Finding) -> Markup {
    let times = times(finding);
    html! {
        span class={ "severity severity-" (finding.severity.name()) } { (shape(finding.severity)) (finding.severity.name()) }
        " " span class="title" { (finding.title) }
        @if let Some(object) = object(finding) { " " span class="object" { (object) } }
        @if !times.is_empty() {
            " " span class="when" {
                @for (place, time) in times.iter().enumerate() {
                    @if place > 0 { " to " }
                    span { (time) }
                }
            }
        }
        @if let Some(share) = share(finding) { " " span class="share" { (share) } }
    }
}

fn body(finding: &Finding) -> Markup {
    html! {
        @if !finding.evidence.is_empty() { p { (finding.evidence) } }
        p { (finding.advice) }
        @if let Some(sql) = &finding.fix_sql { pre { code { (sql) } } }
    }
}

/// Its share of database time.
fn share(finding: &Finding) -> Option<String> {
    let share = Unit::Percent.write(finding.time_percent?);
    Some(format!("{share} of database time"))
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

/// When it was seen: from and until, or at a moment.
fn times(finding: &Finding) -> Vec<String> {
    match (&finding.since, &finding.until) {
        (Some(since), Some(until)) => {
            let (since, until) = (moment(since), moment(until));
            let until = later(&since, &until).to_owned();
            vec![since, until]
        }
        _ => finding.at.iter().map(|at| moment(at)).collect(),
    }
}

/// A moment after another one: of the same day the time alone, as its zone is that of the other.
fn later<'a>(since: &str, until: &'a str) -> &'a str {
    const DATE: usize = "2026-01-01 ".len();
    const TIME: usize = "12:00:00".len();
    let parts = |moment: &'a str| {
        Some((
            moment.get(..DATE)?,
            moment.get(DATE..DATE + TIME)?,
            moment.get(DATE + TIME..)?,
        ))
    };
    let is_same = since.get(..DATE) == until.get(..DATE)
        && since.get(DATE + TIME..) == until.get(DATE + TIME..);
    parts(until)
        .filter(|_| is_same)
        .map_or(until, |(_, time, _)| time)
}

/// The same as text.
fn seen(finding: &Finding) -> Option<String> {
    let times = times(finding);
    (!times.is_empty()).then(|| times.join(" to "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding() -> Finding {
        Finding {
            weight: 60.0,
            title: "many rows were deleted",
            object_kind: Some("table".to_owned()),
            schema_name: Some("public".to_owned()),
            object_name: Some("<audit>".to_owned()),
            at: Some("2026-11-20T12:20:00+00:00".to_owned()),
            evidence: "rows ".repeat(30).trim_end().to_owned(),
            advice: "Vacuum the table.",
            ..Finding::of("bulk_delete")
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
    fn the_day_is_told_once() {
        let since = "2026-11-20 12:00:00+01:00";
        assert_eq!(later(since, "2026-11-20 13:30:00+01:00"), "13:30:00");
        for other in ["2026-11-21 13:30:00+01:00", "2026-11-20 13:30:00+02:00"] {
            assert_eq!(later(since, other), other);
        }
    }

    #[test]
    fn a_share_of_database_time_is_shown_where_it_is_known() {
        let found = Finding {
            time_percent: Some(31.4),
            ..finding()
        };
        let text = lines(std::slice::from_ref(&found), 0).join(" ");
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        assert!(text.contains(", 31.4 % of database time"), "{text}");
        let page = head(&found).into_string();
        assert!(page.contains("<span class=\"share\">31.4 % of database time</span>"));
        assert!(!head(&finding()).into_string().contains("share"));
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
    fn findings_are_counted_by_severity_and_open_to_what_helps() {
        let critical = Finding {
            severity: Severity::Critical,
            fix_sql: Some("VACUUM \"<audit>\"".to_owned()),
            ..finding()
        };
        let found = [critical, finding(), finding()];
        assert_eq!(counted(&found), "Findings: 1 critical, 2 notes");
        let chips = chips(&found).into_string();
        assert!(chips.contains("href=\"#finding-1\"") && chips.contains("href=\"#finding-2\""));
        let page = folded(&found[0], &[], 1).into_string();
        assert!(page.starts_with("<details class=\"finding\" id=\"finding-1\"><summary>"));
        let (line, rest) = page.split_once("</summary>").unwrap();
        assert!(line.contains("table public.&lt;audit&gt;") && !line.contains("rows rows"));
        assert!(rest.contains("Vacuum the table.") && rest.contains("<pre><code>VACUUM"));
        assert!(!folded(&finding(), &[], 2).into_string().contains("<pre>"));
    }

    #[test]
    fn a_part_comes_with_its_whole_and_is_not_counted() {
        let part = Finding {
            title: "a table is bloated",
            part_of: Some("bulk_delete public.<audit>".to_owned()),
            ..finding()
        };
        let found = [finding(), part];
        assert_eq!(counted(&found), "Findings: 1 note");
        let text = lines(&found, 0).join("\n");
        assert!(
            text.contains("  with it, note: a table is bloated; table public.<audit>"),
            "{text}"
        );
        let page = all(&found, 0).into_string();
        assert_eq!(page.matches("<details").count(), 1);
        assert!(page.contains("<p class=\"part\">") && page.contains("a table is bloated"));
    }

    #[test]
    fn a_quiet_window_says_so() {
        assert_eq!(lines(&[], 0).last().map(String::as_str), Some(NONE));
    }
}

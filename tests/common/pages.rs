//! Pages in a browser: at the width of a desk and of a phone, light and dark, with scripts and without. The pictures stay
//! in `target/tmp/pages` for people to look at.

use std::fs;
use std::path::{Path, PathBuf};

use postgres::Client;

use super::browser::{Browser, View};
use super::runs::{PATIENCE, Runs};
use super::{Cluster, expect_near, scratch, templates, wait_until};

/// A label that would break out of a careless page.
pub const LABEL: &str =
    "</script><script>document.title='broken'</script> \"it's\" <b>&amp; \u{1f418}";
pub const SCRIPT: &str = "\\\\set aid random(1, 100000)\n\
    BEGIN;\n\
    UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;\n\
    SELECT ''</script><img src=\"https://example.invalid/x.png\">'', ''\u{1f418} & \"quotes\"'';\n\
    INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (1, 1, :aid, 0, CURRENT_TIMESTAMP);\n\
    END;";

pub const DESK: u32 = 1280;
pub const PHONE: u32 = 390;
/// A window beside another one: at this width nothing has to be scrolled sideways.
pub const WINDOW: u32 = 1100;

pub fn cluster() -> Cluster {
    let cluster = Cluster::on_disk(templates::with_data(), &[]);
    cluster.run_sql("CREATE EXTENSION pg_walinspect");
    cluster
}

/// A run of five seconds or more that every collector took part in more than once, with a checkpoint and autovacuums
/// meanwhile.
pub fn finish_full_run(session: &mut Client) -> i64 {
    for statement in [
        "ALTER TABLE pgbench_history SET (autovacuum_vacuum_insert_threshold = 1, autovacuum_vacuum_insert_scale_factor = 0)",
        "ALTER SYSTEM SET autovacuum_naptime = '1 s'",
        "SELECT pg_reload_conf()",
    ] {
        session.value(statement);
    }
    let label = LABEL.replace('\'', "''");
    let run = session.start_busy_run(&format!(
        "script => E'{SCRIPT}', clients => 2, duration => '1 h', sample_interval => '0.2 s', label => '{label}', \
         collectors => '{{wal,wraparound,database,slru,checkpoints,waits,host,replication,settings,statements,tables@1s,buffers@1s,bloat@1s}}'"
    ));
    session.value("CHECKPOINT");
    let everything = format!(
        "SELECT (SELECT count(*) >= 25 AND bool_or(in_checkpoint) AND NOT bool_and(in_checkpoint) \
                 FROM pgperf.run_intervals WHERE run_id = {run}) \
            AND (SELECT count(*) > 3 FROM (SELECT FROM pgperf.bloat_history WHERE run_id = {run} AND schema_name = 'public' \
                                           GROUP BY relation_name HAVING count(*) > 2) r) \
            AND EXISTS (SELECT FROM pgperf.relation_history WHERE run_id = {run} AND schema_name = 'public' \
                        AND last_autovacuum > (SELECT min(started_at) FROM pgperf.run_intervals WHERE run_id = {run}))"
    );
    wait_until("everything that a page shows", PATIENCE, || {
        session.value(&everything) == "t"
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    run
}

pub fn pictures() -> PathBuf {
    let dir = scratch().join("pages");
    fs::create_dir_all(&dir).expect("a folder for the pictures");
    dir
}

/// Writes a page as psql would; no page has a line of more than 160 characters.
pub fn write_page(session: &mut Client, name: &str, call: &str) -> PathBuf {
    let file = pictures().join(name).with_extension("html");
    let page = session.value(&format!("SELECT {call}"));
    let longest = page
        .lines()
        .max_by_key(|line| line.len())
        .unwrap_or_default();
    assert!(longest.len() <= 160, "{call}: {longest}");
    fs::write(&file, page).expect("a file for the page");
    file
}

pub fn views() -> impl Iterator<Item = View> {
    let sizes = [(DESK, 900), (PHONE, 844)];
    sizes.into_iter().flat_map(|(width, height)| {
        [(false, false), (false, true), (true, false), (true, true)].map(|(dark, scripts)| View {
            width,
            height,
            dark,
            scripts,
        })
    })
}

/// Elements of the page that do not fit the view's width.
///
/// The browser cannot judge that: a phone's browser shrinks a page that is too wide, and counts more pixels in its window.
pub fn too_wide(browser: &mut Browser, view: View) -> Option<String> {
    let mut number = |what: &str| browser.evaluate(what).as_f64().expect("a number");
    let content = number("document.scrollingElement.scrollWidth");
    let window = number("window.innerWidth");
    if content > f64::from(view.width) || window != f64::from(view.width) {
        return Some(format!("{content} pixels in a window of {window}"));
    }
    // Elements cut off at the page's edge do not make it wider.
    let beyond = browser.evaluate(&format!(
        "[...document.querySelectorAll('section, figure, .scroll, h1, li, p')]\
         .filter(e => !e.closest('nav') && e.getBoundingClientRect().right > {} + 1).map(e => e.outerHTML.slice(0, 99)).join()",
        view.width
    ));
    let beyond = beyond.as_str().expect("text");
    (!beyond.is_empty()).then(|| beyond.to_owned())
}

/// Checks that hold for every page in every view.
pub fn look_at(browser: &mut Browser, page: &Path, view: View) {
    browser.open(page, view);
    assert_eq!(too_wide(browser, view), None, "{view:?}");
    assert_eq!(browser.fetched(), Vec::<String>::new(), "{view:?}");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "{view:?}");
    let active = browser.evaluate(
        "document.querySelectorAll('script, img, iframe, object, link[rel=stylesheet]').length",
    );
    assert_eq!(active, 0, "{view:?}");
    // A shape that is content of another one is not drawn: its neighbour's tag did not end.
    let swallowed = browser.evaluate(
        "[...document.querySelectorAll(':is(rect, line, path, circle) > *')].filter(e => e.tagName !== 'title').map(e => e.outerHTML)",
    );
    assert_eq!(swallowed, serde_json::json!([]), "{view:?}");
    let unnamed = browser.evaluate(
        "[...document.querySelectorAll('figure svg[role=img]')].filter(e => !e.getAttribute('aria-label') \
         || !e.closest('figure').querySelector('details table tbody tr')).length",
    );
    assert_eq!(unnamed, 0, "a chart without its text, {view:?}");
    charts_can_be_read(browser, view);
    let paper = browser.evaluate("getComputedStyle(document.body).backgroundColor");
    let is_white = paper == "rgb(255, 255, 255)";
    assert_eq!(is_white, !view.dark, "{view:?}: the page is {paper}");
}

/// Fails if a chart's lines differ by their colours alone, if it has a single column of points or a line of two, or if one of its texts is cut off
/// that has no room of its own, as labels of a timeline have.
fn charts_can_be_read(browser: &mut Browser, view: View) {
    let unreadable = browser.evaluate(
        "[...document.querySelectorAll('figure.chart')].flatMap(f => {\
           const lines = [...f.querySelectorAll('path.line:not(.dotted)')], means = [...f.querySelectorAll('circle:not(.single)')], box = f.getBoundingClientRect(); \
           const different = of => new Set(of).size; \
           const wrong = [\
             lines.length > 6 || different(lines.map(l => getComputedStyle(l).strokeDasharray)) < lines.length ? 'strokes' : '',\
             means.length > 0 && different(means.map(c => c.getAttribute('cx'))) < 3 ? 'columns' : '',\
             lines.length > 0 && f.querySelectorAll('tbody tr').length < 3 ? 'points' : '',\
             ...[...f.querySelectorAll('text')].filter(t => !t.closest('svg.label')).map(t => [t.textContent, t.getBoundingClientRect()])\
               .filter(([, r]) => r.width > 0 && (r.left < box.left - 1 || r.right > box.right + 1)).map(([name]) => name)];\
           return wrong.filter(it => it).map(it => `${f.querySelector('h3')?.textContent}: ${it}`); })",
    );
    assert_eq!(unreadable, serde_json::json!([]), "{view:?}");
}

pub fn picture(browser: &mut Browser, name: &str, view: View) {
    let width = if view.width == DESK { "desk" } else { "phone" };
    let scheme = if view.dark { "dark" } else { "light" };
    let file = pictures().join(format!("{name}-{width}-{scheme}.png"));
    browser.screenshot(&file, view, None);
}

/// A browser that has checked the page in every view, taken pictures, and still shows it.
pub fn looked_at(page: &Path, name: &str) -> Browser {
    let mut browser = Browser::start();
    for view in views() {
        look_at(&mut browser, page, view);
        if !view.scripts {
            picture(&mut browser, name, view);
        }
    }
    browser
}

/// Rows of the data table of the chart with this title, its cells as they are shown.
pub fn chart_table(browser: &mut Browser, title: &str) -> Vec<Vec<String>> {
    let rows = browser.evaluate(&format!(
        "[...document.querySelectorAll('figure')].filter(f => f.querySelector('h3').textContent === '{title}')\
         .flatMap(f => [...f.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent)))"
    ));
    serde_json::from_value(rows).expect("rows of cells")
}

/// `1,234 tps` as a number.
pub fn figure(text: &str) -> f64 {
    let digits: String = text.split(' ').next().unwrap_or_default().replace(',', "");
    digits
        .parse()
        .unwrap_or_else(|_| panic!("no number: {text}"))
}

/// Fails if a figure on a page is not the stored one.
pub fn expect_shown(text: &str, stored: f64) {
    expect_near(text, figure(text), stored, 0.01);
}

/// Tables, opened ones too, that are wider than a window of 1100 pixels.
pub fn nothing_is_scrolled_aside(browser: &mut Browser, page: &Path) {
    let view = View {
        width: WINDOW,
        height: 900,
        dark: false,
        scripts: true,
    };
    look_at(browser, page, view);
    let wide = browser.evaluate(
        "(document.querySelectorAll('details').forEach(d => d.open = true), [...document.querySelectorAll('.scroll')]\
         .filter(e => !e.closest('figure') && e.scrollWidth > e.clientWidth)\
         .map(e => `${e.closest('section')?.id}: ${e.scrollWidth} of ${e.clientWidth}`))",
    );
    assert_eq!(wide, serde_json::json!([]));
}

/// Fails if a part of the page does not fit on A4 or on Letter with the browser's margins. `change`: what a script does to the page first.
pub fn it_fits_on_paper(browser: &mut Browser, page: &Path, change: &str) {
    for width in [716, 739] {
        let view = View {
            width,
            height: 1000,
            dark: false,
            scripts: true,
        };
        browser.open(page, view);
        browser.evaluate(change);
        browser.print();
        let cut = browser.evaluate(
            "[...document.querySelectorAll('header *, main th, main td, main p, main li, footer pre, figure, figure svg')]\
             .filter(e => !e.closest('details') && getComputedStyle(e).display !== 'none')\
             .filter(e => e.getBoundingClientRect().right > innerWidth + 1 || !(e instanceof SVGElement) && e.scrollWidth > e.clientWidth + 1 \
                 && getComputedStyle(e).display !== 'inline')\
             .map(e => e.outerHTML.slice(0, 99)).join()",
        );
        assert_eq!(cut, "", "at {width} pixels");
    }
}

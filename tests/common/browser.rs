//! A headless Chromium, spoken to over a pair of pipes in the DevTools protocol: a page without its file being served,
//! at a width, a colour scheme, with scripts or without.
//!
//! `tools/lib.sh` says in CHROMIUM where it is, and in CHROMIUM_LIBRARIES where its libraries are.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A browser: ended when dropped.
pub struct Browser {
    process: Child,
    commands: File,
    replies: BufReader<File>,
    session: Option<String>,
    last_id: u64,
    events: Vec<Value>,
    _dir: TempDir,
}

/// How a page is viewed.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// CSS pixels.
    pub width: u32,
    pub height: u32,
    pub dark: bool,
    pub scripts: bool,
}

impl Browser {
    pub fn start() -> Browser {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let pipe = |name: &str| {
            let path = dir.path().join(name);
            let made = Command::new("mkfifo").arg(&path).status();
            assert!(made.expect("mkfifo").success(), "mkfifo {}", path.display());
            path
        };
        let (commands, replies) = (pipe("commands"), pipe("replies"));
        let chromium =
            std::env::var_os("CHROMIUM").expect("CHROMIUM, as tools/integration sets it");
        let mut command = Command::new("sh");
        // The browser reads commands from its descriptor 3 and writes replies to 4.
        command
            .args(["-c", "exec \"$@\" 3<\"$0/commands\" 4>\"$0/replies\""])
            .arg(dir.path())
            .arg(chromium)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-extensions",
                "--disable-background-networking",
                "--disable-component-update",
                "--remote-debugging-pipe",
            ])
            .arg(format!(
                "--user-data-dir={}",
                dir.path().join("profile").display()
            ))
            .arg("about:blank")
            .env("HOME", dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(libraries) = std::env::var_os("CHROMIUM_LIBRARIES") {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        let process = command.spawn().expect("chromium");
        let open = |path: &Path, options: &mut OpenOptions| options.open(path).expect("a pipe");
        // In the order in which the shell opens them, since each waits for the other side.
        let commands = open(&commands, OpenOptions::new().write(true));
        let replies = open(&replies, OpenOptions::new().read(true));
        let mut browser = Browser {
            process,
            commands,
            replies: BufReader::new(replies),
            session: None,
            last_id: 0,
            events: Vec::new(),
            _dir: dir,
        };
        let page = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({"targetId": page["targetId"], "flatten": true}),
        );
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Network", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Opens a file and waits until it is laid out.
    pub fn open(&mut self, file: &Path, view: View) {
        let scheme = if view.dark { "dark" } else { "light" };
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": view.width, "height": view.height, "deviceScaleFactor": 1, "mobile": view.width < 600}),
        );
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
        self.call(
            "Emulation.setScriptExecutionDisabled",
            json!({"value": !view.scripts}),
        );
        self.events.clear();
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", json!({"url": url}));
        while !self
            .events
            .iter()
            .any(|event| event["method"] == "Page.loadEventFired")
        {
            self.read();
        }
    }

    /// Lays out the page that is shown as for paper.
    pub fn print(&mut self) {
        self.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    }

    /// The value of an expression in the page; the debugger may evaluate it even where the page's own scripts may not run.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        // As it is shown: a page breaks its lines at any white space.
        let expression = expression.replace(".textContent", ".textContent.replace(/\\s+/g, ' ')");
        let reply = self.call(
            "Runtime.evaluate",
            json!({"expression": expression, "returnByValue": true}),
        );
        assert!(
            reply.get("exceptionDetails").is_none(),
            "{expression}\n{reply}"
        );
        reply["result"]["value"].clone()
    }

    /// Requests of the page since it was opened, except itself.
    pub fn fetched(&self) -> Vec<String> {
        self.events
            .iter()
            .filter(|event| event["method"] == "Network.requestWillBeSent")
            .filter_map(|event| event["params"]["request"]["url"].as_str())
            .skip(1)
            .filter(|url| !url.starts_with("data:"))
            .map(str::to_owned)
            .collect()
    }

    /// The browser's complaints.
    pub fn complaints(&self) -> Vec<String> {
        self.events
            .iter()
            .filter(|event| {
                matches!(
                    event["method"].as_str(),
                    Some("Log.entryAdded" | "Runtime.exceptionThrown")
                )
            })
            .map(Value::to_string)
            .collect()
    }

    /// Moves the pointer.
    pub fn point_at(&mut self, x: f64, y: f64) {
        self.call(
            "Input.dispatchMouseEvent",
            json!({"type": "mouseMoved", "x": x, "y": y}),
        );
    }

    /// A picture of the page's first `height` pixels, or of all of it.
    pub fn screenshot(&mut self, file: &Path, view: View, height: Option<f64>) {
        let all = self
            .evaluate("document.scrollingElement.scrollHeight")
            .as_f64();
        let height = height.or(all).expect("a height");
        let picture = self.call(
            "Page.captureScreenshot",
            json!({"format": "png", "captureBeyondViewport": true,
                   "clip": {"x": 0, "y": 0, "width": view.width, "height": height, "scale": 1}}),
        );
        let encoded = picture["data"].as_str().expect("a picture");
        fs::write(file, decode_base64(encoded)).expect("a file for the picture");
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.commands
            .write_all(&bytes)
            .expect("a browser that reads");
        loop {
            if let Some(reply) = self.read().filter(|reply| reply["id"] == id) {
                assert!(reply.get("error").is_none(), "{method}: {reply}");
                return reply["result"].clone();
            }
        }
    }

    /// The next message, kept if it is an event.
    fn read(&mut self) -> Option<Value> {
        let mut bytes = Vec::new();
        let read = self
            .replies
            .read_until(0, &mut bytes)
            .expect("a browser that writes");
        assert!(read > 0, "the browser is gone");
        bytes.pop();
        let message: Value = serde_json::from_slice(&bytes).expect("JSON");
        if message.get("id").is_some() {
            return Some(message);
        }
        self.events.push(message);
        None
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The protocol's only encoding of bytes.
fn decode_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').collect();
    digits
        .chunks(4)
        .flat_map(|part| {
            let bits = (0..4).fold(0, |bits, at| {
                (bits << 6) | part.get(at).map_or(0, |byte| value(*byte))
            });
            bits.to_be_bytes()[1..part.len()].to_vec()
        })
        .collect()
}

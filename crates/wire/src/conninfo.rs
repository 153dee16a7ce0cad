//! Where to connect, and as whom: libpq's keywords with their values.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

/// Keywords and values of a connection. Nothing shows the values: passwords are among them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Conninfo {
    /// Values are bytes: a server takes the names of databases and roles as they are, in whatever encoding.
    pairs: Vec<(String, Vec<u8>)>,
    needs_password: bool,
}

/// How long connecting to a host may take where nothing says it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Keywords of which several hosts have a value each.
const OF_HOSTS: [&str; 3] = ["host", "hostaddr", "port"];

impl Conninfo {
    /// Without any keyword: everything is as libpq has it by default.
    pub fn new() -> Conninfo {
        Conninfo::default()
    }

    /// Sets a keyword, also if it has a value already.
    pub fn set(&mut self, keyword: &str, value: impl AsRef<[u8]>) {
        let value = value.as_ref().to_vec();
        match self.pairs.iter_mut().find(|(known, _)| known == keyword) {
            Some((_, old)) => *old = value,
            None => self.pairs.push((keyword.to_owned(), value)),
        }
    }

    /// As [`Conninfo::set`], in a chain.
    #[must_use]
    pub fn with(mut self, keyword: &str, value: impl AsRef<[u8]>) -> Conninfo {
        self.set(keyword, value);
        self
    }

    /// The same connection with a name and settings for its session. They come with its first message, so that they cost no time.
    #[must_use]
    pub(crate) fn for_session<'s>(
        &self,
        name: &str,
        settings: impl Iterator<Item = &'s (String, String)>,
    ) -> Conninfo {
        let mut name = name;
        let mut options = self.get("options").unwrap_or_default().to_owned();
        for (setting, value) in settings {
            match setting.as_str() {
                // libpq has a keyword for that, which would come before.
                "application_name" => name = value,
                _ => options += &format!(" -c {}={}", escaped(setting), escaped(value)),
            }
        }
        let named = self
            .clone()
            .with("application_name", name)
            .with("client_encoding", "UTF8");
        // Poolers refuse it, if they may.
        match options.trim_start() {
            "" => named,
            options => named.with("options", options),
        }
    }

    /// The value of a keyword, where it is UTF-8.
    pub fn get(&self, keyword: &str) -> Option<&str> {
        let mut pairs = self.pairs();
        let (_, value) = pairs.find(|(known, _)| *known == keyword)?;
        str::from_utf8(value).ok()
    }

    /// How long connecting to a host may take, as `connect_timeout` says in seconds; 10 s where it says nothing, or no limit.
    pub fn connect_timeout(&self) -> Duration {
        let given = self.get("connect_timeout");
        let seconds = given.and_then(|seconds| seconds.trim().parse().ok());
        match seconds {
            None | Some(0) => CONNECT_TIMEOUT,
            Some(seconds) => Duration::from_secs(seconds),
        }
    }

    /// From now on a server that lets it in without asking for a password is refused: it has then trusted an identity that is not that of
    /// the user, such as the process's own user of the operating system.
    pub fn require_password(&mut self) {
        self.needs_password = true;
    }

    /// See [`Conninfo::require_password`].
    pub fn needs_password(&self) -> bool {
        self.needs_password
    }

    /// All keywords with their values.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.pairs
            .iter()
            .map(|(keyword, value)| (keyword.as_str(), value.as_slice()))
    }

    /// The values of one of [`OF_HOSTS`].
    fn list(&self, keyword: &str) -> Vec<&str> {
        self.get(keyword).unwrap_or("").split(',').collect()
    }

    /// How many hosts there are to try.
    pub(crate) fn hosts(&self) -> usize {
        let count = |keyword| self.list(keyword).len();
        count("hostaddr").max(count("host"))
    }

    /// The number of the host that libpq is connecting to; the first one if it is none of these.
    pub(crate) fn number_of_host(&self, place: &Place) -> usize {
        let [hosts, addresses, ports] = OF_HOSTS.map(|keyword| self.list(keyword));
        let of = |values: &[&str], number: usize| -> String {
            let alone = (values.len() == 1).then(|| values[0]);
            let value = values.get(number).copied().or(alone);
            value.unwrap_or("").to_owned()
        };
        let is_there = |number: &usize| {
            let names = [of(&hosts, *number), of(&addresses, *number)];
            let port = of(&ports, *number);
            names.contains(&place.host) && (port.is_empty() || port == place.port)
        };
        (0..self.hosts()).find(is_there).unwrap_or(0)
    }

    /// The same without one of its hosts; None: there is no other.
    pub(crate) fn without_host(&self, number: usize) -> Option<Conninfo> {
        let hosts = self.hosts();
        if hosts < 2 {
            return None;
        }
        let mut others = self.clone();
        for keyword in OF_HOSTS {
            let mut values = self.list(keyword);
            if values.len() == hosts {
                values.remove(number);
                others.set(keyword, values.join(","));
            }
        }
        Some(others)
    }

    /// Whether libpq has to ask a name server, which it waits for. It has not for sockets in the file system and for addresses.
    pub(crate) fn has_names(&self) -> bool {
        let has = |keyword| self.get(keyword).is_some_and(|value| !value.is_empty());
        let is_path = |host: &str| host.is_empty() || host.starts_with(['/', '@']);
        let is_known = |host: &str| is_path(host) || host.parse::<IpAddr>().is_ok();
        let host = self.get("host").unwrap_or("");
        // A service may have one of its own.
        !has("hostaddr") && (has("service") || !host.split(',').all(is_known))
    }
}

/// A word of the options that a session is started with.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_whitespace() || character == '\\' {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Where libpq is connecting to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// A name, a folder of sockets, or an address where only that is known.
    pub host: String,
    /// One of its addresses.
    pub address: String,
    pub port: String,
}

impl fmt::Debug for Conninfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keywords = self.pairs.iter().map(|(keyword, _)| keyword);
        f.debug_list().entries(keywords).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_to_connect_is_in_seconds() {
        let of = |value| {
            Conninfo::new()
                .with("connect_timeout", value)
                .connect_timeout()
        };
        assert_eq!(of(" 3"), Duration::from_secs(3));
        for without in [
            of("0"),
            of("-1"),
            of("soon"),
            Conninfo::new().connect_timeout(),
        ] {
            assert_eq!(without, Duration::from_secs(10));
        }
    }

    #[test]
    fn settings_come_with_the_connection() {
        let settings = [
            ("work_mem", "64 MB"),
            ("application_name", "mine"),
            ("work_mem", "1MB"),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let with = |info: Conninfo| info.for_session("client 1", settings.iter());
        let info = with(Conninfo::new().with("host", "h"));
        assert_eq!(
            info.get("options"),
            Some(r"-c work_mem=64\ MB -c work_mem=1MB")
        );
        assert_eq!(info.get("application_name"), Some("mine"));
        assert_eq!(
            (info.get("host"), info.get("client_encoding")),
            (Some("h"), Some("UTF8"))
        );
        // Those of the connection itself come first.
        let info = with(Conninfo::new().with("options", "-c a=b"));
        assert!(
            info.get("options")
                .is_some_and(|all| all.starts_with("-c a=b -c work_mem="))
        );
        let none = Conninfo::new().for_session("client 1", [].iter());
        assert_eq!(none.get("application_name"), Some("client 1"));
        assert_eq!(none.get("options"), None);
    }

    #[test]
    fn words_of_options_are_escaped() {
        assert_eq!(escaped("a b\\c"), r"a\ b\\c");
        assert_eq!(escaped("\"$user\", public"), "\"$user\",\\ public");
    }

    #[test]
    fn no_value_is_shown() {
        let info = Conninfo::new()
            .with("host", "db")
            .with("password", "secret");
        assert_eq!(format!("{info:?}"), r#"["host", "password"]"#);
    }

    #[test]
    fn the_last_value_of_a_keyword_counts() {
        let info = Conninfo::new().with("user", "a").with("user", "b");
        assert_eq!(info.get("user"), Some("b"));
        assert_eq!(info.pairs().count(), 1);
        assert_eq!(info.get("port"), None);
    }

    #[test]
    fn values_are_bytes() {
        let info = Conninfo::new().with("user", b"\xe4");
        let pairs: Vec<_> = info.pairs().collect();
        assert_eq!(pairs, [("user", &b"\xe4"[..])]);
        assert_eq!(info.get("user"), None);
    }

    #[test]
    fn a_host_can_be_left_out() {
        let place = |host: &str, port: &str| Place {
            host: host.to_owned(),
            address: String::new(),
            port: port.to_owned(),
        };
        let info = Conninfo::new().with("host", "a,b,a").with("port", "1,2,3");
        assert_eq!(info.hosts(), 3);
        let numbers = [("a", "1"), ("b", "2"), ("a", "3"), ("c", "1")]
            .map(|(host, port)| info.number_of_host(&place(host, port)));
        assert_eq!(numbers, [0, 1, 2, 0]);
        let others = info.without_host(1).unwrap();
        assert_eq!(
            (others.get("host"), others.get("port")),
            (Some("a,a"), Some("1,3"))
        );
        // One port of all; addresses alone.
        let info = Conninfo::new().with("hostaddr", "1.1.1.1,2.2.2.2");
        let info = info.with("port", "5");
        assert_eq!(info.number_of_host(&place("2.2.2.2", "5")), 1);
        let last = info.without_host(0).unwrap();
        assert_eq!(
            (last.get("hostaddr"), last.get("port"), last.get("host")),
            (Some("2.2.2.2"), Some("5"), None)
        );
        assert_eq!(last.without_host(0), None);
    }

    #[test]
    fn paths_and_addresses_need_no_name_server() {
        let at = |host: &str| Conninfo::new().with("host", host);
        assert!(!Conninfo::new().has_names());
        assert!(!at("/tmp,@abstract,").has_names());
        assert!(!at("127.0.0.1,::1,/tmp").has_names());
        assert!(at("localhost").has_names());
        assert!(at("/tmp,db").has_names());
        assert!(!at("db").with("hostaddr", "127.0.0.1").has_names());
        assert!(at("db").with("hostaddr", "").has_names());
        assert!(Conninfo::new().with("service", "s").has_names());
    }
}

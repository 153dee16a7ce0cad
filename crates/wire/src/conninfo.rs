//! Where to connect, and as whom: libpq's keywords with their values.

use std::fmt;
use std::net::IpAddr;

/// Keywords and values of a connection. Nothing shows the values: passwords are among them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Conninfo {
    pairs: Vec<(String, String)>,
    needs_password: bool,
}

impl Conninfo {
    /// Without any keyword: everything is as libpq has it by default.
    pub fn new() -> Conninfo {
        Conninfo::default()
    }

    /// Sets a keyword, also if it has a value already.
    pub fn set(&mut self, keyword: &str, value: &str) {
        match self.pairs.iter_mut().find(|(known, _)| known == keyword) {
            Some((_, old)) => value.clone_into(old),
            None => self.pairs.push((keyword.to_owned(), value.to_owned())),
        }
    }

    /// As [`Conninfo::set`], in a chain.
    #[must_use]
    pub fn with(mut self, keyword: &str, value: &str) -> Conninfo {
        self.set(keyword, value);
        self
    }

    /// The same connection with a name and settings for its session. They come with its first message, so that they cost no time.
    #[must_use]
    pub fn for_session<'s>(
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

    /// The value of a keyword.
    pub fn get(&self, keyword: &str) -> Option<&str> {
        let mut pairs = self.pairs();
        pairs.find_map(|(known, value)| (known == keyword).then_some(value))
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
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs
            .iter()
            .map(|(keyword, value)| (keyword.as_str(), value.as_str()))
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

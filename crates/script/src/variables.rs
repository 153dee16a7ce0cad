//! Names of variables as small numbers, and the values a client has for them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::pool::Pool;
use super::value::Value;

/// A variable: the same name has the same id in all scripts that share a [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(u32);

impl VarId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names of all variables of a run, so that nothing looks up a name while it runs.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: Vec<String>,
    ids: HashMap<String, VarId>,
}

impl Symbols {
    /// No names yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of a name, which is added if it is new.
    pub fn intern(&mut self, name: &str) -> VarId {
        if let Some(id) = self.lookup(name) {
            return id;
        }
        let id = VarId(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    /// The id of a name, if any script or option has used it.
    pub fn lookup(&self, name: &str) -> Option<VarId> {
        self.ids.get(name).copied()
    }

    /// The name of an id; empty for an id of some other `Symbols`.
    pub fn name(&self, id: VarId) -> &str {
        self.names.get(id.index()).map_or("", String::as_str)
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// The values one client has for the variables.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    values: Vec<Option<Value>>,
    /// By name, those that count now. They are no variables: whoever takes the values elsewhere reads them anew.
    pools: BTreeMap<Arc<str>, Arc<Pool>>,
    /// All that have been read: scripts of several workloads may read different ones under one name.
    read_pools: Vec<(Arc<str>, Arc<Pool>)>,
}

impl Variables {
    /// All variables undefined.
    pub fn new(symbols: &Symbols) -> Self {
        Variables {
            values: vec![None; symbols.len()],
            pools: BTreeMap::new(),
            read_pools: Vec::new(),
        }
    }

    /// The value, or `None` while the variable is undefined, which is not the same as NULL:
    /// an undefined variable stays as it is in the text of a simple query, is a NULL parameter of
    /// an extended one, and an error in an expression.
    pub fn get(&self, id: VarId) -> Option<&Value> {
        self.values.get(id.index())?.as_ref()
    }

    /// All values in the order of their variables' ids, which are the same wherever the same scripts are read
    /// in the same order.
    pub fn values(&self) -> &[Option<Value>] {
        &self.values
    }

    /// Replaces all values.
    pub fn replace(&mut self, values: Vec<Option<Value>>) {
        self.values = values;
    }

    /// The pool of a name, if it has been read.
    pub fn pool(&self, name: &str) -> Option<&Arc<Pool>> {
        self.pools.get(name)
    }

    /// Makes the pool of this query the one of its name; false: it has not been read.
    pub fn choose_pool(&mut self, name: &Arc<str>, query: &str) -> bool {
        if self
            .pools
            .get(name)
            .is_some_and(|pool| pool.query() == query)
        {
            return true;
        }
        let same = |(known, pool): &&(Arc<str>, Arc<Pool>)| known == name && pool.query() == query;
        let Some((name, pool)) = self.read_pools.iter().find(same) else {
            return false;
        };
        self.pools.insert(Arc::clone(name), Arc::clone(pool));
        true
    }

    /// Keeps a pool that has been read; it is the one of its name now.
    pub fn set_pool(&mut self, name: Arc<str>, pool: Arc<Pool>) {
        self.read_pools.push((Arc::clone(&name), Arc::clone(&pool)));
        self.pools.insert(name, pool);
    }

    /// Takes over the pools of another client or part of a run.
    pub fn share_pools(&mut self, other: &Variables) {
        self.pools.clone_from(&other.pools);
        self.read_pools.clone_from(&other.read_pools);
    }

    /// Gives a variable its value. Ids interned since `new` are welcome.
    pub fn set(&mut self, id: VarId, value: Value) {
        if id.index() >= self.values.len() {
            self.values.resize(id.index() + 1, None);
        }
        self.values[id.index()] = Some(value);
    }
}

/// Whether a variable may have this name: ASCII letters, digits, underscores and anything beyond
/// ASCII, the first not a digit.
pub fn is_valid_variable_name(name: &str) -> bool {
    name.bytes().next().is_some_and(starts_name) && name.bytes().all(continues_name)
}

/// Whether a name may start with this byte.
pub(super) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

/// Whether a name may continue with this byte.
pub(super) fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_replaced_as_a_whole() {
        let mut symbols = Symbols::new();
        let (a, b) = (symbols.intern("a"), symbols.intern("b"));
        let mut variables = Variables::new(&symbols);
        variables.set(b, Value::Int(2));
        assert_eq!(variables.values(), [None, Some(Value::Int(2))]);
        variables.replace(vec![Some(Value::Int(1))]);
        assert_eq!(variables.get(a), Some(&Value::Int(1)));
        assert_eq!(variables.get(b), None);
    }

    #[test]
    fn a_name_has_one_id() {
        let mut symbols = Symbols::new();
        assert!(symbols.is_empty());
        let a = symbols.intern("a");
        let b = symbols.intern("b");
        assert_eq!(symbols.intern("a"), a);
        assert_ne!(a, b);
        assert!(!symbols.is_empty());
        assert_eq!(symbols.lookup("b"), Some(b));
        assert_eq!(symbols.lookup("c"), None);
        assert_eq!(symbols.name(b), "b");
        assert_eq!(symbols.len(), 2);
    }

    #[test]
    fn undefined_is_not_null() {
        let mut symbols = Symbols::new();
        let a = symbols.intern("a");
        let mut variables = Variables::new(&symbols);
        assert_eq!(variables.get(a), None);
        variables.set(a, Value::Null);
        assert_eq!(variables.get(a), Some(&Value::Null));
        let late = symbols.intern("late");
        assert_eq!(variables.get(late), None);
        variables.set(late, Value::Int(1));
        assert_eq!(variables.get(late), Some(&Value::Int(1)));
    }

    #[test]
    fn names() {
        for good in ["a", "_", "A9", "é", "größe_2"] {
            assert!(is_valid_variable_name(good), "{good}");
        }
        for bad in ["", "9a", ".", "a-b", "a b", ":a"] {
            assert!(!is_valid_variable_name(bad), "{bad}");
        }
    }
}

//! Every setting of pgperf, each with why its default is what it is.

/// Registers the settings; called once when the library is loaded.
pub fn init() {}

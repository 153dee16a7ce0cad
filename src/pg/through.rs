//! Closures behind a reference. What guards them (a transaction, a handler of errors) is then compiled once, and not anew around
//! each: it was an eighth of the library.

/// Runs `body` within `around`, which calls what it is given once if it succeeds.
pub fn through<T, E>(
    body: impl FnOnce() -> T,
    around: impl FnOnce(&mut dyn FnMut()) -> Result<(), E>,
) -> Result<T, E> {
    let mut body = Some(body);
    let mut value = None;
    around(&mut || value = body.take().map(|body| body()))?;
    match value {
        Some(value) => Ok(value),
        None => unreachable!("succeeded without a call"),
    }
}

//! Closures behind a reference. The code around them (a transaction, an error handler) is then compiled only once, not for
//! each closure, where it was an eighth of the library.

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

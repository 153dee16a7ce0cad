//! The state that a client's worker leaves to the next worker of the same client, if a run reconnects.

use crate::{pack, unpack};
use engine::Handover;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// The area of a client in the segment: the length in bytes, then JSON.
#[derive(Clone, Copy)]
pub struct HandoverArea {
    words: &'static [AtomicU64],
}

impl HandoverArea {
    pub const WORDS: usize = 2048;

    /// The area in these [`HandoverArea::WORDS`] words.
    pub fn new(words: &'static [AtomicU64]) -> HandoverArea {
        HandoverArea { words }
    }

    /// Leaves the state. Fails if it is too large: only variables can make it so.
    pub fn leave(&self, state: &Handover) -> Result<(), String> {
        let bytes = serde_json::to_vec(state).map_err(|error| error.to_string())?;
        let Some((len, words)) = self.words.split_first() else {
            return Err("no room for the state of the session".to_owned());
        };
        if bytes.len() > words.len() * 8 {
            return Err(format!(
                "the variables of the script are too large to be carried over to a new session: \
                 {} of at most {} bytes",
                bytes.len(),
                words.len() * 8
            ));
        }
        for (word, bytes) in words.iter().zip(bytes.chunks(8)) {
            word.store(pack(bytes), Relaxed);
        }
        len.store(bytes.len() as u64, Release);
        Ok(())
    }

    /// The state that was left.
    pub fn take(&self) -> Result<Handover, String> {
        let (len, words) = self.words.split_first().ok_or("no state of a session")?;
        let bytes = unpack(words, len.load(Acquire) as usize);
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_words;
    use engine::{CarriedValue, ScriptState, ThrottleState};
    use script::{Prng, Value};

    fn area() -> HandoverArea {
        HandoverArea::new(test_words(HandoverArea::WORDS))
    }

    fn state(variables: Vec<Option<CarriedValue>>) -> Handover {
        let prng = Prng::new(7);
        Handover {
            left_at: u64::MAX,
            lost: false,
            ended: 12,
            measuring: true,
            received: (5, 50),
            throttle: ThrottleState {
                prng,
                due: 99,
                origin: 98,
                revision: 2,
            },
            sampling: Some(prng),
            logged_at: 97,
            terminals: None,
            scripts: ScriptState {
                choice: prng,
                chosen: 3,
                prng,
                variables,
            },
        }
    }

    #[test]
    fn what_is_left_is_taken() {
        let values = [
            Value::Null,
            Value::Bool(true),
            Value::Int(i64::MIN),
            Value::Double(f64::NEG_INFINITY),
            Value::Double(0.1),
            Value::Text("ä\0".into()),
        ];
        let mut variables: Vec<_> = values.iter().map(|value| Some(value.into())).collect();
        variables.push(None);
        let area = area();
        area.leave(&state(variables)).unwrap();
        let taken = area.take().unwrap();
        assert_eq!(
            (taken.left_at, taken.ended, taken.received),
            (u64::MAX, 12, (5, 50))
        );
        assert_eq!(taken.scripts.prng, Prng::new(7));
        let mut variables = taken.scripts.variables;
        assert_eq!(variables.pop(), Some(None));
        let back: Vec<Value> = variables.into_iter().flatten().map(Value::from).collect();
        assert_eq!(back, values);
    }

    #[test]
    fn too_much_is_refused() {
        let text = CarriedValue::Text("x".repeat(HandoverArea::WORDS * 8));
        let error = area().leave(&state(vec![Some(text)])).unwrap_err();
        assert!(error.contains("too large"), "{error}");
    }
}

//! The data that client workers get when they are registered; it fits into `bgw_extra`.

use crate::pg::process::worker::Extra;
use crate::service::launch::{oid, word};
use pgrx::pg_sys::Oid;

/// The facts that a client needs at its start; the rest is in the segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientLaunch {
    pub database: Oid,
    pub role: Oid,
    pub run_id: i64,
    pub segment: u32,
    pub client: u32,
}

impl ClientLaunch {
    pub fn encode(&self) -> Extra {
        let mut extra = Extra::default();
        let words = [
            word(self.database),
            word(self.role),
            self.run_id as u64,
            u64::from(self.segment),
            u64::from(self.client),
        ];
        extra[..words.len()].copy_from_slice(&words);
        extra
    }

    pub fn decode(extra: &Extra) -> ClientLaunch {
        ClientLaunch {
            database: oid(extra[0]),
            role: oid(extra[1]),
            run_id: extra[2] as i64,
            segment: extra[3] as u32,
            client: extra[4] as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let client = ClientLaunch {
            database: Oid::from(5),
            role: Oid::from(10),
            run_id: 7,
            segment: u32::MAX,
            client: 199,
        };
        assert_eq!(ClientLaunch::decode(&client.encode()), client);
    }
}

//! The rows of a freshly loaded data set, each from the number of its subscriber, which counts from 1.

use crate::pg::bulk::{Row, Rows};
use script::Prng;
use script::random::{hash_murmur2, uniform};

/// The numbers with which the draws of these tables begin.
const SUBSCRIBER: i64 = 1;
const ACCESS_INFO: i64 = 2;
const SPECIAL_FACILITY: i64 = 3;
const CALL_FORWARDING: i64 = 4;

/// The types of access and of facilities.
const TYPES: [i16; 4] = [1, 2, 3, 4];
/// The hours at which calls begin to be forwarded.
const START_TIMES: [i16; 3] = [0, 8, 16];
/// The longest time for which a load forwards them.
const MAX_HOURS: i16 = 8;
/// Of 100 facilities.
const ACTIVE: i16 = 85;
/// Digits of a telephone number.
const DIGITS: usize = 15;
/// The largest location.
pub(super) const MAX_LOCATION: i64 = u32::MAX as i64;

/// The draws of one subscriber's rows in a table.
struct Draws(Prng);

impl Draws {
    fn of(table: i64, subscriber: i64) -> Draws {
        Draws(Prng::new(hash_murmur2(subscriber, table).cast_unsigned()))
    }

    fn between(&mut self, min: i16, max: i16) -> i16 {
        uniform(&mut self.0, min.into(), max.into()) as i16
    }

    fn location(&mut self) -> i64 {
        uniform(&mut self.0, 1, MAX_LOCATION)
    }

    /// At least `least` of these values, in their order: each number of them is drawn equally often.
    fn some_of<const N: usize>(&mut self, values: [i16; N], least: usize) -> Vec<i16> {
        let count = self.between(least as i16, N as i16) as usize;
        let mut chosen = Vec::with_capacity(count);
        for (place, value) in values.into_iter().enumerate() {
            // Of those that are left, as many are taken as are still missing.
            let (left, missing) = (N - place, count - chosen.len());
            if usize::from(self.between(1, left as i16).unsigned_abs()) <= missing {
                chosen.push(value);
            }
        }
        chosen
    }

    /// A text of N characters out of so many from the first on.
    fn text<const N: usize>(&mut self, first: u8, count: i16) -> String {
        let mut character = || char::from(first + self.between(0, count - 1) as u8);
        (0..N).map(|_| character()).collect()
    }

    fn letters<const N: usize>(&mut self) -> String {
        self.text::<N>(b'A', 26)
    }
}

pub(super) fn subscriber(s_id: i64, rows: &mut Rows) {
    let mut draws = Draws::of(SUBSCRIBER, s_id);
    rows.push(|row| {
        row.int4(s_id as i32);
        row.text(format!("{s_id:0DIGITS$}"));
        for max in [1, 15, 255] {
            for _ in 0..10 {
                row.int2(draws.between(0, max));
            }
        }
        row.int8(draws.location());
        row.int8(draws.location());
    });
}

pub(super) fn access_info(s_id: i64, rows: &mut Rows) {
    let mut draws = Draws::of(ACCESS_INFO, s_id);
    for ai_type in draws.some_of(TYPES, 1) {
        rows.push(|row| {
            row.int4(s_id as i32);
            row.int2(ai_type);
            row.int2(draws.between(0, 255));
            row.int2(draws.between(0, 255));
            row.text(draws.letters::<3>());
            row.text(draws.letters::<5>());
        });
    }
}

/// The draws of a subscriber's facilities after their types, and these.
fn facilities(s_id: i64) -> (Draws, Vec<i16>) {
    let mut draws = Draws::of(SPECIAL_FACILITY, s_id);
    let types = draws.some_of(TYPES, 1);
    (draws, types)
}

pub(super) fn special_facility(s_id: i64, rows: &mut Rows) {
    let (mut draws, types) = facilities(s_id);
    for sf_type in types {
        rows.push(|row| {
            row.int4(s_id as i32);
            row.int2(sf_type);
            row.int2((draws.between(1, 100) <= ACTIVE).into());
            row.int2(draws.between(0, 255));
            row.int2(draws.between(0, 255));
            row.text(draws.letters::<5>());
        });
    }
}

pub(super) fn call_forwarding(s_id: i64, rows: &mut Rows) {
    let (_, types) = facilities(s_id);
    let mut draws = Draws::of(CALL_FORWARDING, s_id);
    for sf_type in types {
        for start_time in draws.some_of(START_TIMES, 0) {
            rows.push(|row| forwarding(s_id, sf_type, start_time, &mut draws, row));
        }
    }
}

fn forwarding(s_id: i64, sf_type: i16, start_time: i16, draws: &mut Draws, row: &mut Row) {
    row.int4(s_id as i32);
    row.int2(sf_type);
    row.int2(start_time);
    row.int2(start_time + draws.between(1, MAX_HOURS));
    row.text(draws.text::<DIGITS>(b'0', 10));
}

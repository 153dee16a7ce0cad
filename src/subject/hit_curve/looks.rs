//! The schedule of buffer observations: so frequent that no page is read in and evicted between two of them, within a share
//! of one CPU.

use crate::collect::watched::Followed;
use crate::pg::pages::buffers::{self, Fork, Held};
use crate::pg::process::clock;
use crate::pg::server;
use measure::hit_curve::{Accesses, Follower, Sighting};
use std::time::Duration;

/// Looks in each round of the hand through all buffers. A page stays for a round or more, unless it belongs to a scan.
const LOOKS_A_ROUND: f64 = 4.0;
/// With fewer, half as many pages are followed, if that makes looks cheaper; [`MOST_HALVED`] times at most.
const FEWEST_LOOKS_A_ROUND: f64 = 1.0;
const MOST_HALVED: u32 = 4;
/// The shortest time between two looks, which is that of a process that waits.
const SHORTEST: Duration = Duration::from_millis(1);
/// The next pause is at most this many times the last one, since a load may begin at any time.
const GROWTH: f64 = 2.0;
/// What it costs to wake up, which the process's own clock shows in part.
const WAKING_NS: f64 = 10_000.0;
/// The weight of the latest cost in the smoothed one.
const WEIGHT: f64 = 0.1;
/// Looks before it may halve the number of pages, and again.
const LOOKS_TO_JUDGE: u32 = 50;

/// Looks at the buffers again and again.
pub struct Looks {
    follower: Follower,
    halved: u32,
    /// The part of one CPU's time that looks may take.
    budget: f64,
    longest: Duration,
    next_at: u64,
    pause_ns: f64,
    /// Of a look, smoothed: reading the headers, and learning from them.
    cost_ns: [f64; 2],
    /// The time in which the hand passes all buffers, smoothed.
    round_ns: f64,
    /// The hand, and when it was there.
    last: Option<(u64, u64)>,
    looks_to_judge: u32,
    began_at: u64,
    spent_ns: u64,
    seen: Vec<Sighting>,
}

impl Looks {
    /// `budget`: the part of one CPU's time that looks may take; `longest`: the longest pause between two.
    pub fn new(budget: f64, longest: Duration) -> Looks {
        Looks {
            follower: Follower::new(buffers::buffers() as u32, 0),
            halved: 0,
            budget: budget.max(1e-6),
            longest,
            next_at: 0,
            pause_ns: SHORTEST.as_nanos() as f64,
            cost_ns: [0.0; 2],
            round_ns: f64::INFINITY,
            last: None,
            looks_to_judge: LOOKS_TO_JUDGE,
            began_at: clock::now(),
            spent_ns: 0,
            seen: Vec::new(),
        }
    }

    /// When the next look is due, monotonic ns.
    pub fn next_at(&self) -> u64 {
        self.next_at
    }

    /// Changes the part of one CPU's time that looks may take.
    pub fn set_budget(&mut self, budget: f64) {
        self.budget = budget.max(1e-6);
    }

    /// Looks, if it is time to.
    pub fn look_if_due(&mut self) {
        if clock::now() >= self.next_at {
            self.look();
        }
    }

    /// Counts anew from now on. What is known of the pages stays.
    pub fn begin(&mut self) {
        self.look();
        self.follower.begin();
        (self.began_at, self.spent_ns) = (clock::now(), 0);
    }

    /// What was seen since the beginning, with the accesses that were counted meanwhile; and counts anew.
    pub fn take(&mut self, accesses: Accesses) -> Followed {
        self.look();
        let followed = Followed {
            window: self.follower.window().clone(),
            accesses,
            seconds: (clock::now() - self.began_at) as f64 / 1e9,
            looks_ms: self.spent_ns as f64 / 1e6,
        };
        self.follower.begin();
        (self.began_at, self.spent_ns) = (clock::now(), 0);
        followed
    }

    fn look(&mut self) {
        let (before, at) = (clock::cpu_time(), clock::now());
        let hand = buffers::hand();
        let here = u32::from(server::database());
        self.seen.clear();
        let unused = buffers::each_page(|held| {
            let page = hash(&held.fork, held.block);
            if self.follower.follows(page) {
                self.seen.push(sighting(&held, page, here));
            }
        });
        let read = clock::cpu_time();
        self.follower.look(hand, unused, &self.seen);
        let learned = clock::cpu_time();
        self.spent_ns += learned.saturating_sub(before);
        let cost = [read.saturating_sub(before), learned.saturating_sub(read)];
        self.plan(hand, at, cost.map(|ns| ns as f64));
    }

    /// When to look again.
    fn plan(&mut self, hand: u64, at: u64, cost: [f64; 2]) {
        let smooth = |before: f64, now: f64| match before.is_normal() {
            true => before + (now - before) * WEIGHT,
            false => now,
        };
        self.cost_ns = [0, 1].map(|part| smooth(self.cost_ns[part], cost[part]));
        let mut round_ns = f64::INFINITY;
        if let Some((then, then_at)) = self.last.replace((hand, at)) {
            let passed = hand.saturating_sub(then) as f64 / self.follower.buffers().max(1) as f64;
            round_ns = at.saturating_sub(then_at) as f64 / passed;
        }
        self.round_ns = smooth(self.round_ns, round_ns);
        let [reading, learning] = self.cost_ns;
        let affordable = (reading + learning + WAKING_NS) / self.budget;
        // A look that saw the hand move fast is followed by another soon, one that saw it stand still by a later one.
        let wanted = (round_ns / LOOKS_A_ROUND).min(self.pause_ns * GROWTH);
        let longest = self.longest.as_nanos() as f64;
        // A pass over very many buffers may cost more than the longest pause affords.
        self.pause_ns = wanted
            .clamp(SHORTEST.as_nanos() as f64, longest)
            .max(affordable);
        self.next_at = clock::now() + self.pause_ns as u64;
        self.looks_to_judge = self.looks_to_judge.saturating_sub(1);
        let too_few = self.round_ns < FEWEST_LOOKS_A_ROUND * affordable;
        if too_few && learning > reading && self.looks_to_judge == 0 && self.halved < MOST_HALVED {
            self.halved += 1;
            self.looks_to_judge = LOOKS_TO_JUDGE;
            self.follower = self.follower.coarser(self.halved);
        }
    }
}

fn sighting(held: &Held, page: u64, here: u32) -> Sighting {
    Sighting {
        buffer: held.buffer,
        page,
        file: hash(&held.fork, u32::MAX),
        block: held.block,
        usage: held.usage_count,
        dirty: held.dirty,
        counts: held.fork.database == here,
    }
}

/// Well mixed in all bits: a part of them decides which pages are followed.
fn hash(fork: &Fork, block: u32) -> u64 {
    let file = u64::from(fork.database) << 32 | u64::from(fork.file);
    let place =
        u64::from(block) << 32 | u64::from(fork.tablespace.rotate_left(2)) ^ fork.fork as u64;
    let mixed = file.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ place;
    // The end of splitmix64.
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_its_own_well_mixed_hash() {
        let mut hashes = Vec::new();
        for file in 0..8 {
            for fork in 0..3 {
                let fork = Fork {
                    database: 5,
                    tablespace: 1663,
                    file: 16_384 + file,
                    fork,
                };
                hashes.extend((0..4_000).map(|block| hash(&fork, block)));
            }
        }
        let followed = hashes.iter().filter(|hash| *hash & 63 == 0).count();
        let expected = hashes.len() / 64;
        assert!(
            (expected * 9 / 10..expected * 11 / 10).contains(&followed),
            "{followed}"
        );
        let all = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all);
    }
}

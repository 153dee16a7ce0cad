//! The contents of shared_buffers, from one pass over the buffers' headers, without a lock.
//!
//! A header is a tag (whose page the buffer holds) and one atomic word with the flags, the usage count and the number of
//! pins. A process that changes a tag holds the header's lock, a bit of that word, and changes flags with it. So a tag that
//! was read between two equal readings of an unlocked word is consistent. If the word changed meanwhile (mostly because a
//! session pinned the buffer) the header is read again. A buffer that changes all the time is counted by its word, and its
//! file is unknown. In rare cases an eviction and a new page restore the same word between the two readings, some nanoseconds
//! apart: then one buffer is counted for the wrong file. The counts are from slightly different moments, like those of
//! pg_buffercache.

use pgrx::pg_sys;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{Ordering, fence};

/// Usage counts go from 0 to this (`BM_MAX_USAGE_COUNT`).
pub const MAX_USAGE_COUNT: usize = pg_sys::BM_MAX_USAGE_COUNT as usize;

/// One fork of a relation's storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fork {
    /// 0: shared by all databases.
    pub database: u32,
    pub tablespace: u32,
    /// The file's number, relfilenode in pg_class.
    pub file: u32,
    /// 0: main, 1: free space map, 2: visibility map, 3: init.
    pub fork: i32,
}

/// Some buffers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub buffers: u64,
    pub dirty: u64,
    pub pinned: u64,
}

impl Count {
    pub fn add(&mut self, other: &Count) {
        self.buffers += other.buffers;
        self.dirty += other.dirty;
        self.pinned += other.pinned;
    }
}

/// Buffers by usage count.
pub type Usage = [Count; MAX_USAGE_COUNT + 1];

/// All buffers of the server, each counted once.
#[derive(Debug, Default)]
pub struct Census {
    pub forks: Vec<(Fork, Usage)>,
    /// Whose header kept changing while it was read.
    pub unknown: Usage,
    /// Without a valid page.
    pub unused: u64,
}

/// A buffer that holds a page.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// From 0.
    pub buffer: u32,
    pub fork: Fork,
    /// The page's number in the fork.
    pub block: u32,
    /// 0 to [`MAX_USAGE_COUNT`].
    pub usage_count: u8,
    pub dirty: bool,
}

/// Buffers between two looks at whether the query was cancelled: some hundred microseconds.
const BUFFERS_A_CHECK: usize = 1 << 16;

/// Counts all buffers. Reads 64 bytes a buffer: 16 MB of memory at 2 GB of shared_buffers.
pub fn census() -> Census {
    let mut forks: Vec<(Fork, Tally)> = Vec::new();
    let mut places: HashMap<Fork, usize, BuildHasherDefault<ForkHasher>> = HashMap::default();
    let mut last = usize::MAX;
    let mut unknown = Tally::default();
    let mut unused = 0;
    for number in 0..buffers() {
        if number % BUFFERS_A_CHECK == 0 {
            pgrx::check_for_interrupts!();
        }
        let (state, fork) = header(number);
        if !state.is_used() {
            unused += 1;
            continue;
        }
        let Some(fork) = fork else {
            unknown.add(state);
            continue;
        };
        // Neighbours often belong to the same relation.
        if forks.get(last).is_none_or(|(known, _)| *known != fork) {
            last = *places.entry(fork).or_insert_with(|| {
                forks.push((fork, Tally::default()));
                forks.len() - 1
            });
        }
        if let Some((_, tally)) = forks.get_mut(last) {
            tally.add(state);
        }
    }
    Census {
        forks: (forks.iter())
            .map(|(fork, tally)| (*fork, tally.usage()))
            .collect(),
        unknown: unknown.usage(),
        unused,
    }
}

/// Looks at every buffer, in the order of their numbers. Those whose header keeps changing are left out. Returns how many
/// hold no page. Does not look for a cancel: 2 GB of shared_buffers take some milliseconds.
pub fn each_page(mut each: impl FnMut(Held)) -> u32 {
    let mut unused = 0;
    for number in 0..buffers() {
        match tagged(number) {
            (state, _) if !state.is_used() => unused += 1,
            (state, Some(tag)) => each(Held {
                buffer: number as u32,
                fork: fork_of(&tag),
                block: tag.blockNum,
                usage_count: state.usage_count() as u8,
                dirty: state.is_dirty(),
            }),
            (_, None) => {}
        }
    }
    unused
}

/// How many buffers the hand of the clock, which looks for one to replace, has passed since the server started.
///
/// The server's own function for it, which its background writer calls, holds a spinlock for an instant. Others
/// take that only when the hand begins a new round and when buffers were freed.
pub fn hand() -> u64 {
    let mut rounds = 0;
    // SAFETY: reads shared memory; without a place for the number of allocations it leaves that counter as it is.
    let next = unsafe { pg_sys::StrategySyncStart(&raw mut rounds, std::ptr::null_mut()) };
    u64::from(rounds) * buffers() as u64 + u64::try_from(next).unwrap_or(0)
}

/// Buffers by all counted properties at once: one addition per buffer, because each addition waits for the one before.
#[derive(Default)]
struct Tally([u32; 4 * (MAX_USAGE_COUNT + 1)]);

impl Tally {
    #[inline]
    fn add(&mut self, state: State) {
        let place = 4 * state.usage_count()
            + 2 * usize::from(state.is_dirty())
            + usize::from(state.is_pinned());
        if let Some(count) = self.0.get_mut(place) {
            *count += 1;
        }
    }

    fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for (count, tally) in usage.iter_mut().zip(self.0.chunks_exact(4)) {
            for (place, &buffers) in tally.iter().enumerate() {
                let such = |bit: usize| u64::from(buffers) * u64::from(place & bit != 0);
                count.add(&Count {
                    buffers: buffers.into(),
                    dirty: such(2),
                    pinned: such(1),
                });
            }
        }
        usage
    }
}

/// The parts of a header's word.
#[cfg(not(feature = "since19"))]
mod word {
    pub use pgrx::pg_sys::{
        BM_DIRTY, BM_LOCKED, BM_TAG_VALID, BM_VALID, BUF_REFCOUNT_MASK, BUF_USAGECOUNT_MASK,
        BUF_USAGECOUNT_SHIFT,
    };
    pub use std::sync::atomic::AtomicU32 as Atomic;
    pub type Word = u32;
}

/// The same of 64 bits, as macros compute them (storage/buf_internals.h): pins, usage count, flags, locks of the page.
#[cfg(feature = "since19")]
mod word {
    use pgrx::pg_sys::{BUF_REFCOUNT_BITS, BUF_USAGECOUNT_BITS};
    pub use std::sync::atomic::AtomicU64 as Atomic;
    pub type Word = u64;

    const fn flag(number: u32) -> Word {
        1 << (BUF_REFCOUNT_BITS + BUF_USAGECOUNT_BITS + number)
    }

    pub const BUF_REFCOUNT_MASK: Word = (1 << BUF_REFCOUNT_BITS) - 1;
    pub const BUF_USAGECOUNT_SHIFT: u32 = BUF_REFCOUNT_BITS;
    pub const BUF_USAGECOUNT_MASK: Word = ((1 << BUF_USAGECOUNT_BITS) - 1) << BUF_USAGECOUNT_SHIFT;
    pub const BM_LOCKED: Word = flag(0);
    pub const BM_DIRTY: Word = flag(1);
    pub const BM_VALID: Word = flag(2);
    pub const BM_TAG_VALID: Word = flag(3);
}

/// The word of a header.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State(word::Word);

impl State {
    fn has(self, flags: word::Word) -> bool {
        self.0 & flags == flags
    }

    /// It holds a page, in the sense of pg_buffercache.
    fn is_used(self) -> bool {
        self.has(word::BM_VALID | word::BM_TAG_VALID)
    }

    fn is_locked(self) -> bool {
        self.has(word::BM_LOCKED)
    }

    fn is_dirty(self) -> bool {
        self.has(word::BM_DIRTY)
    }

    fn is_pinned(self) -> bool {
        self.0 & word::BUF_REFCOUNT_MASK != 0
    }

    fn usage_count(self) -> usize {
        let count = (self.0 & word::BUF_USAGECOUNT_MASK) >> word::BUF_USAGECOUNT_SHIFT;
        (count as usize).min(MAX_USAGE_COUNT)
    }
}

/// The number of buffers.
pub fn buffers() -> usize {
    // SAFETY: set once, at the server's start.
    usize::try_from(unsafe { pg_sys::NBuffers }).unwrap_or(0)
}

/// How often a header that changes is read again.
const TRIES: usize = 8;

/// A header; the fork is None if no reading was whole.
#[inline]
fn header(number: usize) -> (State, Option<Fork>) {
    let (state, tag) = tagged(number);
    (state, tag.map(|tag| fork_of(&tag)))
}

/// A header; the tag is None if no reading was whole. `number` is below [`buffers`].
#[inline]
fn tagged(number: usize) -> (State, Option<pg_sys::BufferTag>) {
    // SAFETY: an array of NBuffers padded headers in shared memory, for the life of this process. The word is
    // read atomically, the tag by volatile reads, since other processes may write it at any time.
    unsafe {
        let buffer = &raw mut (*pg_sys::BufferDescriptors.add(number)).bufferdesc;
        let word = word::Atomic::from_ptr(&raw mut (*buffer).state.value);
        let mut before = State(word.load(Ordering::Acquire));
        for _ in 0..TRIES {
            if !before.is_used() {
                break;
            }
            let tag = (&raw const (*buffer).tag).read_volatile();
            fence(Ordering::Acquire);
            let after = State(word.load(Ordering::Acquire));
            if before == after && !after.is_locked() {
                return (after, Some(tag));
            }
            std::hint::spin_loop();
            before = after;
        }
        (before, None)
    }
}

/// The names of the tag's fields differ between versions: only this place knows them.
#[cfg(not(feature = "since16"))]
fn fork_of(tag: &pg_sys::BufferTag) -> Fork {
    Fork {
        database: tag.rnode.dbNode.into(),
        tablespace: tag.rnode.spcNode.into(),
        file: tag.rnode.relNode.into(),
        fork: tag.forkNum,
    }
}

#[cfg(feature = "since16")]
fn fork_of(tag: &pg_sys::BufferTag) -> Fork {
    Fork {
        database: tag.dbOid.into(),
        tablespace: tag.spcOid.into(),
        file: tag.relNumber.into(),
        fork: tag.forkNum,
    }
}

/// A hash for four small numbers: the map is asked once for each buffer that is not its neighbour's.
#[derive(Default)]
struct ForkHasher(u64);

impl ForkHasher {
    fn mix(&mut self, number: u32) {
        // An odd constant of high bit density (2^64 divided by the golden ratio).
        self.0 = (self.0.rotate_left(5) ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for ForkHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.mix(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(number);
    }

    fn write_i32(&mut self, number: i32) {
        self.mix(number as u32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_taken_apart() {
        let word = |flags: word::Word, usage: word::Word, pins: word::Word| {
            State(flags | usage << word::BUF_USAGECOUNT_SHIFT | pins)
        };
        let page = word::BM_VALID | word::BM_TAG_VALID;
        assert!(word(page, 0, 0).is_used());
        assert!(!word(word::BM_TAG_VALID, 1, 1).is_used());
        assert!(word(page | word::BM_DIRTY, 5, 0).is_dirty());
        assert_eq!(word(page, 5, 3).usage_count(), 5);
        assert!(word(page, 5, 3).is_pinned() && !word(page, 5, 0).is_pinned());
        assert!(!word(page, 2, 0).is_locked());
    }

    #[test]
    fn a_tally_knows_each_count() {
        let mut tally = Tally::default();
        let pinned =
            |pins: word::Word| State((5 as word::Word) << word::BUF_USAGECOUNT_SHIFT | pins);
        for state in [
            pinned(0),
            pinned(2),
            State(pinned(1).0 | word::BM_DIRTY),
            State(0),
        ] {
            tally.add(state);
        }
        let usage = tally.usage();
        let count = |buffers, dirty, pinned| Count {
            buffers,
            dirty,
            pinned,
        };
        assert_eq!((usage[0], usage[5]), (count(1, 0, 0), count(3, 1, 2)));
        assert_eq!(usage[1..5], [Count::default(); 4]);
    }

    #[test]
    fn neighbouring_files_have_different_hashes() {
        use std::hash::BuildHasher;
        let hash = |file, fork| {
            BuildHasherDefault::<ForkHasher>::default().hash_one(Fork {
                database: 5,
                tablespace: 1663,
                file,
                fork,
            })
        };
        let mut hashes: Vec<u64> = (0..1000)
            .flat_map(|file| [hash(16384 + file, 0), hash(16384 + file, 1)])
            .collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 2000);
    }
}

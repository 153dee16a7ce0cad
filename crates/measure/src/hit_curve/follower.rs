//! The pages that are followed, look after look.

use super::miniature::{MAX_USAGE, Miniature};
use super::tally::{Firsts, Tally};
use super::{SIZES, TIMES};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Of all pages at most one in four is followed, or a small shared_buffers would make following costly.
const LEAST_SHIFT: u32 = 2;
/// At most this many buffers of the present size are followed.
const MOST_FOLLOWED: u32 = 2_048;
/// The ends of so many files are kept.
const MOST_FILES: usize = 65_536;
const NOWHERE: u32 = u32::MAX;

/// A buffer with a followed page, as a look sees it.
#[derive(Debug, Clone, Copy)]
pub struct Sighting {
    /// The number of the buffer, from 0.
    pub buffer: u32,
    /// A hash of the page's tag, well mixed in all of its bits.
    pub page: u64,
    /// A hash of the tag without the block.
    pub file: u64,
    pub block: u32,
    pub usage: u8,
    pub dirty: bool,
    /// Whether its misses are among those of the curve; other pages only take room.
    pub counts: bool,
}

/// A followed page that is in shared_buffers or in a miniature.
struct Page {
    page: u64,
    /// Where each miniature has it.
    places: [u32; SIZES],
    /// In how many buffers the latest look saw it.
    residences: u8,
    counts: bool,
}

/// A followed page's buffer at the latest look.
#[derive(Clone, Copy)]
struct Resident {
    buffer: u32,
    number: u32,
    usage: u8,
}

/// Counts since [`Follower::begin`].
#[derive(Clone)]
pub struct Window {
    pub(super) tallies: [Tally; SIZES],
    /// Of the miniatures that nothing has left yet.
    pub(super) firsts: Firsts,
    /// Whether each miniature has been filled.
    pub(super) filled: [bool; SIZES],
    /// The pages of each miniature.
    pub(super) entries: [usize; SIZES],
    /// Pages read in, of the followed ones that count.
    pub arrivals: u64,
    /// Pages added to the ends of files, of the followed ones that count.
    pub extensions: u64,
    /// All pages read in and added that a follower of more pages saw before, in the same window.
    pub(super) before: [f64; 2],
    /// Looks after the very first one, and how many buffers the hand has passed.
    pub looks: u64,
    pub passed: u64,
    /// Buffers with followed pages that have got another page.
    pub replaced: u64,
    /// The number of buffers, of which one in 2^shift is followed.
    pub buffers: u32,
    pub shift: u32,
    /// Buffers without a page at the latest look.
    pub unused: u32,
    /// Buffers with followed pages at the latest look.
    pub followed: u32,
}

/// Follows a sample of the pages.
pub struct Follower {
    hand: Option<u64>,
    residents: Vec<Resident>,
    pages: Vec<Page>,
    /// Numbers of pages that are not used any more.
    free: Vec<u32>,
    numbers: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    /// The block after the last one seen of each file.
    ends: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    /// None before the first look.
    miniatures: Option<[Miniature; SIZES]>,
    window: Window,
}

impl Follower {
    /// For that many buffers. `coarser`: half as many pages are followed for each one.
    pub fn new(buffers: u32, coarser: u32) -> Follower {
        let mut shift = LEAST_SHIFT;
        while buffers >> shift > MOST_FOLLOWED {
            shift += 1;
        }
        Follower {
            hand: None,
            residents: Vec::new(),
            pages: Vec::new(),
            free: Vec::new(),
            numbers: HashMap::default(),
            ends: HashMap::default(),
            miniatures: None,
            window: Window {
                tallies: Default::default(),
                firsts: Firsts::default(),
                filled: [false; SIZES],
                entries: [0; SIZES],
                arrivals: 0,
                extensions: 0,
                before: [0.0; 2],
                looks: 0,
                passed: 0,
                replaced: 0,
                buffers,
                shift: (shift + coarser).min(30),
                unused: 0,
                followed: 0,
            },
        }
    }

    /// Whether the page with this hash is followed.
    #[inline]
    pub fn follows(&self, page: u64) -> bool {
        page & ((1 << self.window.shift) - 1) == 0
    }

    /// One that follows half as many pages for each one in `coarser`, and begins to learn about them. What this one has seen still
    /// counts as seen.
    pub fn coarser(&self, coarser: u32) -> Follower {
        let mut next = Follower::new(self.window.buffers, coarser);
        let own = &self.window;
        let scale = f64::from(1u32 << own.shift);
        next.window.before = [
            own.before[0] + own.arrivals as f64 * scale,
            own.before[1] + own.extensions as f64 * scale,
        ];
        (next.window.looks, next.window.passed) = (own.looks, own.passed);
        next.window.replaced = own.replaced;
        next
    }

    /// The number of buffers.
    pub fn buffers(&self) -> u32 {
        self.window.buffers
    }

    /// Counts anew. What has been learned of the pages stays.
    pub fn begin(&mut self) {
        let window = &mut self.window;
        window.tallies = Default::default();
        window.firsts = Firsts::default();
        (window.arrivals, window.extensions) = (0, 0);
        (window.looks, window.passed, window.replaced) = (0, 0, 0);
        window.before = [0.0; 2];
    }

    /// What was counted since [`Follower::begin`].
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Takes in a look: how many buffers the hand of the clock has passed since the server's start, how many have no page, and the
    /// followed ones in the order of their buffers.
    pub fn look(&mut self, hand: u64, unused: u32, seen: &[Sighting]) {
        let is_first = self.miniatures.is_none();
        if is_first {
            self.make_miniatures(unused, seen.len());
        }
        let before = self.hand.replace(hand).unwrap_or(hand).min(hand);
        self.window.looks += u64::from(!is_first);
        self.window.passed += hand - before;
        self.window.unused = unused;
        self.window.followed = seen.len() as u32;
        let buffers = u64::from(self.window.buffers.max(1));
        let passes = |buffer: u32| {
            let until = |hand: u64| (hand + buffers - 1 - u64::from(buffer)) / buffers;
            until(hand).saturating_sub(until(before))
        };
        let old = std::mem::take(&mut self.residents);
        let mut old = old.iter().peekable();
        let mut residents = Vec::with_capacity(seen.len());
        let (mut arrived, mut gone) = (Vec::new(), Vec::new());
        for sighting in seen {
            while let Some(left) = old.next_if(|old| old.buffer < sighting.buffer) {
                gone.push(left.number);
            }
            let same_buffer = old.next_if(|old| old.buffer == sighting.buffer);
            if let Some(stayed) = same_buffer {
                if self.pages[stayed.number as usize].page == sighting.page {
                    let used = i64::from(sighting.usage) - i64::from(stayed.usage)
                        + passes(sighting.buffer).min(MAX_USAGE.into()) as i64;
                    self.used(stayed.number, used.clamp(0, MAX_USAGE.into()) as u8);
                    residents.push(Resident {
                        usage: sighting.usage,
                        ..*stayed
                    });
                    continue;
                }
                self.window.replaced += 1;
                gone.push(stayed.number);
            }
            arrived.push(sighting);
        }
        gone.extend(old.map(|left| left.number));
        // The hand has emptied their buffers one after the other.
        let start = before % buffers;
        arrived.sort_unstable_by_key(|s| (u64::from(s.buffer) + buffers - start) % buffers);
        for sighting in arrived {
            let number = self.arrive(sighting, is_first);
            residents.push(Resident {
                buffer: sighting.buffer,
                number,
                usage: sighting.usage,
            });
        }
        residents.sort_unstable_by_key(|resident| resident.buffer);
        self.residents = residents;
        for number in gone {
            let page = &mut self.pages[number as usize];
            page.residences = page.residences.saturating_sub(1);
            self.forget_if_gone(number);
        }
    }

    /// Miniatures that hold as much of the sample as there is: at the present size exactly as many pages as are seen, so that
    /// the sample's own chance does not distort it.
    fn make_miniatures(&mut self, unused: u32, seen: usize) {
        let sampled = |buffers: f64| buffers / f64::from(1u32 << self.window.shift);
        let present = seen as f64 + sampled(unused.into());
        let more = sampled(self.window.buffers.into());
        let entries = TIMES.map(|times| (present + (times - 1.0) * more).round().max(1.0) as usize);
        self.window.entries = entries;
        self.miniatures = Some(entries.map(Miniature::new));
    }

    /// A page was read into a buffer. Returns its number.
    fn arrive(&mut self, sighting: &Sighting, is_first_look: bool) -> u32 {
        let (number, is_new) = self.number(sighting);
        let page = &mut self.pages[number as usize];
        page.residences = page.residences.saturating_add(1);
        if self.ends.len() >= MOST_FILES {
            self.ends.clear();
        }
        let end = self.ends.entry(sighting.file).or_default();
        // A page that was read is clean, and seldom beyond all seen before.
        let extends = is_new && sighting.dirty && sighting.block >= *end;
        *end = (*end).max(sighting.block.saturating_add(1));
        let counts = sighting.counts && !is_first_look;
        if counts && extends {
            self.window.extensions += 1;
        } else if counts {
            self.window.arrivals += 1;
            self.window.firsts.arrival(is_new);
        }
        for size in 0..SIZES {
            let is_missed = self.pages[number as usize].places[size] == NOWHERE;
            if counts && !extends && self.window.filled[size] {
                self.window.tallies[size].arrival(sighting.page, is_missed);
            }
            self.access(size, number, sighting.usage);
        }
        number
    }

    /// A page that stayed in its buffer was used so often, at least.
    fn used(&mut self, number: u32, times: u8) {
        if times == 0 {
            return;
        }
        for size in 0..SIZES {
            let Page {
                places,
                counts,
                page,
                ..
            } = self.pages[number as usize];
            if counts && places[size] == NOWHERE && self.window.filled[size] {
                self.window.tallies[size].miss(page);
            }
            self.access(size, number, times);
        }
    }

    /// An access in a miniature, and further ones of the same page.
    fn access(&mut self, size: usize, number: u32, times: u8) {
        let Some(miniature) = self.miniatures.as_mut().map(|all| &mut all[size]) else {
            return;
        };
        let place = &mut self.pages[number as usize].places[size];
        if *place != NOWHERE {
            miniature.touch(*place, times);
            return;
        }
        let (new_place, replaced) = miniature.insert(number, times);
        *place = new_place;
        self.window.filled[size] |= miniature.is_full();
        if let Some(replaced) = replaced {
            self.pages[replaced as usize].places[size] = NOWHERE;
            self.forget_if_gone(replaced);
        }
    }

    /// The number of a page, and whether it is new.
    fn number(&mut self, sighting: &Sighting) -> (u32, bool) {
        if let Some(&number) = self.numbers.get(&sighting.page) {
            return (number, false);
        }
        let page = Page {
            page: sighting.page,
            places: [NOWHERE; SIZES],
            residences: 0,
            counts: sighting.counts,
        };
        let number = match self.free.pop() {
            Some(number) => {
                self.pages[number as usize] = page;
                number
            }
            None => {
                self.pages.push(page);
                (self.pages.len() - 1) as u32
            }
        };
        self.numbers.insert(sighting.page, number);
        (number, true)
    }

    fn forget_if_gone(&mut self, number: u32) {
        let page = &self.pages[number as usize];
        if page.residences == 0 && page.places.iter().all(|&place| place == NOWHERE) {
            self.numbers.remove(&page.page);
            self.free.push(number);
        }
    }

    /// The pages that it keeps in mind.
    #[cfg(test)]
    pub(super) fn known(&self) -> usize {
        self.numbers.len()
    }
}

/// The keys are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        // Followed pages have zeros at the low end, where a map looks.
        self.0 = hash.rotate_right(31);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests;

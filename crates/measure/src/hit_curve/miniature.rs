//! A miniature of shared_buffers: the server's replacement (CLOCK with usage counts) over few entries.

/// Usage counts stop here, as the server's do (`BM_MAX_USAGE_COUNT`).
pub const MAX_USAGE: u8 = 5;

/// No page.
const EMPTY: u32 = u32::MAX;

/// An entry: the number of a page, and its usage count.
#[derive(Clone, Copy)]
struct Entry {
    page: u32,
    usage: u8,
}

/// Pages are numbers of the caller's, who keeps the place of each.
pub struct Miniature {
    entries: Vec<Entry>,
    capacity: usize,
    hand: usize,
}

impl Miniature {
    /// An empty one with room for `capacity` pages, at least one.
    pub fn new(capacity: usize) -> Miniature {
        Miniature {
            entries: Vec::new(),
            capacity: capacity.max(1),
            hand: 0,
        }
    }

    /// Whether the next page will replace another one.
    pub fn is_full(&self) -> bool {
        self.entries.len() >= self.capacity
    }

    /// Brings a page in. Returns its place, and the page that had to leave.
    pub fn insert(&mut self, page: u32, usage: u8) -> (u32, Option<u32>) {
        let new = Entry {
            page,
            usage: usage.min(MAX_USAGE),
        };
        if !self.is_full() {
            self.entries.push(new);
            return ((self.entries.len() - 1) as u32, None);
        }
        loop {
            let place = self.hand;
            self.hand = (place + 1) % self.capacity;
            let entry = &mut self.entries[place];
            if entry.usage == 0 {
                let old = std::mem::replace(entry, new).page;
                return (place as u32, Some(old).filter(|&old| old != EMPTY));
            }
            entry.usage -= 1;
        }
    }

    /// The page at this place was used so often.
    pub fn touch(&mut self, place: u32, times: u8) {
        if let Some(entry) = self.entries.get_mut(place as usize) {
            entry.usage = entry.usage.saturating_add(times).min(MAX_USAGE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_were_used_stay_for_another_round() {
        let mut miniature = Miniature::new(2);
        assert_eq!(miniature.insert(10, 0), (0, None));
        assert!(!miniature.is_full());
        assert_eq!(miniature.insert(11, 0), (1, None));
        assert!(miniature.is_full());
        miniature.touch(0, 1);
        assert_eq!(miniature.insert(12, 0), (1, Some(11)));
        assert_eq!(miniature.insert(13, 9), (0, Some(10)));
        assert_eq!(miniature.insert(14, 0), (1, Some(12)));
    }
}

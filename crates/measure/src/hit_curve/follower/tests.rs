//! What single looks make of pages.

use super::*;

/// Four followed pages in sixteen buffers.
const BUFFERS: u32 = 16;

/// A page in a buffer, with its usage count: page and buffer have the block's number.
fn page(block: u32, buffer: u32, usage: u8) -> Sighting {
    Sighting {
        buffer,
        page: u64::from(block + 1) << 8,
        file: 1,
        block,
        usage,
        dirty: false,
        counts: true,
    }
}

/// After a first look at pages 0 to 3 with these usage counts.
fn follower(usages: [u8; 4]) -> (Follower, [Sighting; 4]) {
    let mut follower = Follower::new(BUFFERS, 0);
    let seen = [0, 1, 2, 3].map(|block| page(block, 4 * block, usages[block as usize]));
    follower.look(0, 0, &seen);
    (follower, seen)
}

/// Accesses that missed at the present size: arrivals in the server, and all.
fn missed(follower: &Follower) -> (u64, u64) {
    let tally = &follower.window.tallies[0];
    let arrivals = tally.arrivals();
    let hits = tally.saved().map_or(0.0, |saved| saved.value) * arrivals as f64;
    (arrivals, (arrivals as f64 - hits).round() as u64)
}

#[test]
fn miniatures_hold_as_much_of_the_sample_as_there_is() {
    let (follower, _) = follower([0; 4]);
    assert_eq!(follower.window.entries, [4, 5, 6, 8, 10, 12, 16]);
    assert_eq!(
        follower.window.filled,
        [true, false, false, false, false, false, false]
    );
    assert_eq!(follower.buffers(), BUFFERS);
    let mut with_room = Follower::new(BUFFERS, 0);
    with_room.look(0, 8, &[page(0, 0, 1)]);
    assert_eq!(with_room.window.entries, [3, 4, 5, 7, 9, 11, 15]);
}

#[test]
fn the_first_look_counts_nothing() {
    let (follower, _) = follower([0; 4]);
    assert_eq!((follower.window.arrivals, follower.window.looks), (0, 0));
    assert_eq!(missed(&follower), (0, 0));
}

#[test]
fn a_page_that_was_read_counts_at_sizes_that_are_full() {
    let (mut follower, mut seen) = follower([0; 4]);
    seen[0] = page(9, 0, 1);
    follower.look(0, 0, &seen);
    assert_eq!(missed(&follower), (1, 1));
    assert_eq!(follower.window.tallies[6].arrivals(), 0);
    // One of another database only takes room.
    seen[1] = Sighting {
        counts: false,
        ..page(10, 4, 1)
    };
    follower.look(0, 0, &seen);
    assert_eq!((follower.window.arrivals, follower.window.looks), (1, 2));
    assert_eq!(missed(&follower), (1, 1));
}

#[test]
fn a_new_dirty_page_after_the_end_of_its_file_was_added() {
    let (mut follower, mut seen) = follower([0; 4]);
    let counted = |follower: &Follower| (follower.window.extensions, follower.window.arrivals);
    let dirty = |block: u32, buffer: u32| Sighting {
        dirty: true,
        ..page(block, buffer, 0)
    };
    seen[0] = dirty(9, 0);
    follower.look(0, 0, &seen);
    assert_eq!(counted(&follower), (1, 0));
    assert_eq!(missed(&follower), (0, 0));
    // Before the end, and clean ones, were read.
    seen[0] = dirty(5, 0);
    follower.look(0, 0, &seen);
    assert_eq!(counted(&follower), (1, 1));
    seen[0] = page(20, 0, 0);
    follower.look(0, 0, &seen);
    assert_eq!(counted(&follower), (1, 2));
    seen[0] = dirty(21, 0);
    follower.look(0, 0, &seen);
    assert_eq!(counted(&follower), (2, 2));
}

/// The hand of the server takes one usage count each time it passes.
#[test]
fn a_count_that_stayed_while_the_hand_passed_was_used() {
    for (hand, used) in [(4, 0), (5, 1)] {
        let (mut follower, mut seen) = follower([1, 0, 3, 3]);
        // The miniature takes a usage count from page 0, and throws out page 1, which the server keeps.
        seen[0] = page(9, 0, 1);
        follower.look(1, 0, &seen);
        assert_eq!(missed(&follower), (1, 1));
        follower.look(hand, 0, &seen);
        assert_eq!(missed(&follower), (1, 1 + used), "hand at {hand}");
        assert_eq!(follower.window.passed, hand);
    }
}

#[test]
fn usage_is_what_was_added_since_the_last_look() {
    let (mut follower, mut seen) = follower([0; 4]);
    seen[1].usage = 2;
    follower.look(0, 0, &seen);
    assert_eq!(missed(&follower), (0, 0));
    // In four rounds, the miniature takes both usage counts from page 1, and throws it out.
    for round in 0..4 {
        for place in [0, 2, 3] {
            seen[place] = page(100 + 10 * round + place as u32, 4 * place as u32, 0);
        }
        follower.look(0, 0, &seen);
    }
    assert_eq!(missed(&follower), (12, 12));
    seen[1].usage = 3;
    follower.look(0, 0, &seen);
    assert_eq!(missed(&follower), (12, 13));
}

#[test]
fn arrivals_are_in_the_order_of_the_hand() {
    let (mut follower, _) = follower([0; 4]);
    // The hand has gone from buffer 6 to the end, and on to buffer 5.
    follower.look(6, 0, &[]);
    let seen = [
        page(20, 1, 0),
        page(21, 3, 0),
        page(22, 7, 0),
        page(23, 9, 0),
    ];
    follower.look(21, 0, &seen);
    let numbers = |page: u32| follower.numbers[&(u64::from(page + 1) << 8)];
    let places = [22, 23, 20, 21].map(|page| follower.pages[numbers(page) as usize].places[0]);
    assert_eq!(places, [0, 1, 2, 3]);
}

#[test]
fn one_of_fewer_pages_has_seen_what_the_one_before_saw() {
    let mut follower = Follower::new(8_000, 0);
    follower.window.before = [1_000.0, 200.0];
    (follower.window.arrivals, follower.window.extensions) = (30, 7);
    (follower.window.looks, follower.window.passed) = (3, 50);
    let next = follower.coarser(1).window;
    assert_eq!((next.before, next.shift), ([1_120.0, 228.0], 3));
    assert_eq!((next.arrivals, next.extensions), (0, 0));
    assert_eq!((next.looks, next.passed), (3, 50));
}

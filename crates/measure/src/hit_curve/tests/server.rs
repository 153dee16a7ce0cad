//! A server with the replacement of PostgreSQL's buffers, and looks at it.

use super::loads::{Access, Load, Random, mix};
use crate::hit_curve::{Accesses, Follower, Sighting};
use std::collections::HashMap;

#[derive(Clone, Default)]
struct Buffer {
    page: Option<(u32, u32)>,
    usage: u8,
    dirty: bool,
}

pub struct Server {
    buffers: Vec<Buffer>,
    places: HashMap<(u32, u32), usize>,
    hand: u64,
    used: usize,
    /// The buffers that scans go round in.
    ring: Vec<usize>,
    turn: usize,
    pub counted: Accesses,
}

/// The size of that ring: 256 kB.
const RING: usize = 32;

impl Server {
    pub fn new(buffers: usize) -> Server {
        Server {
            buffers: vec![Buffer::default(); buffers],
            places: HashMap::new(),
            hand: 0,
            used: 0,
            ring: Vec::new(),
            turn: 0,
            counted: Accesses::default(),
        }
    }

    pub fn access(&mut self, access: Access) {
        let page = (access.file, access.block);
        if let Some(&place) = self.places.get(&page) {
            self.counted.hits += 1;
            let buffer = &mut self.buffers[place];
            buffer.usage = (buffer.usage + 1).min(if access.scan { 1 } else { 5 });
            return;
        }
        self.counted.reads += u64::from(!access.new);
        let place = self.room(access.scan);
        if let Some(old) = self.buffers[place].page {
            self.places.remove(&old);
        }
        self.buffers[place] = Buffer {
            page: Some(page),
            usage: 1,
            dirty: access.new,
        };
        self.places.insert(page, place);
    }

    fn room(&mut self, scan: bool) -> usize {
        if !scan {
            return self.victim();
        }
        if self.ring.len() < RING {
            let place = self.victim();
            self.ring.push(place);
            return place;
        }
        self.turn = (self.turn + 1) % RING;
        if self.buffers[self.ring[self.turn]].usage > 1 {
            self.ring[self.turn] = self.victim();
        }
        self.ring[self.turn]
    }

    fn victim(&mut self) -> usize {
        if self.used < self.buffers.len() {
            self.used += 1;
            return self.used - 1;
        }
        loop {
            let place = (self.hand % self.buffers.len() as u64) as usize;
            self.hand += 1;
            match self.buffers[place].usage {
                0 => return place,
                _ => self.buffers[place].usage -= 1,
            }
        }
    }

    pub fn look(&self, follower: &mut Follower) {
        let sighting = |(number, buffer): (usize, &Buffer)| {
            let (file, block) = buffer.page?;
            let page = mix(u64::from(file) << 32 | u64::from(block));
            follower.follows(page).then_some(Sighting {
                buffer: number as u32,
                page,
                file: file.into(),
                block,
                usage: buffer.usage,
                dirty: buffer.dirty,
                counts: true,
            })
        };
        let buffers = self.buffers.iter().enumerate();
        let seen: Vec<_> = buffers.filter_map(sighting).collect();
        follower.look(self.hand, (self.buffers.len() - self.used) as u32, &seen);
    }

    /// So many accesses, with so many looks in each round of the hand.
    pub fn run(
        &mut self,
        load: &mut Load,
        random: &mut Random,
        accesses: u64,
        follower: &mut Follower,
        looks_a_round: f64,
    ) {
        let apart = (self.buffers.len() as f64 / looks_a_round) as u64;
        let mut next = self.hand + apart;
        for _ in 0..accesses {
            self.access(load(random));
            if self.hand >= next {
                next = self.hand + apart;
                self.look(follower);
            }
        }
        self.look(follower);
    }
}

/// The hit ratio at this size, when it has been under load for a while.
pub fn hit_percent(mut load: Load, buffers: usize, accesses: u64) -> f64 {
    let mut server = Server::new(buffers);
    let mut random = Random(99);
    for _ in 0..accesses {
        server.access(load(&mut random));
    }
    server.counted = Accesses::default();
    for _ in 0..accesses {
        server.access(load(&mut random));
    }
    let Accesses { hits, reads, .. } = server.counted;
    100.0 * hits as f64 / (hits + reads) as f64
}

//! Loads whose pages are like those of real ones.

/// A source of numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

pub fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[derive(Clone, Copy)]
pub struct Access {
    pub file: u32,
    pub block: u32,
    /// It is added to the file.
    pub new: bool,
    /// It belongs to the scan of a large table.
    pub scan: bool,
}

pub type Load = Box<dyn FnMut(&mut Random) -> Access>;

fn read(file: u32, block: u64) -> Access {
    Access {
        file,
        block: block as u32,
        new: false,
        scan: false,
    }
}

/// Rows drawn alike, through an index.
pub fn uniform(pages: u64) -> Load {
    let mut row = None;
    Box::new(move |random| match row.take() {
        Some(page) => read(1, page),
        None => {
            let page = random.below(pages);
            row = Some(page);
            read(2, page / 6)
        }
    })
}

/// Pages whose use falls with their rank.
pub fn zipfian(pages: u64, exponent: f64) -> Load {
    let mut sum = 0.0;
    let ranks: Vec<f64> = (1..=pages)
        .map(|rank| {
            sum += (rank as f64).powf(-exponent);
            sum
        })
        .collect();
    Box::new(move |random| {
        let draw = random.unit() * sum;
        read(1, ranks.partition_point(|sum| *sum < draw) as u64)
    })
}

/// TPC-C's non-uniform draw.
fn non_uniform(random: &mut Random, mask: u64, limit: u64) -> u64 {
    (random.below(mask + 1) | random.below(limit)) % limit
}

/// A few hot tables, skewed large ones, and orders that are added at the end and read again a while later.
pub fn orders(warehouses: u64) -> Load {
    let mut queue: Vec<Access> = Vec::new();
    let mut orders = 0u64;
    let old = 3_000 * warehouses;
    Box::new(move |random| {
        loop {
            if let Some(access) = queue.pop() {
                return access;
            }
            let warehouse = random.below(warehouses);
            let customer = 10 * non_uniform(random, 1_023, 3_000) + random.below(10);
            let end = old + orders / 6;
            let kind = random.below(100);
            if kind < 88 {
                queue.push(read(1, warehouse));
                queue.push(read(3, warehouse * 2_000 + customer / 15));
                queue.push(read(4, warehouse * 150 + customer / 200));
            }
            match kind {
                0..45 => {
                    for _ in 0..10 {
                        let item = non_uniform(random, 8_191, 100_000);
                        queue.push(read(5, item / 80));
                        queue.push(read(6, warehouse * 4_350 + item / 23));
                        queue.push(read(7, warehouse * 300 + item / 350));
                    }
                    orders += 1;
                    queue.push(Access {
                        new: orders.is_multiple_of(6),
                        ..read(8, old + orders / 6)
                    });
                }
                45..88 => {}
                88..96 => queue.push(read(8, random.below(end))),
                _ => {
                    for _ in 0..100 {
                        let item = non_uniform(random, 8_191, 100_000);
                        queue.push(read(8, end - random.below(33 * warehouses)));
                        queue.push(read(6, warehouse * 4_350 + item / 23));
                    }
                }
            }
        }
    })
}

/// Hot pages, and a table that is read from its begin to its end over and over.
pub fn cyclic(hot: u64, table: u64) -> Load {
    let mut block = 0;
    Box::new(move |random| {
        if random.below(3) > 0 {
            return read(1, random.below(hot));
        }
        block = (block + 1) % table;
        read(2, block)
    })
}

/// Pages drawn alike, and scans of a table so large that they go round in a few buffers.
pub fn scanned(pages: u64, table: u64) -> Load {
    let mut block = 0;
    Box::new(move |random| {
        if random.below(2) == 0 {
            return read(1, random.below(pages));
        }
        block = (block + 1) % table;
        Access {
            scan: true,
            ..read(2, block)
        }
    })
}

/// A file that only grows, while its latest pages are read.
pub fn growing() -> Load {
    let mut end = 0;
    Box::new(move |random| {
        if random.below(4) > 0 {
            return read(1, end - random.below(end.clamp(1, 200)));
        }
        end += 1;
        Access {
            new: true,
            ..read(1, end)
        }
    })
}

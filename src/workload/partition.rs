//! The hash partition that a key belongs to.

/// The server's seed for the hash of a partition key (HASH_PARTITION_SEED).
const SEED: u64 = 0x7A5B_2236_7996_DCFD;
/// The constant that the server adds when it combines the first column's hash with zero (hash_combine64).
const COMBINED: u64 = 0x49A0_F4DD_15E5_A8E3;

/// The hash of a row whose partition key is one integer column, the same for int and bigint: a row goes to the
/// partition whose remainder its hash has modulo the number of partitions.
pub fn hash_of_key(key: i64) -> u64 {
    let high = (key >> 32) as u32;
    let folded = key as u32 ^ if key < 0 { !high } else { high };
    hash_u32(folded, SEED).wrapping_add(COMBINED)
}

/// Bob Jenkins' hash (lookup3, public domain) of one word, with 64 bits of seed and of result.
fn hash_u32(word: u32, seed: u64) -> u64 {
    let start = 0x9E37_79B9_u32.wrapping_add(4).wrapping_add(3_923_095);
    let (mut a, mut b, mut c) = (start, start, start);
    if seed != 0 {
        a = a.wrapping_add((seed >> 32) as u32);
        b = b.wrapping_add(seed as u32);
        for turn in [4, 6, 8, 16, 19, 4] {
            a = a.wrapping_sub(c) ^ c.rotate_left(turn);
            c = c.wrapping_add(b);
            (a, b, c) = (b, c, a);
        }
    }
    a = a.wrapping_add(word);
    for turn in [14, 11, 25, 16, 4, 14, 24] {
        c = (c ^ b).wrapping_sub(b.rotate_left(turn));
        (a, b, c) = (b, c, a);
    }
    u64::from(a) << 32 | u64::from(b)
}

#[cfg(test)]
mod tests {
    use super::hash_of_key;

    #[test]
    fn as_the_server_divides() {
        // The remainders modulo 1000 for which satisfies_hash_partition of PostgreSQL 15 is true.
        for (key, remainder) in [
            (0, 768),
            (1, 40),
            (42, 514),
            (100_000, 969),
            (10_000_001, 126),
            (4_294_967_296, 40),
            (5_000_000_000, 280),
            (-1, 869),
            (-5_000_000_000, 251),
        ] {
            assert_eq!(hash_of_key(key) % 1000, remainder, "{key}");
        }
    }
}

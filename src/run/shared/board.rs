//! The board on which the first loading worker tells the others what to fill: which word is what.

use crate::pg::bulk::HEAP_WORDS;

/// Which task: 0, none; [`OVER`], no more will come.
pub const TASK: usize = 0;
pub const NEXT_CHUNK: usize = 1;
pub const ROWS_DONE: usize = 2;
pub const FIRST_KEY: usize = 3;
pub const ROWS: usize = 4;
pub const ROWS_PER_UNIT: usize = 5;
/// The number of the last task.
pub const TASKS: usize = 6;
/// Which of the load's fills; of rows that are alike, 0.
pub const FILL: usize = 7;
/// Who gives out blocks; 0: nobody.
pub const LOCK: usize = 8;
pub const NEXT_BLOCK: usize = 9;
pub const HEAP: usize = 10;
pub const OVER: u64 = u64::MAX;

/// Words of the board.
pub const WORDS: usize = HEAP + HEAP_WORDS;

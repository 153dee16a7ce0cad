//! The board on which the first loading worker announces tasks to the others, word by word.

use crate::pg::bulk::HEAP_WORDS;

/// The number of the current task; 0: none; [`OVER`]: no more will come.
pub const TASK: usize = 0;
pub const NEXT_CHUNK: usize = 1;
pub const ROWS_DONE: usize = 2;
pub const FIRST_KEY: usize = 3;
pub const ROWS: usize = 4;
pub const ROWS_PER_UNIT: usize = 5;
/// The number of the last task.
pub const TASKS: usize = 6;
/// The number of the load's fill whose source makes the rows; 0 if the rows are alike.
pub const FILL: usize = 7;
/// 1 while a worker reserves blocks for itself; 0: nobody does.
pub const LOCK: usize = 8;
pub const NEXT_BLOCK: usize = 9;
pub const HEAP: usize = 10;
pub const OVER: u64 = u64::MAX;

/// Words of the board.
pub const WORDS: usize = HEAP + HEAP_WORDS;

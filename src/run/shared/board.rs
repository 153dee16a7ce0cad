//! The board on which the first loading worker announces tasks to the others, word by word.

use crate::pg::bulk::HEAP_WORDS;

/// The number of the current task; 0: none; [`OVER`]: no more will come.
pub const TASK: usize = 0;
pub const NEXT_CHUNK: usize = 1;
/// How many of [`COUNT`] are written, and how many rows that makes.
pub const DONE: usize = 2;
pub const ROWS_DONE: usize = 3;
/// The numbers of the task: keys if all rows are alike, otherwise units.
pub const FIRST: usize = 4;
pub const COUNT: usize = 5;
pub const ROWS_PER_UNIT: usize = 6;
/// The number of the last task.
pub const TASKS: usize = 7;
/// The number of the load's fill whose source makes the rows; 0 if the rows are alike; [`STATEMENTS`].
pub const FILL: usize = 8;
/// How many units a worker takes at a time.
pub const CHUNK: usize = 9;
/// 1 while a worker reserves blocks for itself; 0: nobody does.
pub const LOCK: usize = 10;
pub const NEXT_BLOCK: usize = 11;
/// Of [`STATEMENTS`]: which action of the current step they are.
pub const ACTION: usize = 12;
pub const HEAP: usize = 13;
pub const OVER: u64 = u64::MAX;
/// The task is the statements of an action: [`COUNT`] parts of them.
pub const STATEMENTS: u64 = u64::MAX;

/// Words of the board.
pub const WORDS: usize = HEAP + HEAP_WORDS;

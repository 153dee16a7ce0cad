//! The board on which the first loading worker announces tasks to the others, word by word.

/// The number of the current task; 0: none; [`OVER`]: no more will come.
pub const TASK: usize = 0;
pub const NEXT_CHUNK: usize = 1;
/// How many of [`COUNT`] are written.
pub const DONE: usize = 2;
/// How many heaps there are, one for each partition if there are some.
pub const HEAPS: usize = 3;
/// The numbers of the task: keys if all rows are alike, otherwise units.
pub const FIRST: usize = 4;
pub const COUNT: usize = 5;
pub const ROWS_PER_UNIT: usize = 6;
/// The number of the last task.
pub const TASKS: usize = 7;
/// The number of the load's fill whose source makes the rows; 0 if the rows are alike; [`STATEMENTS`]; [`TABLES`].
pub const FILL: usize = 8;
/// How many units a worker takes at a time.
pub const CHUNK: usize = 9;
/// 1 while a worker reserves blocks for itself; 0: nobody does.
pub const LOCK: usize = 10;
/// Of [`STATEMENTS`]: which action of the current step they are.
pub const ACTION: usize = 11;
/// The first of the heaps.
const FIRST_HEAP: usize = 12;
/// Words for what a heap is.
pub const HEAP_WORDS: usize = 28;
/// Words of a heap: what it is, its next block, and how many rows are written.
const WORDS_OF_HEAP: usize = HEAP_WORDS + 2;
/// More partitions are filled by statements.
pub const MAX_HEAPS: usize = 96;
pub const OVER: u64 = u64::MAX;
/// The task is the statements of an action: [`COUNT`] parts of them.
pub const STATEMENTS: u64 = u64::MAX;
/// The task is [`COUNT`] tables, each of which one worker fills.
pub const TABLES: u64 = u64::MAX - 1;
/// More tables are several tasks.
pub const MAX_TABLES: usize = MAX_HEAPS * WORDS_OF_HEAP;

/// Words of the board.
pub const WORDS: usize = FIRST_HEAP + MAX_HEAPS * WORDS_OF_HEAP;

/// Where heap number `n` is described, from 0.
pub const fn heap(n: usize) -> usize {
    FIRST_HEAP + n * WORDS_OF_HEAP
}

pub const fn next_block(n: usize) -> usize {
    heap(n) + HEAP_WORDS
}

pub const fn rows(n: usize) -> usize {
    heap(n) + HEAP_WORDS + 1
}

/// The number of the fill of table number `n` of [`TABLES`], from 0.
pub const fn table(n: usize) -> usize {
    FIRST_HEAP + n
}

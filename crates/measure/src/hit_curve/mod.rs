//! The hit ratio as a function of shared_buffers, from looks at the headers of the buffers that there are.
//!
//! Nobody tells which pages are accessed, but three things can be seen from outside. A page that was not there at the look
//! before has been read in: an access that missed. The usage count of a page that stayed tells whether it was used, given
//! how often the hand of the clock passed its buffer. And the order of arrivals is the order of their buffers, behind
//! the hand.
//!
//! [`Follower`] keeps these accesses of a sample of all pages: those whose hash has some zero bits, so that
//! a page is either always followed or never. The accesses drive [miniatures](miniature) of larger shared_buffers, each
//! with the server's own replacement and as many entries as its sample of pages would fill. An arrival
//! that a miniature still holds would have been a hit at that size. [`Window::curve`] turns the counts into hit ratios with an
//! error. This is the miniature simulation of Waldspurger and others (USENIX ATC 2017), with the spatial sampling of SHARDS
//! (FAST 2015).

mod curve;
mod follower;
mod miniature;
mod tally;

pub use curve::{Accesses, Curve, Point, Remark};
pub use follower::{Follower, Sighting, Window};

/// The sizes of the curve, as multiples of shared_buffers; the first one is the present size, which shows how true
/// the miniatures are.
pub const TIMES: [f64; SIZES] = [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0];
/// The number of sizes.
pub const SIZES: usize = 7;

#[cfg(test)]
mod tests;

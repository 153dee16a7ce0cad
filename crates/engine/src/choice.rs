//! The choice of the next script: one drawn by weight, as in pgbench, or the next one of an order.

use script::{Prng, choose_script};

/// How a client chooses the script of its next transaction.
pub struct Choice {
    weights: Vec<u32>,
    prng: Prng,
    /// The numbers of the scripts, run again and again in this order; empty: they are drawn.
    order: Vec<usize>,
    /// How many scripts of the order came before.
    chosen: usize,
}

impl Choice {
    /// Draws scripts in proportion to their weights.
    pub fn by_weight(weights: Vec<u32>, prng: Prng) -> Choice {
        Choice {
            weights,
            prng,
            order: Vec::new(),
            chosen: 0,
        }
    }

    /// Draws by other weights from now on.
    pub fn weigh(&mut self, weights: &[u32]) {
        self.weights.clear();
        self.weights.extend_from_slice(weights);
    }

    /// Takes scripts in this order, of which so many came before; without one it draws.
    pub fn in_order(self, order: Vec<usize>, chosen: usize) -> Choice {
        Choice {
            order,
            chosen,
            ..self
        }
    }

    /// The number of the script that comes next.
    #[inline]
    pub fn next(&mut self) -> usize {
        if self.order.is_empty() {
            return choose_script(&mut self.prng, &self.weights);
        }
        let script = self.order[self.chosen % self.order.len()];
        self.chosen += 1;
        script
    }

    /// Where it is, for the client's next session.
    pub fn state(&self) -> (Prng, usize) {
        (self.prng, self.chosen)
    }

    /// Goes on from there.
    pub fn resume(&mut self, (prng, chosen): (Prng, usize)) {
        self.prng = prng;
        self.chosen = chosen;
    }
}

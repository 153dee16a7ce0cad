//! The turns of a run in its clients. Between two transactions, a client's session gets the settings of the current side, and
//! from then on the client chooses among that side's scripts.

use super::Client;
use crate::error::ClientError;
use crate::sink::Sink;
use crate::surroundings::Surroundings;
use crate::transport::Transport;

impl<T: Transport, S: Surroundings, K: Sink> Client<T, S, K> {
    /// Gives the session the settings of the turn that the run is in. Whether the scripts to choose from are others now.
    #[inline]
    pub(super) fn follow_turn(&mut self) -> Result<bool, ClientError> {
        if self.around.turn() == self.turn {
            return Ok(false);
        }
        self.begin_turn()
    }

    /// Chooses among the scripts of the client's turn from now on; whether turns have scripts of their own.
    pub(super) fn weigh(&mut self) -> bool {
        let weights = (self.spec.sides.as_ref()).and_then(|sides| sides.weights(self.turn));
        if let Some(weights) = weights {
            self.runner.weigh(weights);
        }
        weights.is_some()
    }

    /// All turns begin alike, also where the same side goes on: with statements that are prepared anew.
    #[cold]
    fn begin_turn(&mut self) -> Result<bool, ClientError> {
        let turn = self.around.turn();
        if let Some(sides) = &self.spec.sides {
            self.runner
                .configure(sides.settings(turn))
                .map_err(|error| ClientError::new(error, None, self.around.timestamp()))?;
        }
        self.turn = turn;
        self.sink.followed(turn);
        self.runner.now = self.around.now();
        Ok(self.weigh())
    }

    /// The client waits between two transactions: the next one will belong to the turn that the run is in.
    pub(super) fn note_turn(&mut self) {
        let turn = self.around.turn();
        if turn != self.turn {
            self.sink.followed(turn);
        }
    }
}

//! A client follows the turns of its run: between two transactions its session gets the settings of the side whose turn it is.

use super::Client;
use crate::error::ClientError;
use crate::sink::Sink;
use crate::surroundings::Surroundings;
use crate::transport::Transport;

impl<T: Transport, S: Surroundings, K: Sink> Client<T, S, K> {
    /// Gives the session the settings of the turn that the run is in.
    #[inline]
    pub(super) fn follow_turn(&mut self) -> Result<(), ClientError> {
        if self.around.turn() == self.turn {
            return Ok(());
        }
        self.begin_turn()
    }

    /// All turns begin alike, also where the same side goes on: with statements that are prepared anew.
    #[cold]
    fn begin_turn(&mut self) -> Result<(), ClientError> {
        let turn = self.around.turn();
        if let Some(sides) = &self.spec.sides {
            self.runner
                .configure(sides.settings(turn))
                .map_err(|error| ClientError::new(error, None, self.around.timestamp()))?;
        }
        self.turn = turn;
        self.sink.followed(turn);
        self.runner.now = self.around.now();
        Ok(())
    }

    /// The client waits between two transactions: the next one will belong to the turn that the run is in.
    pub(super) fn note_turn(&mut self) {
        let turn = self.around.turn();
        if turn != self.turn {
            self.sink.followed(turn);
        }
    }
}

//! A client of a replay over connections: one for each session that it plays.

use crate::bell::Note;
use crate::client::{Member, sleep_precisely};
use crate::transport::Wire;
use engine::{ClientError, Surroundings};
use memory::Counts;
use replay::{Company, Player, Stage};

impl Company for Member<'_> {
    /// All clients of a replay are of one worker, so that their numbers are those of the tasks.
    fn wake(&self, client: usize) {
        self.seat.wake(client);
    }
}

impl Member<'_> {
    /// Everything that the task of such a client does.
    ///
    /// # Errors
    /// It could not connect before the replay began. Whatever comes later is a part of what differs.
    pub fn replay(&self, stage: &Stage) -> Result<(), ClientError> {
        let connect = || {
            let connected = self.connect(self.turn()).map(Wire::new);
            connected.map_err(|error| ClientError::new(error, None, self.timestamp()))
        };
        let first = connect()?;
        self.bell.tell(Note::Ready {
            client: self.number,
            plans: Vec::new(),
        });
        self.await_barrier();
        sleep_precisely();
        let counts = Counts::new(&self.job.shared, self.number, *self);
        let player = Player::new(stage, self.number, *self, counts);
        if let Some(score) = player.play(first, |_| connect()) {
            self.bell.tell(Note::Played(Box::new(score)));
        }
        Ok(())
    }
}

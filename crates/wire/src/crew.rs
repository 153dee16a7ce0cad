//! The clients of a worker, which share a thread. It is not left when they have ended, however that happens.

use crate::bell::Bell;
use crate::client::{Job, Member};
use crate::scheduler::{Scheduler, Set, Stack};
use crate::threads;
use crate::wait::Waker;
use engine::{ClientError, SqlError, Surroundings};
use replay::{Plan, Stage};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The stack of a client. Expressions nested as deep as they may be take 300 kB of it, a TLS handshake 24; memory is taken for what was used.
const STACK: usize = 512 * 1024;
/// The stack of the thread itself.
const OWN_STACK: usize = 256 * 1024;
/// File descriptors of a client, with some to spare: its connection, and those of a cancel.
const FILES: u64 = 4;

/// The clients of a worker.
pub struct Crew {
    bell: Arc<Bell>,
    waker: Arc<Waker>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Crew {
    /// Starts these clients.
    ///
    /// # Errors
    /// The system has no thread, no file descriptor or no memory left.
    pub fn start(job: Job, clients: &[usize]) -> std::io::Result<Crew> {
        Crew::start_all(job, clients, None)
    }

    /// Starts all clients of a replay.
    ///
    /// # Errors
    /// As above.
    pub fn start_replay(job: Job, plan: Plan) -> std::io::Result<Crew> {
        let clients: Vec<usize> = (0..plan.clients.len()).collect();
        Crew::start_all(job, &clients, Some(plan))
    }

    fn start_all(job: Job, clients: &[usize], plan: Option<Plan>) -> std::io::Result<Crew> {
        raise_limit_of_files(clients.len() as u64 * FILES);
        let bell = Arc::new(Bell::new()?);
        let waker = Arc::new(Waker::new()?);
        let set = Set::new(&waker)?;
        let stack = |&number: &usize| Ok((number, Stack::new(STACK)?));
        let stacks = clients.iter().map(stack).collect::<std::io::Result<_>>()?;
        let thread = {
            let (job, bell, waker) = (Arc::new(job), Arc::clone(&bell), Arc::clone(&waker));
            let work = || work(job, bell, waker, set, stacks, plan);
            threads::spawn("clients", OWN_STACK, work)?
        };
        Ok(Crew {
            bell,
            waker,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// What they tell.
    pub fn bell(&self) -> &Bell {
        &self.bell
    }

    /// Has those look at their run that pause.
    pub fn wake(&self) {
        self.waker.wake();
    }

    /// Cancels their statements.
    pub fn cancel(&self) {
        self.waker.cancel();
    }

    /// Ends them, wherever they are.
    pub fn end(&self) {
        self.waker.give_up();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // Panics were caught, and told.
            let _ = thread.join();
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.end();
    }
}

/// The clients, from their beginning to their end; `plan`: what they play in place of scripts.
fn work(
    job: Arc<Job>,
    bell: Arc<Bell>,
    waker: Arc<Waker>,
    set: Set,
    stacks: Vec<(usize, Stack)>,
    plan: Option<Plan>,
) {
    let stage = plan.map(|plan| Rc::new(Stage::new(plan)));
    let mut scheduler = Scheduler::new(waker, set);
    for (number, stack) in stacks {
        let (job, bell) = (Arc::clone(&job), Arc::clone(&bell));
        let stage = stage.clone();
        scheduler.add(stack, move |seat| {
            let member = Member {
                job: &job,
                number,
                seat,
                bell: &bell,
            };
            live(&member, stage.as_deref());
        });
    }
    // Where nothing can be waited for, it ends them, and each tells that.
    let _ = scheduler.run();
}

/// A client. A panic is its error alone.
fn live(member: &Member<'_>, stage: Option<&Stage>) {
    let work = || stage.map_or_else(|| member.live(), |stage| member.replay(stage));
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let error = SqlError::new("XX000", &message_of(&*panic));
        Err(ClientError::new(error, None, member.timestamp()))
    });
    member.end(result);
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("internal error: {}", text.unwrap_or("a panic"))
}

/// Lets this process have so many files more, as far as the system allows. Where that is too few, clients cannot connect.
fn raise_limit_of_files(more: u64) {
    let limit = getrlimit(Resource::Nofile);
    let Some(current) = limit.current else {
        return;
    };
    let wanted = current.saturating_add(more);
    let raised = Rlimit {
        current: Some(limit.maximum.map_or(wanted, |maximum| wanted.min(maximum))),
        maximum: limit.maximum,
    };
    let _ = setrlimit(Resource::Nofile, raised);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bell::Note;
    use crate::client::Destination;
    use crate::fake::{Crowd, complete, ready};
    use engine::{QueryMode, RunSpec, ScriptSpec};
    use memory::slot::{ClientState, Counter};
    use memory::{Layout, Phase, Shared};
    use script::Value;
    use std::collections::BTreeMap;
    use std::sync::atomic::AtomicU64;
    use std::time::Duration;

    const CLIENTS: usize = 4;

    /// A run of one statement, with a new connection now and then.
    fn spec() -> RunSpec {
        RunSpec {
            scripts: vec![ScriptSpec::new("script", "SELECT;", 1)],
            sequences: Vec::new(),
            warmup: None,
            clients: CLIENTS,
            share: None,
            random_seed: 42,
            segment: 0,
            script_scale: Value::Int(1),
            variables: BTreeMap::new(),
            query_mode: QueryMode::Simple,
            rate: None,
            elapsed_s: 0.0,
            terminals: None,
            latency_limit_ms: None,
            max_tries: 1,
            continue_on_error: false,
            transactions_per_client: None,
            think_time_s: 0.0,
            round_trip_s: 0.0,
            reconnect: Some(50),
            reconnect_on_loss: false,
            sampling_rate: None,
            sides: None,
            resume: false,
        }
    }

    fn shared() -> Shared {
        let layout = Layout {
            clients: CLIENTS,
            commands: 1,
            scripts: 0,
            spec_bytes: 0,
            has_log: false,
            reconnects: true,
        };
        // They are listed here, so that the sanitizer does not report them as leaked.
        static MADE: Mutex<Vec<&[AtomicU64]>> = Mutex::new(Vec::new());
        let words = (0..layout.words()).map(|_| AtomicU64::new(0));
        let words: &[AtomicU64] = Vec::leak(words.collect());
        MADE.lock().unwrap().push(words);
        Shared::init(words, 1, layout, b"", 0)
    }

    fn start(server: &Crowd, shared: Shared) -> Crew {
        let there = Arc::new(Destination {
            info: server.info(),
            connect_timeout: Duration::from_secs(3600),
            settings: Vec::new(),
        });
        let job = Job {
            run_id: 1,
            shared,
            spec: spec(),
            destinations: vec![there; CLIENTS],
            application_name: None,
            explains: false,
        };
        let clients: Vec<usize> = (0..CLIENTS).collect();
        let crew = Crew::start(job, &clients).unwrap();
        let mut ready = 0;
        while ready < CLIENTS {
            let is_ready = |note: &Note| matches!(note, Note::Ready { .. });
            ready += answered(&crew).iter().filter(|it| is_ready(it)).count();
        }
        for slot in shared.slots() {
            slot.advance_state(ClientState::Connecting, ClientState::Ready);
        }
        shared.set_phase(Phase::Running);
        crew.wake();
        while transactions(&shared) < 1000 {
            std::thread::yield_now();
        }
        crew
    }

    fn answered(crew: &Crew) -> Vec<Note> {
        std::thread::yield_now();
        crew.bell().answer().0
    }

    fn transactions(shared: &Shared) -> u64 {
        let counts = shared.slots().map(|slot| slot.get(Counter::Transactions));
        counts.min().unwrap_or(0)
    }

    #[test]
    fn clients_work_side_by_side_until_the_run_stops() {
        let server = Crowd::new([complete("SELECT 0"), ready(b'I')].concat());
        let shared = shared();
        let crew = start(&server, shared);
        // A cancel ends no client: the server of the test has nothing to cancel.
        crew.cancel();
        crew.wake();
        shared.set_phase(Phase::Stopping);
        crew.wake();
        let mut ended = 0;
        while ended < CLIENTS {
            let has_ended = |note: &Note| matches!(note, Note::Ended);
            ended += answered(&crew).iter().filter(|it| has_ended(it)).count();
        }
        for slot in shared.slots() {
            assert_eq!(slot.state(), ClientState::Done);
            assert!(slot.get(Counter::Reconnects) >= 19);
        }
    }

    #[test]
    fn none_is_left_when_its_worker_ends() {
        let server = Crowd::new([complete("SELECT 0"), ready(b'I')].concat());
        let shared = shared();
        let crew = start(&server, shared);
        crew.end();
        // What becomes of them then is for the leader to note.
        assert!(shared.slots().all(|it| it.state() == ClientState::Working));
        let before = transactions(&shared);
        std::thread::yield_now();
        assert_eq!(transactions(&shared), before);
    }

    #[test]
    fn panics_have_a_message() {
        let caught = |panic: Box<dyn Any + Send>| message_of(&*panic);
        assert_eq!(caught(Box::new("a")), "internal error: a");
        assert_eq!(caught(Box::new("b".to_owned())), "internal error: b");
        assert_eq!(caught(Box::new(1)), "internal error: a panic");
    }
}

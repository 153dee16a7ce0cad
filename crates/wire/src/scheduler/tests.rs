use super::*;
use rustix::time::{ClockId, clock_gettime};
use std::cell::RefCell;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};

const STACK: usize = 64 * 1024;

fn pair() -> (UnixStream, UnixStream) {
    UnixStream::pair().unwrap()
}

fn scheduler() -> (Scheduler, Arc<Waker>) {
    let waker = Arc::new(Waker::new().unwrap());
    let set = Set::new(&waker).unwrap();
    (Scheduler::new(Arc::clone(&waker), set), waker)
}

fn add(scheduler: &mut Scheduler, work: impl FnOnce(&Seat<'_>) + 'static) {
    scheduler.add(Stack::new(STACK).unwrap(), work);
}

/// What a task comes to, alone in its thread.
fn alone<R: 'static>(work: impl FnOnce(&Seat<'_>, &Waker) -> R + 'static) -> R {
    let (mut scheduler, waker) = scheduler();
    let result = Rc::new(Cell::new(None));
    let of_task = Rc::clone(&result);
    add(&mut scheduler, move |seat| {
        of_task.set(Some(work(seat, &waker)));
    });
    scheduler.run().unwrap();
    result.take().unwrap()
}

fn soon() -> Option<Instant> {
    Some(Instant::now() + Duration::from_millis(20))
}

fn read(seat: &Seat<'_>, mut socket: &UnixStream) -> u8 {
    assert_eq!(
        seat.wait(socket.as_fd(), Interest::Read, None),
        Woken::Ready
    );
    let mut byte = [0];
    socket.read_exact(&mut byte).unwrap();
    byte[0]
}

/// Ten bytes go from one to the other and back, both waiting in the same thread.
#[test]
fn two_tasks_answer_each_other() {
    for stays in [false, true] {
        let (mut scheduler, _) = scheduler();
        let (here, there) = pair();
        let sum = Rc::new(Cell::new(0));
        let of_task = Rc::clone(&sum);
        add(&mut scheduler, move |seat| {
            seat.socket_stays(stays);
            for byte in 0..10 {
                (&here).write_all(&[byte]).unwrap();
                of_task.set(of_task.get() + u32::from(read(seat, &here)));
            }
        });
        add(&mut scheduler, move |seat| {
            seat.socket_stays(stays);
            for _ in 0..10 {
                let byte = read(seat, &there);
                (&there).write_all(&[2 * byte]).unwrap();
            }
        });
        scheduler.run().unwrap();
        assert_eq!(sum.get(), 90);
    }
}

#[test]
fn a_wait_ends_when_the_socket_is_ready_or_it_is_time() {
    for stays in [false, true] {
        alone(move |seat, _| {
            seat.socket_stays(stays);
            let (here, mut there) = pair();
            let wait = |interest| seat.wait(here.as_fd(), interest, soon());
            assert_eq!(wait(Interest::Read), Woken::TimedOut);
            assert_eq!(wait(Interest::Both), Woken::Ready);
            assert_eq!(wait(Interest::Read), Woken::TimedOut);
            there.write_all(b"x").unwrap();
            assert_eq!(wait(Interest::Read), Woken::Ready);
            assert_eq!(wait(Interest::Write), Woken::Ready);
            drop(there);
            assert_eq!(wait(Interest::Read), Woken::Ready);
        });
    }
}

/// Files have the least number that is free.
#[test]
fn another_socket_may_have_the_same_number() {
    alone(|seat, _| {
        let mut numbers = BTreeSet::new();
        for stays in [false, false, true, true, false] {
            let (here, mut there) = pair();
            numbers.insert(here.as_raw_fd());
            seat.socket_stays(stays);
            let wait = || seat.wait(here.as_fd(), Interest::Read, soon());
            assert_eq!(wait(), Woken::TimedOut);
            there.write_all(b"x").unwrap();
            assert_eq!(wait(), Woken::Ready);
        }
        // Other tests open files meanwhile.
        assert!(numbers.len() < 5);
    });
}

#[test]
fn moments_come_in_their_order() {
    let (mut scheduler, _) = scheduler();
    let order = Rc::new(RefCell::new(Vec::new()));
    for ms in [9, 3, 6, 0] {
        let order = Rc::clone(&order);
        add(&mut scheduler, move |seat| {
            let began = Instant::now();
            let time = Duration::from_millis(ms);
            match ms % 2 {
                0 => seat.sleep(time),
                _ => seat.pause(time),
            }
            assert!(began.elapsed() >= time);
            order.borrow_mut().push(ms);
        });
    }
    scheduler.run().unwrap();
    assert_eq!(*order.borrow(), [0, 3, 6, 9]);
}

#[test]
fn less_than_a_millisecond_is_not_one() {
    let shortest = alone(|seat, _| {
        let times = (0..50).map(|_| {
            let began = Instant::now();
            seat.pause(Duration::from_micros(100));
            began.elapsed()
        });
        times.min().unwrap()
    });
    assert!(shortest >= Duration::from_micros(100));
    assert!(shortest < Duration::from_micros(900), "{shortest:?}");
}

#[test]
fn others_end_waits() {
    let (mut scheduler, waker) = scheduler();
    let count = Rc::new(Cell::new(0));
    for _ in 0..3 {
        let count = Rc::clone(&count);
        add(&mut scheduler, move |seat| {
            let (here, _there) = pair();
            let wait = |until| seat.wait(here.as_fd(), Interest::Read, until);
            assert_eq!(wait(None), Woken::Cancel);
            // It was answered.
            assert_eq!(wait(soon()), Woken::TimedOut);
            count.set(count.get() + 1);
            assert_eq!([wait(None), wait(None)], [Woken::GiveUp; 2]);
            seat.pause(Duration::from_secs(3600));
        });
    }
    let of_last = Rc::clone(&count);
    let from_within = Arc::clone(&waker);
    add(&mut scheduler, move |seat| {
        while of_last.get() < 3 {
            seat.pause(Duration::from_millis(1));
        }
        from_within.give_up();
    });
    let thread = std::thread::spawn(move || waker.cancel());
    scheduler.run().unwrap();
    thread.join().unwrap();
}

#[test]
fn a_wake_up_alone_ends_pauses_but_no_wait() {
    alone(|seat, waker| {
        let (here, _there) = pair();
        waker.wake();
        seat.pause(Duration::from_secs(3600));
        waker.wake();
        let woken = seat.wait(here.as_fd(), Interest::Read, soon());
        assert_eq!(woken, Woken::TimedOut);
        waker.wake();
        let began = Instant::now();
        seat.sleep(Duration::from_millis(5));
        assert!(began.elapsed() >= Duration::from_millis(5));
    });
}

#[test]
fn a_cancel_between_two_statements_is_discarded() {
    alone(|seat, waker| {
        let (here, _there) = pair();
        waker.cancel();
        seat.begin_statement();
        let woken = seat.wait(here.as_fd(), Interest::Read, soon());
        assert_eq!(woken, Woken::TimedOut);
        waker.cancel();
        assert_eq!(seat.requested(), Some(Woken::Cancel));
        assert_eq!(seat.requested(), None);
    });
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[test]
fn a_socket_that_nobody_waits_for_costs_nothing() {
    alone(|seat, _| {
        seat.socket_stays(true);
        let (here, mut there) = pair();
        let wait = || seat.wait(here.as_fd(), Interest::Read, soon());
        assert_eq!(wait(), Woken::TimedOut);
        there.write_all(b"x").unwrap();
        drop(there);
        let before = cpu_time();
        seat.pause(Duration::from_millis(200));
        assert!(cpu_time() - before < Duration::from_millis(50));
        assert_eq!(wait(), Woken::Ready);
    });
}

#[test]
fn who_never_waits_gives_way() {
    let (mut scheduler, _) = scheduler();
    let over = Rc::new(Cell::new(false));
    let of_last = Rc::clone(&over);
    add(&mut scheduler, move |seat| {
        while !over.get() {
            seat.give_way();
        }
    });
    add(&mut scheduler, move |seat| {
        seat.pause(Duration::from_millis(1));
        of_last.set(true);
    });
    scheduler.run().unwrap();
}

#[test]
fn tasks_that_are_left_are_unwound() {
    struct Ends(Rc<Cell<u32>>);
    impl Drop for Ends {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let (mut scheduler, _) = scheduler();
    let ended = Rc::new(Cell::new(0));
    let ends = Ends(Rc::clone(&ended));
    add(&mut scheduler, move |seat| {
        let _ends = ends;
        seat.pause(Duration::from_secs(3600));
    });
    add(&mut scheduler, |_| std::panic::resume_unwind(Box::new(1)));
    let run = catch_unwind(AssertUnwindSafe(|| scheduler.run()));
    assert!(run.is_err());
    assert_eq!(ended.get(), 0);
    drop(scheduler);
    assert_eq!(ended.get(), 1);
}

/// As the clients of a crew catch them.
#[test]
fn a_panic_that_a_task_catches_is_its_own() {
    let (mut scheduler, waker) = scheduler();
    let ended = Rc::new(Cell::new(0));
    for panics in [true, false, true] {
        let ended = Rc::clone(&ended);
        add(&mut scheduler, move |seat| {
            let work = || {
                seat.pause(Duration::from_millis(1));
                if panics {
                    std::panic::resume_unwind(Box::new(1));
                }
                seat.pause(Duration::from_millis(1));
            };
            assert_eq!(catch_unwind(AssertUnwindSafe(work)).is_err(), panics);
            ended.set(ended.get() + 1);
        });
    }
    scheduler.run().unwrap();
    assert_eq!(ended.get(), 3);
    // One that is unwound while it waits catches that, too, and ends.
    let set = Set::new(&waker).unwrap();
    let mut scheduler = Scheduler::new(waker, set);
    let of_task = Rc::clone(&ended);
    add(&mut scheduler, move |seat| {
        let work = || seat.pause(Duration::from_secs(3600));
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
        of_task.set(4);
    });
    scheduler.resume(0, Resumed::Woken);
    drop(scheduler);
    assert_eq!(ended.get(), 4);
}

#[test]
fn a_task_ends_the_pause_of_another_and_of_no_third() {
    let (mut scheduler, _) = scheduler();
    let order = Rc::new(RefCell::new(Vec::new()));
    for number in 0..3 {
        let order = Rc::clone(&order);
        add(&mut scheduler, move |seat| {
            match number {
                // Before and after that one has begun its pause.
                0 => {
                    seat.wake(1);
                    seat.pause(Duration::from_millis(1));
                    seat.wake(1);
                }
                1 => {
                    seat.pause(Duration::from_secs(3600));
                    seat.pause(Duration::from_secs(3600));
                }
                _ => seat.pause(Duration::from_millis(50)),
            }
            order.borrow_mut().push(number);
        });
    }
    scheduler.run().unwrap();
    assert_eq!(order.borrow()[..], [0, 1, 2]);
}

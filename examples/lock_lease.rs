//! A lock with a lease (Gray and Cheriton 1989), what it does not protect from, and fencing tokens.
//!
//! *Promise.* No confirmed change to the file is lost.
//!
//! *How.* Clients a and b each want to add 1 to a number in a file: read it, compute, write it. Whoever does so must
//! hold the lock. It is granted as a lease, so that a client that dies does not keep it for ever: after six steps it
//! is over, and may be granted to the other. Clocks are perfect, and everyone looks at them before each step; the
//! write is prepared only if there is time for it to arrive.
//!
//! *Specification.* The number is at least that of the clients that were told that their change is stored. Without
//! faults both are, at 8 and at 14.
//!
//! *What breaks it.* Not losses and a crash: ⟨EOT 14, EFF 10, 1 crash⟩ is certified in tenths of a second. A pause of
//! the holder: `pause a@6 until 9`. a has read 0, has looked at the clock at 5, and is about to write 1. It stops (a
//! collector of garbage, a page fault). At 8 its lease is over, and b gets the next. At 9 a goes on: it has looked at
//! the clock, so it writes. At 10 the file server is asked by b, answers 0, and stores the 1 of a. At 13 it stores
//! the 1 of b. Both are told that all went well, and one change is lost. A message that is late does the same:
//! `delay a->disk@6 by 3`.
//!
//! *What mends it.* Not clocks, but a server that looks at the number of the lease, which every read and every write
//! carries. That of [`LockFenced`] admits none with a number below the highest it has seen. Certified at ⟨EOT 14, EFF
//! 10, 1 crash⟩ with any losses, two pauses, delays of up to 3 and two copies, in tenths of a second.
//!
//! *What does not mend it.* The server of [`LockFencedWrites`] takes note of the number only in writes, as fencing is
//! often told. The same pause breaks it: when the late write of a arrives, b has read but not yet written, so no
//! higher number is known. A token protects what is read only if the reading announces it.

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// A file that is changed under a lock with a lease. Left open is what the file server admits: `admits`.
    rules Lease {
        // ---- Who takes part: clients `a` and `b`, a lock service, and the server of a file: a number, 0 at first. ----

        client("a", "lock", "disk")@1; client("b", "lock", "disk")@1;
        client(C, L, D)@next :- client(C, L, D);
        leased("lock", "nobody", 0, 0)@1;
        content("disk", 0)@1;

        // A perfect clock that all can read. It is at no node, so nothing stops it.
        time(1)@1;
        time(T + 1)@next :- time(T);

        // ---- Lock service: one lease at a time, for six steps. Leases are numbered. ----

        leased(L, C, K, U)@next :- leased(L, C, K, U);
        newest(L, max<K>) :- leased(L, _, K, _);
        taken(L) :- newest(L, K), leased(L, _, K, U), time(T), T < U;
        first(L, min<C>) :- request(L, C), notin taken(L);
        grant(L, C, K + 1, T + 6) :- first(L, C), newest(L, K), time(T);
        leased(L, C, K, U)@next :- grant(L, C, K, U);
        lease(C, K, U)@async :- grant(L, C, K, U);

        // ---- Clients: each wants to add 1 to the number: read it, compute, write it, all under one lease. ----

        request(L, C)@async :- client(C, L, _), notin holds(C, _, _), notin done(C);
        lease(C, K, U)@next :- lease(C, K, U);
        holds(C, K, U) :- lease(C, K, U), time(T), T < U;

        read(D, C, K)@async :- holds(C, K, _), client(C, _, D), notin found(C, K, _), notin writing(C, K, _), notin done(C);

        // A last look at the clock: the write goes out at the next step and arrives at the one after.
        in_time(C, K) :- holds(C, K, U), time(T), T + 2 < U;
        writing(C, K, V + 1)@next :- found(C, K, V), in_time(C, K), notin done(C);
        write(D, C, K, V)@async :- writing(C, K, V), client(C, _, D);

        done(C) :- written(C);
        done(C)@next :- done(C);

        // ---- File server: the last write is what stays. ----

        found(C, K, V)@async :- read(D, C, K), admits(D, K), content(D, V);
        stores(D, max<V>) :- write(D, _, K, V), admits(D, K);
        content(D, V)@next :- stores(D, V);
        content(D, V)@next :- content(D, V), notin stores(D, _);
        written(C)@async :- write(D, C, K, _), admits(D, K);
        arrives(D, K) :- read(D, _, K);
        arrives(D, K) :- write(D, _, K, _);

        // ---- Specification. No confirmed change is lost: the number is at least that of the clients told so. ----

        confirmed(count<C>) :- done(C);
        pre(N) :- confirmed(N);
        post(N) :- confirmed(N), content(_, V), V >= N;
    }

    /// A server that knows nothing of the lock.
    pub program LockLease {
        use Lease;

        // Whoever asks is believed to hold the lock.
        admits(D, K) :- arrives(D, K);
    }

    /// A server that takes the number of the lease for a fencing token.
    pub program LockFenced {
        use Lease;

        // The highest number seen fences off the ones below.
        seen(D, K) :- arrives(D, K);
        seen(D, K)@next :- seen(D, K);
        admits(D, max<K>) :- seen(D, K);
    }

    /// A server that looks at it only in writes: a planted bug.
    pub program LockFencedWrites {
        use Lease;

        // The highest number that has written fences off the ones below.
        seen(D, K) :- write(D, _, K, _);
        seen(D, K)@next :- seen(D, K);
        highest(D, max<K>) :- seen(D, K);
        admits(D, K) :- highest(D, K);
        admits(D, K) :- read(D, _, K);
    }
}

fn main() {
    show::show_under("lock_lease", &LockLease::new(), |c| c.eot(14).eff(10).crashes(1).pauses(1));
    show::show_under("lock_fenced_writes", &LockFencedWrites::new(), |c| c.eot(14).eff(10).crashes(1).pauses(1));
    show::show_under("lock_fenced", &LockFenced::new(), |c| c.eot(14).eff(10).crashes(1).pauses(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_enough_where_nobody_is_ever_held_up() {
        assert_eq!(show::verdict(&LockLease::new(), |c| c.eot(14).eff(10).crashes(1)), "fault-tolerant");
    }

    #[test]
    fn a_holder_that_is_held_up_writes_after_its_lease() {
        let lease = LockLease::new();
        assert_eq!(show::verdict(&lease, |c| c.eot(14).eff(10).crashes(1).pauses(1)), "pause a@6 until 9");
        assert_eq!(show::verdict(&lease, |c| c.eot(14).eff(10).losses(0).delay(3)), "delay a->disk@6 by 3");
        let run = lease.run(&"pause a@6 until 9".parse().unwrap(), eot(14));
        assert!(run.at(14).done().contains("a") && run.at(14).done().contains("b"));
        assert!(run.at(14).content().contains(("disk", 1)));
    }

    #[test]
    fn a_token_that_only_writes_announce_comes_too_late() {
        let said = show::verdict(&LockFencedWrites::new(), |c| c.eot(14).eff(10).crashes(1).pauses(1));
        assert_eq!(said, "pause a@6 until 9");
    }

    #[test]
    fn a_fenced_file_loses_nothing() {
        let fenced = LockFenced::new();
        assert_eq!(show::verdict(&fenced, |c| c.eot(14).eff(10).crashes(1).pauses(1)), "fault-tolerant");
        let all = show::verdict(&fenced, |c| c.eot(14).eff(10).crashes(1).pauses(2).delay(3).duplicates(2));
        assert_eq!(all, "fault-tolerant");
        // Not because nothing happens: the paused holder is refused, gets the lock again, and both changes are stored.
        let run = fenced.run(&"pause a@6 until 9".parse().unwrap(), eot(24));
        assert!(!run.at(14).done().contains("a") && run.at(14).done().contains("b"));
        assert!(run.at(24).done().contains("a") && run.at(24).content().contains(("disk", 2)));
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(LockLease::new(), "lock_lease");
        show::same_as_file(LockFenced::new(), "lock_fenced");
        show::same_as_file(LockFencedWrites::new(), "lock_fenced_writes");
    }
}

//! Primary and backup with fail-over, under a partition; without epochs, and with.
//!
//! *Promise.* The confirmed writes are one history: no two in one place, and whoever serves has them all.
//!
//! *How.* Clients c and d write through the primary p, which gives each write its place in the log and confirms it
//! once the backup b has stored it. The monitor m hears both servers; if one is silent for three steps it tells the
//! other to go on alone. Clients ask both servers, and one that does not serve does not answer. Every message of the
//! servers carries an epoch, but in [`PrimaryBackup`] a fail-over does not begin a new one: this is as good as none.
//!
//! *Specification.* A place that a client was told of is nobody else's, and the servers that serve have that write
//! there. Without faults c has place 1 at 6 and d place 2 at 7.
//!
//! *What breaks it.* Not a crash: ⟨EOT 12, EFF 0, 1 crash⟩ is certified in tenths of a second. A partition and
//! nothing else: `partition b,c,m|d,p@1 until 4`. p gives place 1 to the y of d, but cannot reach b. On the other
//! side m has missed p three times, and at 4 tells b to go on alone. The partition ends. b is asked by c and gives
//! place 1 to x, and in the same step stores y in place 1 for p, which it still takes for the primary. Both servers
//! confirm place 1: two brains.
//!
//! *What mends it.* A new epoch for every fail-over. In [`PrimaryBackupEpochs`] a server in a newer epoch refuses
//! what the primary of an older one sends, and says so; that one serves no more. What it had confirmed, the backup
//! had stored in time; what it had not, it cannot confirm any more. Certified at ⟨EOT 12, EFF 11⟩ with a partition, a
//! crash and any losses in tenths of a second, and at ⟨EOT 16, EFF 15⟩ with two partitions, a crash, losses, delays
//! of up to 2 and two copies in about a second. It does not promise that anything is confirmed: a server that is
//! alone by mistake and then crashes is not replaced.

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Primary and backup with a monitor. Left open is the epoch that a fail-over begins: `next`.
    rules Servers {
        // ---- Who takes part: servers `p` and `b`, a monitor `m`, clients `c` and `d` with a write each. ----

        peer("p", "b")@1; peer("b", "p")@1;
        peer(S, T)@next :- peer(S, T);
        monitor("p", "m")@1; monitor("b", "m")@1;
        monitor(S, M)@next :- monitor(S, M);
        partner("m", "p", "b")@1; partner("m", "b", "p")@1;
        partner(M, S, T)@next :- partner(M, S, T);
        contact("c", "p")@1; contact("c", "b")@1; contact("d", "p")@1; contact("d", "b")@1;
        contact(C, S)@next :- contact(C, S);
        want("c", "x")@1; want("d", "y")@1;
        want(C, W)@next :- want(C, W);

        // ---- Clients: ask both servers until one confirms. ----

        put(S, C, W)@async :- want(C, W), contact(C, S), notin ok(C, W, _);
        ok(C, W, I)@next :- ok(C, W, I);

        // ---- Monitor: a server that is silent for three steps is given up, once; the other one goes on alone. ----

        beat("m", "p")@1; beat("m", "b")@1;
        beat(M, S)@async :- monitor(S, M);
        silent(M, S, 1)@next :- partner(M, S, _), notin beat(M, S), notin silent(M, S, _);
        silent(M, S, K + 1)@next :- silent(M, S, K), notin beat(M, S);
        suspects(M, S) :- silent(M, S, 2), notin beat(M, S);

        failed(M, min<S>) :- suspects(M, S), notin gone(M, _);
        failed(M, S) :- gone(M, S);
        gone(M, S)@next :- failed(M, S);
        alone(T, E)@async :- failed(M, S), partner(M, S, T), next(M, E);

        // ---- Epochs: the newest that a server has heard of is the current one, and its primary serves. ----

        hears("p", 1)@1; hears("b", 1)@1;
        hears(S, E) :- alone(S, E);
        hears(S, E) :- newer(S, E);
        hears(S, E)@next :- hears(S, E);
        epoch(S, max<E>) :- hears(S, E);

        primary("p", 1)@1;
        primary(S, E) :- alone(S, E);
        primary(S, E)@next :- primary(S, E);
        alone(S, E)@next :- alone(S, E);
        serves(S, E) :- primary(S, E), epoch(S, E);

        // ---- Primary: gives writes their places, one a step, and has the backup store them. ----

        place(S, 0) :- peer(S, _);
        place(S, I) :- entry(S, I, _);
        length(S, max<I>) :- place(S, I);
        adds(S, min<W>) :- put(S, _, W), serves(S, _), notin entry(S, _, W);
        entry(S, I + 1, W)@next :- adds(S, W), length(S, I);
        entry(S, I, W)@next :- entry(S, I, W);
        store(T, S, E, I, W)@async :- serves(S, E), entry(S, I, W), peer(S, T), notin stored(S, E, I, W), notin alone(S, E);

        // ---- Backup: stores what comes in its own epoch; whoever is behind is told. ----

        entry(T, I, W)@next :- store(T, _, E, I, W), epoch(T, E);
        stored(S, E, I, W)@async :- store(T, S, E, I, W), epoch(T, E);
        stored(S, E, I, W)@next :- stored(S, E, I, W);
        newer(S, F)@async :- store(T, S, E, _, _), epoch(T, F), F > E;

        // ---- A write is confirmed, by the server that serves, when the backup has it or there is none. ----

        safe(S, I, W) :- serves(S, E), entry(S, I, W), stored(S, E, I, W);
        safe(S, I, W) :- serves(S, E), entry(S, I, W), alone(S, E);
        ok(C, W, I)@async :- put(S, C, W), safe(S, I, W);

        // ---- Specification. A confirmed place is nobody else's, and who serves in the latest epoch has it. ----

        fork(I) :- ok(_, V, I), ok(_, W, I), V != W;
        latest(max<E>) :- epoch(_, E);
        lost(I, W) :- ok(_, W, I), latest(E), serves(S, E), notin entry(S, I, W);

        pre(I, W) :- ok(_, W, I);
        post(I, W) :- ok(_, W, I), notin fork(I), notin lost(I, W);
    }

    /// Fail-over without epochs.
    pub program PrimaryBackup {
        use Servers;

        // A fail-over goes on in the first epoch.
        next("m", 1)@1;
        next(M, E)@next :- next(M, E);
    }

    /// Fail-over with epochs.
    pub program PrimaryBackupEpochs {
        use Servers;

        // A fail-over begins the second epoch. There is no other: who is alone has no backup.
        next("m", 2)@1;
        next(M, E)@next :- next(M, E);
    }
}

fn main() {
    show::show_under("primary_backup", &PrimaryBackup::new(), |c| c.eot(12).eff(11).losses(0).partitions(1));
    show::show_under("primary_backup_epochs", &PrimaryBackupEpochs::new(), |c| {
        c.eot(12).eff(11).losses(0).partitions(1)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fail_over_survives_a_crash() {
        let servers = PrimaryBackup::new();
        assert_eq!(show::verdict(&servers, |c| c.eot(12).crashes(1)), "fault-tolerant");
        // The backup does take over, and has what was confirmed before.
        let run = servers.run(&faults![crash "p" @ 6], eot(14));
        assert!(run.at(6).ok().contains(("c", "x", 1)) && !run.at(6).ok().contains(("d", "y", 2)));
        assert!(run.at(14).serves().contains(("b", 1)) && run.at(14).entry().contains(("b", 1, "x")));
        assert!(run.at(14).ok().contains(("d", "y", 2)));
    }

    #[test]
    fn a_partition_makes_two_brains() {
        let servers = PrimaryBackup::new();
        let said = show::verdict(&servers, |c| c.eot(12).eff(11).losses(0).partitions(1).crashes(1));
        assert_eq!(said, "partition b,c,m|d,p@1 until 4");
        let run = servers.run(&said.parse().unwrap(), eot(12));
        assert!(run.at(12).ok().contains(("c", "x", 1)) && run.at(12).ok().contains(("d", "y", 1)));
    }

    #[test]
    fn epochs_leave_one() {
        let servers = PrimaryBackupEpochs::new();
        let parted = show::verdict(&servers, |c| c.eot(12).eff(11).losses(0).partitions(1).crashes(1));
        assert_eq!(parted, "fault-tolerant");
        let all = show::verdict(&servers, |c| c.eot(12).eff(11).partitions(1).crashes(1).delay(1));
        assert_eq!(all, "fault-tolerant");
        // Not because nothing happens: the primary of the first epoch is deposed, and both writes are confirmed.
        let run = servers.run(&"partition b,c,m|d,p@1 until 4".parse().unwrap(), eot(12));
        assert!(run.at(5).serves().contains(("p", 1)) && !run.at(12).serves().contains(("p", 1)));
        assert!(run.at(12).ok().contains(("c", "x", 1)) && run.at(12).ok().contains(("d", "y", 2)));
    }

    #[test]
    fn a_primary_that_does_not_wait_for_its_backup_loses_what_it_confirmed() {
        let piece = "entry(S, I, W), stored(S, E, I, W);";
        let hasty = show::mutant(&PrimaryBackupEpochs::new(), piece, "entry(S, I, W);");
        let said = show::verdict(&hasty, |c| c.eot(12).eff(11).losses(1).crashes(1));
        assert_eq!(said, "lose p->b@3; crash p@4");
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(PrimaryBackup::new(), "primary_backup");
        show::same_as_file(PrimaryBackupEpochs::new(), "primary_backup_epochs");
    }
}

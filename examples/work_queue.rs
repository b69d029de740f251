//! A work queue that delivers at least once, with an effect that must happen exactly once.
//!
//! *Promise.* Every task is done exactly once.
//!
//! *How.* The queue hands a task to a worker, who charges an account at the bank, waits for the receipt and
//! acknowledges. A task that is not acknowledged in four steps goes to the other worker.
//!
//! *Specification.* At least once: a task has been charged by the end, if neither the queue nor the bank has crashed.
//! At most once: a task that has been charged has been charged once. Without faults both tasks are, at 3.
//!
//! *What breaks it.* A copy of a message and nothing else: `duplicate q->v@1 by 1`. v is handed the task twice and
//! charges twice. At-least-once delivery does not need a bad link for that: with losses one is enough
//! (`lose bank->v@3` keeps the receipt away, so the task goes to the other worker, who charges again), and so is a delay
//! (`delay q->v@1 by 1`: the acknowledgement comes a step too late).
//!
//! *What mends it.* A bank that knows a charge by its key, the task. That of [`WorkQueueDedup`] makes the first
//! charge of each key only, and answers all of them with a receipt: a worker that asks again must hear that it is
//! done. The workers could not do it: a task that is handed out again goes to another one. Certified at ⟨EOT 24, EFF
//! 10⟩ with any losses, delays of up to 3, three copies and a crash with a restart, in about half a second. The keys
//! must be on disk with the charges: otherwise `lose bank->v@3; crash bank@4; restart bank@5` makes the bank charge
//! twice.

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// A work queue that delivers at least once. Left open is what the charges that arrive in a step are worth: `due`.
    rules Queue {
        // ---- Queue `q` has two tasks and two workers; to do a task is to charge an account at the bank. ----

        task("q", "t1")@1; task("q", "t2")@1;
        task(Q, T)@next :- task(Q, T);
        other("q", "v", "w")@1; other("q", "w", "v")@1;
        other(Q, V, W)@next :- other(Q, V, W);
        bank("v", "bank")@1; bank("w", "bank")@1;
        bank(W, B)@next :- bank(W, B);
        charged("bank", "t1", 0)@1; charged("bank", "t2", 0)@1;

        // On disk: who there is, the queue, and the accounts.
        stable task, other, bank, turn, acked, charged;

        // ---- Queue: a task is handed to a worker; if it is not acknowledged in four steps, to the other one. ----

        turn("q", "t1", "v", 4)@1; turn("q", "t2", "w", 4)@1;
        job(W, Q, T)@async :- turn(Q, T, W, 4);
        open(Q, T) :- task(Q, T), notin acked(Q, T);
        turn(Q, T, W, Left - 1)@next :- turn(Q, T, W, Left), Left > 0, open(Q, T);
        turn(Q, T, V, 4)@next :- turn(Q, T, W, 0), other(Q, W, V), open(Q, T);
        acked(Q, T) :- done(Q, T);
        acked(Q, T)@next :- acked(Q, T);

        // ---- Workers: charge what they are handed, and acknowledge it when they have the receipt. ----

        charge(B, W, Q, T)@async :- job(W, Q, T), bank(W, B);
        done(Q, T)@async :- receipt(W, Q, T);

        // ---- Bank: adds up what is charged for each task, and gives receipts. ----

        charges(B, T, count<W>) :- charge(B, W, _, T);
        charged(B, T, K + N)@next :- charged(B, T, K), due(B, T, N);
        charged(B, T, K)@next :- charged(B, T, K), notin due(B, T, _);
        receipt(W, Q, T)@async :- charge(B, W, Q, T);

        // ---- Specification. Exactly once: at least once, unless the queue or the bank is down, and at most once. ----

        pre("at least once", T) :- task(Q, T), charged(B, T, _), notin crash(_, Q, _), notin crash(_, B, _);
        post("at least once", T) :- charged(_, T, K), K >= 1;
        pre("at most once", T) :- charged(_, T, K), K >= 1;
        post("at most once", T) :- charged(_, T, 1);
    }

    /// A bank that charges as often as it is asked to.
    pub program WorkQueue {
        use Queue;

        // Every charge that arrives is made.
        due(B, T, N) :- charges(B, T, N);
    }

    /// A bank that knows what it has charged.
    pub program WorkQueueDedup {
        use Queue;

        // The first charge of a task is made; any other is known by its key.
        due(B, T, 1) :- charges(B, T, _), notin known(B, T);
        known(B, T)@next :- charges(B, T, _);
        known(B, T)@next :- known(B, T);
        stable known;
    }
}

fn main() {
    show::show_under("work_queue", &WorkQueue::new(), |c| c.eot(10).eff(4).losses(0).delay(1).delays(0).duplicates(1));
    show::show_under("work_queue_dedup", &WorkQueueDedup::new(), |c| {
        c.eot(24).eff(10).delay(3).duplicates(3).crashes(1).restarts(1)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_done_twice() {
        let queue = WorkQueue::new();
        let copy = show::verdict(&queue, |c| c.eot(24).eff(10).losses(0).delay(3).delays(0).duplicates(3));
        assert_eq!(copy, "duplicate q->v@1 by 1");
        let run = queue.run(&"duplicate q->v@1 by 1".parse().unwrap(), eot(10));
        assert!(run.at(10).charged().contains(("bank", "t1", 2)) && run.at(10).charged().contains(("bank", "t2", 1)));
    }

    #[test]
    fn so_is_a_task_whose_receipt_is_lost_or_late() {
        let queue = WorkQueue::new();
        assert_eq!(show::verdict(&queue, |c| c.eot(24).eff(10).crashes(1)), "lose bank->v@3");
        assert_eq!(show::verdict(&queue, |c| c.eot(24).eff(10).losses(0).delay(3)), "delay q->v@1 by 1");
    }

    #[test]
    fn a_bank_that_knows_its_keys_charges_once() {
        let dedup = WorkQueueDedup::new();
        let said = show::verdict(&dedup, |c| c.eot(24).eff(10).delay(3).duplicates(3).crashes(1).restarts(1));
        assert_eq!(said, "fault-tolerant");
        // Not because nothing happens: the other worker does ask again.
        let run = dedup.run(&"lose bank->v@3".parse().unwrap(), eot(10));
        assert!(
            run.at(8).charge().contains(("bank", "w", "q", "t1")) && run.at(10).charged().contains(("bank", "t1", 1))
        );
    }

    #[test]
    fn keys_that_are_not_on_disk_are_worth_nothing_after_a_restart() {
        let forgetful = show::volatile(&WorkQueueDedup::new(), "known");
        let said = show::verdict(&forgetful, |c| c.eot(14).eff(4).losses(1).crashes(1).restarts(1));
        assert_eq!(said, "lose bank->v@3; crash bank@4; restart bank@5");
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(WorkQueue::new(), "work_queue");
        show::same_as_file(WorkQueueDedup::new(), "work_queue_dedup");
    }
}

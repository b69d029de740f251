//! Kafka: the replication bug of Kafka 0.8 (sections 1.1 and 5.1.3 of the LDFI paper; Kingsbury 2013).
//!
//! *Promise.* Durability: a write that is acknowledged at the client is stored on a correct replica. With three
//! replicas that should survive one crash.
//!
//! *How.* Replicas a, b and c report to Zookeeper at every step. The replicas that Zookeeper has just heard from are
//! the in-sync replicas (ISR), and it publishes them to replicas and clients; who hears nothing keeps the list it has.
//! The least name on the list is the leader. The client sends its write to the leader until it is acknowledged; the
//! leader stores it and forwards it to the other replicas on its list until they confirm. It acknowledges a write
//! once every in-sync replica has it. Zookeeper is one abstract node, as in the paper; it may crash like any other,
//! which freezes the list. At time 1 everybody knows the list a, b, c; the client has its write at time 2.
//!
//! *What breaks it.* A partition, then a crash, at ⟨EOT 6, EFF 4, 1 crash⟩ (Figure 10):
//! `lose b->zk@1; lose c->zk@1; crash a@4`. b and c are cut off from Zookeeper for a moment, and so dropped from the
//! list, which reaches the leader a together with the client's write at time 3. Every in-sync replica has the write:
//! there is one, a itself. So a acknowledges at once, forwards nothing, and crashes at time 4, when b and c are
//! about to come back. The write existed on a alone. No other set of three faults breaks it, and no smaller one: of
//! 91 thousand sets, one.
//!
//! *What does not.* Losses alone (⟨6, 4, 0⟩) or a crash alone (⟨6, 0, 1⟩). Replication keeps its word, and so
//! does Zookeeper: it is their composition that lets "all" shrink to one.
//!
//! *Repaired.* [`KafkaRepaired`] acknowledges a write once every in-sync replica has it, and at least two replicas do
//! (what Kafka calls `min.insync.replicas = 2`). A leader that finds itself alone keeps the write and waits. Nothing
//! breaks it with one crash: a confirmation comes from a replica that has the write in its log and never drops it,
//! so an acknowledged write has two copies, and one crash leaves one. The price is availability: the faults above
//! without the crash delay the acknowledgment until b and c are back on the list (time 7); with it there is none.
//! Two crashes can take both copies: two are good for one.

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    rules Replication {
        // An acknowledged write is in the log of a replica that never crashes.
        pre(W) :- acked(_, W);
        post(W) :- acked(_, W), log(R, W), notin crash(_, R, _);

        // Zookeeper: whoever reports is in sync.
        report(Z, R)@async :- zookeeper(R, Z);
        view(N, R)@async :- report(Z, R), subscriber(Z, N);
        isr(N, R) :- view(N, R);
        isr(N, R) :- last_isr(N, R), notin view(N, _);
        last_isr(N, R)@next :- isr(N, R);
        leader(N, min<R>) :- isr(N, R);

        // The client writes to the leader.
        request(K, W)@next :- request(K, W), notin acked(K, W);
        write(L, K, W)@async :- request(K, W), leader(K, L), notin acked(K, W);
        acked(K, W)@next :- acked(K, W);

        // The leader stores, and forwards to those in sync.
        pending(L, K, W) :- write(L, K, W), leader(L, L);
        pending(L, K, W)@next :- pending(L, K, W);
        stored(L, L, W) :- pending(L, _, W);
        replicate(R, L, W)@async :- pending(L, _, W), leader(L, L), isr(L, R), notin stored(L, R, W);
        stored(L, R, W)@async :- replicate(R, L, W);
        stored(L, R, W)@next :- stored(L, R, W);
        log(L, W) :- pending(L, _, W);
        log(R, W) :- replicate(R, _, W);
        log(R, W)@next :- log(R, W);
        unreplicated(L, W) :- pending(L, _, W), isr(L, R), notin stored(L, R, W);

        zookeeper(R, Z)@next :- zookeeper(R, Z);
        subscriber(Z, N)@next :- subscriber(Z, N);

        zookeeper("a", "zk")@1;  zookeeper("b", "zk")@1;  zookeeper("c", "zk")@1;
        subscriber("zk", "a")@1;  subscriber("zk", "b")@1;  subscriber("zk", "c")@1;  subscriber("zk", "client")@1;
        report("zk", "a")@1;  report("zk", "b")@1;  report("zk", "c")@1;
        view("a", "a")@1;  view("a", "b")@1;  view("a", "c")@1;
        view("b", "a")@1;  view("b", "b")@1;  view("b", "c")@1;
        view("c", "a")@1;  view("c", "b")@1;  view("c", "c")@1;
        view("client", "a")@1;  view("client", "b")@1;  view("client", "c")@1;
        request("client", "w")@2;
    }

    /// A write is acknowledged once every in-sync replica has it.
    pub program Kafka {
        use Replication;
        acked(K, W)@async :- pending(L, K, W), leader(L, L), notin unreplicated(L, W);
    }

    /// And at least two replicas do.
    pub program KafkaRepaired {
        use Replication;
        copies(L, W, count<R>) :- stored(L, R, W);
        acked(K, W)@async :- pending(L, K, W), leader(L, L), notin unreplicated(L, W), copies(L, W, N), N >= 2;
    }
}

fn main() {
    show::show("kafka", &Kafka::new(), [6, 4, 1]);
    show::show("kafka_repaired", &KafkaRepaired::new(), [6, 4, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(Kafka::new(), "kafka");
        show::same_as_file(KafkaRepaired::new(), "kafka_repaired");
    }

    #[test]
    fn a_partition_and_then_a_crash_lose_an_acknowledged_write() {
        show::pin(Kafka::new(), [6, 4, 1], "lose b->zk@1; lose c->zk@1; crash a@4", [2, 301, 771, 441]);
    }

    #[test]
    fn losses_alone_or_a_crash_alone_do_not() {
        show::pin(Kafka::new(), [6, 4, 0], "fault-tolerant", [1, 200, 531, 433]);
        show::pin(Kafka::new(), [6, 0, 1], "fault-tolerant", [1, 168, 434, 441]);
    }

    #[test]
    fn two_copies_survive_one_crash() {
        show::pin(KafkaRepaired::new(), [6, 4, 1], "fault-tolerant", [1, 286, 686, 459]);
    }
}

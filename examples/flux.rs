//! Flux (Shah, Hellerstein, Brewer 2004): process pairs for dataflow.
//!
//! *Promise.* Both replicas of an operator get the same stream, without loss, duplication or reordering; if one fails,
//! the other takes over, and the output does not tell.
//!
//! *How.* The source numbers its items and sends each to both replicas until both have confirmed it. A replica
//! consumes items in turn, and keeps each result until the sink has confirmed it. Only the active replica sends its
//! results; the standby takes over when it has heard nothing from it for four steps. The sink takes each result once
//! and in turn, and confirms to both replicas.
//!
//! Silence need not mean a crash: losses alone can make both replicas active. No harm is done, because replicas are
//! deterministic and the sink knows results by their numbers. For the same reason the source gives up on nobody: were
//! it to write off a silent replica that lives, the other's crash would take the only copy with it.
//!
//! *Specification.* The operator is a running total, so a result tells which items went into it. At the end: what the
//! replicas have consumed is a beginning of the stream; what the sink has put out is right, nothing twice and
//! nothing skipped; and an item that the source has let go has come out or is with a replica that lives.
//!
//! *What breaks it.* Two crashes, as any process pair; certified at ⟨22, 21, 1⟩, the depth of Figure 13.
//!
//! *How long take-over takes.* [`FluxDelivers`] asks that everything comes out if neither source nor sink crashes.
//! This takes time after the last loss: with EOT 22 it breaks from EFF 12 on, by all of source to left lost up to 11,
//! then a crash of left at 14. right takes over at 19, and the last of its results is out at 23, too late.

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// A process pair between a source and a sink.
    rules Pair {
        // ---- Who is who. ----

        replica("source", "left")@1; replica("source", "right")@1;
        replica(N, R)@next :- replica(N, R);

        pair("left", "right")@1; pair("right", "left")@1;
        pair(R, S)@next :- pair(R, S);

        source("left", "source")@1; source("right", "source")@1;
        source(R, N)@next :- source(R, N);

        sink("left", "sink")@1; sink("right", "sink")@1;
        replica("sink", "left")@1; replica("sink", "right")@1;
        sink(R, D)@next :- sink(R, D);

        // ---- The stream, numbered. ----

        item("source", 1, 10)@1;
        item("source", 2, 20)@3;
        item("source", 3, 40)@6;

        // ---- Source: keeps an item, and sends it, until both replicas have confirmed it. ----

        pending(N, K, V) :- item(N, K, V);
        confirmed(N, R, K)@next :- confirmed(N, R, K);
        missing(N, R, K) :- pending(N, K, _), replica(N, R), notin confirmed(N, R, K);
        feed(R, K, V)@async :- missing(N, R, K), pending(N, K, V);
        pending(N, K, V)@next :- pending(N, K, V), missing(N, _, K);
        released(N, K) :- pending(N, K, _), notin missing(N, _, K);
        released(N, K)@next :- released(N, K);

        // ---- Replica: confirms what it is fed, and consumes items in the order of their numbers. ----

        confirmed(N, R, K)@async :- feed(R, K, _), source(R, N);
        total("left", 0, 0)@1; total("right", 0, 0)@1;
        inbox(R, K, V) :- feed(R, K, V), total(R, Last, _), K > Last;
        inbox(R, K, V)@next :- inbox(R, K, V), notin step(R, K, _);

        // The operator: a running total, which tells if an item is lost, doubled or out of turn.
        step(R, K, Sum + V) :- total(R, Last, Sum), inbox(R, K, V), K == Last + 1;
        stepped(R) :- step(R, _, _);
        total(R, K, Sum)@next :- step(R, K, Sum);
        total(R, K, Sum)@next :- total(R, K, Sum), notin stepped(R);

        // Results stay in the outbox until the sink says it has them, which a replica that lags may hear early.
        outbox(R, K, Sum)@next :- step(R, K, Sum);
        outbox(R, K, Sum)@next :- outbox(R, K, Sum), notin done(R, K), notin was_done(R, K);
        was_done(R, K)@next :- done(R, K);
        was_done(R, K)@next :- was_done(R, K);

        // ---- The pair: the active replica sends its results; its partner takes over when it falls silent. ----

        active("left")@1;
        active(R)@next :- active(R);
        standby("right", 0)@1;
        beat(S, R)@async :- active(R), pair(R, S);
        standby(R, 0)@next :- standby(R, _), beat(R, _);
        standby(R, Silence + 1)@next :- standby(R, Silence), notin beat(R, _), Silence < 3;
        active(R)@next :- standby(R, 3), notin beat(R, _);

        emit(D, R, K, Sum)@async :- active(R), outbox(R, K, Sum), sink(R, D);

        // ---- Sink: takes results in turn and but once, and tells both replicas. ----

        expects("sink", 1)@1;
        take(D, K, Sum) :- emit(D, _, K, Sum), expects(D, K);
        taken(D) :- take(D, _, _);
        expects(D, K + 1)@next :- take(D, K, _);
        expects(D, K)@next :- expects(D, K), notin taken(D);
        output(D, K, Sum)@next :- take(D, K, Sum);
        output(D, K, Sum)@next :- output(D, K, Sum);
        has(D, K) :- take(D, K, _);
        has(D, K) :- output(D, K, _);
        done(R, K)@async :- emit(D, _, K, _), has(D, K), replica(D, R);
    }

    /// No loss, duplication or reordering.
    pub program Flux {
        use Pair;

        // The running total after each item.
        expected("source", 1, 10)@1; expected("source", 2, 30)@1; expected("source", 3, 70)@1;
        expected(N, K, Sum)@next :- expected(N, K, Sum);

        // What went wrong at the sink stays on record.
        doubled(D, K)@next :- take(D, K, _), output(D, K, _);
        doubled(D, K)@next :- doubled(D, K);
        skipped(D, K)@next :- take(D, K, _), K > 1, notin output(D, K - 1, _);
        skipped(D, K)@next :- skipped(D, K);

        // Replicas consume the same stream, the right one.
        pre("consumed", K, Sum) :- total(_, K, Sum), K > 0;
        post("consumed", K, Sum) :- total(_, K, Sum), expected(_, K, Sum);

        // The sink puts out the right results, in order, each once.
        pre("put out", K, Sum) :- output(_, K, Sum);
        post("put out", K, Sum) :- output(_, K, Sum), expected(_, K, Sum), notin doubled(_, K), notin skipped(_, K);

        // An item that the source no longer keeps has come out, or is with a replica that lives.
        kept(K) :- has(_, K);
        kept(K) :- inbox(R, K, _), notin crash(_, R, _);
        kept(K) :- outbox(R, K, _), notin crash(_, R, _);
        pre("let go", K, Sum) :- released(_, K), expected(_, K, Sum);
        post("let go", K, Sum) :- kept(K), expected(_, K, Sum);
    }

    /// Everything is delivered in the end.
    pub program FluxDelivers {
        use Pair;

        pending_ever(N, K) :- item(N, K, _);
        pending_ever(N, K)@next :- pending_ever(N, K);

        pre(K) :- pending_ever(N, K), notin crash(_, N, _), notin crash(_, "sink", _);
        post(K) :- output(_, K, _);
    }
}

fn main() {
    show::show("flux", &Flux::new(), [22, 21, 1]);
    show::show("flux_delivers", &FluxDelivers::new(), [22, 6, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_doubled_or_out_of_order() {
        show::pin(Flux::new(), [22, 21, 1], "fault-tolerant", [1, 2633, 7428, 2368]);
    }

    #[test]
    fn everything_comes_out_if_there_is_time() {
        show::pin(FluxDelivers::new(), [22, 6, 1], "fault-tolerant", [1, 1839, 5413, 2029]);
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(Flux::new(), "flux");
        show::same_as_file(FluxDelivers::new(), "flux_delivers");
    }
}

//! Zyzzyva's agreement (Kotla and others 2007) in its counting form, after Navarro Pérez, Rybalchenko and Singh 2009.
//!
//! *Promise.* Agreement: no two requests are done under one sequence number, whoever asks and wherever it is said, if
//! there are more than three times as many replicas as may be faulty.
//!
//! *How.* A primary that may lie orders requests: any replica may be told any request for any number. A replica accepts
//! one request a number, and replies to whoever asks. A client takes a request for done once all replicas but f say so. A
//! faulty replica replies whatever it likes.
//!
//! *Specification.* If a request is done under a number, and the replicas are more than 3f of which at most f are faulty,
//! then no other request is done under it. Every node is a replica, and may be a client.
//!
//! *For any number of nodes.* Proved, for any f, any faulty replicas, any orders, any losses and crashes, and claims of which each
//! request is the subject of one: the key that the facts have, and that is shown.
//!
//! *What breaks it.* 3f replicas, as in [`Zyzzyva3f`]: of three replicas one is faulty. The two others accept different
//! requests for one number, and the faulty one confirms both: each client hears of two replicas, which is all but one.

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// More than three times as many replicas as may be faulty.
    pub program Zyzzyva(f: int = 1) {
        accepted(X, min<R>, S)@next :- order(X, R, S), notin faulty(X), notin accepted(X, _, S);
        accepted(X, R, S)@next :- accepted(X, R, S);
        reply(C, X, R, S)@async :- accepted(X, R, S), node(X, C);

        reply(C, X, R, S)@async :- claim(X, R, S), faulty(X), node(X, C);
        reply(C, X, R, S)@next :- reply(C, X, R, S);
        faulty(X)@next :- faulty(X);

        replies(C, R, S, count<X>) :- reply(C, X, R, S);
        replicas(C, count<X>) :- node(C, X);
        done(C, R, S)@next :- replies(C, R, S, K), replicas(C, N), K + f >= N;
        done(C, R, S)@next :- done(C, R, S);
        node(X, Y)@next :- node(X, Y);

        liars(C, count<X>) :- node(C, X), faulty(X);
        overrun(C) :- liars(C, B), B > f;
        differs(C, R, S) :- done(C, R, S), done(_, Q, S), Q != R;

        pre(C, R, S) :- done(C, R, S), enough(C);
        post(C, R, S) :- done(C, R, S), notin differs(C, R, S);

        faulty("a")@1;

        order("b", "r", 1)@1;
        order("c", "q", 1)@1;
        maybe claim("a", "r", 1)@1..2;
        maybe claim("a", "q", 1)@1..2;

        node("a", "a")@1;  node("a", "b")@1;  node("a", "c")@1;
        node("b", "a")@1;  node("b", "b")@1;  node("b", "c")@1;
        node("c", "a")@1;  node("c", "b")@1;  node("c", "c")@1;

        enough(C) :- replicas(C, N), N > 3 * f, notin overrun(C);

        node("a", "d")@1;  node("b", "d")@1;  node("c", "d")@1;
        node("d", "a")@1;  node("d", "b")@1;  node("d", "c")@1;  node("d", "d")@1;

        // With the faulty one, two are enough.
        order("d", "r", 1)@1;
    }

    /// Three times as many: one too few.
    pub program Zyzzyva3f(f: int = 1) {
        accepted(X, min<R>, S)@next :- order(X, R, S), notin faulty(X), notin accepted(X, _, S);
        accepted(X, R, S)@next :- accepted(X, R, S);
        reply(C, X, R, S)@async :- accepted(X, R, S), node(X, C);

        reply(C, X, R, S)@async :- claim(X, R, S), faulty(X), node(X, C);
        reply(C, X, R, S)@next :- reply(C, X, R, S);
        faulty(X)@next :- faulty(X);

        replies(C, R, S, count<X>) :- reply(C, X, R, S);
        replicas(C, count<X>) :- node(C, X);
        done(C, R, S)@next :- replies(C, R, S, K), replicas(C, N), K + f >= N;
        done(C, R, S)@next :- done(C, R, S);
        node(X, Y)@next :- node(X, Y);

        liars(C, count<X>) :- node(C, X), faulty(X);
        overrun(C) :- liars(C, B), B > f;
        differs(C, R, S) :- done(C, R, S), done(_, Q, S), Q != R;

        pre(C, R, S) :- done(C, R, S), enough(C);
        post(C, R, S) :- done(C, R, S), notin differs(C, R, S);

        faulty("a")@1;

        order("b", "r", 1)@1;
        order("c", "q", 1)@1;
        maybe claim("a", "r", 1)@1..2;
        maybe claim("a", "q", 1)@1..2;

        node("a", "a")@1;  node("a", "b")@1;  node("a", "c")@1;
        node("b", "a")@1;  node("b", "b")@1;  node("b", "c")@1;
        node("c", "a")@1;  node("c", "b")@1;  node("c", "c")@1;

        enough(C) :- replicas(C, N), N >= 3 * f, notin overrun(C);
    }
}

fn main() {
    show::show("zyzzyva", &Zyzzyva::new(), [5, 4, 0]);
    show::show("zyzzyva_3f", &Zyzzyva3f::new(), [5, 4, 0]);
    println!("{}", ldfi::prove(Zyzzyva::new()).name("zyzzyva").openings(open()).assert_proved());
}

/// Any replicas may be faulty, and orders and claims may come at any time.
fn open() -> ldfi::param::Openings {
    "node=all,faulty=any,order=event,claim=event".parse().expect("these are openings")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(Zyzzyva::new(), "zyzzyva");
        show::same_as_file(Zyzzyva3f::new(), "zyzzyva_3f");
    }

    #[test]
    fn four_replicas_agree_in_spite_of_a_faulty_one() {
        assert_eq!(show::verdict(&Zyzzyva::new(), |check| check.eot(5).eff(4)), "fault-tolerant");
    }

    #[test]
    fn three_do_not() {
        let expected = "give claim(\"a\", \"q\", 1)@1; give claim(\"a\", \"r\", 1)@1";
        assert_eq!(show::verdict(&Zyzzyva3f::new(), |check| check.eot(5).eff(4)), expected);
    }

    #[test]
    #[ignore = "seconds to minutes: cargo test --release --test examples any_number_of_replicas -- --ignored"]
    fn any_number_of_replicas_agree() {
        let proved = ldfi::prove(Zyzzyva::new()).openings(open()).assert_proved();
        assert!(!proved.invariant().is_empty());
    }
}

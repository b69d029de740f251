//! One protocol twice, as rules and as Rust, and what both promise: retry-deliv, with its specification in terms of what is delivered.

use ldfi::live::{Id, Node, Out, digest_of};
use ldfi::prelude::*;

dedalus! {
    /// Reliable broadcast: what one correct node delivers, every correct node does.
    pub rules Delivery {
        ever(Node, Pload) :- delivered(Node, Pload);
        ever(Node, Pload)@next :- ever(Node, Pload);
        member(Node)@next :- member(Node);
        member("a")@1; member("b")@1; member("c")@1;

        missing(Pload) :- ever(_, Pload), member(Node), notin ever(Node, Pload), notin crash(_, Node, _);
        pre(Pload) :- ever(Node, Pload), notin crash(_, Node, _);
        post(Pload) :- ever(_, Pload), notin missing(Pload);
    }

    /// The protocol: whoever broadcasts sends at every step.
    pub program Model {
        use Delivery;

        log(Node, Pload) :- bcast(Node, Pload);
        log(Node, Pload)@next :- log(Node, Pload);
        node(Node, Other)@next :- node(Node, Other);
        bcast(Node, Pload)@next :- bcast(Node, Pload);
        log(Other, Pload)@async :- bcast(Node, Pload), node(Node, Other);
        delivered(Node, Pload) :- log(Node, Pload);

        bcast("a", "data")@1;
        node("a", "b")@1;  node("a", "c")@1;
        node("b", "a")@1;  node("b", "c")@1;
        node("c", "a")@1;  node("c", "b")@1;
    }

    /// What is promised of real code: the same, of what it tells.
    pub program Spec {
        use Delivery;
        input delivered(str, str);
    }
}

/// The same protocol in Rust.
#[derive(Debug, Default)]
pub struct Broadcaster {
    id: Id,
    /// What it repeats, and what it delivered.
    repeats: Vec<String>,
    delivered: Vec<String>,
}

impl Broadcaster {
    /// A node that has delivered nothing.
    pub fn new(id: Id) -> Self {
        Broadcaster { id, ..Self::default() }
    }

    fn deliver(&mut self, payload: String, out: &mut Out<String>) {
        if !self.delivered.contains(&payload) {
            out.event("delivered", payload.as_str());
            self.delivered.push(payload);
        }
    }
}

impl Node for Broadcaster {
    type Message = String;
    type Request = &'static str;

    fn ask(&mut self, payload: &'static str, out: &mut Out<String>) {
        self.deliver(payload.to_owned(), out);
        self.repeats.push(payload.to_owned());
    }

    fn handle(&mut self, _: Id, payload: String, out: &mut Out<String>) {
        self.deliver(payload, out);
    }

    fn tick(&mut self, out: &mut Out<String>) {
        for payload in &self.repeats {
            (1..=3).filter(|to| *to != self.id).for_each(|to| out.send(to, payload.clone()));
        }
    }

    fn label(_: &String) -> ldfi::live::Label {
        "log".into()
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(digest_of(self))
    }
}

/// Three nodes of it, of which the first broadcasts.
pub fn code() -> ldfi::live::Cluster<Broadcaster> {
    ldfi::live::cluster(3, |id, _| Broadcaster::new(id))
        .names(["a", "b", "c"])
        .workload(|w| w.at(1).ask("data"))
        .specification(Spec::new)
}

/// Three nodes that run the rules.
pub fn rules() -> ldfi::live::Cluster<ldfi::live::Rules> {
    ldfi::live::model(&Model::new(), &["delivered"]).specification(Spec::new)
}

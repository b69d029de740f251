//! A protocol of your own, from naive to certified.
//!
//! Two nodes, one message, and a promise: what `a` says, `b` hears.
//!
//! # 1. The naive version
//!
//! Rules read from right to left: the head holds if the body does. Variables are bare words, constants
//! are quoted. The first column of a tuple is where it is. `@async` sends: from where the body's first
//! literal is, to where the head is.
//!
//! ```
//! use ldfi::prelude::*;
//!
//! dedalus! {
//!     program Once {
//!         heard(Other, What)@async :- say(Node, What), peer(Node, Other);
//!         heard(Node, What)@next :- heard(Node, What);
//!
//!         // The promise: whatever was said at time 1 is heard by b in the end.
//!         pre(What) :- say("a", What)@1;
//!         post(What) :- heard("b", What);
//!
//!         say("a", "hello")@1;
//!         peer("a", "b")@1;
//!         peer("b", "a")@1;
//!     }
//! }
//!
//! let run = Once::new().run(&Faults::none(), eot(3));
//! assert!(run.at(2).heard().contains(("b", "hello")));
//! ```
//!
//! # 2. What breaks it
//!
//! ⟨EOT, EFF, Crashes⟩ = ⟨3, 2, 0⟩: three steps, messages may be lost before time 2, nobody crashes.
//!
//! ```
//! # use ldfi::prelude::*;
//! # dedalus! { program Once {
//! #     heard(Other, What)@async :- say(Node, What), peer(Node, Other);
//! #     heard(Node, What)@next :- heard(Node, What);
//! #     pre(What) :- say("a", What)@1;
//! #     post(What) :- heard("b", What);
//! #     say("a", "hello")@1; peer("a", "b")@1; peer("b", "a")@1;
//! # } }
//! let cex = ldfi::check(Once::new()).eot(3).eff(2).assert_counterexample();
//! assert_eq!(cex.faults().to_string(), "lose a->b@1");
//! ```
//!
//! Had the test asserted that it is fault-tolerant, it would have failed with the least faults, a picture of the run,
//! and the reason: what should be there, and which message it was cut off with.
//!
//! ```text
//! Once  counterexample  ⟨EOT 3, EFF 2, crashes 0⟩
//!   These faults are allowed, and they break the outcome.
//!   counterexample 1: lose a->b@1
//!     breaks post(hello)@3
//!   2 executions, 5 solver calls, 2.1 ms
//!
//!   time  a             b
//!      1  ●───────────✗ │             heard, lost to b
//!    2-3  │             │
//!
//! post(hello)@3  missing  line 10: post(What) :- heard("b", What);
//! └─ heard(b, hello)@3  missing since @2  line 5: message a→b sent @1  LOST by lose a->b@1
//!
//! lines are those of tests/once.rs
//!
//! for good, as far as can be seen: broken still at 12
//! ```
//!
//! # 3. Saying it again
//!
//! Redundancy in time: `a` remembers what it said and says it at every step. Losses end at EFF, so some
//! attempt gets through.
//!
//! ```
//! use ldfi::prelude::*;
//!
//! dedalus! {
//!     program Retry {
//!         said(Node, What) :- say(Node, What);
//!         said(Node, What)@next :- said(Node, What);
//!         peer(Node, Other)@next :- peer(Node, Other);
//!         heard(Other, What)@async :- said(Node, What), peer(Node, Other);
//!         heard(Node, What)@next :- heard(Node, What);
//!
//!         pre(What) :- say("a", What)@1;
//!         post(What) :- heard("b", What);
//!
//!         say("a", "hello")@1;
//!         peer("a", "b")@1;
//!         peer("b", "a")@1;
//!     }
//! }
//!
//! ldfi::check(Retry::new()).eot(6).eff(5).assert_fault_tolerant();
//!
//! ```
//!
//! ```text
//! Retry  fault-tolerant  ⟨EOT 6, EFF 5, crashes 0⟩
//!   No admissible combination of faults breaks the outcome.
//!   1 execution, 0 solver calls, 1.7 ms
//! ```
//!
//! There is nothing for the solver to do: the last attempt cannot be lost. A crash of the speaker is another matter.
//!
//! ```
//! # use ldfi::prelude::*;
//! # dedalus! { program Retry {
//! #     said(Node, What) :- say(Node, What);
//! #     said(Node, What)@next :- said(Node, What);
//! #     peer(Node, Other)@next :- peer(Node, Other);
//! #     heard(Other, What)@async :- said(Node, What), peer(Node, Other);
//! #     heard(Node, What)@next :- heard(Node, What);
//! #     pre(What) :- say("a", What)@1;
//! #     post(What) :- heard("b", What);
//! #     say("a", "hello")@1; peer("a", "b")@1; peer("b", "a")@1;
//! # } }
//! let cex = ldfi::check(Retry::new()).eot(6).eff(5).crashes(1).assert_counterexample();
//! assert_eq!(cex.faults().to_string(), "crash a@1");
//! ```
//!
//! ```text
//! Retry  counterexample  ⟨EOT 6, EFF 5, crashes 1⟩
//!   These faults are allowed, and they break the outcome.
//!   counterexample 1: crash a@1
//!     breaks post(hello)@6
//!   2 executions, 7 solver calls, 0.7 ms
//!
//!   time  a             b
//!      1  ✖             │             a crashes
//!    2-6  ┊             │
//!
//! post(hello)@6  missing  line 12: post(What) :- heard("b", What);
//! └─ heard(b, hello)@6  missing since @2  line 8: messages a→b sent @1-5  LOST by crash a@1
//!
//! lines are those of tests/retry.rs
//!
//! for good, as far as can be seen: broken still at 24
//! ```
//!
//! # 4. Saying what is meant
//!
//! Nobody can hear a node that crashes before it speaks. The promise was too strong: it is about nodes
//! that live. Specifications exempt crashed nodes through `crash(observer, node, time)`.
//!
//! ```
//! use ldfi::prelude::*;
//!
//! dedalus! {
//!     program Exempt {
//!         said(Node, What) :- say(Node, What);
//!         said(Node, What)@next :- said(Node, What);
//!         peer(Node, Other)@next :- peer(Node, Other);
//!         heard(Other, What)@async :- said(Node, What), peer(Node, Other);
//!         heard(Node, What)@next :- heard(Node, What);
//!
//!         pre(What) :- say("a", What)@1, notin crash(_, "a", _);
//!         post(What) :- heard("b", What);
//!
//!         say("a", "hello")@1;
//!         peer("a", "b")@1;
//!         peer("b", "a")@1;
//!     }
//! }
//!
//! let conclusion = ldfi::check(Exempt::new()).eot(6).eff(5).crashes(1).assert_fault_tolerant();
//! assert_eq!(conclusion.statistics.executions, 1);
//! ```
//!
//! ```text
//! Exempt  fault-tolerant  ⟨EOT 6, EFF 5, crashes 1⟩
//!   No admissible combination of faults breaks the outcome.
//!   1 execution, 1 solver call, 1.9 ms
//! ```
//!
//! One execution and one proof cover every combination of losses and crashes.
//!
//! # 5. Growing it
//!
//! Parameters are constants of the rules; facts also come from Rust, typed; rules shared by several
//! programs are written once.
//!
//! ```
//! use ldfi::prelude::*;
//!
//! dedalus! {
//!     rules Promise {
//!         pre(What) :- say(Node, What)@1, notin crash(_, Node, _);
//!         lacking(Other, What) :- say(Node, What)@1, peer(Node, Other)@1, notin heard(Other, What);
//!         post(What) :- say(_, What)@1, notin lacking(_, What);
//!     }
//!
//!     program Crowd(greeting: str) {
//!         use Promise;
//!         input peer(str, str);
//!         said(Node, What) :- say(Node, What);
//!         said(Node, What)@next :- said(Node, What);
//!         peer(Node, Other)@next :- peer(Node, Other);
//!         heard(Other, What)@async :- said(Node, What), peer(Node, Other);
//!         heard(Node, What)@next :- heard(Node, What);
//!         say("n0", greeting)@1;
//!     }
//! }
//!
//! let mut crowd = Crowd::new("hello");
//! for i in 0..6 {
//!     for j in (0..6).filter(|j| *j != i) {
//!         crowd.facts_at(1).peer(format!("n{i}"), format!("n{j}"));
//!     }
//! }
//! ldfi::check(crowd).eot(6).eff(5).crashes(1).assert_fault_tolerant();
//! ```
//!
//! # 6. Worse worlds
//!
//! Networks delay and repeat, nodes pause and come back. Each kind of fault has a bound; what is not mentioned does not
//! occur. A node that restarts has lost all but what is `stable`:
//!
//! ```
//! use ldfi::prelude::*;
//!
//! dedalus! {
//!     rules Store {
//!         // The client asks until it knows that it is done.
//!         ask(Client, Server, What)@next :- ask(Client, Server, What), notin done(Client, What);
//!         kept(Server, Client, What)@async :- ask(Client, Server, What);
//!         kept(Server, Client, What)@next :- kept(Server, Client, What);
//!         done(Client, What)@async :- kept(_Server, Client, What);
//!         done(Client, What)@next :- done(Client, What);
//!
//!         // Whatever the client takes to be done is kept.
//!         pre(What) :- done(_, What);
//!         post(What) :- kept(_, _, What);
//!
//!         ask("c", "s", "hello")@1;
//!         node("s")@1;
//!     }
//!
//!     program Volatile {
//!         use Store;
//!     }
//!
//!     program Durable {
//!         use Store;
//!         stable kept;
//!     }
//! }
//!
//! let cex = ldfi::check(Volatile::new()).eot(7).crashes(1).restarts(1).assert_counterexample();
//! assert_eq!(cex.faults().to_string(), "crash s@3; restart s@5");
//!
//! // With a disk it holds, and late and repeated messages do not change that.
//! ldfi::check(Durable::new()).eot(7).crashes(1).restarts(1).assert_fault_tolerant();
//! ldfi::check(Durable::new()).eot(7).eff(6).delay(2).duplicates(1).crashes(1).restarts(1).assert_fault_tolerant();
//! ```
//!
//! | bound | lets happen |
//! |---|---|
//! | `eff`, `losses` | losses before EFF: any number, or so many |
//! | `delay`, `delays`, `duplicates` | late messages and copies, by at most so many steps; so many of them |
//! | `partitions` | for a while, what either side sends the other is lost |
//! | `crashes`, `restarts` | nodes that fall silent, and come back |
//! | `pauses` | nodes that take no step for a while, and go on with nothing lost |
//! | `gives` | inputs declared as `maybe r(..)@t..u;`: timers, requests, suspicions |
//! | `per_message` | losses, delays and copies strike single messages rather than all that goes one way at a step |

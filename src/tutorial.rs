//! A protocol of your own, from naive to certified.
//!
//! Two nodes, one message, and a promise: what `a` says, `b` hears. The way is the one that every protocol goes: write it as
//! it comes to mind, see it break, read why, mend it, hold what the mending buys against what it costs, and have it
//! proved. Every output below is what the tool prints; a test sees to that.
//!
//! # 1. The naive version
//!
//! Rules read from right to left: the head holds if the body does. Variables are bare words, constants
//! are quoted. The first column of a tuple is where it is. `@async` sends: from where the body's first
//! literal is, to where the head is. All of the language is on [a page of its own](crate::language).
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
//!   2 executions, 4 solver calls, 2.1 ms
//!
//!   time  a             b
//!      1  ●───────────✗ │             heard, lost to b
//!    2-3  │             │
//!
//! post(hello)@3  missing  line 10: post(What) :- heard("b", What);
//! └─ heard(b, hello)@3  missing since @2
//!       line 5: message a→b sent @1  LOST by lose a->b@1
//!
//! lines are those of tests/once.rs
//!
//! for good, as far as can be seen: broken still at 12
//! ```
//!
//! # 3. Reading why
//!
//! The tree is read from the top. What is owed and missing comes first, with the rule that would have made it and the line
//! where that stands. Below it is what was in the way, and below that what was in the way of *that*, down to faults and
//! facts. Here `post` wanted `heard("b", "hello")`; the only way to it was a message, and that was lost. Where several
//! things were needed, those that were there follow an `and`; what should not have been, and was, is `blocked by`. Every
//! fault of the counterexample is somewhere in the tree, because none of them can be left out.
//!
//! The last line says whether it is only late: the same faults are run again with more time. This one stays broken.
//!
//! A test that fails also prints a `replay` line. Pasted into a test, it is a run to look at and to ask:
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
//! let run = Once::new().run(&"lose a->b@1".parse().unwrap(), eot(3));
//! println!("{run}");
//! println!("{}", run.why_not("heard(b, hello)@2").unwrap());
//! # let without = Once::new().run(&Faults::none(), eot(3));
//! # assert!(without.why("heard(b, hello)@3").is_ok());
//! ```
//!
//! ```text
//!   time  a             b
//!      1  ●───────────✗ │             heard, lost to b
//!    2-3  │             │
//!
//! heard(b, hello)@2  missing  line 5: message a→b sent @1  LOST by lose a->b@1
//!
//! lines are those of tests/once.rs
//! ```
//!
//! Or play with it: `LDFI_EXPLORE=1 cargo test` opens the failing run in the browser. Take the loss back by a click, strike
//! another message, ask the adversary for its best move. [`ldfi::explore(program)`](crate::explore()) does the same for a
//! program that does not fail.
//!
//! # 4. Saying it again
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
//!   2 executions, 6 solver calls, 0.7 ms
//!
//!   time  a             b
//!      1  ✖             │             a crashes
//!    2-6  ┊             │
//!
//! post(hello)@6  missing  line 12: post(What) :- heard("b", What);
//! └─ heard(b, hello)@6  missing since @2
//!       line 8: messages a→b @1-5  not sent: a is down by crash a@1
//!
//! lines are those of tests/retry.rs
//!
//! for good, as far as can be seen: broken still at 24
//! ```
//!
//! # 5. Saying what is meant
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
//! # 6. What it costs
//!
//! Redundancy is paid for. A comparison puts variants side by side: messages without faults, how far each kind of fault can
//! go before the promise breaks, and which combinations of losses and crashes are survived. [`Exempt`] here says it at
//! every step; a variant with a parameter says it so many times.
//!
//! [`Exempt`]: #5-saying-what-is-meant
//!
//! ```
//! use ldfi::prelude::*;
//! # dedalus! { program Exempt {
//! #     said(Node, What) :- say(Node, What);
//! #     said(Node, What)@next :- said(Node, What);
//! #     peer(Node, Other)@next :- peer(Node, Other);
//! #     heard(Other, What)@async :- said(Node, What), peer(Node, Other);
//! #     heard(Node, What)@next :- heard(Node, What);
//! #     pre(What) :- say("a", What)@1, notin crash(_, "a", _);
//! #     post(What) :- heard("b", What);
//! #     say("a", "hello")@1; peer("a", "b")@1; peer("b", "a")@1;
//! # } }
//!
//! dedalus! {
//!     /// Says it so many times, and stops.
//!     program Times(most: int) {
//!         said(Node, What, 1) :- say(Node, What);
//!         said(Node, What, K + 1)@next :- said(Node, What, K), K < most;
//!         peer(Node, Other)@next :- peer(Node, Other);
//!         heard(Other, What)@async :- said(Node, What, _), peer(Node, Other);
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
//! let times = [("once", Times::new(1)), ("three times", Times::new(3))];
//! let found = ldfi::check(Exempt::new()).name("always").eot(6).crashes(1).compare(times).run().unwrap();
//! println!("{found}");
//! ```
//!
//! ```text
//! 3 variants  ⟨EOT 6, EFF 5, crashes 1⟩
//!
//! without faults  messages  kept from  stored  by kind
//! always                 5          2       4  heard 5
//! once                   1          2       3  heard 1
//! three times            3          2       4  heard 3
//!
//! survives alone  eff  crashes  delay  partitions  broken by
//! always           ≥5       ≥1     ≥5          ≥2  nothing
//! once              1       ≥1      4           0  lose a->b@1
//! three times       3       ≥1      4           0  lose a->b@1; lose a->b@2; lose a->b@3
//!
//! worst one fault  messages  kept from  stored  fault
//! always                  5          3       4  lose a->b@1
//! once                    1      never       3  lose a->b@1
//! three times             3          3       4  lose a->b@1
//!
//! frontier of eff and crashes: ● survived  ✗ broken  ○ nothing promised  ? not known
//!
//! always                once                  three times
//!       eff 1 2 3 4 5         eff 1 2 3 4 5         eff 1 2 3 4 5
//! 0 crashes ● ● ● ● ●   0 crashes ● ✗ ✗ ✗ ✗   0 crashes ● ● ● ✗ ✗
//!   1 crash ● ● ● ● ●     1 crash ● ✗ ✗ ✗ ✗     1 crash ● ● ● ✗ ✗
//! ```
//!
//! Each time that it is said again buys one more step of losses, for one more message. Only the one that never stops survives
//! all that the end of time leaves room for.
//!
//! # 7. Certified
//!
//! `fault-tolerant` is a proof, and it can be had in writing: the question as a formula, the solver's proof that it has no
//! answer, and the firings that the formula was made from, for any checker to read. `docs/certificates.md` says what they
//! vouch for.
//!
//! ```
//! # use ldfi::prelude::*;
//! # dedalus! { program Exempt {
//! #     said(Node, What) :- say(Node, What);
//! #     said(Node, What)@next :- said(Node, What);
//! #     peer(Node, Other)@next :- peer(Node, Other);
//! #     heard(Other, What)@async :- said(Node, What), peer(Node, Other);
//! #     heard(Node, What)@next :- heard(Node, What);
//! #     pre(What) :- say("a", What)@1, notin crash(_, "a", _);
//! #     post(What) :- heard("b", What);
//! #     say("a", "hello")@1; peer("a", "b")@1; peer("b", "a")@1;
//! # } }
//! # let folder = std::env::temp_dir().join(format!("ldfi-tutorial-{}", std::process::id()));
//! let check = ldfi::check(Exempt::new()).eot(6).eff(5).crashes(1);
//! let found = check.write_proof(&folder).unwrap();
//! assert_eq!(found.verdict, Verdict::FaultTolerant);
//! assert!(folder.join("violated.drat").exists());
//!
//! // And is every rule needed for it?
//! println!("{}", check.challenge().unwrap().unwrap());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! ```
//!
//! ```text
//! 5 parts of the protocol (rules, negated literals) left out in turn:
//! without this it is still fault-tolerant:
//!   line 9: heard(Node, What)@next :- heard(Node, What);
//! ```
//!
//! A proof says that the promise holds, not that it is the promise you wanted. The challenge leaves out each rule and each
//! negated literal in turn: a rule that no promise depends on is either not needed, or there for something that was never
//! promised. What `b` has heard it is told again at every step, so remembering it is not needed; a promise that `b`
//! *acts* on what it heard would need it.
//!
//! # 8. Growing it
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
//! # 9. Worse worlds
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

//! The measured protocols for `ascent` and `crepe`. Written by `encode_peers`, see `crate::encode`.

/// `simple`.
pub mod simple {
/// The strings of its rules.
pub const CONSTANTS: &[&str] = &[];

/// `simple` for `ascent`.
pub mod ascent {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    ascent::ascent! {
        pub struct Program;
        relation node(u32, u32, u32);
        relation bcast(u32, u32, u32);
        relation missing_log(u32, u32, u32);
        relation log(u32, u32, u32);
        relation pre(u32, u32, u32);
        relation post(u32, u32, u32);
        relation clock(u32, u32, u32);
        relation crash(u32, u32, u32);
        node(n, m, now + 1) <-- node(n, m, now), clock(n, n, now);
        missing_log(a, p, now) <-- log(x, p, now), node(x, a, now), !log(a, p, now);
        pre(x, p, now) <-- log(x, p, now), !crash(_, x, _);
        post(x, p, now) <-- log(x, p, now), !missing_log(_, p, now);
        log(n, p, now) <-- bcast(n, p, now);
        log(n, p, now + 1) <-- log(n, p, now), clock(n, n, now);
        log(m, p, now + 1) <-- bcast(n, p, now), node(n, m, now), clock(n, m, now);
    }

    /// The facts.
    pub struct Input {
        node: Vec<(u32, u32, u32)>,
        bcast: Vec<(u32, u32, u32)>,
        clock: Vec<(u32, u32, u32)>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Program;
        fn load(world: &World) -> Input {
            Input {
                node: world.facts("node").iter().map(|(time, row)| (row[0], row[1], *time)).collect(),
                bcast: world.facts("bcast").iter().map(|(time, row)| (row[0], row[1], *time)).collect(),
                clock: world.clock().map(|(from, to, time)| (from, to, time)).collect(),
            }
        }
        fn run(input: &Input) -> Program {
            let mut program = Program::default();
            program.node = input.node.clone();
            program.bcast = input.bcast.clone();
            program.clock = input.clock.clone();
            program.run();
            program
        }
        fn tuples(output: &Self::Output) -> Tuples {
            let mut tuples = Tuples::new();
            tuples.extend(output.node.iter().map(|row| ("node".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.missing_log.iter().map(|row| ("missing_log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.log.iter().map(|row| ("log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], row.2)));
            tuples
        }
    }
}

/// `simple` for `crepe`.
pub mod crepe {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    crepe::crepe! {
        @input pub struct NodeIn(pub u32, pub u32, pub u32);
        @output pub struct Node(pub u32, pub u32, pub u32);
        @input pub struct Bcast(pub u32, pub u32, pub u32);
        @output pub struct MissingLog(pub u32, pub u32, pub u32);
        @output pub struct Log(pub u32, pub u32, pub u32);
        @output pub struct Pre(pub u32, pub u32, pub u32);
        @output pub struct Post(pub u32, pub u32, pub u32);
        @input pub struct Clock(pub u32, pub u32, pub u32);
        @input pub struct Crash(pub u32, pub u32, pub u32);
        Node(c0, c1, now) <- NodeIn(c0, c1, now);
        Node(n, m, now + 1) <- Node(n, m, now), Clock(n, n, now);
        MissingLog(a, p, now) <- Log(x, p, now), Node(x, a, now), !Log(a, p, now);
        Pre(x, p, now) <- Log(x, p, now), !Crash(_, x, _);
        Post(x, p, now) <- Log(x, p, now), !MissingLog(_, p, now);
        Log(n, p, now) <- Bcast(n, p, now);
        Log(n, p, now + 1) <- Log(n, p, now), Clock(n, n, now);
        Log(m, p, now + 1) <- Bcast(n, p, now), Node(n, m, now), Clock(n, m, now);
    }

    /// The facts.
    pub struct Input {
        node: Vec<NodeIn>,
        bcast: Vec<Bcast>,
        clock: Vec<Clock>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Output;
        fn load(world: &World) -> Input {
            Input {
                node: world.facts("node").iter().map(|(time, row)| NodeIn(row[0], row[1], *time)).collect(),
                bcast: world.facts("bcast").iter().map(|(time, row)| Bcast(row[0], row[1], *time)).collect(),
                clock: world.clock().map(|(from, to, time)| Clock(from, to, time)).collect(),
            }
        }
        fn run(input: &Input) -> Output {
            let mut program = Crepe::new();
            program.extend(input.node.iter().copied());
            program.extend(input.bcast.iter().copied());
            program.extend(input.clock.iter().copied());
            let (node, missing_log, log, pre, post,) = program.run_with_hasher::<rustc_hash::FxBuildHasher>();
            Output { node, missing_log, log, pre, post }
        }
        fn tuples(output: &Self::Output) -> Tuples {
            let mut tuples = Tuples::new();
            tuples.extend(output.node.iter().map(|row| ("node".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.missing_log.iter().map(|row| ("missing_log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.log.iter().map(|row| ("log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], row.2)));
            tuples
        }
    }

    /// What came of it.
    pub struct Output {
        node: std::collections::HashSet<Node, rustc_hash::FxBuildHasher>,
        missing_log: std::collections::HashSet<MissingLog, rustc_hash::FxBuildHasher>,
        log: std::collections::HashSet<Log, rustc_hash::FxBuildHasher>,
        pre: std::collections::HashSet<Pre, rustc_hash::FxBuildHasher>,
        post: std::collections::HashSet<Post, rustc_hash::FxBuildHasher>,
    }
}
}

/// `retry`.
pub mod retry {
/// The strings of its rules.
pub const CONSTANTS: &[&str] = &[];

/// `retry` for `ascent`.
pub mod ascent {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    ascent::ascent! {
        pub struct Program;
        relation node(u32, u32, u32);
        relation bcast(u32, u32, u32);
        relation missing_log(u32, u32, u32);
        relation log(u32, u32, u32);
        relation pre(u32, u32, u32);
        relation post(u32, u32, u32);
        relation clock(u32, u32, u32);
        relation crash(u32, u32, u32);
        node(n, m, now + 1) <-- node(n, m, now), clock(n, n, now);
        missing_log(a, p, now) <-- log(x, p, now), node(x, a, now), !log(a, p, now);
        pre(x, p, now) <-- log(x, p, now), !crash(_, x, _);
        post(x, p, now) <-- log(x, p, now), !missing_log(_, p, now);
        log(n, p, now) <-- bcast(n, p, now);
        log(n, p, now + 1) <-- log(n, p, now), clock(n, n, now);
        log(m, p, now + 1) <-- bcast(n, p, now), node(n, m, now), clock(n, m, now);
        bcast(n, p, now + 1) <-- bcast(n, p, now), clock(n, n, now);
    }

    /// The facts.
    pub struct Input {
        node: Vec<(u32, u32, u32)>,
        bcast: Vec<(u32, u32, u32)>,
        clock: Vec<(u32, u32, u32)>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Program;
        fn load(world: &World) -> Input {
            Input {
                node: world.facts("node").iter().map(|(time, row)| (row[0], row[1], *time)).collect(),
                bcast: world.facts("bcast").iter().map(|(time, row)| (row[0], row[1], *time)).collect(),
                clock: world.clock().map(|(from, to, time)| (from, to, time)).collect(),
            }
        }
        fn run(input: &Input) -> Program {
            let mut program = Program::default();
            program.node = input.node.clone();
            program.bcast = input.bcast.clone();
            program.clock = input.clock.clone();
            program.run();
            program
        }
        fn tuples(output: &Self::Output) -> Tuples {
            let mut tuples = Tuples::new();
            tuples.extend(output.node.iter().map(|row| ("node".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.bcast.iter().map(|row| ("bcast".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.missing_log.iter().map(|row| ("missing_log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.log.iter().map(|row| ("log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], row.2)));
            tuples
        }
    }
}

/// `retry` for `crepe`.
pub mod crepe {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    crepe::crepe! {
        @input pub struct NodeIn(pub u32, pub u32, pub u32);
        @output pub struct Node(pub u32, pub u32, pub u32);
        @input pub struct BcastIn(pub u32, pub u32, pub u32);
        @output pub struct Bcast(pub u32, pub u32, pub u32);
        @output pub struct MissingLog(pub u32, pub u32, pub u32);
        @output pub struct Log(pub u32, pub u32, pub u32);
        @output pub struct Pre(pub u32, pub u32, pub u32);
        @output pub struct Post(pub u32, pub u32, pub u32);
        @input pub struct Clock(pub u32, pub u32, pub u32);
        @input pub struct Crash(pub u32, pub u32, pub u32);
        Node(c0, c1, now) <- NodeIn(c0, c1, now);
        Bcast(c0, c1, now) <- BcastIn(c0, c1, now);
        Node(n, m, now + 1) <- Node(n, m, now), Clock(n, n, now);
        MissingLog(a, p, now) <- Log(x, p, now), Node(x, a, now), !Log(a, p, now);
        Pre(x, p, now) <- Log(x, p, now), !Crash(_, x, _);
        Post(x, p, now) <- Log(x, p, now), !MissingLog(_, p, now);
        Log(n, p, now) <- Bcast(n, p, now);
        Log(n, p, now + 1) <- Log(n, p, now), Clock(n, n, now);
        Log(m, p, now + 1) <- Bcast(n, p, now), Node(n, m, now), Clock(n, m, now);
        Bcast(n, p, now + 1) <- Bcast(n, p, now), Clock(n, n, now);
    }

    /// The facts.
    pub struct Input {
        node: Vec<NodeIn>,
        bcast: Vec<BcastIn>,
        clock: Vec<Clock>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Output;
        fn load(world: &World) -> Input {
            Input {
                node: world.facts("node").iter().map(|(time, row)| NodeIn(row[0], row[1], *time)).collect(),
                bcast: world.facts("bcast").iter().map(|(time, row)| BcastIn(row[0], row[1], *time)).collect(),
                clock: world.clock().map(|(from, to, time)| Clock(from, to, time)).collect(),
            }
        }
        fn run(input: &Input) -> Output {
            let mut program = Crepe::new();
            program.extend(input.node.iter().copied());
            program.extend(input.bcast.iter().copied());
            program.extend(input.clock.iter().copied());
            let (node, bcast, missing_log, log, pre, post,) = program.run_with_hasher::<rustc_hash::FxBuildHasher>();
            Output { node, bcast, missing_log, log, pre, post }
        }
        fn tuples(output: &Self::Output) -> Tuples {
            let mut tuples = Tuples::new();
            tuples.extend(output.node.iter().map(|row| ("node".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.bcast.iter().map(|row| ("bcast".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.missing_log.iter().map(|row| ("missing_log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.log.iter().map(|row| ("log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], row.2)));
            tuples
        }
    }

    /// What came of it.
    pub struct Output {
        node: std::collections::HashSet<Node, rustc_hash::FxBuildHasher>,
        bcast: std::collections::HashSet<Bcast, rustc_hash::FxBuildHasher>,
        missing_log: std::collections::HashSet<MissingLog, rustc_hash::FxBuildHasher>,
        log: std::collections::HashSet<Log, rustc_hash::FxBuildHasher>,
        pre: std::collections::HashSet<Pre, rustc_hash::FxBuildHasher>,
        post: std::collections::HashSet<Post, rustc_hash::FxBuildHasher>,
    }
}
}

/// `redun`.
pub mod redun {
/// The strings of its rules.
pub const CONSTANTS: &[&str] = &[];

/// `redun` for `ascent`.
pub mod ascent {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    ascent::ascent! {
        pub struct Program;
        relation node(u32, u32, u32);
        relation bcast(u32, u32, u32);
        relation missing_log(u32, u32, u32);
        relation log(u32, u32, u32);
        relation pre(u32, u32, u32);
        relation post(u32, u32, u32);
        relation clock(u32, u32, u32);
        relation crash(u32, u32, u32);
        node(n, m, now + 1) <-- node(n, m, now), clock(n, n, now);
        missing_log(a, p, now) <-- log(x, p, now), node(x, a, now), !log(a, p, now);
        pre(x, p, now) <-- log(x, p, now), !crash(_, x, _);
        post(x, p, now) <-- log(x, p, now), !missing_log(_, p, now);
        log(n, p, now) <-- bcast(n, p, now);
        log(n, p, now + 1) <-- log(n, p, now), clock(n, n, now);
        log(m, p, now + 1) <-- bcast(n, p, now), node(n, m, now), clock(n, m, now);
        bcast(n, p, now + 1) <-- bcast(n, p, now), clock(n, n, now);
        log(m, p, now + 1) <-- log(n, p, now), node(n, m, now), clock(n, m, now);
    }

    /// The facts.
    pub struct Input {
        node: Vec<(u32, u32, u32)>,
        bcast: Vec<(u32, u32, u32)>,
        clock: Vec<(u32, u32, u32)>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Program;
        fn load(world: &World) -> Input {
            Input {
                node: world.facts("node").iter().map(|(time, row)| (row[0], row[1], *time)).collect(),
                bcast: world.facts("bcast").iter().map(|(time, row)| (row[0], row[1], *time)).collect(),
                clock: world.clock().map(|(from, to, time)| (from, to, time)).collect(),
            }
        }
        fn run(input: &Input) -> Program {
            let mut program = Program::default();
            program.node = input.node.clone();
            program.bcast = input.bcast.clone();
            program.clock = input.clock.clone();
            program.run();
            program
        }
        fn tuples(output: &Self::Output) -> Tuples {
            let mut tuples = Tuples::new();
            tuples.extend(output.node.iter().map(|row| ("node".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.bcast.iter().map(|row| ("bcast".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.missing_log.iter().map(|row| ("missing_log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.log.iter().map(|row| ("log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], row.2)));
            tuples
        }
    }
}

/// `redun` for `crepe`.
pub mod crepe {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    crepe::crepe! {
        @input pub struct NodeIn(pub u32, pub u32, pub u32);
        @output pub struct Node(pub u32, pub u32, pub u32);
        @input pub struct BcastIn(pub u32, pub u32, pub u32);
        @output pub struct Bcast(pub u32, pub u32, pub u32);
        @output pub struct MissingLog(pub u32, pub u32, pub u32);
        @output pub struct Log(pub u32, pub u32, pub u32);
        @output pub struct Pre(pub u32, pub u32, pub u32);
        @output pub struct Post(pub u32, pub u32, pub u32);
        @input pub struct Clock(pub u32, pub u32, pub u32);
        @input pub struct Crash(pub u32, pub u32, pub u32);
        Node(c0, c1, now) <- NodeIn(c0, c1, now);
        Bcast(c0, c1, now) <- BcastIn(c0, c1, now);
        Node(n, m, now + 1) <- Node(n, m, now), Clock(n, n, now);
        MissingLog(a, p, now) <- Log(x, p, now), Node(x, a, now), !Log(a, p, now);
        Pre(x, p, now) <- Log(x, p, now), !Crash(_, x, _);
        Post(x, p, now) <- Log(x, p, now), !MissingLog(_, p, now);
        Log(n, p, now) <- Bcast(n, p, now);
        Log(n, p, now + 1) <- Log(n, p, now), Clock(n, n, now);
        Log(m, p, now + 1) <- Bcast(n, p, now), Node(n, m, now), Clock(n, m, now);
        Bcast(n, p, now + 1) <- Bcast(n, p, now), Clock(n, n, now);
        Log(m, p, now + 1) <- Log(n, p, now), Node(n, m, now), Clock(n, m, now);
    }

    /// The facts.
    pub struct Input {
        node: Vec<NodeIn>,
        bcast: Vec<BcastIn>,
        clock: Vec<Clock>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Output;
        fn load(world: &World) -> Input {
            Input {
                node: world.facts("node").iter().map(|(time, row)| NodeIn(row[0], row[1], *time)).collect(),
                bcast: world.facts("bcast").iter().map(|(time, row)| BcastIn(row[0], row[1], *time)).collect(),
                clock: world.clock().map(|(from, to, time)| Clock(from, to, time)).collect(),
            }
        }
        fn run(input: &Input) -> Output {
            let mut program = Crepe::new();
            program.extend(input.node.iter().copied());
            program.extend(input.bcast.iter().copied());
            program.extend(input.clock.iter().copied());
            let (node, bcast, missing_log, log, pre, post,) = program.run_with_hasher::<rustc_hash::FxBuildHasher>();
            Output { node, bcast, missing_log, log, pre, post }
        }
        fn tuples(output: &Self::Output) -> Tuples {
            let mut tuples = Tuples::new();
            tuples.extend(output.node.iter().map(|row| ("node".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.bcast.iter().map(|row| ("bcast".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.missing_log.iter().map(|row| ("missing_log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.log.iter().map(|row| ("log".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], row.2)));
            tuples.extend(output.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], row.2)));
            tuples
        }
    }

    /// What came of it.
    pub struct Output {
        node: std::collections::HashSet<Node, rustc_hash::FxBuildHasher>,
        bcast: std::collections::HashSet<Bcast, rustc_hash::FxBuildHasher>,
        missing_log: std::collections::HashSet<MissingLog, rustc_hash::FxBuildHasher>,
        log: std::collections::HashSet<Log, rustc_hash::FxBuildHasher>,
        pre: std::collections::HashSet<Pre, rustc_hash::FxBuildHasher>,
        post: std::collections::HashSet<Post, rustc_hash::FxBuildHasher>,
    }
}
}

/// `classic`.
pub mod classic {
/// The strings of its rules.
pub const CONSTANTS: &[&str] = &[];

/// `classic` for `ascent`.
pub mod ascent {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    ascent::ascent! {
        pub struct Program;
        relation node(u32, u32);
        relation bcast(u32, u32);
        relation missing_log(u32, u32);
        relation log(u32, u32);
        relation pre(u32, u32);
        relation post(u32, u32);
        relation rcv(u32, u32);
        relation node_next(u32, u32);
        relation log_next(u32, u32);
        relation rcv_next(u32, u32);
        relation clock(u32, u32);
        relation crash(u32, u32, u32);
        node_next(n, m) <-- node(n, m);
        missing_log(a, p) <-- log(x, p), node(x, a), !log(a, p);
        pre(x, p) <-- log(x, p), !crash(_, x, _);
        post(x, p) <-- log(x, p), !missing_log(_, p);
        log_next(n, p) <-- log(n, p);
        rcv(n, p) <-- bcast(n, p);
        rcv_next(m, p) <-- rcv(n, p), node(n, m), !log(n, p), clock(n, m);
        log_next(n, p) <-- rcv(n, p);
    }

    /// What a step begins with.
    #[derive(Clone, Default)]
    pub struct Fed {
        node: Vec<(u32, u32)>,
        bcast: Vec<(u32, u32)>,
        log: Vec<(u32, u32)>,
        rcv: Vec<(u32, u32)>,
    }

    /// The facts of each step, and the messages that get through.
    pub struct Input {
        facts: Vec<Fed>,
        clock: Vec<(u32, u32)>,
    }

    /// What held in a step.
    pub struct Step {
        node: Vec<(u32, u32)>,
        bcast: Vec<(u32, u32)>,
        missing_log: Vec<(u32, u32)>,
        log: Vec<(u32, u32)>,
        pre: Vec<(u32, u32)>,
        post: Vec<(u32, u32)>,
        rcv: Vec<(u32, u32)>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Vec<Step>;
        fn load(world: &World) -> Input {
            let facts = (1..=world.eot).map(|time| Fed {
                node: world.facts_at("node", time).map(|row| (row[0], row[1])).collect(),
                bcast: world.facts_at("bcast", time).map(|row| (row[0], row[1])).collect(),
                log: world.facts_at("log", time).map(|row| (row[0], row[1])).collect(),
                rcv: world.facts_at("rcv", time).map(|row| (row[0], row[1])).collect(),
            });
            let facts = facts.collect();
            let pairs = world.nodes.iter().flat_map(|from| world.nodes.iter().map(move |to| (*from, *to)));
            Input { facts, clock: pairs.collect() }
        }
        fn run(input: &Input) -> Vec<Step> {
            let mut steps = Vec::with_capacity(input.facts.len());
            let mut arrived = Fed::default();
            for facts in &input.facts {
                arrived.node.extend_from_slice(&facts.node);
                arrived.bcast.extend_from_slice(&facts.bcast);
                arrived.log.extend_from_slice(&facts.log);
                arrived.rcv.extend_from_slice(&facts.rcv);
                let mut program = Program::default();
                program.clock = input.clock.clone();
                program.node = std::mem::take(&mut arrived.node);
                program.bcast = std::mem::take(&mut arrived.bcast);
                program.log = std::mem::take(&mut arrived.log);
                program.rcv = std::mem::take(&mut arrived.rcv);
                program.run();
                arrived.log = std::mem::take(&mut program.log_next);
                arrived.node = std::mem::take(&mut program.node_next);
                arrived.rcv = std::mem::take(&mut program.rcv_next);
                steps.push(Step {
                    node: std::mem::take(&mut program.node),
                    bcast: std::mem::take(&mut program.bcast),
                    missing_log: std::mem::take(&mut program.missing_log),
                    log: std::mem::take(&mut program.log),
                    pre: std::mem::take(&mut program.pre),
                    post: std::mem::take(&mut program.post),
                    rcv: std::mem::take(&mut program.rcv),
                });
            }
            steps
        }
        fn tuples(output: &Vec<Step>) -> Tuples {
            let mut tuples = Tuples::new();
            for (time, step) in (1..).zip(output) {
                tuples.extend(step.node.iter().map(|row| ("node".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.bcast.iter().map(|row| ("bcast".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.missing_log.iter().map(|row| ("missing_log".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.log.iter().map(|row| ("log".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.rcv.iter().map(|row| ("rcv".to_owned(), vec![row.0, row.1], time)));
            }
            tuples
        }
    }
}

/// `classic` for `crepe`.
pub mod crepe {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    crepe::crepe! {
        @input pub struct Node(pub u32, pub u32);
        @output pub struct NodeNext(pub u32, pub u32);
        @input pub struct Bcast(pub u32, pub u32);
        @output pub struct MissingLog(pub u32, pub u32);
        @input pub struct Log(pub u32, pub u32);
        @output pub struct LogNext(pub u32, pub u32);
        @output pub struct Pre(pub u32, pub u32);
        @output pub struct Post(pub u32, pub u32);
        @input pub struct RcvIn(pub u32, pub u32);
        @output pub struct Rcv(pub u32, pub u32);
        @output pub struct RcvNext(pub u32, pub u32);
        @input pub struct Clock(pub u32, pub u32);
        @input pub struct Crash(pub u32, pub u32, pub u32);
        Rcv(c0, c1) <- RcvIn(c0, c1);
        NodeNext(n, m) <- Node(n, m);
        MissingLog(a, p) <- Log(x, p), Node(x, a), !Log(a, p);
        Pre(x, p) <- Log(x, p), !Crash(_, x, _);
        Post(x, p) <- Log(x, p), !MissingLog(_, p);
        LogNext(n, p) <- Log(n, p);
        Rcv(n, p) <- Bcast(n, p);
        RcvNext(m, p) <- Rcv(n, p), Node(n, m), !Log(n, p), Clock(n, m);
        LogNext(n, p) <- Rcv(n, p);
    }

    /// What a step begins with.
    #[derive(Clone, Default)]
    pub struct Fed {
        node: Vec<Node>,
        bcast: Vec<Bcast>,
        log: Vec<Log>,
        rcv: Vec<RcvIn>,
    }

    /// The facts of each step, and the messages that get through.
    pub struct Input {
        facts: Vec<Fed>,
        clock: Vec<Clock>,
    }

    /// What held in a step.
    pub struct Step {
        node: Vec<Node>,
        bcast: Vec<Bcast>,
        missing_log: std::collections::HashSet<MissingLog, rustc_hash::FxBuildHasher>,
        log: Vec<Log>,
        pre: std::collections::HashSet<Pre, rustc_hash::FxBuildHasher>,
        post: std::collections::HashSet<Post, rustc_hash::FxBuildHasher>,
        rcv: std::collections::HashSet<Rcv, rustc_hash::FxBuildHasher>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Vec<Step>;
        fn load(world: &World) -> Input {
            let facts = (1..=world.eot).map(|time| Fed {
                node: world.facts_at("node", time).map(|row| Node(row[0], row[1])).collect(),
                bcast: world.facts_at("bcast", time).map(|row| Bcast(row[0], row[1])).collect(),
                log: world.facts_at("log", time).map(|row| Log(row[0], row[1])).collect(),
                rcv: world.facts_at("rcv", time).map(|row| RcvIn(row[0], row[1])).collect(),
            });
            let facts = facts.collect();
            let pairs = world.nodes.iter().flat_map(|from| world.nodes.iter().map(move |to| Clock(*from, *to)));
            Input { facts, clock: pairs.collect() }
        }
        fn run(input: &Input) -> Vec<Step> {
            let mut steps = Vec::with_capacity(input.facts.len());
            let mut arrived = Fed::default();
            for facts in &input.facts {
                arrived.node.extend_from_slice(&facts.node);
                arrived.bcast.extend_from_slice(&facts.bcast);
                arrived.log.extend_from_slice(&facts.log);
                arrived.rcv.extend_from_slice(&facts.rcv);
                let mut program = Crepe::new();
                program.extend(input.clock.iter().copied());
                program.extend(arrived.node.iter().copied());
                program.extend(arrived.bcast.iter().copied());
                program.extend(arrived.log.iter().copied());
                program.extend(arrived.rcv.iter().copied());
                let node = std::mem::take(&mut arrived.node);
                let bcast = std::mem::take(&mut arrived.bcast);
                let log = std::mem::take(&mut arrived.log);
                let (node_next, missing_log, log_next, pre, post, rcv, rcv_next,) = program.run_with_hasher::<rustc_hash::FxBuildHasher>();
                arrived.node.clear();
                arrived.node.extend(node_next.iter().map(|row| Node(row.0, row.1)));
                arrived.log.clear();
                arrived.log.extend(log_next.iter().map(|row| Log(row.0, row.1)));
                arrived.rcv.clear();
                arrived.rcv.extend(rcv_next.iter().map(|row| RcvIn(row.0, row.1)));
                steps.push(Step { node, bcast, missing_log, log, pre, post, rcv });
            }
            steps
        }
        fn tuples(output: &Vec<Step>) -> Tuples {
            let mut tuples = Tuples::new();
            for (time, step) in (1..).zip(output) {
                tuples.extend(step.node.iter().map(|row| ("node".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.bcast.iter().map(|row| ("bcast".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.missing_log.iter().map(|row| ("missing_log".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.log.iter().map(|row| ("log".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.rcv.iter().map(|row| ("rcv".to_owned(), vec![row.0, row.1], time)));
            }
            tuples
        }
    }
}
}

/// `ack`.
pub mod ack {
/// The strings of its rules.
pub const CONSTANTS: &[&str] = &[];

/// `ack` for `ascent`.
pub mod ascent {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    ascent::ascent! {
        pub struct Program;
        relation node(u32, u32);
        relation bcast(u32, u32);
        relation missing_log(u32, u32);
        relation log(u32, u32);
        relation pre(u32, u32);
        relation post(u32, u32);
        relation rbcst(u32, u32, u32);
        relation ack(u32, u32, u32);
        relation node_next(u32, u32);
        relation log_next(u32, u32);
        relation rbcst_next(u32, u32, u32);
        relation ack_next(u32, u32, u32);
        relation clock(u32, u32);
        relation crash(u32, u32, u32);
        node_next(n, m) <-- node(n, m);
        missing_log(a, p) <-- log(x, p), node(x, a), !log(a, p);
        pre(x, p) <-- log(x, p), !crash(_, x, _);
        post(x, p) <-- log(x, p), !missing_log(_, p);
        log_next(n, p) <-- log(n, p);
        rbcst(n, n, p) <-- bcast(n, p);
        log(n, p) <-- rbcst(n, _, p);
        rbcst_next(m, n, p) <-- log(n, p), node(n, m), !ack(n, m, p), clock(n, m);
        ack_next(f, h, p) <-- rbcst(h, f, p), clock(h, f);
        ack_next(n, h, p) <-- ack(n, h, p);
    }

    /// What a step begins with.
    #[derive(Clone, Default)]
    pub struct Fed {
        node: Vec<(u32, u32)>,
        bcast: Vec<(u32, u32)>,
        log: Vec<(u32, u32)>,
        rbcst: Vec<(u32, u32, u32)>,
        ack: Vec<(u32, u32, u32)>,
    }

    /// The facts of each step, and the messages that get through.
    pub struct Input {
        facts: Vec<Fed>,
        clock: Vec<(u32, u32)>,
    }

    /// What held in a step.
    pub struct Step {
        node: Vec<(u32, u32)>,
        bcast: Vec<(u32, u32)>,
        missing_log: Vec<(u32, u32)>,
        log: Vec<(u32, u32)>,
        pre: Vec<(u32, u32)>,
        post: Vec<(u32, u32)>,
        rbcst: Vec<(u32, u32, u32)>,
        ack: Vec<(u32, u32, u32)>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Vec<Step>;
        fn load(world: &World) -> Input {
            let facts = (1..=world.eot).map(|time| Fed {
                node: world.facts_at("node", time).map(|row| (row[0], row[1])).collect(),
                bcast: world.facts_at("bcast", time).map(|row| (row[0], row[1])).collect(),
                log: world.facts_at("log", time).map(|row| (row[0], row[1])).collect(),
                rbcst: world.facts_at("rbcst", time).map(|row| (row[0], row[1], row[2])).collect(),
                ack: world.facts_at("ack", time).map(|row| (row[0], row[1], row[2])).collect(),
            });
            let facts = facts.collect();
            let pairs = world.nodes.iter().flat_map(|from| world.nodes.iter().map(move |to| (*from, *to)));
            Input { facts, clock: pairs.collect() }
        }
        fn run(input: &Input) -> Vec<Step> {
            let mut steps = Vec::with_capacity(input.facts.len());
            let mut arrived = Fed::default();
            for facts in &input.facts {
                arrived.node.extend_from_slice(&facts.node);
                arrived.bcast.extend_from_slice(&facts.bcast);
                arrived.log.extend_from_slice(&facts.log);
                arrived.rbcst.extend_from_slice(&facts.rbcst);
                arrived.ack.extend_from_slice(&facts.ack);
                let mut program = Program::default();
                program.clock = input.clock.clone();
                program.node = std::mem::take(&mut arrived.node);
                program.bcast = std::mem::take(&mut arrived.bcast);
                program.log = std::mem::take(&mut arrived.log);
                program.rbcst = std::mem::take(&mut arrived.rbcst);
                program.ack = std::mem::take(&mut arrived.ack);
                program.run();
                arrived.ack = std::mem::take(&mut program.ack_next);
                arrived.log = std::mem::take(&mut program.log_next);
                arrived.node = std::mem::take(&mut program.node_next);
                arrived.rbcst = std::mem::take(&mut program.rbcst_next);
                steps.push(Step {
                    node: std::mem::take(&mut program.node),
                    bcast: std::mem::take(&mut program.bcast),
                    missing_log: std::mem::take(&mut program.missing_log),
                    log: std::mem::take(&mut program.log),
                    pre: std::mem::take(&mut program.pre),
                    post: std::mem::take(&mut program.post),
                    rbcst: std::mem::take(&mut program.rbcst),
                    ack: std::mem::take(&mut program.ack),
                });
            }
            steps
        }
        fn tuples(output: &Vec<Step>) -> Tuples {
            let mut tuples = Tuples::new();
            for (time, step) in (1..).zip(output) {
                tuples.extend(step.node.iter().map(|row| ("node".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.bcast.iter().map(|row| ("bcast".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.missing_log.iter().map(|row| ("missing_log".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.log.iter().map(|row| ("log".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.rbcst.iter().map(|row| ("rbcst".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.ack.iter().map(|row| ("ack".to_owned(), vec![row.0, row.1, row.2], time)));
            }
            tuples
        }
    }
}

/// `ack` for `crepe`.
pub mod crepe {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    crepe::crepe! {
        @input pub struct Node(pub u32, pub u32);
        @output pub struct NodeNext(pub u32, pub u32);
        @input pub struct Bcast(pub u32, pub u32);
        @output pub struct MissingLog(pub u32, pub u32);
        @input pub struct LogIn(pub u32, pub u32);
        @output pub struct Log(pub u32, pub u32);
        @output pub struct LogNext(pub u32, pub u32);
        @output pub struct Pre(pub u32, pub u32);
        @output pub struct Post(pub u32, pub u32);
        @input pub struct RbcstIn(pub u32, pub u32, pub u32);
        @output pub struct Rbcst(pub u32, pub u32, pub u32);
        @output pub struct RbcstNext(pub u32, pub u32, pub u32);
        @input pub struct Ack(pub u32, pub u32, pub u32);
        @output pub struct AckNext(pub u32, pub u32, pub u32);
        @input pub struct Clock(pub u32, pub u32);
        @input pub struct Crash(pub u32, pub u32, pub u32);
        Log(c0, c1) <- LogIn(c0, c1);
        Rbcst(c0, c1, c2) <- RbcstIn(c0, c1, c2);
        NodeNext(n, m) <- Node(n, m);
        MissingLog(a, p) <- Log(x, p), Node(x, a), !Log(a, p);
        Pre(x, p) <- Log(x, p), !Crash(_, x, _);
        Post(x, p) <- Log(x, p), !MissingLog(_, p);
        LogNext(n, p) <- Log(n, p);
        Rbcst(n, n, p) <- Bcast(n, p);
        Log(n, p) <- Rbcst(n, _, p);
        RbcstNext(m, n, p) <- Log(n, p), Node(n, m), !Ack(n, m, p), Clock(n, m);
        AckNext(f, h, p) <- Rbcst(h, f, p), Clock(h, f);
        AckNext(n, h, p) <- Ack(n, h, p);
    }

    /// What a step begins with.
    #[derive(Clone, Default)]
    pub struct Fed {
        node: Vec<Node>,
        bcast: Vec<Bcast>,
        log: Vec<LogIn>,
        rbcst: Vec<RbcstIn>,
        ack: Vec<Ack>,
    }

    /// The facts of each step, and the messages that get through.
    pub struct Input {
        facts: Vec<Fed>,
        clock: Vec<Clock>,
    }

    /// What held in a step.
    pub struct Step {
        node: Vec<Node>,
        bcast: Vec<Bcast>,
        missing_log: std::collections::HashSet<MissingLog, rustc_hash::FxBuildHasher>,
        log: std::collections::HashSet<Log, rustc_hash::FxBuildHasher>,
        pre: std::collections::HashSet<Pre, rustc_hash::FxBuildHasher>,
        post: std::collections::HashSet<Post, rustc_hash::FxBuildHasher>,
        rbcst: std::collections::HashSet<Rbcst, rustc_hash::FxBuildHasher>,
        ack: Vec<Ack>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Vec<Step>;
        fn load(world: &World) -> Input {
            let facts = (1..=world.eot).map(|time| Fed {
                node: world.facts_at("node", time).map(|row| Node(row[0], row[1])).collect(),
                bcast: world.facts_at("bcast", time).map(|row| Bcast(row[0], row[1])).collect(),
                log: world.facts_at("log", time).map(|row| LogIn(row[0], row[1])).collect(),
                rbcst: world.facts_at("rbcst", time).map(|row| RbcstIn(row[0], row[1], row[2])).collect(),
                ack: world.facts_at("ack", time).map(|row| Ack(row[0], row[1], row[2])).collect(),
            });
            let facts = facts.collect();
            let pairs = world.nodes.iter().flat_map(|from| world.nodes.iter().map(move |to| Clock(*from, *to)));
            Input { facts, clock: pairs.collect() }
        }
        fn run(input: &Input) -> Vec<Step> {
            let mut steps = Vec::with_capacity(input.facts.len());
            let mut arrived = Fed::default();
            for facts in &input.facts {
                arrived.node.extend_from_slice(&facts.node);
                arrived.bcast.extend_from_slice(&facts.bcast);
                arrived.log.extend_from_slice(&facts.log);
                arrived.rbcst.extend_from_slice(&facts.rbcst);
                arrived.ack.extend_from_slice(&facts.ack);
                let mut program = Crepe::new();
                program.extend(input.clock.iter().copied());
                program.extend(arrived.node.iter().copied());
                program.extend(arrived.bcast.iter().copied());
                program.extend(arrived.log.iter().copied());
                program.extend(arrived.rbcst.iter().copied());
                program.extend(arrived.ack.iter().copied());
                let node = std::mem::take(&mut arrived.node);
                let bcast = std::mem::take(&mut arrived.bcast);
                let ack = std::mem::take(&mut arrived.ack);
                let (node_next, missing_log, log, log_next, pre, post, rbcst, rbcst_next, ack_next,) = program.run_with_hasher::<rustc_hash::FxBuildHasher>();
                arrived.node.clear();
                arrived.node.extend(node_next.iter().map(|row| Node(row.0, row.1)));
                arrived.log.clear();
                arrived.log.extend(log_next.iter().map(|row| LogIn(row.0, row.1)));
                arrived.rbcst.clear();
                arrived.rbcst.extend(rbcst_next.iter().map(|row| RbcstIn(row.0, row.1, row.2)));
                arrived.ack.clear();
                arrived.ack.extend(ack_next.iter().map(|row| Ack(row.0, row.1, row.2)));
                steps.push(Step { node, bcast, missing_log, log, pre, post, rbcst, ack });
            }
            steps
        }
        fn tuples(output: &Vec<Step>) -> Tuples {
            let mut tuples = Tuples::new();
            for (time, step) in (1..).zip(output) {
                tuples.extend(step.node.iter().map(|row| ("node".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.bcast.iter().map(|row| ("bcast".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.missing_log.iter().map(|row| ("missing_log".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.log.iter().map(|row| ("log".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.rbcst.iter().map(|row| ("rbcst".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.ack.iter().map(|row| ("ack".to_owned(), vec![row.0, row.1, row.2], time)));
            }
            tuples
        }
    }
}
}

/// `two_pc`.
pub mod two_pc {
/// The strings of its rules.
pub const CONSTANTS: &[&str] = &["yes", "no", "abort", "commit", "agreement", "termination"];

/// `two_pc` for `ascent`.
pub mod ascent {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    ascent::ascent! {
        pub struct Program;
        relation begin(u32, u32);
        relation agent(u32, u32);
        relation can(u32, u32);
        relation waiting(u32, u32);
        relation prepare(u32, u32, u32);
        relation prepared(u32, u32);
        relation vote(u32, u32, u32, u32);
        relation decision(u32, u32, u32);
        relation missing_vote(u32, u32);
        relation decide(u32, u32, u32);
        relation settled(u32, u32, u32);
        relation conflict(u32);
        relation undecided(u32);
        relation pre(u32, u32);
        relation post(u32, u32);
        relation agent_next(u32, u32);
        relation can_next(u32, u32);
        relation waiting_next(u32, u32);
        relation prepare_next(u32, u32, u32);
        relation prepared_next(u32, u32);
        relation vote_next(u32, u32, u32, u32);
        relation decision_next(u32, u32, u32);
        relation clock(u32, u32);
        relation crash(u32, u32, u32);
        agent_next(c, a) <-- agent(c, a);
        can_next(a, x) <-- can(a, x);
        waiting(c, x) <-- begin(c, x);
        prepare_next(a, c, x) <-- begin(c, x), agent(c, a), clock(c, a);
        prepared(a, x) <-- prepare(a, _, x);
        prepared_next(a, x) <-- prepared(a, x);
        vote_next(c, a, x, 1000000) <-- prepare(a, c, x), can(a, x), clock(a, c);
        vote_next(c, a, x, 1000001) <-- prepare(a, c, x), !can(a, x), clock(a, c);
        decision(a, x, 1000002) <-- prepare(a, _, x), !can(a, x);
        vote_next(c, a, x, v) <-- vote(c, a, x, v);
        missing_vote(c, x) <-- waiting(c, x), agent(c, a), !vote(c, a, x, 1000000);
        decide(c, x, 1000003) <-- waiting(c, x), !missing_vote(c, x);
        decide(c, x, 1000002) <-- waiting(c, x), vote(c, _, x, 1000001);
        waiting_next(c, x) <-- waiting(c, x), !decide(c, x, _);
        decision(c, x, d) <-- decide(c, x, d);
        decision_next(a, x, d) <-- decide(c, x, d), agent(c, a), clock(c, a);
        decision_next(n, x, d) <-- decision(n, x, d);
        settled(n, x, d) <-- decision(n, x, d), !crash(_, n, _);
        conflict(x) <-- settled(_, x, 1000003), settled(_, x, 1000002);
        undecided(x) <-- prepared(a, x), !decision(a, x, _), !crash(_, a, _);
        pre(1000004, x) <-- settled(_, x, _);
        post(1000004, x) <-- settled(_, x, _), !conflict(x);
        pre(1000005, x) <-- prepared(_, x);
        post(1000005, x) <-- prepared(_, x), !undecided(x);
    }

    /// What a step begins with.
    #[derive(Clone, Default)]
    pub struct Fed {
        begin: Vec<(u32, u32)>,
        agent: Vec<(u32, u32)>,
        can: Vec<(u32, u32)>,
        waiting: Vec<(u32, u32)>,
        prepare: Vec<(u32, u32, u32)>,
        prepared: Vec<(u32, u32)>,
        vote: Vec<(u32, u32, u32, u32)>,
        decision: Vec<(u32, u32, u32)>,
    }

    /// The facts of each step, and the messages that get through.
    pub struct Input {
        facts: Vec<Fed>,
        clock: Vec<(u32, u32)>,
    }

    /// What held in a step.
    pub struct Step {
        begin: Vec<(u32, u32)>,
        agent: Vec<(u32, u32)>,
        can: Vec<(u32, u32)>,
        waiting: Vec<(u32, u32)>,
        prepare: Vec<(u32, u32, u32)>,
        prepared: Vec<(u32, u32)>,
        vote: Vec<(u32, u32, u32, u32)>,
        decision: Vec<(u32, u32, u32)>,
        missing_vote: Vec<(u32, u32)>,
        decide: Vec<(u32, u32, u32)>,
        settled: Vec<(u32, u32, u32)>,
        conflict: Vec<(u32,)>,
        undecided: Vec<(u32,)>,
        pre: Vec<(u32, u32)>,
        post: Vec<(u32, u32)>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Vec<Step>;
        fn load(world: &World) -> Input {
            let facts = (1..=world.eot).map(|time| Fed {
                begin: world.facts_at("begin", time).map(|row| (row[0], row[1])).collect(),
                agent: world.facts_at("agent", time).map(|row| (row[0], row[1])).collect(),
                can: world.facts_at("can", time).map(|row| (row[0], row[1])).collect(),
                waiting: world.facts_at("waiting", time).map(|row| (row[0], row[1])).collect(),
                prepare: world.facts_at("prepare", time).map(|row| (row[0], row[1], row[2])).collect(),
                prepared: world.facts_at("prepared", time).map(|row| (row[0], row[1])).collect(),
                vote: world.facts_at("vote", time).map(|row| (row[0], row[1], row[2], row[3])).collect(),
                decision: world.facts_at("decision", time).map(|row| (row[0], row[1], row[2])).collect(),
            });
            let facts = facts.collect();
            let pairs = world.nodes.iter().flat_map(|from| world.nodes.iter().map(move |to| (*from, *to)));
            Input { facts, clock: pairs.collect() }
        }
        fn run(input: &Input) -> Vec<Step> {
            let mut steps = Vec::with_capacity(input.facts.len());
            let mut arrived = Fed::default();
            for facts in &input.facts {
                arrived.begin.extend_from_slice(&facts.begin);
                arrived.agent.extend_from_slice(&facts.agent);
                arrived.can.extend_from_slice(&facts.can);
                arrived.waiting.extend_from_slice(&facts.waiting);
                arrived.prepare.extend_from_slice(&facts.prepare);
                arrived.prepared.extend_from_slice(&facts.prepared);
                arrived.vote.extend_from_slice(&facts.vote);
                arrived.decision.extend_from_slice(&facts.decision);
                let mut program = Program::default();
                program.clock = input.clock.clone();
                program.begin = std::mem::take(&mut arrived.begin);
                program.agent = std::mem::take(&mut arrived.agent);
                program.can = std::mem::take(&mut arrived.can);
                program.waiting = std::mem::take(&mut arrived.waiting);
                program.prepare = std::mem::take(&mut arrived.prepare);
                program.prepared = std::mem::take(&mut arrived.prepared);
                program.vote = std::mem::take(&mut arrived.vote);
                program.decision = std::mem::take(&mut arrived.decision);
                program.run();
                arrived.agent = std::mem::take(&mut program.agent_next);
                arrived.can = std::mem::take(&mut program.can_next);
                arrived.decision = std::mem::take(&mut program.decision_next);
                arrived.prepare = std::mem::take(&mut program.prepare_next);
                arrived.prepared = std::mem::take(&mut program.prepared_next);
                arrived.vote = std::mem::take(&mut program.vote_next);
                arrived.waiting = std::mem::take(&mut program.waiting_next);
                steps.push(Step {
                    begin: std::mem::take(&mut program.begin),
                    agent: std::mem::take(&mut program.agent),
                    can: std::mem::take(&mut program.can),
                    waiting: std::mem::take(&mut program.waiting),
                    prepare: std::mem::take(&mut program.prepare),
                    prepared: std::mem::take(&mut program.prepared),
                    vote: std::mem::take(&mut program.vote),
                    decision: std::mem::take(&mut program.decision),
                    missing_vote: std::mem::take(&mut program.missing_vote),
                    decide: std::mem::take(&mut program.decide),
                    settled: std::mem::take(&mut program.settled),
                    conflict: std::mem::take(&mut program.conflict),
                    undecided: std::mem::take(&mut program.undecided),
                    pre: std::mem::take(&mut program.pre),
                    post: std::mem::take(&mut program.post),
                });
            }
            steps
        }
        fn tuples(output: &Vec<Step>) -> Tuples {
            let mut tuples = Tuples::new();
            for (time, step) in (1..).zip(output) {
                tuples.extend(step.begin.iter().map(|row| ("begin".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.agent.iter().map(|row| ("agent".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.can.iter().map(|row| ("can".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.waiting.iter().map(|row| ("waiting".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.prepare.iter().map(|row| ("prepare".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.prepared.iter().map(|row| ("prepared".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.vote.iter().map(|row| ("vote".to_owned(), vec![row.0, row.1, row.2, row.3], time)));
                tuples.extend(step.decision.iter().map(|row| ("decision".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.missing_vote.iter().map(|row| ("missing_vote".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.decide.iter().map(|row| ("decide".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.settled.iter().map(|row| ("settled".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.conflict.iter().map(|row| ("conflict".to_owned(), vec![row.0], time)));
                tuples.extend(step.undecided.iter().map(|row| ("undecided".to_owned(), vec![row.0], time)));
                tuples.extend(step.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], time)));
            }
            tuples
        }
    }
}

/// `two_pc` for `crepe`.
pub mod crepe {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    crepe::crepe! {
        @input pub struct Begin(pub u32, pub u32);
        @input pub struct Agent(pub u32, pub u32);
        @output pub struct AgentNext(pub u32, pub u32);
        @input pub struct Can(pub u32, pub u32);
        @output pub struct CanNext(pub u32, pub u32);
        @input pub struct WaitingIn(pub u32, pub u32);
        @output pub struct Waiting(pub u32, pub u32);
        @output pub struct WaitingNext(pub u32, pub u32);
        @input pub struct Prepare(pub u32, pub u32, pub u32);
        @output pub struct PrepareNext(pub u32, pub u32, pub u32);
        @input pub struct PreparedIn(pub u32, pub u32);
        @output pub struct Prepared(pub u32, pub u32);
        @output pub struct PreparedNext(pub u32, pub u32);
        @input pub struct Vote(pub u32, pub u32, pub u32, pub u32);
        @output pub struct VoteNext(pub u32, pub u32, pub u32, pub u32);
        @input pub struct DecisionIn(pub u32, pub u32, pub u32);
        @output pub struct Decision(pub u32, pub u32, pub u32);
        @output pub struct DecisionNext(pub u32, pub u32, pub u32);
        @output pub struct MissingVote(pub u32, pub u32);
        @output pub struct Decide(pub u32, pub u32, pub u32);
        @output pub struct Settled(pub u32, pub u32, pub u32);
        @output pub struct Conflict(pub u32);
        @output pub struct Undecided(pub u32);
        @output pub struct Pre(pub u32, pub u32);
        @output pub struct Post(pub u32, pub u32);
        @input pub struct Clock(pub u32, pub u32);
        @input pub struct Crash(pub u32, pub u32, pub u32);
        Waiting(c0, c1) <- WaitingIn(c0, c1);
        Prepared(c0, c1) <- PreparedIn(c0, c1);
        Decision(c0, c1, c2) <- DecisionIn(c0, c1, c2);
        AgentNext(c, a) <- Agent(c, a);
        CanNext(a, x) <- Can(a, x);
        Waiting(c, x) <- Begin(c, x);
        PrepareNext(a, c, x) <- Begin(c, x), Agent(c, a), Clock(c, a);
        Prepared(a, x) <- Prepare(a, _, x);
        PreparedNext(a, x) <- Prepared(a, x);
        VoteNext(c, a, x, 1000000) <- Prepare(a, c, x), Can(a, x), Clock(a, c);
        VoteNext(c, a, x, 1000001) <- Prepare(a, c, x), !Can(a, x), Clock(a, c);
        Decision(a, x, 1000002) <- Prepare(a, _, x), !Can(a, x);
        VoteNext(c, a, x, v) <- Vote(c, a, x, v);
        MissingVote(c, x) <- Waiting(c, x), Agent(c, a), !Vote(c, a, x, 1000000);
        Decide(c, x, 1000003) <- Waiting(c, x), !MissingVote(c, x);
        Decide(c, x, 1000002) <- Waiting(c, x), Vote(c, _, x, 1000001);
        WaitingNext(c, x) <- Waiting(c, x), !Decide(c, x, _);
        Decision(c, x, d) <- Decide(c, x, d);
        DecisionNext(a, x, d) <- Decide(c, x, d), Agent(c, a), Clock(c, a);
        DecisionNext(n, x, d) <- Decision(n, x, d);
        Settled(n, x, d) <- Decision(n, x, d), !Crash(_, n, _);
        Conflict(x) <- Settled(_, x, 1000003), Settled(_, x, 1000002);
        Undecided(x) <- Prepared(a, x), !Decision(a, x, _), !Crash(_, a, _);
        Pre(1000004, x) <- Settled(_, x, _);
        Post(1000004, x) <- Settled(_, x, _), !Conflict(x);
        Pre(1000005, x) <- Prepared(_, x);
        Post(1000005, x) <- Prepared(_, x), !Undecided(x);
    }

    /// What a step begins with.
    #[derive(Clone, Default)]
    pub struct Fed {
        begin: Vec<Begin>,
        agent: Vec<Agent>,
        can: Vec<Can>,
        waiting: Vec<WaitingIn>,
        prepare: Vec<Prepare>,
        prepared: Vec<PreparedIn>,
        vote: Vec<Vote>,
        decision: Vec<DecisionIn>,
    }

    /// The facts of each step, and the messages that get through.
    pub struct Input {
        facts: Vec<Fed>,
        clock: Vec<Clock>,
    }

    /// What held in a step.
    pub struct Step {
        begin: Vec<Begin>,
        agent: Vec<Agent>,
        can: Vec<Can>,
        waiting: std::collections::HashSet<Waiting, rustc_hash::FxBuildHasher>,
        prepare: Vec<Prepare>,
        prepared: std::collections::HashSet<Prepared, rustc_hash::FxBuildHasher>,
        vote: Vec<Vote>,
        decision: std::collections::HashSet<Decision, rustc_hash::FxBuildHasher>,
        missing_vote: std::collections::HashSet<MissingVote, rustc_hash::FxBuildHasher>,
        decide: std::collections::HashSet<Decide, rustc_hash::FxBuildHasher>,
        settled: std::collections::HashSet<Settled, rustc_hash::FxBuildHasher>,
        conflict: std::collections::HashSet<Conflict, rustc_hash::FxBuildHasher>,
        undecided: std::collections::HashSet<Undecided, rustc_hash::FxBuildHasher>,
        pre: std::collections::HashSet<Pre, rustc_hash::FxBuildHasher>,
        post: std::collections::HashSet<Post, rustc_hash::FxBuildHasher>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Vec<Step>;
        fn load(world: &World) -> Input {
            let facts = (1..=world.eot).map(|time| Fed {
                begin: world.facts_at("begin", time).map(|row| Begin(row[0], row[1])).collect(),
                agent: world.facts_at("agent", time).map(|row| Agent(row[0], row[1])).collect(),
                can: world.facts_at("can", time).map(|row| Can(row[0], row[1])).collect(),
                waiting: world.facts_at("waiting", time).map(|row| WaitingIn(row[0], row[1])).collect(),
                prepare: world.facts_at("prepare", time).map(|row| Prepare(row[0], row[1], row[2])).collect(),
                prepared: world.facts_at("prepared", time).map(|row| PreparedIn(row[0], row[1])).collect(),
                vote: world.facts_at("vote", time).map(|row| Vote(row[0], row[1], row[2], row[3])).collect(),
                decision: world.facts_at("decision", time).map(|row| DecisionIn(row[0], row[1], row[2])).collect(),
            });
            let facts = facts.collect();
            let pairs = world.nodes.iter().flat_map(|from| world.nodes.iter().map(move |to| Clock(*from, *to)));
            Input { facts, clock: pairs.collect() }
        }
        fn run(input: &Input) -> Vec<Step> {
            let mut steps = Vec::with_capacity(input.facts.len());
            let mut arrived = Fed::default();
            for facts in &input.facts {
                arrived.begin.extend_from_slice(&facts.begin);
                arrived.agent.extend_from_slice(&facts.agent);
                arrived.can.extend_from_slice(&facts.can);
                arrived.waiting.extend_from_slice(&facts.waiting);
                arrived.prepare.extend_from_slice(&facts.prepare);
                arrived.prepared.extend_from_slice(&facts.prepared);
                arrived.vote.extend_from_slice(&facts.vote);
                arrived.decision.extend_from_slice(&facts.decision);
                let mut program = Crepe::new();
                program.extend(input.clock.iter().copied());
                program.extend(arrived.begin.iter().copied());
                program.extend(arrived.agent.iter().copied());
                program.extend(arrived.can.iter().copied());
                program.extend(arrived.waiting.iter().copied());
                program.extend(arrived.prepare.iter().copied());
                program.extend(arrived.prepared.iter().copied());
                program.extend(arrived.vote.iter().copied());
                program.extend(arrived.decision.iter().copied());
                let begin = std::mem::take(&mut arrived.begin);
                let agent = std::mem::take(&mut arrived.agent);
                let can = std::mem::take(&mut arrived.can);
                let prepare = std::mem::take(&mut arrived.prepare);
                let vote = std::mem::take(&mut arrived.vote);
                let (agent_next, can_next, waiting, waiting_next, prepare_next, prepared, prepared_next, vote_next, decision, decision_next, missing_vote, decide, settled, conflict, undecided, pre, post,) = program.run_with_hasher::<rustc_hash::FxBuildHasher>();
                arrived.agent.clear();
                arrived.agent.extend(agent_next.iter().map(|row| Agent(row.0, row.1)));
                arrived.can.clear();
                arrived.can.extend(can_next.iter().map(|row| Can(row.0, row.1)));
                arrived.waiting.clear();
                arrived.waiting.extend(waiting_next.iter().map(|row| WaitingIn(row.0, row.1)));
                arrived.prepare.clear();
                arrived.prepare.extend(prepare_next.iter().map(|row| Prepare(row.0, row.1, row.2)));
                arrived.prepared.clear();
                arrived.prepared.extend(prepared_next.iter().map(|row| PreparedIn(row.0, row.1)));
                arrived.vote.clear();
                arrived.vote.extend(vote_next.iter().map(|row| Vote(row.0, row.1, row.2, row.3)));
                arrived.decision.clear();
                arrived.decision.extend(decision_next.iter().map(|row| DecisionIn(row.0, row.1, row.2)));
                steps.push(Step { begin, agent, can, waiting, prepare, prepared, vote, decision, missing_vote, decide, settled, conflict, undecided, pre, post });
            }
            steps
        }
        fn tuples(output: &Vec<Step>) -> Tuples {
            let mut tuples = Tuples::new();
            for (time, step) in (1..).zip(output) {
                tuples.extend(step.begin.iter().map(|row| ("begin".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.agent.iter().map(|row| ("agent".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.can.iter().map(|row| ("can".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.waiting.iter().map(|row| ("waiting".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.prepare.iter().map(|row| ("prepare".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.prepared.iter().map(|row| ("prepared".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.vote.iter().map(|row| ("vote".to_owned(), vec![row.0, row.1, row.2, row.3], time)));
                tuples.extend(step.decision.iter().map(|row| ("decision".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.missing_vote.iter().map(|row| ("missing_vote".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.decide.iter().map(|row| ("decide".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.settled.iter().map(|row| ("settled".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.conflict.iter().map(|row| ("conflict".to_owned(), vec![row.0], time)));
                tuples.extend(step.undecided.iter().map(|row| ("undecided".to_owned(), vec![row.0], time)));
                tuples.extend(step.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], time)));
            }
            tuples
        }
    }
}
}

/// `paxos`.
pub mod paxos {
/// The strings of its rules.
pub const CONSTANTS: &[&str] = &[];

/// `paxos` for `ascent`.
pub mod ascent {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    ascent::ascent! {
        pub struct Program;
        relation acceptor(u32, u32);
        relation own(u32, u32);
        relation patience(u32, u32);
        relation alarm(u32, u32);
        relation round(u32, u32);
        relation accepted(u32, u32, u32);
        relation ring(u32);
        relation decided(u32, u32);
        relation opened(u32, u32);
        relation outbid(u32, u32);
        relation ballot(u32, u32);
        relation prepare(u32, u32, u32);
        relation proposal(u32, u32, u32);
        relation seen(u32, u32);
        relation accept(u32, u32, u32, u32);
        relation surpassed(u32, u32);
        relation latest(u32, u32);
        relation older(u32, u32);
        relation voted(u32, u32, u32);
        relation promise(u32, u32, u32, u32, u32);
        relation promised(u32, u32);
        relation stale(u32, u32, u32);
        relation newest(u32, u32, u32);
        relation ready(u32, u32, u32);
        relation settled(u32, u32, u32);
        relation vote(u32, u32, u32, u32);
        relation rival(u32);
        relation pre(u32, u32);
        relation post(u32, u32);
        relation acceptor_next(u32, u32);
        relation own_next(u32, u32);
        relation patience_next(u32, u32);
        relation alarm_next(u32, u32);
        relation round_next(u32, u32);
        relation accepted_next(u32, u32, u32);
        relation decided_next(u32, u32);
        relation opened_next(u32, u32);
        relation prepare_next(u32, u32, u32);
        relation seen_next(u32, u32);
        relation accept_next(u32, u32, u32, u32);
        relation promise_next(u32, u32, u32, u32, u32);
        relation settled_next(u32, u32, u32);
        relation vote_next(u32, u32, u32, u32);
        relation clock(u32, u32);
        acceptor_next(p, a) <-- acceptor(p, a);
        own_next(p, v) <-- own(p, v);
        patience_next(p, w) <-- patience(p, w);
        alarm_next(p, *left - 1) <-- alarm(p, left), if *left > 0;
        alarm_next(p, w) <-- alarm(p, 0), patience(p, w);
        ring(p) <-- alarm(p, 0), !decided(p, _);
        round_next(p, b) <-- round(p, b), !ring(p);
        round_next(p, *b + 2) <-- round(p, b), ring(p);
        opened(p, b) <-- ring(p), round(p, b);
        opened_next(p, b) <-- opened(p, b);
        outbid(p, b) <-- opened(p, b), opened(p, c), if *c > *b;
        ballot(p, b) <-- opened(p, b), !outbid(p, b);
        prepare_next(a, p, b) <-- ballot(p, b), acceptor(p, a), !proposal(p, b, _), clock(p, a);
        seen(a, b) <-- prepare(a, _, b);
        seen(a, b) <-- accept(a, _, b, _);
        seen_next(a, b) <-- seen(a, b);
        surpassed(a, b) <-- seen(a, b), seen(a, c), if *c > *b;
        latest(a, b) <-- seen(a, b), !surpassed(a, b);
        accepted(a, b, v) <-- accept(a, _, b, v), latest(a, b);
        accepted_next(a, b, v) <-- accepted(a, b, v);
        older(a, b) <-- accepted(a, b, _), accepted(a, c, _), if *c > *b;
        voted(a, b, v) <-- accepted(a, b, v), !older(a, b);
        promise_next(p, a, b, l, v) <-- prepare(a, p, b), latest(a, b), voted(a, l, v), clock(a, p);
        promise_next(p, a, b, l, v) <-- promise(p, a, b, l, v);
        promised(p, b) <-- promise(p, a, b, _, _), promise(p, c, b, _, _), if *a < *c;
        stale(p, b, l) <-- promise(p, _, b, l, _), promise(p, _, b, m, _), if *m > *l;
        newest(p, b, l) <-- promise(p, _, b, l, _), !stale(p, b, l);
        ready(p, b, l) <-- promised(p, b), newest(p, b, l), !settled(p, b, _);
        proposal(p, b, v) <-- ready(p, b, l), if *l > 0, promise(p, _, b, l, v);
        proposal(p, b, v) <-- ready(p, b, 0), own(p, v);
        settled_next(p, b, v) <-- proposal(p, b, v);
        proposal(p, b, v) <-- settled(p, b, v);
        accept_next(a, p, b, v) <-- ballot(p, b), proposal(p, b, v), acceptor(p, a), clock(p, a);
        vote_next(p, a, b, v) <-- accept(a, p, b, v), latest(a, b), clock(a, p);
        vote_next(p, a, b, v) <-- vote(p, a, b, v);
        decided(p, v) <-- vote(p, a, b, v), vote(p, c, b, v), if *a < *c;
        decided_next(p, v) <-- decided(p, v);
        rival(v) <-- decided(_, v), decided(_, w), if *v != *w;
        pre(n, v) <-- decided(n, v);
        post(n, v) <-- decided(n, v), !rival(v);
    }

    /// What a step begins with.
    #[derive(Clone, Default)]
    pub struct Fed {
        acceptor: Vec<(u32, u32)>,
        own: Vec<(u32, u32)>,
        patience: Vec<(u32, u32)>,
        alarm: Vec<(u32, u32)>,
        round: Vec<(u32, u32)>,
        accepted: Vec<(u32, u32, u32)>,
        decided: Vec<(u32, u32)>,
        opened: Vec<(u32, u32)>,
        prepare: Vec<(u32, u32, u32)>,
        seen: Vec<(u32, u32)>,
        accept: Vec<(u32, u32, u32, u32)>,
        promise: Vec<(u32, u32, u32, u32, u32)>,
        settled: Vec<(u32, u32, u32)>,
        vote: Vec<(u32, u32, u32, u32)>,
    }

    /// The facts of each step, and the messages that get through.
    pub struct Input {
        facts: Vec<Fed>,
        clock: Vec<(u32, u32)>,
    }

    /// What held in a step.
    pub struct Step {
        acceptor: Vec<(u32, u32)>,
        own: Vec<(u32, u32)>,
        patience: Vec<(u32, u32)>,
        alarm: Vec<(u32, u32)>,
        round: Vec<(u32, u32)>,
        accepted: Vec<(u32, u32, u32)>,
        ring: Vec<(u32,)>,
        decided: Vec<(u32, u32)>,
        opened: Vec<(u32, u32)>,
        outbid: Vec<(u32, u32)>,
        ballot: Vec<(u32, u32)>,
        prepare: Vec<(u32, u32, u32)>,
        proposal: Vec<(u32, u32, u32)>,
        seen: Vec<(u32, u32)>,
        accept: Vec<(u32, u32, u32, u32)>,
        surpassed: Vec<(u32, u32)>,
        latest: Vec<(u32, u32)>,
        older: Vec<(u32, u32)>,
        voted: Vec<(u32, u32, u32)>,
        promise: Vec<(u32, u32, u32, u32, u32)>,
        promised: Vec<(u32, u32)>,
        stale: Vec<(u32, u32, u32)>,
        newest: Vec<(u32, u32, u32)>,
        ready: Vec<(u32, u32, u32)>,
        settled: Vec<(u32, u32, u32)>,
        vote: Vec<(u32, u32, u32, u32)>,
        rival: Vec<(u32,)>,
        pre: Vec<(u32, u32)>,
        post: Vec<(u32, u32)>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Vec<Step>;
        fn load(world: &World) -> Input {
            let facts = (1..=world.eot).map(|time| Fed {
                acceptor: world.facts_at("acceptor", time).map(|row| (row[0], row[1])).collect(),
                own: world.facts_at("own", time).map(|row| (row[0], row[1])).collect(),
                patience: world.facts_at("patience", time).map(|row| (row[0], row[1])).collect(),
                alarm: world.facts_at("alarm", time).map(|row| (row[0], row[1])).collect(),
                round: world.facts_at("round", time).map(|row| (row[0], row[1])).collect(),
                accepted: world.facts_at("accepted", time).map(|row| (row[0], row[1], row[2])).collect(),
                decided: world.facts_at("decided", time).map(|row| (row[0], row[1])).collect(),
                opened: world.facts_at("opened", time).map(|row| (row[0], row[1])).collect(),
                prepare: world.facts_at("prepare", time).map(|row| (row[0], row[1], row[2])).collect(),
                seen: world.facts_at("seen", time).map(|row| (row[0], row[1])).collect(),
                accept: world.facts_at("accept", time).map(|row| (row[0], row[1], row[2], row[3])).collect(),
                promise: world.facts_at("promise", time).map(|row| (row[0], row[1], row[2], row[3], row[4])).collect(),
                settled: world.facts_at("settled", time).map(|row| (row[0], row[1], row[2])).collect(),
                vote: world.facts_at("vote", time).map(|row| (row[0], row[1], row[2], row[3])).collect(),
            });
            let facts = facts.collect();
            let pairs = world.nodes.iter().flat_map(|from| world.nodes.iter().map(move |to| (*from, *to)));
            Input { facts, clock: pairs.collect() }
        }
        fn run(input: &Input) -> Vec<Step> {
            let mut steps = Vec::with_capacity(input.facts.len());
            let mut arrived = Fed::default();
            for facts in &input.facts {
                arrived.acceptor.extend_from_slice(&facts.acceptor);
                arrived.own.extend_from_slice(&facts.own);
                arrived.patience.extend_from_slice(&facts.patience);
                arrived.alarm.extend_from_slice(&facts.alarm);
                arrived.round.extend_from_slice(&facts.round);
                arrived.accepted.extend_from_slice(&facts.accepted);
                arrived.decided.extend_from_slice(&facts.decided);
                arrived.opened.extend_from_slice(&facts.opened);
                arrived.prepare.extend_from_slice(&facts.prepare);
                arrived.seen.extend_from_slice(&facts.seen);
                arrived.accept.extend_from_slice(&facts.accept);
                arrived.promise.extend_from_slice(&facts.promise);
                arrived.settled.extend_from_slice(&facts.settled);
                arrived.vote.extend_from_slice(&facts.vote);
                let mut program = Program::default();
                program.clock = input.clock.clone();
                program.acceptor = std::mem::take(&mut arrived.acceptor);
                program.own = std::mem::take(&mut arrived.own);
                program.patience = std::mem::take(&mut arrived.patience);
                program.alarm = std::mem::take(&mut arrived.alarm);
                program.round = std::mem::take(&mut arrived.round);
                program.accepted = std::mem::take(&mut arrived.accepted);
                program.decided = std::mem::take(&mut arrived.decided);
                program.opened = std::mem::take(&mut arrived.opened);
                program.prepare = std::mem::take(&mut arrived.prepare);
                program.seen = std::mem::take(&mut arrived.seen);
                program.accept = std::mem::take(&mut arrived.accept);
                program.promise = std::mem::take(&mut arrived.promise);
                program.settled = std::mem::take(&mut arrived.settled);
                program.vote = std::mem::take(&mut arrived.vote);
                program.run();
                arrived.accept = std::mem::take(&mut program.accept_next);
                arrived.accepted = std::mem::take(&mut program.accepted_next);
                arrived.acceptor = std::mem::take(&mut program.acceptor_next);
                arrived.alarm = std::mem::take(&mut program.alarm_next);
                arrived.decided = std::mem::take(&mut program.decided_next);
                arrived.opened = std::mem::take(&mut program.opened_next);
                arrived.own = std::mem::take(&mut program.own_next);
                arrived.patience = std::mem::take(&mut program.patience_next);
                arrived.prepare = std::mem::take(&mut program.prepare_next);
                arrived.promise = std::mem::take(&mut program.promise_next);
                arrived.round = std::mem::take(&mut program.round_next);
                arrived.seen = std::mem::take(&mut program.seen_next);
                arrived.settled = std::mem::take(&mut program.settled_next);
                arrived.vote = std::mem::take(&mut program.vote_next);
                steps.push(Step {
                    acceptor: std::mem::take(&mut program.acceptor),
                    own: std::mem::take(&mut program.own),
                    patience: std::mem::take(&mut program.patience),
                    alarm: std::mem::take(&mut program.alarm),
                    round: std::mem::take(&mut program.round),
                    accepted: std::mem::take(&mut program.accepted),
                    ring: std::mem::take(&mut program.ring),
                    decided: std::mem::take(&mut program.decided),
                    opened: std::mem::take(&mut program.opened),
                    outbid: std::mem::take(&mut program.outbid),
                    ballot: std::mem::take(&mut program.ballot),
                    prepare: std::mem::take(&mut program.prepare),
                    proposal: std::mem::take(&mut program.proposal),
                    seen: std::mem::take(&mut program.seen),
                    accept: std::mem::take(&mut program.accept),
                    surpassed: std::mem::take(&mut program.surpassed),
                    latest: std::mem::take(&mut program.latest),
                    older: std::mem::take(&mut program.older),
                    voted: std::mem::take(&mut program.voted),
                    promise: std::mem::take(&mut program.promise),
                    promised: std::mem::take(&mut program.promised),
                    stale: std::mem::take(&mut program.stale),
                    newest: std::mem::take(&mut program.newest),
                    ready: std::mem::take(&mut program.ready),
                    settled: std::mem::take(&mut program.settled),
                    vote: std::mem::take(&mut program.vote),
                    rival: std::mem::take(&mut program.rival),
                    pre: std::mem::take(&mut program.pre),
                    post: std::mem::take(&mut program.post),
                });
            }
            steps
        }
        fn tuples(output: &Vec<Step>) -> Tuples {
            let mut tuples = Tuples::new();
            for (time, step) in (1..).zip(output) {
                tuples.extend(step.acceptor.iter().map(|row| ("acceptor".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.own.iter().map(|row| ("own".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.patience.iter().map(|row| ("patience".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.alarm.iter().map(|row| ("alarm".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.round.iter().map(|row| ("round".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.accepted.iter().map(|row| ("accepted".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.ring.iter().map(|row| ("ring".to_owned(), vec![row.0], time)));
                tuples.extend(step.decided.iter().map(|row| ("decided".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.opened.iter().map(|row| ("opened".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.outbid.iter().map(|row| ("outbid".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.ballot.iter().map(|row| ("ballot".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.prepare.iter().map(|row| ("prepare".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.proposal.iter().map(|row| ("proposal".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.seen.iter().map(|row| ("seen".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.accept.iter().map(|row| ("accept".to_owned(), vec![row.0, row.1, row.2, row.3], time)));
                tuples.extend(step.surpassed.iter().map(|row| ("surpassed".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.latest.iter().map(|row| ("latest".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.older.iter().map(|row| ("older".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.voted.iter().map(|row| ("voted".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.promise.iter().map(|row| ("promise".to_owned(), vec![row.0, row.1, row.2, row.3, row.4], time)));
                tuples.extend(step.promised.iter().map(|row| ("promised".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.stale.iter().map(|row| ("stale".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.newest.iter().map(|row| ("newest".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.ready.iter().map(|row| ("ready".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.settled.iter().map(|row| ("settled".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.vote.iter().map(|row| ("vote".to_owned(), vec![row.0, row.1, row.2, row.3], time)));
                tuples.extend(step.rival.iter().map(|row| ("rival".to_owned(), vec![row.0], time)));
                tuples.extend(step.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], time)));
            }
            tuples
        }
    }
}

/// `paxos` for `crepe`.
pub mod crepe {
    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]
    use crate::peers::{Peer, Tuples, World};
    crepe::crepe! {
        @input pub struct Acceptor(pub u32, pub u32);
        @output pub struct AcceptorNext(pub u32, pub u32);
        @input pub struct Own(pub u32, pub u32);
        @output pub struct OwnNext(pub u32, pub u32);
        @input pub struct Patience(pub u32, pub u32);
        @output pub struct PatienceNext(pub u32, pub u32);
        @input pub struct Alarm(pub u32, pub u32);
        @output pub struct AlarmNext(pub u32, pub u32);
        @input pub struct Round(pub u32, pub u32);
        @output pub struct RoundNext(pub u32, pub u32);
        @input pub struct AcceptedIn(pub u32, pub u32, pub u32);
        @output pub struct Accepted(pub u32, pub u32, pub u32);
        @output pub struct AcceptedNext(pub u32, pub u32, pub u32);
        @output pub struct Ring(pub u32);
        @input pub struct DecidedIn(pub u32, pub u32);
        @output pub struct Decided(pub u32, pub u32);
        @output pub struct DecidedNext(pub u32, pub u32);
        @input pub struct OpenedIn(pub u32, pub u32);
        @output pub struct Opened(pub u32, pub u32);
        @output pub struct OpenedNext(pub u32, pub u32);
        @output pub struct Outbid(pub u32, pub u32);
        @output pub struct Ballot(pub u32, pub u32);
        @input pub struct Prepare(pub u32, pub u32, pub u32);
        @output pub struct PrepareNext(pub u32, pub u32, pub u32);
        @output pub struct Proposal(pub u32, pub u32, pub u32);
        @input pub struct SeenIn(pub u32, pub u32);
        @output pub struct Seen(pub u32, pub u32);
        @output pub struct SeenNext(pub u32, pub u32);
        @input pub struct Accept(pub u32, pub u32, pub u32, pub u32);
        @output pub struct AcceptNext(pub u32, pub u32, pub u32, pub u32);
        @output pub struct Surpassed(pub u32, pub u32);
        @output pub struct Latest(pub u32, pub u32);
        @output pub struct Older(pub u32, pub u32);
        @output pub struct Voted(pub u32, pub u32, pub u32);
        @input pub struct Promise(pub u32, pub u32, pub u32, pub u32, pub u32);
        @output pub struct PromiseNext(pub u32, pub u32, pub u32, pub u32, pub u32);
        @output pub struct Promised(pub u32, pub u32);
        @output pub struct Stale(pub u32, pub u32, pub u32);
        @output pub struct Newest(pub u32, pub u32, pub u32);
        @output pub struct Ready(pub u32, pub u32, pub u32);
        @input pub struct Settled(pub u32, pub u32, pub u32);
        @output pub struct SettledNext(pub u32, pub u32, pub u32);
        @input pub struct Vote(pub u32, pub u32, pub u32, pub u32);
        @output pub struct VoteNext(pub u32, pub u32, pub u32, pub u32);
        @output pub struct Rival(pub u32);
        @output pub struct Pre(pub u32, pub u32);
        @output pub struct Post(pub u32, pub u32);
        @input pub struct Clock(pub u32, pub u32);
        Accepted(c0, c1, c2) <- AcceptedIn(c0, c1, c2);
        Decided(c0, c1) <- DecidedIn(c0, c1);
        Opened(c0, c1) <- OpenedIn(c0, c1);
        Seen(c0, c1) <- SeenIn(c0, c1);
        AcceptorNext(p, a) <- Acceptor(p, a);
        OwnNext(p, v) <- Own(p, v);
        PatienceNext(p, w) <- Patience(p, w);
        AlarmNext(p, left - 1) <- Alarm(p, left), (left > 0);
        AlarmNext(p, w) <- Alarm(p, 0), Patience(p, w);
        Ring(p) <- Alarm(p, 0), !Decided(p, _);
        RoundNext(p, b) <- Round(p, b), !Ring(p);
        RoundNext(p, b + 2) <- Round(p, b), Ring(p);
        Opened(p, b) <- Ring(p), Round(p, b);
        OpenedNext(p, b) <- Opened(p, b);
        Outbid(p, b) <- Opened(p, b), Opened(p, c), (c > b);
        Ballot(p, b) <- Opened(p, b), !Outbid(p, b);
        PrepareNext(a, p, b) <- Ballot(p, b), Acceptor(p, a), !Proposal(p, b, _), Clock(p, a);
        Seen(a, b) <- Prepare(a, _, b);
        Seen(a, b) <- Accept(a, _, b, _);
        SeenNext(a, b) <- Seen(a, b);
        Surpassed(a, b) <- Seen(a, b), Seen(a, c), (c > b);
        Latest(a, b) <- Seen(a, b), !Surpassed(a, b);
        Accepted(a, b, v) <- Accept(a, _, b, v), Latest(a, b);
        AcceptedNext(a, b, v) <- Accepted(a, b, v);
        Older(a, b) <- Accepted(a, b, _), Accepted(a, c, _), (c > b);
        Voted(a, b, v) <- Accepted(a, b, v), !Older(a, b);
        PromiseNext(p, a, b, l, v) <- Prepare(a, p, b), Latest(a, b), Voted(a, l, v), Clock(a, p);
        PromiseNext(p, a, b, l, v) <- Promise(p, a, b, l, v);
        Promised(p, b) <- Promise(p, a, b, _, _), Promise(p, c, b, _, _), (a < c);
        Stale(p, b, l) <- Promise(p, _, b, l, _), Promise(p, _, b, m, _), (m > l);
        Newest(p, b, l) <- Promise(p, _, b, l, _), !Stale(p, b, l);
        Ready(p, b, l) <- Promised(p, b), Newest(p, b, l), !Settled(p, b, _);
        Proposal(p, b, v) <- Ready(p, b, l), (l > 0), Promise(p, _, b, l, v);
        Proposal(p, b, v) <- Ready(p, b, 0), Own(p, v);
        SettledNext(p, b, v) <- Proposal(p, b, v);
        Proposal(p, b, v) <- Settled(p, b, v);
        AcceptNext(a, p, b, v) <- Ballot(p, b), Proposal(p, b, v), Acceptor(p, a), Clock(p, a);
        VoteNext(p, a, b, v) <- Accept(a, p, b, v), Latest(a, b), Clock(a, p);
        VoteNext(p, a, b, v) <- Vote(p, a, b, v);
        Decided(p, v) <- Vote(p, a, b, v), Vote(p, c, b, v), (a < c);
        DecidedNext(p, v) <- Decided(p, v);
        Rival(v) <- Decided(_, v), Decided(_, w), (v != w);
        Pre(n, v) <- Decided(n, v);
        Post(n, v) <- Decided(n, v), !Rival(v);
    }

    /// What a step begins with.
    #[derive(Clone, Default)]
    pub struct Fed {
        acceptor: Vec<Acceptor>,
        own: Vec<Own>,
        patience: Vec<Patience>,
        alarm: Vec<Alarm>,
        round: Vec<Round>,
        accepted: Vec<AcceptedIn>,
        decided: Vec<DecidedIn>,
        opened: Vec<OpenedIn>,
        prepare: Vec<Prepare>,
        seen: Vec<SeenIn>,
        accept: Vec<Accept>,
        promise: Vec<Promise>,
        settled: Vec<Settled>,
        vote: Vec<Vote>,
    }

    /// The facts of each step, and the messages that get through.
    pub struct Input {
        facts: Vec<Fed>,
        clock: Vec<Clock>,
    }

    /// What held in a step.
    pub struct Step {
        acceptor: Vec<Acceptor>,
        own: Vec<Own>,
        patience: Vec<Patience>,
        alarm: Vec<Alarm>,
        round: Vec<Round>,
        accepted: std::collections::HashSet<Accepted, rustc_hash::FxBuildHasher>,
        ring: std::collections::HashSet<Ring, rustc_hash::FxBuildHasher>,
        decided: std::collections::HashSet<Decided, rustc_hash::FxBuildHasher>,
        opened: std::collections::HashSet<Opened, rustc_hash::FxBuildHasher>,
        outbid: std::collections::HashSet<Outbid, rustc_hash::FxBuildHasher>,
        ballot: std::collections::HashSet<Ballot, rustc_hash::FxBuildHasher>,
        prepare: Vec<Prepare>,
        proposal: std::collections::HashSet<Proposal, rustc_hash::FxBuildHasher>,
        seen: std::collections::HashSet<Seen, rustc_hash::FxBuildHasher>,
        accept: Vec<Accept>,
        surpassed: std::collections::HashSet<Surpassed, rustc_hash::FxBuildHasher>,
        latest: std::collections::HashSet<Latest, rustc_hash::FxBuildHasher>,
        older: std::collections::HashSet<Older, rustc_hash::FxBuildHasher>,
        voted: std::collections::HashSet<Voted, rustc_hash::FxBuildHasher>,
        promise: Vec<Promise>,
        promised: std::collections::HashSet<Promised, rustc_hash::FxBuildHasher>,
        stale: std::collections::HashSet<Stale, rustc_hash::FxBuildHasher>,
        newest: std::collections::HashSet<Newest, rustc_hash::FxBuildHasher>,
        ready: std::collections::HashSet<Ready, rustc_hash::FxBuildHasher>,
        settled: Vec<Settled>,
        vote: Vec<Vote>,
        rival: std::collections::HashSet<Rival, rustc_hash::FxBuildHasher>,
        pre: std::collections::HashSet<Pre, rustc_hash::FxBuildHasher>,
        post: std::collections::HashSet<Post, rustc_hash::FxBuildHasher>,
    }

    /// The program.
    pub struct Encoded;

    impl Peer for Encoded {
        type Input = Input;
        type Output = Vec<Step>;
        fn load(world: &World) -> Input {
            let facts = (1..=world.eot).map(|time| Fed {
                acceptor: world.facts_at("acceptor", time).map(|row| Acceptor(row[0], row[1])).collect(),
                own: world.facts_at("own", time).map(|row| Own(row[0], row[1])).collect(),
                patience: world.facts_at("patience", time).map(|row| Patience(row[0], row[1])).collect(),
                alarm: world.facts_at("alarm", time).map(|row| Alarm(row[0], row[1])).collect(),
                round: world.facts_at("round", time).map(|row| Round(row[0], row[1])).collect(),
                accepted: world.facts_at("accepted", time).map(|row| AcceptedIn(row[0], row[1], row[2])).collect(),
                decided: world.facts_at("decided", time).map(|row| DecidedIn(row[0], row[1])).collect(),
                opened: world.facts_at("opened", time).map(|row| OpenedIn(row[0], row[1])).collect(),
                prepare: world.facts_at("prepare", time).map(|row| Prepare(row[0], row[1], row[2])).collect(),
                seen: world.facts_at("seen", time).map(|row| SeenIn(row[0], row[1])).collect(),
                accept: world.facts_at("accept", time).map(|row| Accept(row[0], row[1], row[2], row[3])).collect(),
                promise: world.facts_at("promise", time).map(|row| Promise(row[0], row[1], row[2], row[3], row[4])).collect(),
                settled: world.facts_at("settled", time).map(|row| Settled(row[0], row[1], row[2])).collect(),
                vote: world.facts_at("vote", time).map(|row| Vote(row[0], row[1], row[2], row[3])).collect(),
            });
            let facts = facts.collect();
            let pairs = world.nodes.iter().flat_map(|from| world.nodes.iter().map(move |to| Clock(*from, *to)));
            Input { facts, clock: pairs.collect() }
        }
        fn run(input: &Input) -> Vec<Step> {
            let mut steps = Vec::with_capacity(input.facts.len());
            let mut arrived = Fed::default();
            for facts in &input.facts {
                arrived.acceptor.extend_from_slice(&facts.acceptor);
                arrived.own.extend_from_slice(&facts.own);
                arrived.patience.extend_from_slice(&facts.patience);
                arrived.alarm.extend_from_slice(&facts.alarm);
                arrived.round.extend_from_slice(&facts.round);
                arrived.accepted.extend_from_slice(&facts.accepted);
                arrived.decided.extend_from_slice(&facts.decided);
                arrived.opened.extend_from_slice(&facts.opened);
                arrived.prepare.extend_from_slice(&facts.prepare);
                arrived.seen.extend_from_slice(&facts.seen);
                arrived.accept.extend_from_slice(&facts.accept);
                arrived.promise.extend_from_slice(&facts.promise);
                arrived.settled.extend_from_slice(&facts.settled);
                arrived.vote.extend_from_slice(&facts.vote);
                let mut program = Crepe::new();
                program.extend(input.clock.iter().copied());
                program.extend(arrived.acceptor.iter().copied());
                program.extend(arrived.own.iter().copied());
                program.extend(arrived.patience.iter().copied());
                program.extend(arrived.alarm.iter().copied());
                program.extend(arrived.round.iter().copied());
                program.extend(arrived.accepted.iter().copied());
                program.extend(arrived.decided.iter().copied());
                program.extend(arrived.opened.iter().copied());
                program.extend(arrived.prepare.iter().copied());
                program.extend(arrived.seen.iter().copied());
                program.extend(arrived.accept.iter().copied());
                program.extend(arrived.promise.iter().copied());
                program.extend(arrived.settled.iter().copied());
                program.extend(arrived.vote.iter().copied());
                let acceptor = std::mem::take(&mut arrived.acceptor);
                let own = std::mem::take(&mut arrived.own);
                let patience = std::mem::take(&mut arrived.patience);
                let alarm = std::mem::take(&mut arrived.alarm);
                let round = std::mem::take(&mut arrived.round);
                let prepare = std::mem::take(&mut arrived.prepare);
                let accept = std::mem::take(&mut arrived.accept);
                let promise = std::mem::take(&mut arrived.promise);
                let settled = std::mem::take(&mut arrived.settled);
                let vote = std::mem::take(&mut arrived.vote);
                let (acceptor_next, own_next, patience_next, alarm_next, round_next, accepted, accepted_next, ring, decided, decided_next, opened, opened_next, outbid, ballot, prepare_next, proposal, seen, seen_next, accept_next, surpassed, latest, older, voted, promise_next, promised, stale, newest, ready, settled_next, vote_next, rival, pre, post,) = program.run_with_hasher::<rustc_hash::FxBuildHasher>();
                arrived.acceptor.clear();
                arrived.acceptor.extend(acceptor_next.iter().map(|row| Acceptor(row.0, row.1)));
                arrived.own.clear();
                arrived.own.extend(own_next.iter().map(|row| Own(row.0, row.1)));
                arrived.patience.clear();
                arrived.patience.extend(patience_next.iter().map(|row| Patience(row.0, row.1)));
                arrived.alarm.clear();
                arrived.alarm.extend(alarm_next.iter().map(|row| Alarm(row.0, row.1)));
                arrived.round.clear();
                arrived.round.extend(round_next.iter().map(|row| Round(row.0, row.1)));
                arrived.accepted.clear();
                arrived.accepted.extend(accepted_next.iter().map(|row| AcceptedIn(row.0, row.1, row.2)));
                arrived.decided.clear();
                arrived.decided.extend(decided_next.iter().map(|row| DecidedIn(row.0, row.1)));
                arrived.opened.clear();
                arrived.opened.extend(opened_next.iter().map(|row| OpenedIn(row.0, row.1)));
                arrived.prepare.clear();
                arrived.prepare.extend(prepare_next.iter().map(|row| Prepare(row.0, row.1, row.2)));
                arrived.seen.clear();
                arrived.seen.extend(seen_next.iter().map(|row| SeenIn(row.0, row.1)));
                arrived.accept.clear();
                arrived.accept.extend(accept_next.iter().map(|row| Accept(row.0, row.1, row.2, row.3)));
                arrived.promise.clear();
                arrived.promise.extend(promise_next.iter().map(|row| Promise(row.0, row.1, row.2, row.3, row.4)));
                arrived.settled.clear();
                arrived.settled.extend(settled_next.iter().map(|row| Settled(row.0, row.1, row.2)));
                arrived.vote.clear();
                arrived.vote.extend(vote_next.iter().map(|row| Vote(row.0, row.1, row.2, row.3)));
                steps.push(Step { acceptor, own, patience, alarm, round, accepted, ring, decided, opened, outbid, ballot, prepare, proposal, seen, accept, surpassed, latest, older, voted, promise, promised, stale, newest, ready, settled, vote, rival, pre, post });
            }
            steps
        }
        fn tuples(output: &Vec<Step>) -> Tuples {
            let mut tuples = Tuples::new();
            for (time, step) in (1..).zip(output) {
                tuples.extend(step.acceptor.iter().map(|row| ("acceptor".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.own.iter().map(|row| ("own".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.patience.iter().map(|row| ("patience".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.alarm.iter().map(|row| ("alarm".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.round.iter().map(|row| ("round".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.accepted.iter().map(|row| ("accepted".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.ring.iter().map(|row| ("ring".to_owned(), vec![row.0], time)));
                tuples.extend(step.decided.iter().map(|row| ("decided".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.opened.iter().map(|row| ("opened".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.outbid.iter().map(|row| ("outbid".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.ballot.iter().map(|row| ("ballot".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.prepare.iter().map(|row| ("prepare".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.proposal.iter().map(|row| ("proposal".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.seen.iter().map(|row| ("seen".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.accept.iter().map(|row| ("accept".to_owned(), vec![row.0, row.1, row.2, row.3], time)));
                tuples.extend(step.surpassed.iter().map(|row| ("surpassed".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.latest.iter().map(|row| ("latest".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.older.iter().map(|row| ("older".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.voted.iter().map(|row| ("voted".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.promise.iter().map(|row| ("promise".to_owned(), vec![row.0, row.1, row.2, row.3, row.4], time)));
                tuples.extend(step.promised.iter().map(|row| ("promised".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.stale.iter().map(|row| ("stale".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.newest.iter().map(|row| ("newest".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.ready.iter().map(|row| ("ready".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.settled.iter().map(|row| ("settled".to_owned(), vec![row.0, row.1, row.2], time)));
                tuples.extend(step.vote.iter().map(|row| ("vote".to_owned(), vec![row.0, row.1, row.2, row.3], time)));
                tuples.extend(step.rival.iter().map(|row| ("rival".to_owned(), vec![row.0], time)));
                tuples.extend(step.pre.iter().map(|row| ("pre".to_owned(), vec![row.0, row.1], time)));
                tuples.extend(step.post.iter().map(|row| ("post".to_owned(), vec![row.0, row.1], time)));
            }
            tuples
        }
    }
}
}


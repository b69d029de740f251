//! Programs for `datafrog`, by hand: it has no syntax of its own, joins are method calls.
//!
//! Protocols that negate what they feed one step later are left out: there each rule of each step
//! would be a call by hand, and a loop of mine rather than datafrog's would be measured.

use datafrog::{Iteration, Relation};

use super::{Peer, Tuples, World};

/// Transitive closure for `datafrog`.
pub struct FrogClosure;

impl Peer for FrogClosure {
    type Input = Vec<(u32, u32)>;
    type Output = Relation<(u32, u32)>;
    fn load(world: &World) -> Self::Input {
        world.pairs("edge")
    }
    fn run(input: &Self::Input) -> Self::Output {
        let edge: Relation<(u32, u32)> = input.iter().copied().collect();
        let mut iteration = Iteration::new();
        // Keyed by where the path ends.
        let path = iteration.variable::<(u32, u32)>("path");
        path.extend(input.iter().map(|&(x, y)| (y, x)));
        while iteration.changed() {
            path.from_join(&path, &edge, |_, &x, &z| (z, x));
        }
        path.complete()
    }
    fn tuples(output: &Self::Output) -> Tuples {
        output.iter().map(|&(y, x)| ("path".to_owned(), vec![x, y], 1)).collect()
    }
}

/// Same generation for `datafrog`.
pub struct FrogGeneration;

impl Peer for FrogGeneration {
    type Input = Vec<(u32, u32)>;
    type Output = Relation<(u32, u32)>;
    fn load(world: &World) -> Self::Input {
        world.pairs("parent")
    }
    fn run(input: &Self::Input) -> Self::Output {
        let children: Relation<(u32, u32)> = input.iter().map(|&(child, parent)| (parent, child)).collect();
        let mut iteration = Iteration::new();
        let same = iteration.variable::<(u32, u32)>("same");
        // Keyed by the parent whose children are still to be found.
        let half = iteration.variable::<(u32, u32)>("half");
        same.insert(Relation::from_join(&children, &children, |_, &x, &y| (x, y)));
        while iteration.changed() {
            half.from_join(&same, &children, |_, &b, &x| (b, x));
            same.from_join(&half, &children, |_, &x, &y| (x, y));
        }
        same.complete()
    }
    fn tuples(output: &Self::Output) -> Tuples {
        output.iter().map(|&(x, y)| ("same".to_owned(), vec![x, y], 1)).collect()
    }
}

/// What has no key in `others`. `Relation::from_antijoin` of datafrog 2.0.1 looks at recent tuples only, of which a
/// relation has none; a variable has.
fn without<K: Ord + 'static, V: Ord + 'static, R: Ord + 'static>(
    rows: Relation<(K, V)>,
    others: &Relation<K>,
    logic: impl Fn(&K, &V) -> R,
) -> Relation<R> {
    let mut iteration = Iteration::new();
    let (all, left) = (iteration.variable::<(K, V)>("all"), iteration.variable::<R>("left"));
    all.insert(rows);
    while iteration.changed() {
        left.from_antijoin(&all, others, &logic);
    }
    left.complete()
}

/// A node at a time.
type Place = (u32, u32);

/// The facts of a broadcast protocol, keyed by place.
pub struct BroadcastInput {
    node: Vec<(Place, u32)>,
    bcast: Vec<(Place, u32)>,
    clock: Vec<(u32, u32, u32)>,
}

/// What a broadcast protocol derives; `bcast` only if it lasts.
pub struct BroadcastOutput {
    node: Relation<(Place, u32)>,
    bcast: Option<Relation<(Place, u32)>>,
    log: Relation<(Place, u32)>,
    missing_log: Relation<(Place, u32)>,
    pre: Relation<(Place, u32)>,
    post: Relation<(Place, u32)>,
}

/// simple-deliv, retry-deliv (`LAST`) and redun-deliv (`LAST`, `RELAY`) for `datafrog`.
pub struct FrogBroadcast<const LAST: bool, const RELAY: bool>;

impl<const LAST: bool, const RELAY: bool> Peer for FrogBroadcast<LAST, RELAY> {
    type Input = BroadcastInput;
    type Output = BroadcastOutput;

    fn load(world: &World) -> BroadcastInput {
        let keyed = |name: &str| world.facts(name).iter().map(|(t, row)| ((row[0], *t), row[1])).collect();
        BroadcastInput { node: keyed("node"), bcast: keyed("bcast"), clock: world.clock().collect() }
    }

    fn run(input: &BroadcastInput) -> BroadcastOutput {
        let clock: Relation<((u32, u32, u32), ())> = input.clock.iter().map(|&row| (row, ())).collect();
        let local = input.clock.iter().filter(|(from, to, _)| from == to);
        let local: Relation<(Place, ())> = local.map(|&(from, _, time)| ((from, time), ())).collect();
        let mut iteration = Iteration::new();
        let node = iteration.variable::<(Place, u32)>("node");
        let bcast = iteration.variable::<(Place, u32)>("bcast");
        let log = iteration.variable::<(Place, u32)>("log");
        let sent = iteration.variable::<((u32, u32, u32), u32)>("sent");
        node.extend(input.node.iter().copied());
        bcast.extend(input.bcast.iter().copied());
        while iteration.changed() {
            let later = |&(node, time): &Place, &value: &u32, (): &()| ((node, time + 1), value);
            node.from_join(&node, &local, later);
            log.from_map(&bcast, |row| *row);
            log.from_join(&log, &local, later);
            if LAST {
                bcast.from_join(&bcast, &local, later);
            }
            sent.from_join(&bcast, &node, |&(from, time), &pload, &to| ((from, to, time), pload));
            if RELAY {
                sent.from_join(&log, &node, |&(from, time), &pload, &to| ((from, to, time), pload));
            }
            log.from_join(&sent, &clock, |&(_, to, time), &pload, ()| ((to, time + 1), pload));
        }
        let (node, bcast, log) = (node.complete(), bcast.complete(), log.complete());
        let candidates = Relation::from_join(&log, &node, |&(_, time), &pload, &a| (((a, time), pload), ()));
        let missing_log = without(candidates, &log, |&row, ()| row);
        let by_node: Relation<(u32, (u32, u32))> = log.iter().map(|&((x, time), p)| (x, (time, p))).collect();
        let crashed: Relation<u32> = Vec::new().into();
        let pre = without(by_node, &crashed, |&x, &(time, p)| ((x, time), p));
        let by_pload: Relation<((u32, u32), u32)> = log.iter().map(|&((x, time), p)| ((p, time), x)).collect();
        let missing: Relation<(u32, u32)> = missing_log.iter().map(|&((_, time), p)| (p, time)).collect();
        let post = without(by_pload, &missing, |&(p, time), &x| ((x, time), p));
        BroadcastOutput { node, bcast: LAST.then_some(bcast), log, missing_log, pre, post }
    }

    fn tuples(output: &BroadcastOutput) -> Tuples {
        let mut tuples = Tuples::new();
        let mut add = |name: &str, rows: &Relation<(Place, u32)>| {
            tuples.extend(rows.iter().map(|&((a, time), b)| (name.to_owned(), vec![a, b], time)));
        };
        add("node", &output.node);
        output.bcast.iter().for_each(|rows| add("bcast", rows));
        add("log", &output.log);
        add("missing_log", &output.missing_log);
        add("pre", &output.pre);
        add("post", &output.post);
        tuples
    }
}

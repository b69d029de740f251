//! Pure Datalog for `ascent` and `crepe`: transitive closure and same generation.

use super::{Peer, Tuples, World};

fn named<'a>(name: &str, pairs: impl Iterator<Item = (u32, u32)> + 'a) -> Tuples {
    pairs.map(|(a, b)| (name.to_owned(), vec![a, b], 1)).collect()
}

#[allow(missing_docs)]
mod ascents {
    ascent::ascent! {
        pub struct Closure;
        relation edge(u32, u32);
        relation path(u32, u32);
        path(x, y) <-- edge(x, y);
        path(x, z) <-- path(x, y), edge(y, z);
    }

    ascent::ascent! {
        pub struct Generation;
        relation parent(u32, u32);
        relation same(u32, u32);
        same(x, y) <-- parent(x, p), parent(y, p);
        same(x, y) <-- same(a, b), parent(x, a), parent(y, b);
    }
}

/// Transitive closure for `ascent`.
pub struct AscentClosure;

impl Peer for AscentClosure {
    type Input = Vec<(u32, u32)>;
    type Output = ascents::Closure;
    fn load(world: &World) -> Self::Input {
        world.pairs("edge")
    }
    fn run(input: &Self::Input) -> Self::Output {
        let mut program = ascents::Closure::default();
        program.edge = input.clone();
        program.run();
        program
    }
    fn tuples(output: &Self::Output) -> Tuples {
        named("path", output.path.iter().copied())
    }
}

/// Same generation for `ascent`.
pub struct AscentGeneration;

impl Peer for AscentGeneration {
    type Input = Vec<(u32, u32)>;
    type Output = ascents::Generation;
    fn load(world: &World) -> Self::Input {
        world.pairs("parent")
    }
    fn run(input: &Self::Input) -> Self::Output {
        let mut program = ascents::Generation::default();
        program.parent = input.clone();
        program.run();
        program
    }
    fn tuples(output: &Self::Output) -> Tuples {
        named("same", output.same.iter().copied())
    }
}

type FxSet<T> = std::collections::HashSet<T, rustc_hash::FxBuildHasher>;

#[allow(missing_docs)]
mod crepe_closure {
    crepe::crepe! {
        @input
        pub struct Edge(pub u32, pub u32);
        @output
        pub struct Path(pub u32, pub u32);
        Path(x, y) <- Edge(x, y);
        Path(x, z) <- Path(x, y), Edge(y, z);
    }

    pub fn run(edges: &[Edge]) -> super::FxSet<Path> {
        let mut program = Crepe::new();
        program.extend(edges.iter().copied());
        program.run_with_hasher::<rustc_hash::FxBuildHasher>().0
    }
}

#[allow(missing_docs)]
mod crepe_generation {
    crepe::crepe! {
        @input
        pub struct Parent(pub u32, pub u32);
        @output
        pub struct Same(pub u32, pub u32);
        Same(x, y) <- Parent(x, p), Parent(y, p);
        Same(x, y) <- Same(a, b), Parent(x, a), Parent(y, b);
    }

    pub fn run(parents: &[Parent]) -> super::FxSet<Same> {
        let mut program = Crepe::new();
        program.extend(parents.iter().copied());
        program.run_with_hasher::<rustc_hash::FxBuildHasher>().0
    }
}

/// Transitive closure for `crepe`.
pub struct CrepeClosure;

impl Peer for CrepeClosure {
    type Input = Vec<crepe_closure::Edge>;
    type Output = FxSet<crepe_closure::Path>;
    fn load(world: &World) -> Self::Input {
        world.pairs("edge").into_iter().map(|(a, b)| crepe_closure::Edge(a, b)).collect()
    }
    fn run(input: &Self::Input) -> Self::Output {
        crepe_closure::run(input)
    }
    fn tuples(output: &Self::Output) -> Tuples {
        named("path", output.iter().map(|row| (row.0, row.1)))
    }
}

/// Same generation for `crepe`.
pub struct CrepeGeneration;

impl Peer for CrepeGeneration {
    type Input = Vec<crepe_generation::Parent>;
    type Output = FxSet<crepe_generation::Same>;
    fn load(world: &World) -> Self::Input {
        world.pairs("parent").into_iter().map(|(a, b)| crepe_generation::Parent(a, b)).collect()
    }
    fn run(input: &Self::Input) -> Self::Output {
        crepe_generation::run(input)
    }
    fn tuples(output: &Self::Output) -> Tuples {
        named("same", output.iter().map(|row| (row.0, row.1)))
    }
}

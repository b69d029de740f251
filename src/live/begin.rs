//! The ways in: clusters of real nodes, of nodes that run rules, of async services.

#[cfg(feature = "live-tokio")]
use std::time::Duration;

use dedalus_runtime::Program;
use ldfi_live::{Disk, Id, Node, Rules, Setup, rules};

use super::cluster::Cluster;

/// So many nodes of real code, called n1, n2, n3, … `make` is run whenever a node boots, with what its disk kept.
pub fn cluster<N: Node>(nodes: usize, make: impl Fn(Id, Disk) -> N + Send + Sync + 'static) -> Cluster<N> {
    Cluster::new(Setup::new(nodes, make), std::any::type_name::<N>())
}

/// Nodes that run a Dedalus program, each on its own tuples, under the failures that real code gets. Of the relations that are told, each tuple is an event when
/// it comes about; clients ask for inputs, as tuples.
pub fn model<P: Program>(program: &P, told: &[&str]) -> Cluster<Rules> {
    let name = std::any::type_name::<P>();
    match rules(program, told) {
        Ok(setup) => Cluster::new(setup, name),
        Err(error) => {
            // There is nothing to run, and whoever runs it is told why.
            let nothing = |_, _| -> Rules { unreachable!("it is refused before it is run") };
            let mut cluster = Cluster::new(Setup::new(0, nothing), name);
            cluster.mistake = Some(error);
            cluster
        }
    }
}

/// So many nodes of an async service, called n1, n2, n3, … `main` is run whenever a node boots. An instant of the world is so long for
/// them: messages take one instant to arrive.
#[cfg(feature = "live-tokio")]
pub fn service<M, R, F, S>(nodes: usize, instant: Duration, main: S) -> Cluster<ldfi_live::tokio::Service<M, R>>
where
    M: ldfi_live::tokio::Message,
    R: Clone + std::fmt::Debug + Send + Sync + 'static,
    F: Future<Output = ()> + 'static,
    S: Fn(ldfi_live::tokio::Host<M, R>) -> F + Send + Sync + 'static,
{
    Cluster::new(
        ldfi_live::tokio::setup(nodes, instant, main),
        std::any::type_name::<S>().trim_end_matches("::{{closure}}"),
    )
}

//! Which faults to name for what became of a message or of a node's step: those without which it would be otherwise.

use dedalus_runtime::model::{Concrete, Fault, FaultSet, Faults, Node, Strike};

/// The faults of a run, together and with each left out.
pub(super) struct Blamer {
    faults: FaultSet<Node>,
    nodes: Vec<String>,
    all: Concrete,
    none: Concrete,
    /// A fault, and the world without it (a crash takes its restart along).
    without: Vec<(Fault<Node>, Concrete)>,
}

impl Blamer {
    pub(super) fn new(faults: &FaultSet<Node>, nodes: &[String]) -> Self {
        let mut without = vec![];
        for (at, fault) in faults.iter().enumerate() {
            if let Some(fewer) = faults.without_one_at(at) {
                without.push((fault.clone(), Concrete::new(&fewer)));
            }
        }
        Blamer {
            faults: faults.clone(),
            nodes: nodes.to_vec(),
            all: Concrete::new(faults),
            none: Concrete::new(&FaultSet::none()),
            without,
        }
    }

    /// The world as it was.
    pub(super) fn world(&mut self) -> &mut Concrete {
        &mut self.all
    }

    /// The faults without which the answer would be another. Where any of several would do, one that does.
    pub(super) fn named(&mut self, ask: impl Fn(&mut Concrete) -> bool) -> Faults {
        let answer = ask(&mut self.all);
        let mut named: FaultSet<Node> = FaultSet::none();
        for (fault, world) in &mut self.without {
            if ask(world) != answer {
                named.insert(fault.clone());
            }
        }
        if named.is_empty() && ask(&mut self.none) != answer {
            named = self.enough(answer, ask);
        }
        named.named(&self.nodes)
    }

    /// Faults that suffice for an answer, none of which could be left out.
    fn enough(&self, answer: bool, ask: impl Fn(&mut Concrete) -> bool) -> FaultSet<Node> {
        let mut enough = self.faults.clone();
        let mut at = 0;
        while at < enough.len() {
            match enough.without_one_at(at) {
                Some(fewer) if ask(&mut Concrete::new(&fewer)) == answer => enough = fewer,
                _ => at += 1,
            }
        }
        enough
    }

    /// The faults of that kind, by name.
    pub(super) fn faults(&self, is: impl Fn(&Strike<Node>, u32) -> bool) -> Faults {
        let some: FaultSet<Node> =
            self.faults.iter().filter(|fault| is(&fault.strike, fault.time.0)).cloned().collect();
        some.named(&self.nodes)
    }
}

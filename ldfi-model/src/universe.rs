//! All runs within a specification together.

use crate::fate::{Possible, Possibly, Send, World};
use crate::node::Node;
use crate::spec::{Bounds, FailureSpec};

/// All runs within a specification together: what can be, and what must be. All nodes are alike to it.
#[derive(Clone, Copy, Debug)]
pub struct Universe {
    logic: Possibly,
    bounds: Bounds,
}

impl Universe {
    /// All runs within this specification.
    pub fn new(spec: FailureSpec) -> Self {
        Universe { logic: Possibly, bounds: spec.bounds() }
    }

    /// The bounds.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Whether nodes can be down or paused at a step.
    pub fn may_stand_still(&mut self, time: u32) -> bool {
        self.steps(Node(0), time) != Possible::Always
    }
}

impl World for Universe {
    type Logic = Possibly;

    fn logic(&mut self) -> &mut Possibly {
        &mut self.logic
    }

    fn lost(&mut self, send: Send) -> Possible {
        Possible::maybe(send.time < self.bounds.eff && self.bounds.losses != Some(0))
    }

    fn late(&mut self, send: Send, by: u32) -> Possible {
        Possible::maybe(send.time < self.bounds.eff && by <= self.bounds.delay && self.bounds.delays != Some(0))
    }

    fn copied(&mut self, send: Send, by: u32) -> Possible {
        Possible::maybe(send.time < self.bounds.eff && by <= self.bounds.delay && self.bounds.duplicates > 0)
    }

    fn latest(&self) -> u32 {
        // Later than the end is not seen.
        self.bounds.delay.min(self.bounds.eot)
    }

    fn parted(&mut self, send: Send) -> Possible {
        Possible::maybe(send.time < self.bounds.eff && self.bounds.partitions > 0)
    }

    fn out(&mut self, _: Node, time: u32) -> Possible {
        Possible::maybe(time > 0 && self.bounds.crashes > 0)
    }

    fn returns(&mut self, _: Node, time: u32) -> Possible {
        Possible::maybe(time < self.bounds.eot && self.bounds.restarts > 0)
    }

    fn boots(&mut self, _: Node, time: u32) -> Possible {
        Possible::maybe(time > 1 && self.bounds.restarts > 0)
    }

    fn paused(&mut self, _: Node, time: u32) -> Possible {
        Possible::maybe(time < self.bounds.eff && self.bounds.pauses > 0)
    }
}

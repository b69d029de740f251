//! All runs within a specification together.

use crate::fate::{Possible, Possibly, Send, World};
use crate::node::Node;
use crate::spec::{Bounds, FailureSpec};

/// All runs within a specification together: what can be, and what must be. All nodes are alike to it.
#[derive(Clone, Copy, Debug)]
pub struct Universe {
    logic: Possibly,
    spec: FailureSpec,
}

impl Universe {
    /// All runs within this specification.
    pub fn new(spec: FailureSpec) -> Self {
        Universe { logic: Possibly, spec }
    }

    /// The bounds.
    pub fn bounds(&self) -> Bounds {
        self.spec.bounds()
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
        Possible::maybe(self.spec.may_lose(send.time))
    }

    fn late(&mut self, send: Send, by: u32) -> Possible {
        Possible::maybe(self.spec.may_delay(send.time, by))
    }

    fn copied(&mut self, send: Send, by: u32) -> Possible {
        Possible::maybe(self.spec.may_copy(send.time, by))
    }

    fn latest(&self) -> u32 {
        // Later than the end is not seen.
        self.spec.bounds().delay.min(self.spec.eot())
    }

    fn parted(&mut self, send: Send) -> Possible {
        Possible::maybe(self.spec.may_part(send.time))
    }

    fn out(&mut self, _: Node, time: u32) -> Possible {
        Possible::maybe(time > 0 && self.spec.crashes() > 0)
    }

    fn returns(&mut self, _: Node, time: u32) -> Possible {
        Possible::maybe(time < self.spec.eot() && self.spec.bounds().restarts > 0)
    }

    fn boots(&mut self, _: Node, time: u32) -> Possible {
        Possible::maybe(self.spec.may_restart(time))
    }

    fn paused(&mut self, _: Node, time: u32) -> Possible {
        Possible::maybe(self.spec.may_pause(time))
    }
}

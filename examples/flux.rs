//! Flux (Shah, Hellerstein, Brewer 2004): process pairs for dataflow.
//!
//! *Promise.* Both replicas of an operator get the same stream, without loss, duplication or reordering; if one fails,
//! the other takes over, and the output does not tell.
//!
//! *How.* The source numbers its items and sends each to both replicas until both have confirmed it. A replica
//! consumes items in turn, and keeps each result until the sink has confirmed it. Only the active replica sends its
//! results; the standby takes over when it has heard nothing from it for four steps. The sink takes each result once
//! and in turn, and confirms to both replicas. The rules are in `flux.ded` and `parts/flux.ded`.
//!
//! Silence need not mean a crash: losses alone can make both replicas active. No harm is done, because replicas are
//! deterministic and the sink knows results by their numbers. For the same reason the source gives up on nobody: were
//! it to write off a silent replica that lives, the other's crash would take the only copy with it.
//!
//! *Specification.* The operator is a running total, so a result tells which items went into it. At the end: what the
//! replicas have consumed is a beginning of the stream; what the sink has put out is right, nothing twice and
//! nothing skipped; and an item that the source has let go has come out or is with a replica that lives.
//!
//! *What breaks it.* Two crashes, as any process pair; certified at ⟨22, 21, 1⟩, the depth of Figure 13.
//!
//! *How long take-over takes.* [`FluxDelivers`] asks that everything comes out if neither source nor sink crashes.
//! This takes time after the last loss: with EOT 22 it breaks from EFF 12 on, by all of source to left lost up to 11,
//! then a crash of left at 14. right takes over at 19, and the last of its results is out at 23, too late.

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus_file!(
    /// `examples/flux.ded`, compiled.
    pub Flux = "examples/flux.ded"
);
dedalus_file!(
    /// `examples/flux_delivers.ded`, compiled.
    pub FluxDelivers = "examples/flux_delivers.ded"
);

fn main() {
    show::show("flux", &Flux::new(), [22, 21, 1]);
    show::show("flux_delivers", &FluxDelivers::new(), [22, 6, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_doubled_or_out_of_order() {
        show::pin(Flux::new(), [22, 21, 1], "fault-tolerant", [1, 3079, 8383, 2368]);
    }

    #[test]
    fn everything_comes_out_if_there_is_time() {
        show::pin(FluxDelivers::new(), [22, 6, 1], "fault-tolerant", [1, 2021, 5938, 2029]);
    }
}

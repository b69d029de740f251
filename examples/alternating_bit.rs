//! The alternating bit protocol (Bartlett, Scantlebury, Wilkinson 1969): one bit is enough to tell new from old, on a
//! link that keeps order. And the same with sequence numbers, for a link that does not.
//!
//! *Promise.* What the receiver delivers is what the sender sent, in order, once, and in the end all of it.
//!
//! *How.* The sender sends an item until it is acknowledged, and only then the next. Each message has a tag, in
//! [`AlternatingBit`] the parity of its item's number. The receiver waits for a tag; any other is an old item again.
//!
//! *A link that keeps order.* A message sent at t arrives at t + 1, and if it or a copy of it is late by at most 1,
//! at t + 2. Each end sends one message a step, so the next one is sent at t + 1 and arrives at t + 2 or later:
//! nothing that was sent later ever arrives earlier. What arrives in one step counts as arriving in the order of
//! sending: the end that it reaches looks only for the tag that it waited for before that step. So `delay(1)` is such
//! a link: it loses, repeats and holds up, and does not reorder. `delay(2)` is the least that lets a message overtake
//! another.
//!
//! *Specification.* The item delivered as number I is the sender's item I, and all three items are delivered. Without
//! faults they are at 2, 4 and 6.
//!
//! *What breaks it.* Not losses, delays of 1 and copies: that is certified at ⟨EOT 16, EFF 8⟩ in some hundredths of a
//! second. A message that is overtaken: `delay s->r@2 by 2`, or a copy alone, `duplicate s->r@2 by 2`. At 2 the
//! sender has not seen the acknowledgement of x yet and sends x again. That message arrives at 5, when y has been
//! taken, and has the parity that is waited for again: x is delivered as the third item, and z is never.
//!
//! *What mends it.* More tags than messages can be under way. [`SequenceNumbers`] are certified at ⟨EOT 20, EFF 8⟩
//! with any losses, delays of up to 5 and eight copies, in some hundredths of a second.

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Stop and wait over a bad link. Left open is the `tag` that an item has on the wire: node, number of the item,
    /// tag.
    rules StopAndWait {
        link("s", "r")@1; link("r", "s")@1;
        link(N, M)@next :- link(N, M);

        item("s", 1, "x")@1; item("s", 2, "y")@1; item("s", 3, "z")@1;
        item(S, I, X)@next :- item(S, I, X);

        // Both ends count: the sender the item that it sends, the receiver the item that it waits for.
        sending("s", 1)@1;
        waiting("r", 1)@1;
        number(S, I) :- item(S, I, _);
        number(R, I) :- waiting(R, I);
        number(R, I - 1) :- waiting(R, I);

        // ---- Sender: the same item at every step, until its tag is acknowledged; then the next. ----

        acked(S) :- sending(S, I), tag(S, I, B), ack(S, B);
        now(S, I) :- sending(S, I), notin acked(S);
        now(S, I + 1) :- sending(S, I), acked(S);
        sending(S, I)@next :- now(S, I);
        message(R, B, X)@async :- now(S, I), item(S, I, X), tag(S, I, B), link(S, R);

        // ---- Receiver: takes what has the tag that it waits for; the answer is always the tag that it took last. ----

        takes(R, I, X) :- message(R, B, X), waiting(R, I), tag(R, I, B);
        waiting(R, I + 1)@next :- takes(R, I, _);
        waiting(R, I)@next :- waiting(R, I), notin takes(R, I, _);

        last(R, I) :- takes(R, I, _);
        last(R, I - 1) :- message(R, _, _), waiting(R, I), notin takes(R, I, _);
        ack(S, B)@async :- last(R, I), tag(R, I, B), link(R, S);

        delivered(R, I, X) :- takes(R, I, X);
        delivered(R, I, X)@next :- delivered(R, I, X);

        // ---- Specification. What is delivered is what was sent, in that order and once, and all of it is. ----

        pre("in order", I, X) :- delivered(_, I, X);
        post("in order", I, X) :- delivered(_, I, X), item(_, I, X);
        pre("delivered", I, X) :- item(_, I, X);
        post("delivered", I, X) :- item(_, I, X), delivered(_, I, X);
    }

    /// The alternating bit protocol.
    pub program AlternatingBit {
        use StopAndWait;

        // The parity of its number.
        tag(N, I, I - I / 2 * 2) :- number(N, I);
    }

    /// The same with whole numbers in the place of bits.
    pub program SequenceNumbers {
        use StopAndWait;

        // Its number.
        tag(N, I, I) :- number(N, I);
    }
}

fn main() {
    show::show_under("alternating_bit", &AlternatingBit::new(), |c| c.eot(16).eff(8).delay(1).duplicates(8));
    show::show_under("alternating_bit", &AlternatingBit::new(), |c| c.eot(16).eff(8).delay(2).duplicates(8));
    show::show_under("sequence_numbers", &SequenceNumbers::new(), |c| c.eot(16).eff(8).delay(2).duplicates(8));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_is_enough_on_a_link_that_loses_and_repeats_and_keeps_order() {
        let said = show::verdict(&AlternatingBit::new(), |c| c.eot(16).eff(8).delay(1).duplicates(8));
        assert_eq!(said, "fault-tolerant");
    }

    #[test]
    fn a_message_that_is_overtaken_is_taken_for_a_new_one() {
        let bit = AlternatingBit::new();
        assert_eq!(show::verdict(&bit, |c| c.eot(16).eff(8).delay(2).duplicates(8)), "delay s->r@2 by 2");
        let copy = show::verdict(&bit, |c| c.eot(16).eff(8).losses(0).delay(2).delays(0).duplicates(1));
        assert_eq!(copy, "duplicate s->r@2 by 2");
        let run = bit.run(&"duplicate s->r@2 by 2".parse().unwrap(), eot(16));
        assert!(run.at(16).delivered().contains(("r", 3, "x")) && !run.at(16).delivered().contains(("r", 3, "z")));
    }

    #[test]
    fn numbers_make_order_unimportant() {
        let numbers = SequenceNumbers::new();
        assert_eq!(show::verdict(&numbers, |c| c.eot(16).eff(8).delay(2).duplicates(8)), "fault-tolerant");
        assert_eq!(show::verdict(&numbers, |c| c.eot(20).eff(8).delay(5).duplicates(8)), "fault-tolerant");
    }

    #[test]
    fn without_any_tag_one_lost_acknowledgement_repeats_an_item() {
        let untagged = show::mutant(&SequenceNumbers::new(), "tag(N, I, I) :-", "tag(N, I, 0) :-");
        assert_eq!(show::verdict(&untagged, |c| c.eot(16).eff(8).losses(1).delay(1)), "incorrect-without-faults");
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(AlternatingBit::new(), "alternating_bit");
        show::same_as_file(SequenceNumbers::new(), "sequence_numbers");
    }
}

//! The match of section 3 of the LDFI paper: a programmer against an adversary, in five rounds.
//!
//! The programmer writes a reliable broadcast; the adversary, who sees the program and its runs, looks for faults
//! that break it, within limits agreed upon beforehand. A counterexample wins the round for the adversary,
//! a proof that there is none for the programmer.
//!
//! ```text
//! cargo run --release --example match
//! ```

// Each round is an example of its own, and brings what it shares with the others.
#![allow(clippy::duplicate_mod)]

#[allow(dead_code)]
#[path = "ack_deliv.rs"]
mod ack_deliv;
#[allow(dead_code)]
#[path = "classic_deliv.rs"]
mod classic_deliv;
#[allow(dead_code)]
#[path = "redun_deliv.rs"]
mod redun_deliv;
#[allow(dead_code)]
#[path = "retry_deliv.rs"]
mod retry_deliv;
#[allow(dead_code)]
#[path = "simple_deliv.rs"]
mod simple_deliv;

use ack_deliv::AckDeliv;
use classic_deliv::ClassicDeliv;
use ldfi::prelude::*;
use ldfi::report::text::{TextOptions, overview, spacetime};
use redun_deliv::RedunDeliv;
use retry_deliv::RetryDeliv;
use simple_deliv::SimpleDeliv;

/// One round: what the programmer plays and says, and the limits on the adversary.
struct Round<'a> {
    name: &'a str,
    says: &'a str,
    /// ⟨EOT, EFF, Crashes⟩
    limits: [u32; 3],
    /// What the adversary says if it wins, and what it says if it does not.
    replies: [&'a str; 2],
}

/// Plays a round; whether the programmer wins it.
fn play<P: Program + Send>(number: u32, program: &P, round: &Round<'_>) -> bool {
    let Round { name, says, limits: [eot, eff, crashes], replies: [won, lost] } = *round;
    println!("━━━ Round {number}: {name} ━━━\n\nProgrammer: {says}\n");
    // The specification is agreed upon before the match.
    let agreed = |rule: &str| ["missing_log(", "pre(", "post("].iter().any(|head| rule.starts_with(head));
    for rule in program.plan().rules.iter().map(|rule| &rule.text).filter(|rule| !agreed(rule)) {
        println!("    {rule}");
    }
    let checked = ldfi::check(program).name(name).eot(eot).eff(eff).crashes(crashes).run();
    let conclusion = checked.unwrap_or_else(|error| panic!("{name}: {error}"));
    let report = ldfi::picture::report(program, name, &conclusion, &[]);
    let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
    let options = TextOptions { width: 100, ..TextOptions::default() };
    println!("\n{}", overview(&report, &options));
    let programmer_wins = conclusion.verdict == Verdict::FaultTolerant;
    if programmer_wins {
        println!("The run without faults, in which there is nothing to attack:\n");
        println!("{}", spacetime(&report, &report.runs[0], &options));
    }
    println!("Adversary: {}\n", if programmer_wins { lost } else { won });
    programmer_wins
}

fn main() {
    let mut score = [0, 0];
    let mut count = |programmer_wins: bool| score[usize::from(!programmer_wins)] += 1;

    count(play(
        1,
        &SimpleDeliv::new(),
        &Round {
            name: "simple-deliv",
            says: "The sender sends everybody a copy, once.",
            limits: [4, 2, 0],
            replies: ["One message is all that b's copy hangs on. I lose it.", "I give up."],
        },
    ));
    count(play(
        2,
        &RetryDeliv::new(),
        &Round {
            name: "retry-deliv",
            says: "Then it sends at every step. You cannot lose messages for ever.",
            limits: [4, 2, 1],
            replies: ["Everything still comes from a. I let one copy through, to c, and crash a.", "I give up."],
        },
    ));
    count(play(
        3,
        &RedunDeliv::new(),
        &Round {
            name: "redun-deliv",
            says: "Then everybody who has the message sends it at every step.",
            limits: [11, 10, 1],
            replies: [
                "Still not enough.",
                "Too many copies in too many places: I find no set of faults that cuts all.",
            ],
        },
    ));
    count(play(
        4,
        &AckDeliv::new(),
        &Round {
            name: "ack-deliv",
            says: "That is a lot of messages. Everybody sends until the others have acknowledged.",
            limits: [8, 7, 1],
            replies: [
                "You fell silent too early.",
                "Your runs show few copies, but each fault that I try brings new ones. I find nothing.",
            ],
        },
    ));
    count(play(
        5,
        &ClassicDeliv::new(),
        &Round {
            name: "classic-deliv",
            says: "The textbook does it with one relay each, and proves it right.",
            limits: [5, 3, 0],
            replies: ["For a network that loses nothing. Mine loses two messages.", "I give up."],
        },
    ));

    let [programmer, adversary] = score;
    println!("━━━ Programmer {programmer}, adversary {adversary}. ━━━");
}

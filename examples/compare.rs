//! Variants side by side: the broadcasts of the match, and how patient a backup should be.
//!
//! *The broadcasts.* All five are right without faults. What they differ in is what they send and what that buys: the
//! one that retries survives losses or a crash but not both, the textbook's a crash and not losses, the redundant one
//! and the one with acknowledgements everything, the latter with fewer messages while nothing goes wrong.
//!
//! *The patience of a fail-over.* See `failover.ded`. A backup that takes over after two missed beats survives the loss
//! of one; one that waits for eight survives seven, but after a crash it is too late. With a crash a patience of three
//! or four survives most losses, and of these two four survives more without.
//!
//! ```text
//! cargo run --release --example compare
//! ```
//!
//! The same from the command line, and as a page:
//!
//! ```text
//! ldfi compare examples/failover.ded --param patience=2..8 --eot 10 --crashes 1 --report out
//! ```
//!
//! ```text
//! 7 variants  ⟨EOT 10, EFF 9, crashes 1⟩
//!
//! without faults       messages  kept from  stored  by kind
//! failover patience=2        15          3       7  beat 9, ask 4, served 2
//! failover patience=3        15          3       7  beat 9, ask 4, served 2
//! failover patience=4        15          3       7  beat 9, ask 4, served 2
//! failover patience=5        15          3       7  beat 9, ask 4, served 2
//! failover patience=6        15          3       7  beat 9, ask 4, served 2
//! failover patience=7        15          3       7  beat 9, ask 4, served 2
//! failover patience=8        15          3       7  beat 9, ask 4, served 2
//!
//! survives alone       eff  crashes  delay  partitions  broken by
//! failover patience=2    2       ≥1      1           0  lose p->b@1; lose p->b@2
//! failover patience=3    3       ≥1      2           0  lose p->b@1; lose p->b@2; lose p->b@3
//! failover patience=4    4       ≥1      3           0  lose p->b@1; lose p->b@2; and 2 more
//! failover patience=5    5       ≥1      3           0  lose p->b@1; lose p->b@2; and 3 more
//! failover patience=6    6       ≥1      3           0  lose p->b@1; lose p->b@2; and 4 more
//! failover patience=7    7        0      3           0  lose p->b@1; lose p->b@2; and 5 more
//! failover patience=8    8        0      3           0  lose c->p@1; lose c->p@2; and 6 more
//!
//! worst one fault      messages  kept from  stored  fault
//! failover patience=2        13          6       9  crash p@2
//! failover patience=3        15          7       9  crash p@2
//! failover patience=4        17          8       9  crash p@2
//! failover patience=5        19          9       9  crash p@2
//! failover patience=6        20         10       9  crash p@2
//! failover patience=7        19      never       8  crash p@2
//! failover patience=8        19      never       7  crash p@2
//!
//! all faults of a set: --format json, or --report
//!
//! frontier of eff and crashes: ● survived  ✗ broken  ○ nothing promised  ? not known
//!
//! failover patience=2           failover patience=3
//!       eff 1 2 3 4 5 6 7 8 9         eff 1 2 3 4 5 6 7 8 9
//! 0 crashes ● ● ✗ ✗ ✗ ✗ ✗ ✗ ✗   0 crashes ● ● ● ✗ ✗ ✗ ✗ ✗ ✗
//!   1 crash ● ● ✗ ✗ ✗ ✗ ✗ ✗ ✗     1 crash ● ● ● ✗ ✗ ✗ ✗ ✗ ✗
//!
//! failover patience=4           failover patience=5
//!       eff 1 2 3 4 5 6 7 8 9         eff 1 2 3 4 5 6 7 8 9
//! 0 crashes ● ● ● ● ✗ ✗ ✗ ✗ ✗   0 crashes ● ● ● ● ● ✗ ✗ ✗ ✗
//!   1 crash ● ● ● ✗ ✗ ✗ ✗ ✗ ✗     1 crash ● ● ✗ ✗ ✗ ✗ ✗ ✗ ✗
//!
//! failover patience=6           failover patience=7
//!       eff 1 2 3 4 5 6 7 8 9         eff 1 2 3 4 5 6 7 8 9
//! 0 crashes ● ● ● ● ● ● ✗ ✗ ✗   0 crashes ● ● ● ● ● ● ● ✗ ✗
//!   1 crash ● ✗ ✗ ✗ ✗ ✗ ✗ ✗ ✗     1 crash ✗ ✗ ✗ ✗ ✗ ✗ ✗ ✗ ✗
//!
//! failover patience=8
//!       eff 1 2 3 4 5 6 7 8 9
//! 0 crashes ● ● ● ● ● ● ● ● ✗
//!   1 crash ✗ ✗ ✗ ✗ ✗ ✗ ✗ ✗ ✗
//! ```

// Each variant is an example of its own, and brings what it shares with the others.
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
#[path = "parts/show.rs"]
mod show;
#[allow(dead_code)]
#[path = "simple_deliv.rs"]
mod simple_deliv;

use ack_deliv::AckDeliv;
use classic_deliv::ClassicDeliv;
use ldfi::compare::{Compare, Variant};
use ldfi::prelude::*;
use redun_deliv::RedunDeliv;
use retry_deliv::RetryDeliv;
use simple_deliv::SimpleDeliv;

dedalus! {
    /// Fail-over after so many missed beats in a row.
    pub program FailOver(patience: int = 3) {
        // ---- Who takes part. ----

        server("c", "p")@1; server("c", "b")@1;
        server(C, S)@next :- server(C, S);
        backup("p", "b")@1;
        backup(P, B)@next :- backup(P, B);
        watches("b", "p")@1;
        watches(B, P)@next :- watches(B, P);

        // ---- Client: asks both servers until one has served it. ----

        wants("c", "x")@1;
        wants(C, W)@next :- wants(C, W);
        ask(S, C, W)@async :- wants(C, W), server(C, S), notin served(C, W);
        served(C, W)@async :- ask(S, C, W), leads(S);
        served(C, W)@next :- served(C, W);

        // ---- Primary: leads, and says so at every step. ----

        leads("p")@1;
        leads(S)@next :- leads(S);
        beat(B, P)@async :- backup(P, B);

        // ---- Backup: counts the beats that it misses in a row, and leads when there are too many. ----

        beat("b", "p")@1;
        missed(B, P, 1)@next :- watches(B, P), notin beat(B, P), notin missed(B, P, _);
        missed(B, P, K + 1)@next :- missed(B, P, K), notin beat(B, P);
        leads(B) :- missed(B, _, K), K >= patience;

        // ---- Specification. ----

        two_lead(W) :- wants(_, W), leads(S), leads(T), S != T, notin crash(_, S, _), notin crash(_, T, _);
        pre(C, W) :- wants(C, W), notin crash(_, C, _);
        post(C, W) :- served(C, W), notin two_lead(W);
    }
}

/// The broadcasts of the match.
pub fn broadcasts() -> Compare<'static> {
    let broadcasts = [
        Variant::new("simple", SimpleDeliv::new()),
        Variant::new("retry", RetryDeliv::new()),
        Variant::new("redundant", RedunDeliv::new()),
        Variant::new("ack", AckDeliv::new()),
        Variant::new("classic", ClassicDeliv::new()),
    ];
    ldfi::compare(broadcasts).eot(8).crashes(1)
}

/// A fail-over whose backup is ever more patient.
pub fn patience() -> Compare<'static> {
    let variants = (2..=8).map(|patience| (format!("patience {patience}"), FailOver::new().patience(patience)));
    ldfi::compare(variants).eot(10).crashes(1)
}

fn main() {
    for compare in [broadcasts(), patience()] {
        let found = compare.run().unwrap_or_else(|error| panic!("{error}"));
        println!("{found}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ldfi::model::{Comparison, Finding, Kind};

    fn reach(found: &Comparison, kind: Kind) -> Vec<Option<u32>> {
        let of = |row: &ldfi::model::Row| row.alone.iter().find(|(of, _)| *of == kind).and_then(|(_, r)| r.survived);
        found.rows.iter().map(of).collect()
    }

    #[test]
    fn the_broadcasts_differ_in_what_they_send_and_what_that_buys() {
        let found = broadcasts().run().unwrap();
        assert!(found.is_complete());
        let sent: Vec<u64> = found.rows.iter().map(|row| row.quiet.as_ref().unwrap().sent()).collect();
        assert_eq!(sent[0], 2);
        // Without faults acknowledgements save most of what redundancy sends.
        assert!(sent[3] < sent[2], "{sent:?}");
        // Eff 1 allows no loss at all, and 7 is all that was asked about.
        assert_eq!(reach(&found, Kind::Eff), [1, 7, 7, 7, 1].map(Some));
        assert_eq!(reach(&found, Kind::Crashes), [Some(1); 5]);
        let whole: Vec<bool> = found.rows.iter().map(|row| row.whole == Finding::Survives).collect();
        assert_eq!(whole, [false, false, true, true, false]);
    }

    #[test]
    fn patience_buys_losses_and_costs_crashes() {
        let found = patience().run().unwrap();
        assert!(found.is_complete());
        assert_eq!(reach(&found, Kind::Eff), [2, 3, 4, 5, 6, 7, 8].map(Some));
        assert_eq!(reach(&found, Kind::Crashes), [1, 1, 1, 1, 1, 0, 0].map(Some));
        // With a crash, neither much patience nor little survives most losses.
        let crossed: Vec<_> = found.rows.iter().map(|row| row.frontier.by_crashes[1].survived).collect();
        assert_eq!(crossed, [Some(2), Some(3), Some(3), Some(2), Some(1), None, None]);
    }

    #[test]
    fn a_page_shows_the_frontier_of_each() {
        let folder = std::env::temp_dir().join(format!("ldfi-compare-{}", std::process::id()));
        let page = patience().run().unwrap().write(&folder).unwrap();
        let text = std::fs::read_to_string(page).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        assert_eq!(text.matches("<svg class=\"map\"").count(), 7);
        assert!(!text.contains("http://") && !text.contains("https://") && !text.contains("<script"), "self-contained");
    }

    #[test]
    fn the_file_says_the_same() {
        let file = format!("{}/examples/failover.ded", env!("CARGO_MANIFEST_DIR"));
        let read = dedalus_runtime::Interpreted::from_files(&[file]).unwrap_or_else(|error| panic!("{error}"));
        let param = "param patience: int = 3;\n";
        let (inline, read) = (FailOver::new().plan().ast.to_string(), read.plan().ast.to_string());
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(lines(&format!("{param}{inline}")), lines(&read));
    }
}

//! What counts as a finding, and what does not; what is found is kept, whatever else goes wrong.

use dedalus_runtime::Interpreted;
use ldfi_live::{Conclusion, Disk, Failure, Id, Node, Options, Out, Scenario, Setup, Specification};
use ldfi_model::VerdictKind;

fn rules(text: &str) -> Vec<Specification> {
    let program = Interpreted::from_text("spec.ded", text).unwrap_or_else(|error| panic!("{error}"));
    vec![Specification::new(program).unwrap_or_else(|error| panic!("{error}"))]
}

/// Nothing is wrong as far as these rules know.
fn anything() -> Vec<Specification> {
    rules("input never(str); err_never(N) :- never(N);")
}

fn explore<N: Node>(setup: &Setup<N>, rules: &[Specification], failures: &[Failure], at_most: usize) -> Conclusion {
    let options = Options { failures: failures.to_vec(), at_most, ..Options::default() };
    setup.explore(rules, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The bugs: rule and failures.
fn bugs(conclusion: &Conclusion) -> Vec<String> {
    conclusion.bugs.iter().map(|bug| format!("{} under {}", bug.rule, bug.scenario.show(&conclusion.nodes))).collect()
}

/// Writes something and reads it back.
struct ReadBack(Disk);

impl Node for ReadBack {
    type Message = ();
    type Request = ();

    fn tick(&mut self, out: &mut Out<()>) {
        if out.now() == 3 {
            let _ = self.0.write("a", b"x").and_then(|()| self.0.sync("a"));
            let _ = self.0.write("b", b"y");
            assert_eq!(self.0.read("b"), Ok(Some(b"y".to_vec())), "what was written is there");
        }
        if out.now() == 5 {
            out.event("alive", 1);
        }
    }

    fn handle(&mut self, _: Id, (): (), _: &mut Out<()>) {}
    fn ask(&mut self, (): (), _: &mut Out<()>) {}
}

#[test]
fn what_code_does_after_its_node_stopped_is_no_finding() {
    let mut setup = Setup::new(1, |_, disk| ReadBack(disk));
    setup.end(9);
    let found = explore(&setup, &anything(), &[Failure::Reboot(2)], 1);
    assert_eq!(found.verdict, VerdictKind::FaultTolerant, "{:?}", bugs(&found));
    // Nor is the node gone for good where panics are crashes.
    let scenario = Scenario::parse("reboot n1@3 sync:a until 5", setup.nodes()).expect("it is one");
    let calm = Options { panics_are_crashes: true, ..Options::default() };
    let replayed = setup.replay(&anything(), &calm, &scenario).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((replayed.struck, replayed.crashes.len(), replayed.events.len()), (1, 0, 1));
}

#[test]
fn a_boot_that_stops_half_way_and_then_panics_is_no_finding() {
    let mut setup = Setup::new(1, |_, disk: Disk| {
        let _ = disk.write("a", b"x");
        assert!(disk.read("a") == Ok(Some(b"x".to_vec())), "what was written is there");
        ReadBack(disk)
    });
    setup.end(2);
    // Stopped by the read, which is done, it does not boot on; the write of the next boot is.
    let found = explore(&setup, &anything(), &[Failure::Torn(1), Failure::Reboot(1)], 1);
    assert!(bugs(&found).is_empty(), "{:?}", bugs(&found));
}

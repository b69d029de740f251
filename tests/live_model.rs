//! Model against code: one specification for both, and what breaks the one is tried on the other.

#[path = "../examples/parts/delivery.rs"]
mod delivery;

use delivery::{Model, code, rules};
use ldfi::live::{Failure, Scenario};
use ldfi::model::VerdictKind;
use ldfi::prelude::*;

const EOT: u32 = 4;

#[test]
fn a_counterexample_of_the_model_replays_on_the_code() {
    let found = ldfi::check(Model::new()).eot(4).eff(2).crashes(1).assert_counterexample();
    assert_eq!(found.faults().to_string(), "lose a->b@1; crash a@2");
    let on_code = code().end(4).replay_faults(found.faults()).unwrap();
    assert_eq!(
        on_code.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["Spec: post(\"data\") is missing at the end"]
    );
    assert_eq!(on_code.struck, 2);
    let on_rules = rules().end(4).replay_faults(found.faults()).unwrap();
    assert_eq!(on_rules.violations, on_code.violations);
    // And no single fault does, in the model or in the code.
    ldfi::check(Model::new()).eot(4).eff(2).assert_fault_tolerant();
    ldfi::check(Model::new()).eot(4).crashes(1).assert_fault_tolerant();
    code().end(4).until(2).failures([Failure::Lose]).at_most(2).assert_fault_tolerant();
    code().end(4).failures([Failure::Crash]).assert_fault_tolerant();
}

/// Every fault of some kinds, one by one.
fn faults() -> Vec<String> {
    let mut all = vec![];
    for time in 1..3 {
        for (from, to) in [("a", "b"), ("a", "c"), ("b", "a")] {
            all.push(format!("lose {from}->{to}@{time}"));
            all.push(format!("delay {from}->{to}@{time} by 3"));
        }
        all.push(format!("duplicate a->b@{time} by 1"));
        all.push(format!("pause a@{time} until {}", time + 2));
        all.extend(["a", "b", "c"].map(|node| format!("crash {node}@{time}")));
        all.push(format!("partition a|b,c@{time} until {}", time + 1));
        all.push(format!("partition a,b|c@{time} until {}", time + 2));
    }
    all
}

#[test]
fn the_model_the_rules_as_code_and_the_code_break_under_the_same_faults() {
    let (model, rules, code) = (Model::new(), rules().end(EOT), code().end(EOT));
    let all = faults();
    let (mut tried, mut broken) = (0, 0);
    for (at, one) in all.iter().enumerate() {
        for other in &all[at..] {
            let Ok(faults) = format!("{one}; {other}").parse::<Faults>() else { continue };
            // Some cannot be together.
            let Ok(run) = model.try_run(&faults, eot(EOT)) else { continue };
            let wanted = !run.at(EOT).pre().is_empty() && run.at(EOT).post().is_empty();
            for violations in [rules.replay_faults(&faults), code.replay_faults(&faults)] {
                let violations = violations.unwrap_or_else(|error| panic!("{faults}: {error}")).violations;
                assert_eq!(!violations.is_empty(), wanted, "{faults}: {violations:?}");
            }
            tried += 1;
            broken += usize::from(wanted);
        }
    }
    println!("{broken} of {tried}");
    assert!(tried > 200 && broken > 8, "{broken} of {tried}");
}

#[test]
fn failures_that_break_the_code_break_the_model() {
    let conclusion = code().end(EOT).until(3).failures([Failure::Lose, Failure::Crash]).at_most(2).run().unwrap();
    assert_eq!(conclusion.verdict, VerdictKind::Counterexample);
    let on_rules = rules().end(EOT).until(3).failures([Failure::Lose, Failure::Crash]).at_most(2).run().unwrap();
    let show = |conclusion: &ldfi::live::Conclusion| -> Vec<String> {
        let mut all: Vec<String> = conclusion.failing.iter().map(|one| one.scenario.show(&conclusion.nodes)).collect();
        all.sort();
        all
    };
    assert_eq!(show(&conclusion), show(&on_rules));
    for failing in &conclusion.failing {
        let text = failing.scenario.show(&conclusion.nodes).replace(" log", "");
        let faults: Faults = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Scenario::of_model(&faults, &conclusion.nodes).map(|scenario| scenario.len()), Ok(2));
        assert!(Model::new().run(&faults, eot(EOT)).at(EOT).post().is_empty(), "{text}");
    }
}

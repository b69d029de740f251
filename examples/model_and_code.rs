//! One protocol as rules and as Rust: what breaks the model is tried on the code, and the specification of both is the same.
//!
//! `cargo run --example model_and_code`

#[path = "parts/delivery.rs"]
mod delivery;

use delivery::Model;

fn main() {
    // The model: the least faults that break it are found, and that fewer do not is proved.
    let found = ldfi::check(Model::new()).eot(4).eff(2).crashes(1).assert_counterexample();
    println!("the model breaks under {}", found.faults());
    // The code: the same faults, done to real messages and real nodes.
    for (what, violations) in [
        ("the code", delivery::code().end(4).replay_faults(found.faults()).map(|replayed| replayed.violations)),
        (
            "the rules as code",
            delivery::rules().end(4).replay_faults(found.faults()).map(|replayed| replayed.violations),
        ),
    ] {
        match violations {
            Ok(violations) if violations.is_empty() => println!("{what} survives them"),
            Ok(violations) => violations.iter().for_each(|violation| println!("{what} breaks {violation}")),
            Err(error) => println!("{what}: {error}"),
        }
    }
    println!("\na test of the code says so:\n\n{}", asserted("lose a->b@1 log; crash a@2"));
}

/// What a test says that asserts that the code survives these failures: a diagram, the reason, a report.
fn asserted(failures: &str) -> String {
    std::panic::set_hook(Box::new(|_| {}));
    let said = std::panic::catch_unwind(|| delivery::code().end(4).assert_survives(failures));
    drop(std::panic::take_hook());
    match said {
        Ok(_) => "nothing is broken".to_owned(),
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_default(),
    }
}

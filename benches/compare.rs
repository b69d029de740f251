//! The broadcasts of the match and the patience of a fail-over, measured: the run without faults, and the check.
//!
//! `cargo bench -p ldfi-benches --bench compare`

#[path = "paper/measure.rs"]
#[allow(dead_code, reason = "shared with the paper's figures")]
mod measure;

use ldfi::compare::Variant;
use measure::load;

const BROADCASTS: [&str; 5] = ["simple_deliv", "retry_deliv", "redun_deliv", "ack_deliv", "classic_deliv"];

/// The fail-over with more or less patience.
fn patient(patience: i64) -> Variant<'static> {
    let program = load("failover").param("patience", patience).expect("it has this parameter");
    Variant::new(format!("patience {patience}"), program)
}

ldfi::compare_group!(broadcasts, ldfi::compare(BROADCASTS.map(|file| (file, load(file)))).eot(8).crashes(1));
ldfi::compare_group!(patience, ldfi::compare((2..=8).map(patient)).eot(10).crashes(1));

criterion::criterion_main!(broadcasts, patience);

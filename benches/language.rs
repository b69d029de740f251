//! Forward runs of whole programs: ours, and the peers in the same run.
//!
//! `LDFI_BENCH_QUICK=1` tries everything out on small worlds.

use criterion::{BenchmarkId, Criterion};
use ldfi_benches::rows::rows;

fn main() {
    let quick = std::env::var_os("LDFI_BENCH_QUICK").is_some();
    let seconds = |s: f64| std::time::Duration::from_secs_f64(if quick { 0.02 } else { s });
    let mut criterion = Criterion::default().configure_from_args();
    for row in rows(quick) {
        println!("{}: {} tuples, the same for all", row.name, row.check());
        let mut group = criterion.benchmark_group(&row.name);
        group.sample_size(10).warm_up_time(seconds(0.2)).measurement_time(seconds(0.6));
        for contestant in row.contestants() {
            let mut run = row.run(contestant);
            group.bench_function(BenchmarkId::from_parameter(contestant), |b| b.iter(&mut run));
        }
        group.finish();
    }
    criterion.final_summary();
}

//! One contestant on one row, for `instructions.sh`: only what [`measured`] does is to be counted.
//!
//! Without arguments it lists what there is.

use ldfi_benches::rows::{Run, rows, rows_where};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, contestant] = &arguments[..] else {
        for row in rows(false) {
            for contestant in row.contestants() {
                println!("{}\t{contestant}", row.name);
            }
        }
        return;
    };
    let found = rows_where(false, |row| row == name);
    let row = found.first().unwrap_or_else(|| panic!("no row {name}"));
    let mut run = row.run(contestant);
    // The first run is the one that allocates.
    run();
    measured(&mut run);
}

/// What the instrumentation counts.
#[inline(never)]
fn measured(run: &mut Run) {
    std::hint::black_box(run());
}

//! For `build_cost.sh`: writes one source file for each program and engine into a directory.
//!
//! The programs are blocks of ten rules each (a broadcast with acknowledgments and its specification), so that
//! twice the rules are twice the work; and Paxos, whose forty rules are not alike.

use std::fmt::Write as _;
use std::path::Path;

use dedalus_runtime::Program;
use dedalus_syntax::plan::Plan;
use ldfi_benches::encode::{Engine, program};
use ldfi_benches::programs::{Paxos, paxos};

fn main() -> std::io::Result<()> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let directory = Path::new(&directory);
    for blocks in [1, 2, 4, 8] {
        let text: String = (0..blocks).map(block).collect();
        let plan = dedalus_syntax::compile_text("blocks", &text).expect("the blocks are a program");
        write(directory, &format!("{}", 10 * blocks), "", &text, &plan)?;
    }
    write(directory, "paxos", "(stride: int = 2)", Paxos::SOURCE, paxos().plan())
}

/// Ten rules over relations of their own.
fn block(i: usize) -> String {
    let rules = "
        input node#(str, str);
        input bcast#(str, str);
        node#(N, M)@next :- node#(N, M);
        log#(N, P)@next :- log#(N, P);
        rbcst#(N, N, P) :- bcast#(N, P);
        log#(N, P) :- rbcst#(N, _, P);
        rbcst#(M, N, P)@async :- log#(N, P), node#(N, M), notin ack#(N, M, P);
        ack#(F, H, P)@async :- rbcst#(H, F, P);
        ack#(N, H, P)@next :- ack#(N, H, P);
        missing#(A, P) :- log#(X, P), node#(X, A), notin log#(A, P);
        kept#(X, P) :- log#(X, P), notin crash(_, X, _);
        whole#(X, P) :- log#(X, P), notin missing#(_, P);
    ";
    rules.replace('#', &format!("{i}"))
}

fn write(directory: &Path, name: &str, params: &str, text: &str, plan: &Plan) -> std::io::Result<()> {
    let put = |engine: &str, source: String| std::fs::write(directory.join(format!("{engine}_{name}.rs")), source);
    let mut ours = String::from("use ldfi::prelude::*;\n");
    let _ = writeln!(ours, "dedalus! {{ pub program Measured{params} {{ {text} }} }}");
    // Each engine's program is used, so that what is generic is compiled too.
    ours += "pub fn run() -> usize { Measured::new().run(&Faults::none(), eot(5)).nodes().len() }\n";
    put("ours", ours)?;
    let mut ascent = program(plan, Engine::Ascent);
    ascent += "pub fn run() -> usize { let mut p = Program::default(); p.run(); p.clock.len() }\n";
    put("ascent", ascent)?;
    let mut crepe = program(plan, Engine::Crepe);
    crepe += "pub fn run() -> usize { std::mem::size_of_val(&Crepe::new().run_with_hasher::<rustc_hash::FxBuildHasher>()) }\n";
    put("crepe", crepe)
}

//! Prints `src/peers/protocols.rs`: the measured protocols for `ascent` and `crepe`.

use dedalus_runtime::Program;
use ldfi_benches::encode::{Engine, constants, module};
use ldfi_benches::programs;

fn main() {
    println!("//! The measured protocols for `ascent` and `crepe`. Written by `encode_peers`, see `crate::encode`.\n");
    print("simple", &programs::simple(3));
    print("retry", &programs::retry(3));
    print("redun", &programs::redun(3));
    print("classic", &programs::classic(3));
    print("ack", &programs::ack(3));
    print("two_pc", &programs::two_pc(3));
    print("paxos", &programs::paxos());
}

fn print(name: &str, program: &impl Program) {
    let plan = program.plan();
    println!("/// `{name}`.\npub mod {name} {{");
    println!("/// The strings of its rules.\npub const CONSTANTS: &[&str] = &{:?};\n", constants(plan));
    println!("{}\n{}}}\n", module(plan, name, Engine::Ascent), module(plan, name, Engine::Crepe));
}

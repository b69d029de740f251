//! Which inputs of the protocols are open, and how, unless one says so.

use dedalus_runtime::faults::Faults;
use dedalus_runtime::model::eot;
use dedalus_runtime::{Interpreted, Program};
use ldfi_param::{Instance, Question, QuestionError, Settings};

fn program(name: &str) -> Interpreted {
    let path = format!("{}/../examples/{name}.ded", env!("CARGO_MANIFEST_DIR"));
    Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"))
}

fn question(name: &str, openings: &str) -> Result<Question, QuestionError> {
    let settings = Settings { openings: openings.parse().expect("openings"), ..Settings::default() };
    Question::new(&program(name), &settings)
}

fn inputs(name: &str, openings: &str) -> Vec<String> {
    question(name, openings).unwrap_or_else(|e| panic!("{e}")).show_inputs()
}

#[test]
fn what_facts_look_like_says_how_they_are_open() {
    assert_eq!(
        inputs("raft_election", ""),
        [
            "node = all: every node with every node (inferred)",
            "knows = each: one for every node (inferred)",
            "timeout = event: any node, at any time (inferred)",
        ]
    );
    let kafka = question("kafka", "").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(kafka.crowd.members, ["a", "b", "c"]);
    assert_eq!(kafka.crowd.named, ["zk", "client"]);
    let paxos = question("paxos_synod", "").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(paxos.crowd.members, ["a", "b", "c"]);
    assert!(
        paxos.show_inputs().contains(&"own = any: unknown, fixed at the start, key own(A, _) (inferred)".to_owned())
    );
    // That no ballot of the facts has two proposers does not say that none ever has: such a key is declared.
    assert!(paxos.show_inputs().contains(&"impatient = event: any node, at any time (inferred)".to_owned()));
}

#[test]
fn wrong_choices_are_refused_with_the_reason() {
    let said = |name: &str, openings: &str| question(name, openings).map(|_| ()).unwrap_err().to_string();
    assert!(said("raft_election", "nodes=all").contains("no fact fills `nodes`"));
    assert!(said("raft_election", "knows=all").contains("fewer than two columns of nodes"));
    assert!(said("raft_election", "timeout=each").contains("say `event`"));
    assert!(said("paxos_synod", "own=each").contains("nodes have different values in it"));
    assert!(said("raft_any_timer", "timeout=given").contains("may come or not"));
    assert!(said("flux", "").contains("tell all nodes apart"));
    let unknown = Settings { about: Some("agreemint".into()), ..Settings::default() };
    let refused = Question::new(&program("two_pc"), &unknown).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("agreemint") && refused.contains("\"agreement\", \"termination\""), "{refused}");
}

#[test]
fn an_instance_of_the_size_of_the_program_is_the_program() {
    for name in ["raft_election", "kafka", "ack_deliv", "two_pc", "bully_le"] {
        let question = question(name, "").unwrap_or_else(|e| panic!("{e}"));
        let instance = Instance::random(&question, question.crowd.members.len(), 1, 7);
        let (run, original) = (
            instance.program.execute(&Faults::none(), eot(1)).unwrap_or_else(|e| panic!("{e}")),
            program(name).execute(&Faults::none(), eot(1)).unwrap_or_else(|e| panic!("{e}")),
        );
        for supply in question.supplies.iter().filter(|supply| supply.later.is_empty()) {
            let relation = &question.plan.rel(supply.relation).name;
            assert_eq!(run.tuples(relation, 1), original.tuples(relation, 1), "{name} {relation}");
        }
    }
}

#[test]
fn instances_of_any_size_run() {
    for name in ["raft_election", "kafka_repaired", "ack_deliv", "two_pc", "paxos_synod", "three_pc"] {
        let question = question(name, "").unwrap_or_else(|e| panic!("{e}"));
        for members in 1..=5 {
            let instance = Instance::random(&question, members, 6, members as u64);
            assert_eq!(instance.nodes.len(), members + question.crowd.named.len());
            let run = instance.program.execute(&Faults::none(), eot(6)).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(run.tuple_count() > 0);
        }
    }
}

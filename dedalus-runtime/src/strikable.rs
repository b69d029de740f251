//! Faults that strike single messages or give inputs: whether the program has such messages and inputs.

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::Plan;
use ldfi_model::{FaultError, Faults, Strike, Time, Tuple, Value};

use crate::error::RunError;
use crate::input::Fact;
use crate::program::Program;

/// Why an input cannot be given.
pub(crate) const NO_SUCH_INPUT: &str = "the program has no such input: declare it with `maybe`";

/// Refuses a fault whose message the program cannot send, or whose input cannot come up to the end of time: for whoever
/// reads faults that people write. A run itself does not mind such messages, so that what struck one yesterday may be
/// tried on the program of today.
///
/// # Errors
/// The first of them, and why.
pub fn strikable<P: Program + ?Sized>(faults: &Faults, program: &P, eot: Time) -> Result<(), RunError> {
    let plan = program.plan();
    let mut inputs = None;
    for fault in faults.iter() {
        let fits = match &fault.strike {
            Strike::Lose { to, message: Some(message), .. }
            | Strike::Delay { to, message: Some(message), .. }
            | Strike::Duplicate { to, message: Some(message), .. } => sendable(message, to, plan),
            Strike::Give { tuple } => {
                let inputs = match &mut inputs {
                    Some(known) => known,
                    none => none.insert(program.input().all_facts(plan, eot)?),
                };
                let is_it = |input: &Fact| {
                    input.maybe
                        && input.time == fault.time
                        && plan.rel(input.relation).name == tuple.relation
                        && input.values == tuple.values
                };
                if inputs.iter().any(is_it) { Ok(()) } else { Err(NO_SUCH_INPUT.to_owned()) }
            }
            _ => Ok(()),
        };
        fits.map_err(|why| FaultError::new(fault, why))?;
    }
    Ok(())
}

fn sendable(message: &Tuple, to: &str, plan: &Plan) -> Result<(), String> {
    let name = &message.relation;
    let sent: Vec<_> =
        plan.rules.iter().filter(|rule| rule.head.when == When::Async).map(|r| r.head.relation).collect();
    let Some(relation) = sent.iter().map(|id| plan.rel(*id)).find(|relation| relation.name == *name) else {
        let mut known: Vec<&str> = sent.iter().map(|id| plan.rel(*id).name.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        return Err(format!("no `@async` rule sends `{name}` (they send {})", known.join(", ")));
    };
    let types: Vec<_> = message.values.iter().map(Value::ty).collect();
    if types != relation.columns {
        let columns: Vec<String> = relation.columns.iter().map(ToString::to_string).collect();
        return Err(format!("its message is not of the form {name}({})", columns.join(", ")));
    }
    match message.values.first() {
        Some(Value::Str(receiver)) if receiver == to => Ok(()),
        _ => Err(format!("its message does not go to `{to}`: the receiver is its first column")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::Interpreted;

    #[test]
    fn what_no_rule_sends_and_no_input_gives_is_refused_with_the_reason() {
        let text = r#"vote(B, A, 1)@async :- peer(A, B); kept(A)@next :- peer(A, _), notin go(A);
            peer("a", "b")@1; peer("b", "a")@1; maybe go("a")@2..4;"#;
        let program = Interpreted::from_text("t.ded", text).unwrap();
        let check =
            |faults: &str| strikable(&faults.parse().unwrap(), &program, Time(3)).map_err(|error| error.to_string());
        assert_eq!(check(r#"lose a->b@1 vote("b", "a", 1); delay a->b@2 by 1"#), Ok(()));
        assert_eq!(check(r#"give go("a")@2; give go("a")@3"#), Ok(()));
        for (faults, why) in [
            (r#"give go("a")@1"#, "`give go(\"a\")@1` cannot be: the program has no such input"),
            (r#"give go("a")@4"#, "no such input"),
            (r#"give go("b")@2"#, "no such input"),
            (r#"give peer("a", "b")@1"#, "no such input"),
            (r#"lose a->b@1 vot("b", "a", 1)"#, "no `@async` rule sends `vot` (they send vote)"),
            (r#"delay a->b@1 kept("b") by 1"#, "no `@async` rule sends `kept`"),
            (r#"lose a->b@1 vote("b", 1)"#, "not of the form vote(str, str, int)"),
            (r#"lose a->b@1 vote("b", "a", "1")"#, "not of the form vote(str, str, int)"),
            (r#"duplicate a->b@1 vote("a", "b", 1) by 1"#, "does not go to `b`"),
        ] {
            assert!(check(faults).unwrap_err().contains(why), "{:?}", check(faults));
        }
    }
}

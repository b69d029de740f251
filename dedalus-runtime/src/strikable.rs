//! Faults that strike single messages: whether the program has such messages.

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::Plan;
use ldfi_model::{FaultError, Faults, Strike, Tuple, Value};

/// Refuses a fault whose message the program cannot send: for whoever reads faults that people write. A run itself does
/// not mind them, so that what struck a message yesterday may be tried on the program of today.
///
/// # Errors
/// The first of them, and why.
pub fn strikable(faults: &Faults, plan: &Plan) -> Result<(), FaultError> {
    for fault in faults.iter() {
        let (Strike::Lose { to, message: Some(message), .. }
        | Strike::Delay { to, message: Some(message), .. }
        | Strike::Duplicate { to, message: Some(message), .. }) = &fault.strike
        else {
            continue;
        };
        sendable(message, to, plan).map_err(|why| FaultError::Fault { fault: fault.to_string(), why })?;
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

    #[test]
    fn a_message_that_no_rule_sends_is_refused_with_the_reason() {
        let text =
            r#"vote(B, A, 1)@async :- peer(A, B); kept(A)@next :- peer(A, _); peer("a", "b")@1; peer("b", "a")@1;"#;
        let plan = dedalus_syntax::compile_text("t.ded", text).unwrap();
        let check = |faults: &str| strikable(&faults.parse().unwrap(), &plan).map_err(|error| error.to_string());
        assert_eq!(check(r#"lose a->b@1 vote("b", "a", 1); delay a->b@2 by 1"#), Ok(()));
        for (faults, why) in [
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

//! The meaning of a program, transcribed as plainly as possible: the reference that tests compare the
//! backends with.
//!
//! Everything is recomputed from the program as written: no plan, no index, no memory of what changed.
//! Slow on purpose; use [`crate`]'s interpreter to run programs.
//!
//! What the language leaves to a reading order is settled thus:
//!
//! - A body is read one literal at a time: always the first literal of the text whose variables are known.
//! - Reading a literal computes its expressions; one that has no value fails the run. So an expression
//!   fails the run exactly when the literals read before it hold.
//! - An expression over columns of its own literal, as in `p(X, X + 1)`, is computed for the tuples whose
//!   plain columns match, from left to right until a column differs.
//! - The columns of a head are computed last; the clock of an `@async` rule is read once the first is known.
//!
//! ```
//! use dedalus_runtime::{faults::Faults, naive};
//! let plan = dedalus_syntax::compile_text("t.ded", "p(X)@next :- q(X); q(\"a\")@1;").unwrap();
//! let input = naive::NaiveInput::new(&plan.ast, vec![], vec![], None).unwrap();
//! let run = naive::run(&plan.ast, &input, &Faults::none(), 2).unwrap();
//! assert_eq!(run.at("p", 2).len(), 1);
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use dedalus_syntax::ast::*;

use crate::faults::Faults;
use crate::value::Value;

/// A row of a relation.
pub type Row = Vec<Value>;

/// What a run is given: every fact, the nodes, the value of every parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NaiveInput {
    /// Relation, time, columns.
    pub facts: Vec<(String, u32, Row)>,
    /// The nodes.
    pub nodes: Vec<String>,
    /// By place among the program's parameters.
    pub params: Vec<Value>,
}

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NaiveError {
    /// A rule computed something that has no value, first at this time.
    Arithmetic {
        /// When.
        time: u32,
    },
    /// A parameter has neither a value nor a default.
    MissingParam(String),
}

impl fmt::Display for NaiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NaiveError::Arithmetic { time } => write!(f, "an overflow or a division by zero at time {time}"),
            NaiveError::MissingParam(name) => write!(f, "parameter `{name}` has no value"),
        }
    }
}

impl std::error::Error for NaiveError {}

/// What holds when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NaiveRun {
    /// By relation and time; what holds nothing is missing. `crash` is a relation like the others.
    pub tables: BTreeMap<(String, u32), BTreeSet<Row>>,
}

impl NaiveInput {
    /// The text's facts and the extra ones; parameters given or by default; nodes given or inferred.
    ///
    /// # Errors
    /// If a parameter has neither a value nor a default.
    pub fn new(
        ast: &Ast,
        extra_facts: Vec<(String, u32, Row)>,
        params: Vec<Option<Value>>,
        nodes: Option<Vec<String>>,
    ) -> Result<Self, NaiveError> {
        let mut input = NaiveInput::default();
        for (i, param) in ast.params.iter().enumerate() {
            let given = params.get(i).cloned().flatten();
            let value = given.or_else(|| param.default.clone().map(Value::from));
            input.params.push(value.ok_or_else(|| NaiveError::MissingParam(param.name.text.clone()))?);
        }
        for fact in &ast.facts {
            let row = fact.values.iter().map(|expr| match &expr.kind {
                ExprKind::Const(constant) => Value::from(constant.clone()),
                ExprKind::Param(place) => input.params[*place].clone(),
                _ => unreachable!("the parser lets only constants into facts"),
            });
            // A time that does not fit is beyond any end of time.
            let time = u32::try_from(fact.time).unwrap_or(u32::MAX);
            input.facts.push((fact.relation.text.clone(), time, row.collect()));
        }
        input.facts.extend(extra_facts);
        input.nodes = nodes.unwrap_or_else(|| infer_nodes(&input.facts));
        Ok(input)
    }
}

/// The distinct strings in the first column of all facts, in order of first appearance.
fn infer_nodes(facts: &[(String, u32, Row)]) -> Vec<String> {
    let mut nodes: Vec<String> = vec![];
    for (_, _, row) in facts {
        if let Some(Value::Str(name)) = row.first()
            && !nodes.contains(name)
        {
            nodes.push(name.clone());
        }
    }
    nodes
}

impl NaiveRun {
    /// The rows of a relation at a time.
    pub fn at(&self, relation: &str, time: u32) -> BTreeSet<Row> {
        self.tables.get(&(relation.to_owned(), time)).cloned().unwrap_or_default()
    }

    /// Whether some row is in `pre` and not in `post` at that time.
    pub fn violated(&self, eot: u32) -> bool {
        !self.at("pre", eot).is_subset(&self.at("post", eot))
    }

    /// Whether `pre` is empty at that time.
    pub fn vacuous(&self, eot: u32) -> bool {
        self.at("pre", eot).is_empty()
    }

    /// Adds a row; whether it is new.
    fn add(&mut self, relation: &str, time: u32, row: Row) -> bool {
        self.tables.entry((relation.to_owned(), time)).or_default().insert(row)
    }
}

/// Runs a program that passed every check, from time 1 to `eot`.
///
/// # Errors
/// [`NaiveError::Arithmetic`] at the first time at which a rule computes something that has no value.
pub fn run(ast: &Ast, input: &NaiveInput, faults: &Faults, eot: u32) -> Result<NaiveRun, NaiveError> {
    let mut evaluation = Evaluation { ast, input, faults, run: NaiveRun::default() };
    let strata = stratum_numbers(ast);
    for time in 1..=eot {
        evaluation.step(time, eot, &strata).map_err(|NoValue| NaiveError::Arithmetic { time })?;
    }
    Ok(evaluation.run)
}

/// An overflow or a division by zero.
#[derive(Debug)]
struct NoValue;

/// The values of a rule's variables.
type Env<'a> = BTreeMap<&'a str, Value>;

struct Evaluation<'a> {
    ast: &'a Ast,
    input: &'a NaiveInput,
    faults: &'a Faults,
    run: NaiveRun,
}

impl<'a> Evaluation<'a> {
    /// Facts and what arrived, then the strata one by one to fixpoint, then what goes to the next step.
    fn step(&mut self, time: u32, eot: u32, strata: &BTreeMap<&str, usize>) -> Result<(), NoValue> {
        for (relation, _, row) in self.input.facts.iter().filter(|(_, at, _)| *at == time) {
            self.run.add(relation, time, row.clone());
        }
        for (node, at) in self.faults.crashes() {
            for observer in &self.input.nodes {
                let row = vec![Value::from(observer), Value::from(node), Value::Int(i64::from(at.0))];
                self.run.add("crash", time, row);
            }
        }
        let last = strata.values().max().copied().unwrap_or(0);
        for stratum in 0..=last {
            while self.round(time, stratum, strata)? {}
        }
        if time < eot {
            for rule in self.ast.rules.iter().filter(|r| r.head.when != When::Now) {
                for row in self.derive(rule, time)? {
                    self.run.add(&rule.head.relation.text, time + 1, row);
                }
            }
        }
        Ok(())
    }

    /// Applies every deductive rule of a stratum once; whether anything is new.
    fn round(&mut self, time: u32, stratum: usize, strata: &BTreeMap<&str, usize>) -> Result<bool, NoValue> {
        let mut changed = false;
        for rule in self.ast.rules.iter().filter(|r| r.head.when == When::Now) {
            let relation = rule.head.relation.text.as_str();
            if strata[relation] == stratum {
                for row in self.derive(rule, time)? {
                    changed |= self.run.add(relation, time, row);
                }
            }
        }
        Ok(changed)
    }

    /// The heads that a rule gives with its body at `time`.
    fn derive(&self, rule: &'a Rule, time: u32) -> Result<Vec<Row>, NoValue> {
        let mut solutions = vec![];
        self.solve(rule, &reading_order(rule), Env::new(), time, &mut solutions)?;
        let mut arrived = vec![];
        for env in solutions {
            if rule.head.when != When::Async || self.arrives(rule, &env, time)? {
                arrived.push(env);
            }
        }
        // Columns that are not aggregates make the group; without aggregates each solution is a row.
        let mut groups: BTreeMap<Row, Vec<Env<'a>>> = BTreeMap::new();
        for env in arrived {
            let mut key = vec![];
            for term in &rule.head.terms {
                if let HeadTerm::Expr(expr) = term {
                    key.push(self.value(expr, &env)?);
                }
            }
            groups.entry(key).or_default().push(env);
        }
        groups.into_iter().map(|(key, group)| head_row(rule, key, &group)).collect()
    }

    /// Extends `env` in every way that makes the literals of `order` hold.
    fn solve(
        &self,
        rule: &'a Rule,
        order: &[usize],
        env: Env<'a>,
        time: u32,
        found: &mut Vec<Env<'a>>,
    ) -> Result<(), NoValue> {
        let Some((&first, rest)) = order.split_first() else {
            found.push(env);
            return Ok(());
        };
        match &rule.body[first] {
            Literal::Compare(compare) => {
                if let Some(env) = self.compare(compare, env)? {
                    self.solve(rule, rest, env, time, found)?;
                }
            }
            Literal::Atom(atom) => {
                let matches = self.matches(atom, &env, time)?;
                if atom.negated && matches.is_empty() {
                    self.solve(rule, rest, env, time, found)?;
                } else if !atom.negated {
                    for env in matches {
                        self.solve(rule, rest, env, time, found)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Compares two values, or gives a variable that has none the value of the other side.
    fn compare(&self, compare: &'a Compare, mut env: Env<'a>) -> Result<Option<Env<'a>>, NoValue> {
        for (side, other) in [(&compare.left, &compare.right), (&compare.right, &compare.left)] {
            if let Some(var) = side.as_var().filter(|v| !env.contains_key(v)) {
                let value = self.value(other, &env)?;
                env.insert(var, value);
                return Ok(Some(env));
            }
        }
        let (left, right) = (self.value(&compare.left, &env)?, self.value(&compare.right, &env)?);
        Ok(compare.op.holds(&left, &right).then_some(env))
    }

    /// One extension of `env` for each row that the literal matches.
    fn matches(&self, atom: &'a Atom, env: &Env<'a>, time: u32) -> Result<Vec<Env<'a>>, NoValue> {
        // What is known is computed even if there is no row to compare it with.
        for arg in atom.args.iter().filter(|e| e.can_fail() && knows(env, e)) {
            self.value(arg, env)?;
        }
        let at = atom.at.unwrap_or(i64::from(time));
        if at > i64::from(time) {
            return Ok(vec![]);
        }
        let mut matches = vec![];
        for row in self.run.at(&atom.relation.text, u32::try_from(at).unwrap_or(0)) {
            matches.extend(self.match_row(atom, &row, env)?);
        }
        Ok(matches)
    }

    fn match_row(&self, atom: &'a Atom, row: &Row, env: &Env<'a>) -> Result<Option<Env<'a>>, NoValue> {
        let mut extended = env.clone();
        for (arg, value) in atom.args.iter().zip(row) {
            let fits = match &arg.kind {
                ExprKind::Wild => true,
                // In a negated literal, a variable that is not known here is known nowhere: it matches anything.
                ExprKind::Var(name) if atom.negated => env.get(name.as_str()).is_none_or(|known| known == value),
                ExprKind::Var(name) => extended.entry(name).or_insert_with(|| value.clone()) == value,
                ExprKind::Const(_) | ExprKind::Param(_) => self.value(arg, env)? == *value,
                ExprKind::Neg(_) | ExprKind::Binary(..) => true,
            };
            if !fits {
                return Ok(None);
            }
        }
        for (arg, value) in atom.args.iter().zip(row).filter(|(e, _)| e.can_fail()) {
            if self.value(arg, &extended)? != *value {
                return Ok(None);
            }
        }
        Ok(Some(extended))
    }

    /// Whether the message from the rule's location to the head's first column gets through.
    fn arrives(&self, rule: &Rule, env: &Env<'a>, time: u32) -> Result<bool, NoValue> {
        let sender = rule.body.iter().find_map(|literal| match literal {
            Literal::Atom(atom) => Some(&atom.args[0]),
            Literal::Compare(_) => None,
        });
        let (Some(sender), Some(HeadTerm::Expr(receiver))) = (sender, rule.head.terms.first()) else {
            unreachable!("checks give every async rule a sender and a receiver")
        };
        let (from, to) = (self.value(sender, env)?, self.value(receiver, env)?);
        if from == to {
            return Ok(true);
        }
        let (Value::Str(from), Value::Str(to)) = (from, to) else { return Ok(false) };
        let are_nodes = self.input.nodes.contains(&from) && self.input.nodes.contains(&to);
        let lost = self.faults.omissions().any(|o| o.from == from && o.to == to && o.time.0 == time);
        let crashed = self.faults.crashes().any(|(node, at)| node == from && at.0 <= time);
        Ok(are_nodes && !lost && !crashed)
    }

    fn value(&self, expr: &Expr, env: &Env<'a>) -> Result<Value, NoValue> {
        Ok(match &expr.kind {
            ExprKind::Const(constant) => Value::from(constant.clone()),
            ExprKind::Param(place) => self.input.params[*place].clone(),
            ExprKind::Var(name) => env[name.as_str()].clone(),
            ExprKind::Wild => unreachable!("checks keep `_` out of every place that needs a value"),
            ExprKind::Neg(inner) => Value::Int(self.int(inner, env)?.checked_neg().ok_or(NoValue)?),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.int(left, env)?, self.int(right, env)?);
                let result = match op {
                    BinaryOp::Add => left.checked_add(right),
                    BinaryOp::Sub => left.checked_sub(right),
                    BinaryOp::Mul => left.checked_mul(right),
                    BinaryOp::Div => left.checked_div(right),
                };
                Value::Int(result.ok_or(NoValue)?)
            }
        })
    }

    fn int(&self, expr: &Expr, env: &Env<'a>) -> Result<i64, NoValue> {
        match self.value(expr, env)? {
            Value::Int(value) => Ok(value),
            Value::Str(_) => unreachable!("types keep strings out of arithmetic"),
        }
    }
}

fn knows(env: &Env<'_>, expr: &Expr) -> bool {
    expr.vars().iter().all(|v| env.contains_key(v))
}

/// The row of a group: its key, with the aggregates in their places.
fn head_row(rule: &Rule, key: Row, group: &[Env<'_>]) -> Result<Row, NoValue> {
    let mut key = key.into_iter();
    let mut row = vec![];
    for term in &rule.head.terms {
        row.extend(match term {
            HeadTerm::Expr(_) => key.next(),
            HeadTerm::Aggregate(a) => {
                let distinct: BTreeSet<&Value> = group.iter().map(|env| &env[a.var.text.as_str()]).collect();
                aggregate(a.op, &distinct)?
            }
        });
    }
    Ok(row)
}

/// Over distinct values, of which there is at least one.
fn aggregate(op: AggregateOp, distinct: &BTreeSet<&Value>) -> Result<Option<Value>, NoValue> {
    let ints = distinct.iter().map(|value| match value {
        Value::Int(value) => i128::from(*value),
        Value::Str(_) => 0,
    });
    let (sum, count) = (ints.sum::<i128>(), distinct.len() as i128);
    let number = match op {
        AggregateOp::Min => return Ok(distinct.first().map(|v| (*v).clone())),
        AggregateOp::Max => return Ok(distinct.last().map(|v| (*v).clone())),
        AggregateOp::Count => count,
        AggregateOp::Sum => sum,
        AggregateOp::Avg => sum / count,
    };
    i64::try_from(number).map(|n| Some(Value::Int(n))).map_err(|_| NoValue)
}

/// A number for each relation: at least that of what its deductive rules read, more than that of what they
/// read through `notin` or an aggregate.
fn stratum_numbers(ast: &Ast) -> BTreeMap<&str, usize> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut stable = false;
    while !stable {
        stable = true;
        for rule in ast.rules.iter().filter(|r| r.head.when == When::Now) {
            let aggregates = rule.head.terms.iter().any(|term| matches!(term, HeadTerm::Aggregate(_)));
            let mut least = 0;
            for literal in &rule.body {
                if let Literal::Atom(atom) = literal {
                    let below = numbers.get(atom.relation.text.as_str()).copied().unwrap_or(0);
                    least = least.max(below + usize::from(atom.negated || aggregates));
                }
            }
            let number = numbers.entry(&rule.head.relation.text).or_default();
            if *number < least {
                *number = least;
                stable = false;
            }
        }
        let highest = numbers.values().max().copied().unwrap_or(0);
        assert!(highest <= numbers.len(), "a program that passed the checks can be stratified");
    }
    numbers
}

/// The literals of a body in the order in which they are read: always the first of the text that can be.
fn reading_order(rule: &Rule) -> Vec<usize> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut order = vec![];
    while let Some(next) = (0..rule.body.len()).find(|i| !order.contains(i) && readable(rule, *i, &known)) {
        match &rule.body[next] {
            Literal::Atom(atom) if atom.negated => {}
            Literal::Atom(atom) => known.extend(atom.args.iter().filter_map(Expr::as_var)),
            Literal::Compare(c) => known.extend(c.left.as_var().into_iter().chain(c.right.as_var())),
        }
        order.push(next);
    }
    assert_eq!(order.len(), rule.body.len(), "checks leave no literal that cannot be read");
    order
}

fn readable(rule: &Rule, literal: usize, known: &BTreeSet<&str>) -> bool {
    let all_known = |e: &Expr| e.vars().iter().all(|v| known.contains(v));
    match &rule.body[literal] {
        Literal::Atom(atom) if atom.negated => {
            atom.args.iter().all(|e| all_known(e) || e.as_var().is_some_and(|v| only_negated(rule, v)))
        }
        // Its plain columns are known once it is read, so that its expressions may use them.
        Literal::Atom(atom) => {
            let own: Vec<&str> = atom.args.iter().filter_map(Expr::as_var).collect();
            atom.args.iter().all(|e| e.vars().iter().all(|v| known.contains(v) || own.contains(v)))
        }
        Literal::Compare(c) => {
            let assigns = |target: &Expr, value: &Expr| {
                c.op == CompareOp::Eq && all_known(value) && target.as_var().is_some_and(|v| !matched(rule, v))
            };
            all_known(&c.left) && all_known(&c.right) || assigns(&c.left, &c.right) || assigns(&c.right, &c.left)
        }
    }
}

/// Whether a positive literal binds the variable.
fn matched(rule: &Rule, var: &str) -> bool {
    rule.body.iter().any(|literal| match literal {
        Literal::Atom(atom) => !atom.negated && atom.args.iter().any(|e| e.as_var() == Some(var)),
        Literal::Compare(_) => false,
    })
}

/// Whether a variable occurs in negated literals, as plain columns, and nowhere else.
fn only_negated(rule: &Rule, var: &str) -> bool {
    let uses = |e: &Expr| e.vars().contains(&var);
    let in_head = rule.head.terms.iter().any(|term| match term {
        HeadTerm::Expr(expr) => uses(expr),
        HeadTerm::Aggregate(a) => a.var.text == var,
    });
    let in_body = rule.body.iter().any(|literal| match literal {
        Literal::Atom(atom) if atom.negated => atom.args.iter().any(|e| e.as_var().is_none() && uses(e)),
        Literal::Atom(atom) => atom.args.iter().any(uses),
        Literal::Compare(c) => uses(&c.left) || uses(&c.right),
    });
    !in_head && !in_body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(text: &str, faults: &str, eot: u32) -> Result<NaiveRun, NaiveError> {
        let plan = dedalus_syntax::compile_text("test.ded", text).unwrap();
        let input = NaiveInput::new(&plan.ast, vec![], vec![], None).unwrap();
        run(&plan.ast, &input, &faults.parse().unwrap(), eot)
    }

    /// The rows of a relation, printed: `a 1, b 2`.
    fn shown(run: &NaiveRun, relation: &str, time: u32) -> String {
        let plain = |value: &Value| match value {
            Value::Int(value) => value.to_string(),
            Value::Str(text) => text.clone(),
        };
        let row = |row: &Row| row.iter().map(plain).collect::<Vec<_>>().join(" ");
        run.at(relation, time).iter().map(row).collect::<Vec<_>>().join(", ")
    }

    /// What `relation` holds at `time` of the failure-free run to `eot(4)`.
    fn holds(text: &str, relation: &str, time: u32) -> String {
        shown(&attempt(text, "", 4).unwrap(), relation, time)
    }

    fn fails(text: &str) -> Option<u32> {
        match attempt(text, "", 4) {
            Err(NaiveError::Arithmetic { time }) => Some(time),
            _ => None,
        }
    }

    #[test]
    fn a_fact_holds_at_its_time_only_and_later_than_the_end_never() {
        let text = "q(X) :- p(X); p(\"a\")@2; p(\"b\")@9;";
        assert_eq!([1, 2, 3].map(|t| holds(text, "q", t)), ["", "a", ""]);
        assert!(attempt(text, "", 4).unwrap().tables.keys().all(|(_, t)| *t <= 4));
    }

    #[test]
    fn nodes_are_the_strings_in_first_columns_in_order_of_appearance() {
        let text = "r(X)@async :- p(X, _); p(\"b\", \"z\")@9; n(1)@1; p(\"a\", \"y\")@1; p(\"b\", \"x\")@1;";
        let plan = dedalus_syntax::compile_text("test.ded", text).unwrap();
        let extra = vec![("p".to_owned(), 2, vec!["c".into(), "d".into()])];
        assert_eq!(NaiveInput::new(&plan.ast, extra, vec![], None).unwrap().nodes, ["b", "a", "c"]);
    }

    #[test]
    fn deductive_rules_reach_their_fixpoint_and_look_anywhere() {
        let text = "path(X, Y) :- edge(X, Y); path(X, Z) :- path(X, Y), path(Y, Z);
            edge(\"a\", \"b\")@1; edge(\"b\", \"c\")@1; edge(\"c\", \"d\")@1;";
        assert_eq!(holds(text, "path", 1), "a b, a c, a d, b c, b d, c d");
        assert_eq!(holds(text, "path", 2), "");
    }

    #[test]
    fn next_leads_one_step_on_and_never_fails() {
        let text = "p(X)@next :- p(X); p(\"a\")@1;";
        assert_eq!(holds(text, "p", 4), "a");
        assert_eq!(shown(&attempt(text, "crash a@1", 4).unwrap(), "p", 4), "a");
    }

    const SEND: &str = "got(Y, V)@async :- link(X, Y), say(X, V); link(\"a\", \"b\")@1; link(\"b\", \"a\")@1;
        link(\"a\", \"a\")@1; link(\"a\", \"nowhere\")@1; say(\"a\", 7)@1;";

    #[test]
    fn a_message_arrives_one_step_later_at_nodes_only() {
        assert_eq!([1, 2, 3].map(|t| holds(SEND, "got", t)), ["", "a 7, b 7", ""]);
    }

    #[test]
    fn a_lost_message_does_not_arrive_and_a_message_to_oneself_is_never_lost() {
        let got = |faults| shown(&attempt(SEND, faults, 4).unwrap(), "got", 2);
        assert_eq!(got("lose a->b@1"), "a 7");
        assert_eq!(got("lose b->a@1; lose a->b@2"), "a 7, b 7");
    }

    #[test]
    fn a_crashed_node_sends_nothing_from_then_on_but_receives() {
        let got = |faults| shown(&attempt(SEND, faults, 4).unwrap(), "got", 2);
        assert_eq!(got("crash a@1"), "a 7");
        assert_eq!(got("crash a@2; crash b@1"), "a 7, b 7");
    }

    #[test]
    fn a_local_step_needs_no_node() {
        assert_eq!(holds("q(X)@async :- p(X); p(1)@1;", "q", 2), "1");
        assert_eq!(holds("q(Y)@async :- p(X, Y); p(1, 2)@1;", "q", 2), "");
    }

    #[test]
    fn the_sender_is_the_first_column_of_the_first_relational_literal() {
        let text = "got(Y)@async :- Y == \"b\", notin mute(X), say(X); say(\"a\")@1; say(\"b\")@2; mute(\"c\")@3;";
        let run = attempt(text, "lose a->b@1", 4).unwrap();
        assert_eq!([2, 3].map(|t| shown(&run, "got", t)), ["", "b"]);
    }

    #[test]
    fn a_body_time_reads_the_past_and_not_the_future() {
        let text = "q(X) :- now(X), p(X)@2; absent(X) :- now(X), notin p(X)@2; now(X)@next :- now(X);
            now(\"a\")@1; p(\"a\")@2;";
        assert_eq!([1, 2, 3].map(|t| holds(text, "q", t)), ["", "a", "a"]);
        assert_eq!([1, 2, 3].map(|t| holds(text, "absent", t)), ["a", "", ""]);
    }

    #[test]
    fn negation_waits_for_its_stratum() {
        let text = "alone(X) :- n(X), notin met(X); met(X) :- met(Y), near(Y, X); met(X) :- first(X);
            n(\"a\")@1; n(\"b\")@1; n(\"c\")@1; first(\"a\")@1; near(\"a\", \"b\")@1;";
        assert_eq!(holds(text, "alone", 1), "c");
    }

    #[test]
    fn wildcards_and_variables_known_nowhere_match_anything() {
        let text = "none(X) :- n(X), notin p(X, _); nil(X) :- n(X), notin p(Z, Z);
            n(\"a\")@1; n(\"b\")@1; p(\"a\", \"b\")@1; n(\"c\")@2;";
        assert_eq!(holds(text, "none", 1), "b");
        assert_eq!([1, 2].map(|t| holds(text, "nil", t)), ["", "c"]);
    }

    #[test]
    fn a_variable_repeated_in_a_literal_joins_its_columns() {
        assert_eq!(holds("q(X) :- p(X, X); p(1, 1)@1; p(1, 2)@1;", "q", 1), "1");
        assert_eq!(holds("q(X) :- p(X, X + 1); p(1, 1)@1; p(1, 2)@1;", "q", 1), "1");
    }

    #[test]
    fn aggregates_range_over_distinct_values() {
        let text = "s(N, count<V>, min<V>, max<V>, sum<V>, avg<V>) :- p(N, _, V); none(count<V>) :- p(_, _, V), V > 99;
            p(\"a\", 1, 5)@1; p(\"a\", 2, 5)@1; p(\"a\", 3, -2)@1; p(\"b\", 1, -7)@1; p(\"b\", 2, 0)@1;";
        assert_eq!(holds(text, "s", 1), "a 2 -2 5 3 1, b 2 -7 0 -7 -3");
        assert_eq!(holds(text, "none", 1), "");
    }

    #[test]
    fn strings_compare_count_and_have_a_least() {
        let text = "s(count<V>, min<V>, max<V>) :- p(V), V >= \"b\"; p(\"a\")@1; p(\"b\")@1; p(\"ba\")@1; p(\"c\")@1;";
        assert_eq!(holds(text, "s", 1), "3 b c");
    }

    #[test]
    fn lost_messages_do_not_count_in_an_aggregate() {
        let text = "n(\"c\", count<X>)@async :- p(X); p(\"a\")@1; p(\"b\")@1; p(\"c\")@1;";
        assert_eq!(holds(text, "n", 2), "c 3");
        assert_eq!(shown(&attempt(text, "lose b->c@1", 4).unwrap(), "n", 2), "c 2");
        assert_eq!(shown(&attempt(text, "crash a@1; crash b@1", 4).unwrap(), "n", 2), "c 1");
    }

    #[test]
    fn an_equation_assigns_only_what_no_positive_literal_binds() {
        assert_eq!(holds("q(Y) :- Y == X * 2 + 1, p(X); p(3)@1;", "q", 1), "7");
        assert_eq!(holds("q(X) :- X == 4, p(X); p(3)@1; p(4)@1;", "q", 1), "4");
        assert_eq!(holds("q(X) :- 1 == X, X == 2, p(_); p(3)@1;", "q", 1), "");
    }

    #[test]
    fn division_truncates_toward_zero() {
        assert_eq!(holds("q(X / 2, -X / 2) :- p(X); p(7)@1;", "q", 1), "3 -3");
    }

    #[test]
    fn arithmetic_without_a_value_fails_the_run_at_its_time() {
        for rule in ["X + 1", "0 - X - 2", "X * 2", "1 / (X - X)", "-(0 - X - 1)", "(0 - X - 1) / -1"] {
            let text = format!("q({rule}) :- p(X); p(9223372036854775807)@3;");
            assert_eq!(fails(&text), Some(3), "{rule}");
        }
        // At the end of time there is no next step to compute.
        assert_eq!(fails("q(1 / X)@next :- p(X); p(0)@4;"), None);
    }

    #[test]
    fn an_expression_is_computed_when_the_literals_read_before_it_hold() {
        assert_eq!(fails("q(X) :- p(X), X != 0, 1 / X == 1; p(0)@1;"), None);
        assert_eq!(fails("q(X) :- p(X), 1 / X == 1, X != 0; p(0)@1;"), Some(1));
        assert_eq!(fails("q(X) :- 1 / X == 1, X != 0, p(X); p(0)@1;"), Some(1));
        assert_eq!(fails("q(X) :- p(X), none(1 / X); p(0)@1;"), Some(1));
        assert_eq!(fails("q(X) :- p(X), none(X), 1 / X == 1; p(0)@1;"), None);
        assert_eq!(fails("q(X) :- p(X), notin none(1 / X); p(0)@2;"), Some(2));
        assert_eq!(fails("q(X) :- p(X, 1 / X, 3); p(0, 1, 2)@1;"), None);
        assert_eq!(fails("r(X) :- q(X), 1 / X == 1, r(X); q(0)@1;"), Some(1));
    }

    #[test]
    fn a_lost_message_is_not_computed() {
        let text = "got(Y, 1 / V)@async :- say(X, Y, V); say(\"a\", \"b\", 0)@1; say(\"b\", \"b\", 1)@1;";
        assert_eq!(attempt(text, "", 4), Err(NaiveError::Arithmetic { time: 1 }));
        assert_eq!(shown(&attempt(text, "lose a->b@1", 4).unwrap(), "got", 2), "b 1");
    }

    #[test]
    fn only_a_total_that_does_not_fit_is_an_overflow() {
        let big = "p(9223372036854775807)@1; p(1)@1;";
        assert_eq!(fails(&format!("q(sum<X>) :- p(X); {big}")), Some(1));
        assert_eq!(holds(&format!("q(sum<X>) :- p(X); {big} p(-1)@1;"), "q", 1), "9223372036854775807");
        assert_eq!(holds(&format!("q(avg<X>) :- p(X); {big}"), "q", 1), "4611686018427387904");
    }

    #[test]
    fn crashes_are_seen_by_every_node_at_every_time() {
        let text = "q(N) :- n(N), crash(N, M, T), M != N, T > 1; n(X)@next :- n(X); old(N) :- n(N), crash(N, _, _)@2;
            n(\"a\")@1; n(\"b\")@1;";
        let run = attempt(text, "crash b@3", 4).unwrap();
        assert_eq!(shown(&run, "crash", 1), "a b 3, b b 3");
        assert_eq!([1, 4].map(|t| shown(&run, "q", t)), ["a", "a"]);
        assert_eq!([1, 2].map(|t| shown(&run, "old", t)), ["", "a, b"]);
    }

    #[test]
    fn relations_without_columns_hold_or_do_not() {
        let text = "go() :- p(_); stop()@next :- go(), notin p(2); p(1)@1; p(2)@2;";
        let run = attempt(text, "", 4).unwrap();
        assert_eq!([1, 2, 3].map(|t| run.at("go", t).len()), [1, 1, 0]);
        assert_eq!([1, 2, 3].map(|t| run.at("stop", t).len()), [0, 1, 0]);
    }

    #[test]
    fn a_run_violates_when_something_is_in_pre_and_not_in_post() {
        let text = "pre(X) :- p(X); post(X) :- q(X); p(\"a\")@2; q(\"a\")@2; q(\"b\")@2; p(\"a\")@3;";
        let run = attempt(text, "", 3).unwrap();
        assert_eq!([1, 2, 3].map(|t| run.violated(t)), [false, false, true]);
        assert_eq!([1, 2, 3].map(|t| run.vacuous(t)), [true, false, false]);
    }

    #[test]
    fn parameters_take_their_values_or_their_defaults() {
        let plan = dedalus_syntax::compile_text("test.ded", "q(X) :- p(X), X > 1; p(1)@1; p(2)@1;").unwrap();
        let mut ast = plan.ast;
        let span = ast.rules[0].span;
        let name = Name { text: "k".into(), span };
        ast.params.push(Param { name, ty: Type::Int, default: Some(Constant::Int(1)) });
        ast.facts[0].values[0].kind = ExprKind::Param(0);
        let q = |given| {
            let input = NaiveInput::new(&ast, vec![], vec![given], None).unwrap();
            run(&ast, &input, &Faults::none(), 1).unwrap().at("q", 1).len()
        };
        assert_eq!((q(None), q(Some(Value::Int(5)))), (1, 2));
        ast.params[0].default = None;
        assert_eq!(NaiveInput::new(&ast, vec![], vec![], None), Err(NaiveError::MissingParam("k".into())));
    }
}

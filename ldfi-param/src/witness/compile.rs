//! From the rules of a program to logic.

use std::collections::BTreeSet;

use dedalus_syntax::ast::{AggregateOp, BinaryOp, CompareOp, When};
use dedalus_syntax::plan::{self, Condition, HeadColumn, Reserved, Rule, Slot, SlotSource, Term};
use ldfi_model::Value;

use super::number::{Comparison, Count, Linear, Number};
use super::theory::{Arg, Clause, Kind, Literal, Part, Pred, Predicate, Theory, Threshold};
use crate::question::Question;
use crate::sent::Sending;
use crate::sorts::Sort;

/// What a variable of a rule is.
#[derive(Clone, Debug)]
enum Known {
    Arg(Arg),
    Number(Number),
}

/// The columns of a threshold that were not known before it was made: too deep a nesting of views is left alone.
const DEEPEST: usize = 4;

impl<'q> Theory<'q> {
    /// The logic of a question.
    ///
    /// # Errors
    /// If a parameter has no value.
    pub(crate) fn new(question: &'q Question) -> Result<Self, String> {
        let plan = &question.plan;
        let sorts = &question.sorts;
        let mut predicates: Vec<Predicate> = vec![];
        for (at, relation) in (0u32..).zip(&plan.relations) {
            let id = plan::RelId(at);
            let columns = (0..relation.columns.len()).map(|column| sorts.column(id, column)).collect();
            predicates.push(Predicate { kind: Kind::Relation(id), columns, rigid: relation.is_timeless() });
        }
        for (kind, rigid) in [(Kind::Member, true), (Kind::Node, true), (Kind::Crashes, true), (Kind::Down, false)] {
            predicates.push(Predicate { kind, columns: vec![sorts.node()], rigid });
        }
        for supply in question.supplies.iter().filter(|supply| !supply.keys.is_empty()) {
            let columns = predicates[supply.relation.index()].columns.clone();
            predicates.push(Predicate { kind: Kind::Possible(supply.relation), columns, rigid: true });
        }
        if question.adversary.delays {
            let sends = plan.rules.iter().filter(|rule| rule.head.when == When::Async);
            for relation in sends.map(|rule| rule.head.relation).collect::<BTreeSet<_>>() {
                let columns = predicates[relation.index()].columns.clone();
                predicates.push(Predicate { kind: Kind::Sent(relation), columns, rigid: false });
            }
        }
        let count = predicates.len();
        let theory = Theory {
            question,
            predicates,
            clauses: vec![],
            thresholds: vec![],
            values: vec![],
            relevant: vec![false; count],
            base: vec![],
            counts: vec![],
            projections: vec![],
            invented: vec![],
            sending: if question.adversary.delays { Sending::new(question) } else { None },
            by_head: vec![],
            readers: vec![],
        };
        let mut compiler = Compiler { theory, counts: vec![] };
        for rule in &plan.rules {
            let clause = compiler.rule(rule)?;
            compiler.theory.clauses.push(clause);
        }
        let mut theory = compiler.theory;
        theory.counts = compiler.counts;
        theory.find_base();
        theory.find_relevant();
        theory.count_others();
        theory.find_base();
        theory.find_values();
        theory.find_relevant();
        theory.index();
        Ok(theory)
    }

    /// Where a program asks for so many of something, an invariant may speak of so many of something else.
    fn count_others(&mut self) {
        let bounds: BTreeSet<i64> = (self.thresholds.iter())
            .filter(|threshold| threshold.constant < 0 && matches!(&threshold.parts[..], [part] if part.factor == 1))
            .map(|threshold| threshold.constant)
            .collect();
        let node = self.question.sorts.node();
        for at in 0..self.predicates.len() {
            let Predicate { kind: Kind::Relation(relation), columns, rigid: false } = self.predicates[at].clone()
            else {
                continue;
            };
            let nodes: Vec<usize> = (0..columns.len()).filter(|column| columns[*column] == node).collect();
            let ([column], true) = (&nodes[..], self.base[at] && self.relevant[at] && !bounds.is_empty()) else {
                continue;
            };
            let group: Vec<Sort> =
                (0..columns.len()).filter(|other| other != column).map(|other| columns[other]).collect();
            let elements =
                self.add(Kind::Element(self.predicates.len()), group.iter().copied().chain([node]).collect());
            // The group comes first, then what is counted.
            let order = (0..columns.len()).filter(|other| other != column).chain([*column]);
            let args: Vec<Arg> = order.map(Arg::Var).collect();
            let read = Literal::Atom {
                pred: Pred(relation.0),
                args: (0..columns.len()).map(Arg::Var).collect(),
                positive: true,
            };
            let clause = Clause {
                head: elements,
                args,
                when: When::Now,
                vars: columns.clone(),
                body: vec![read],
                sender: None,
                extreme: None,
                sure: true,
                rule: None,
            };
            self.clauses.push(clause);
            self.projections.push((elements, relation, *column));
            for constant in &bounds {
                let part = Part { factor: 1, elements, group: (0..group.len()).collect() };
                self.thresholds.push(Threshold { parts: vec![part], constant: *constant, columns: group.clone() });
                let pred = self.add(Kind::Threshold(self.thresholds.len() - 1), group.clone());
                self.invented.push(pred);
            }
        }
    }

    fn add(&mut self, kind: Kind, columns: Vec<Sort>) -> Pred {
        self.predicates.push(Predicate { kind, columns, rigid: false });
        Pred(u32::try_from(self.predicates.len() - 1).unwrap_or(u32::MAX))
    }

    fn index(&mut self) {
        self.by_head = vec![vec![]; self.predicates.len()];
        self.readers = vec![vec![]; self.predicates.len()];
        for (at, clause) in self.clauses.iter().enumerate() {
            self.by_head[clause.head.index()].push(at);
            for (place, literal) in clause.body.iter().enumerate() {
                if let Literal::Atom { pred, positive: true, .. } = literal {
                    self.readers[pred.index()].push((at, place));
                }
            }
        }
    }

    /// What holds otherwise than by a rule within the moment.
    fn find_base(&mut self) {
        self.base = vec![false; self.predicates.len()];
        for clause in self.clauses.iter().filter(|clause| clause.when != When::Now) {
            self.base[clause.head.index()] = true;
        }
        for (at, predicate) in self.predicates.iter().enumerate() {
            self.base[at] |= match &predicate.kind {
                Kind::Relation(relation) => {
                    self.question.supply(*relation).is_some() || self.question.plan.rel(*relation).reserved.is_some()
                }
                Kind::Element(_) | Kind::Threshold(_) => false,
                _ => true,
            };
        }
    }

    /// What the promise depends on.
    fn find_relevant(&mut self) {
        self.relevant = vec![false; self.predicates.len()];
        let mut work: Vec<Pred> = self.invented.clone();
        for promise in &self.question.promises {
            work.extend(promise.pre.into_iter().chain(promise.post).map(|relation| Pred(relation.0)));
        }
        while let Some(pred) = work.pop() {
            if std::mem::replace(&mut self.relevant[pred.index()], true) {
                continue;
            }
            if let Kind::Threshold(at) = self.predicates[pred.index()].kind {
                work.extend(self.thresholds[at].parts.iter().map(|part| part.elements));
            }
            for clause in self.clauses.iter().filter(|clause| clause.head == pred) {
                work.extend(clause.body.iter().filter_map(|literal| match literal {
                    Literal::Atom { pred, .. } => Some(*pred),
                    _ => None,
                }));
            }
            if let Kind::Relation(relation) = self.predicates[pred.index()].kind {
                work.extend(self.find(&Kind::Possible(relation)));
                work.extend(self.find(&Kind::Sent(relation)));
            }
        }
        for kind in [Kind::Member, Kind::Node, Kind::Crashes, Kind::Down] {
            if let Some(pred) = self.find(&kind) {
                self.relevant[pred.index()] = true;
            }
        }
    }
}

struct Compiler<'q> {
    theory: Theory<'q>,
    /// For each rule with a `count`, the predicate of what it counts.
    counts: Vec<(plan::RuleId, Pred)>,
}

/// A body under way.
struct Body<'r> {
    rule: &'r Rule,
    known: Vec<Known>,
}

impl Compiler<'_> {
    fn rule(&mut self, rule: &Rule) -> Result<Clause, String> {
        let mut clause = Clause {
            head: Pred(rule.head.relation.0),
            args: vec![],
            when: rule.head.when,
            vars: vec![],
            body: vec![],
            sender: None,
            extreme: None,
            sure: true,
            rule: Some(rule.id),
        };
        let body = self.body(rule, &mut clause, 0)?;
        for (at, column) in rule.head.columns.iter().enumerate() {
            let arg = match column {
                HeadColumn::Term(term) => self.arg(&body, term)?,
                HeadColumn::Aggregate(op @ (AggregateOp::Min | AggregateOp::Max), slot) if clause.extreme.is_none() => {
                    clause.extreme = Some((at, *op));
                    self.arg(&body, &Term::Slot(*slot))?
                }
                HeadColumn::Aggregate(..) => Arg::Opaque,
            };
            clause.args.push(arg);
        }
        // Groups of messages are made of those that arrive.
        let groups = rule.head.aggregates() && rule.head.when != When::Now;
        let several = rule.head.columns.iter().filter(|c| matches!(c, HeadColumn::Aggregate(..))).count() > 1;
        if (groups || several)
            && let Some((column, _)) = clause.extreme.take()
        {
            clause.args[column] = Arg::Opaque;
        }
        clause.sure &= !clause.args.iter().any(|arg| matches!(arg, Arg::Opaque)) && !groups;
        clause.sure &= !clause.body.iter().any(|literal| matches!(literal, Literal::Unknown));
        clause.sender = rule.sender().map(|term| self.arg(&body, term)).transpose()?;
        simplify(&mut clause);
        Ok(clause)
    }

    /// Compiles a body into a clause; what its variables are.
    fn body<'r>(&mut self, rule: &'r Rule, clause: &mut Clause, depth: usize) -> Result<Body<'r>, String> {
        let offset = clause.vars.len();
        let sorts = &self.theory.question.sorts;
        clause.vars.extend((0u32..).zip(&rule.slots).map(|(slot, _)| sorts.slot(rule, Slot(slot))));
        let known = (0..rule.slots.len()).map(|slot| Known::Arg(Arg::Var(offset + slot))).collect();
        let mut body = Body { rule, known };
        for reading in &rule.reading {
            match &reading.condition {
                Condition::Premise(at) => self.premise(&mut body, &rule.premises[*at], clause, depth)?,
                Condition::Negated(at) => {
                    let literals = self.atom(&body, &rule.negated[*at], false)?;
                    clause.body.extend(literals);
                }
                Condition::Assign(slot, term) => {
                    body.known[slot.index()] = match self.number(&body, term)? {
                        Some(number) => Known::Number(number),
                        None => Known::Arg(self.arg(&body, term)?),
                    };
                }
                Condition::Test(test) => self.test(&body, test, clause)?,
            }
        }
        Ok(body)
    }

    fn premise(
        &mut self,
        body: &mut Body<'_>,
        atom: &plan::Atom,
        clause: &mut Clause,
        depth: usize,
    ) -> Result<(), String> {
        if let Some(defining) = self.numeric_view(atom, body.rule, depth) {
            return self.unfold(body, atom, &defining, clause, depth);
        }
        let literals = self.atom(body, atom, true)?;
        clause.body.extend(literals);
        Ok(())
    }

    /// The one rule that makes a relation with a column that is a number made of counts.
    fn numeric_view(&self, atom: &plan::Atom, within: &Rule, depth: usize) -> Option<Rule> {
        if atom.at.is_some() || depth >= DEEPEST {
            return None;
        }
        let question = self.theory.question;
        let mut rules = question.plan.rules.iter().filter(|rule| rule.head.relation == atom.relation);
        let (rule, None) = (rules.next()?, rules.next()) else { return None };
        let counted = |slot: Slot| match &rule.sources[slot.index()] {
            SlotSource::Column { premise, .. } => {
                self.numeric_view(&rule.premises[*premise], rule, depth + 1).is_some()
            }
            SlotSource::Computed(_) => false,
        };
        let computed = |column: &&HeadColumn| match column {
            HeadColumn::Term(term @ Term::Binary(..)) => {
                let mut all = true;
                term.slots(&mut |slot| all &= counted(slot));
                all
            }
            HeadColumn::Term(_) => false,
            HeadColumn::Aggregate(op, _) => *op == AggregateOp::Count,
        };
        let numeric = rule.head.columns.iter().filter(computed).count() == 1;
        let aggregates = rule.head.columns.iter().filter(|c| matches!(c, HeadColumn::Aggregate(..))).count();
        let plain = rule.head.when == When::Now && question.supply(atom.relation).is_none();
        (plain && numeric && aggregates <= 1 && rule.id != within.id).then(|| rule.clone())
    }

    /// Puts the body of a view in its place. Its columns are those of the literal.
    fn unfold(
        &mut self,
        body: &mut Body<'_>,
        atom: &plan::Atom,
        view: &Rule,
        clause: &mut Clause,
        depth: usize,
    ) -> Result<(), String> {
        let mut columns = vec![];
        let count = view.head.columns.iter().any(|column| matches!(column, HeadColumn::Aggregate(..)));
        if count {
            let elements = self.elements(view)?;
            let mut group = vec![];
            for (column, term) in view.head.columns.iter().zip(&atom.pattern) {
                if matches!(column, HeadColumn::Term(_)) {
                    group.push(self.column(body, term.as_ref(), clause, elements, group.len())?);
                }
            }
            let args = group.iter().cloned().chain([Arg::Any]).collect();
            clause.body.push(Literal::Atom { pred: elements, args, positive: true });
            let number = Number::of(Count { count: elements.index(), group: group.clone() });
            let mut group = group.into_iter();
            for column in &view.head.columns {
                columns.push(match column {
                    HeadColumn::Term(_) => Known::Arg(group.next().unwrap_or(Arg::Opaque)),
                    HeadColumn::Aggregate(..) => Known::Number(number.clone()),
                });
            }
        } else {
            let inner = self.body(view, clause, depth + 1)?;
            for column in &view.head.columns {
                let HeadColumn::Term(term) = column else { unreachable!("it has no aggregates") };
                columns.push(match self.number(&inner, term)? {
                    Some(number) => Known::Number(number),
                    None => Known::Arg(self.arg(&inner, term)?),
                });
            }
        }
        for (term, column) in atom.pattern.iter().zip(columns) {
            let Some(term) = term else { continue };
            self.equate(body, term, column, clause)?;
        }
        Ok(())
    }

    /// A column of a group: a variable of its own where the literal takes anything.
    fn column(
        &mut self,
        body: &Body<'_>,
        term: Option<&Term>,
        clause: &mut Clause,
        pred: Pred,
        at: usize,
    ) -> Result<Arg, String> {
        match term {
            Some(term) => match self.arg(body, term)? {
                Arg::Opaque => {
                    clause.body.push(Literal::Unknown);
                    Ok(self.fresh(clause, pred, at))
                }
                arg => Ok(arg),
            },
            None => Ok(self.fresh(clause, pred, at)),
        }
    }

    fn fresh(&self, clause: &mut Clause, pred: Pred, at: usize) -> Arg {
        clause.vars.push(self.theory.predicates[pred.index()].columns[at]);
        Arg::Var(clause.vars.len() - 1)
    }

    /// Says that a term of a literal and the column of a view are the same.
    fn equate(&mut self, body: &mut Body<'_>, term: &Term, column: Known, clause: &mut Clause) -> Result<(), String> {
        // A variable that is not bound yet takes the column's value.
        if let (Term::Slot(slot), Known::Number(_)) = (term, &column)
            && let Known::Arg(own) = &body.known[slot.index()]
        {
            // If a literal has bound it already, that the two are equal is beyond the logic.
            if clause.body.iter().any(|literal| literal.args().contains(&own)) {
                clause.body.push(Literal::Unknown);
            }
            body.known[slot.index()] = column;
            return Ok(());
        }
        let own = match self.number(body, term)? {
            Some(number) => Known::Number(number),
            None => Known::Arg(self.arg(body, term)?),
        };
        let literal = match (own, column) {
            (Known::Arg(one), Known::Arg(other)) if one == other => return Ok(()),
            (Known::Arg(one), Known::Arg(other)) if !matches!((&one, &other), (Arg::Opaque, _) | (_, Arg::Opaque)) => {
                Literal::Compare(CompareOp::Eq, one, other)
            }
            _ => Literal::Unknown,
        };
        clause.body.push(literal);
        Ok(())
    }

    /// The predicate of what a rule counts.
    fn elements(&mut self, view: &Rule) -> Result<Pred, String> {
        if let Some((_, pred)) = self.counts.iter().find(|(rule, _)| *rule == view.id) {
            return Ok(*pred);
        }
        let mut clause = Clause {
            head: Pred(0),
            args: vec![],
            when: When::Now,
            vars: vec![],
            body: vec![],
            sender: None,
            extreme: None,
            sure: true,
            rule: None,
        };
        let body = self.body(view, &mut clause, 1)?;
        let sorts = &self.theory.question.sorts;
        let (mut columns, mut counted) = (vec![], None);
        for (at, column) in view.head.columns.iter().enumerate() {
            match column {
                HeadColumn::Term(term) => {
                    clause.args.push(self.arg(&body, term)?);
                    columns.push(sorts.column(view.head.relation, at));
                }
                HeadColumn::Aggregate(_, slot) => counted = Some(*slot),
            }
        }
        let counted = counted.ok_or("a count without a variable")?;
        clause.args.push(self.arg(&body, &Term::Slot(counted))?);
        columns.push(sorts.slot(view, counted));
        clause.sure = !clause.args.contains(&Arg::Opaque) && !clause.body.iter().any(|l| matches!(l, Literal::Unknown));
        clause.head = self.add(Kind::Element(self.counts.len()), columns);
        let head = clause.head;
        simplify(&mut clause);
        self.theory.clauses.push(clause);
        self.counts.push((view.id, head));
        Ok(head)
    }

    fn add(&mut self, kind: Kind, columns: Vec<Sort>) -> Pred {
        self.theory.add(kind, columns)
    }

    fn atom(&self, body: &Body<'_>, atom: &plan::Atom, positive: bool) -> Result<Vec<Literal>, String> {
        let question = self.theory.question;
        if atom.at.is_some() {
            return Ok(vec![Literal::Unknown]);
        }
        let mut args = vec![];
        for term in &atom.pattern {
            args.push(match term {
                None => Arg::Any,
                Some(term) => self.arg(body, term)?,
            });
        }
        let reserved = question.plan.rel(atom.relation).reserved;
        let pred = match (reserved, &args[..]) {
            // It holds for every observer, and nothing is known of times.
            (Some(Reserved::Crash), [Arg::Any, node, Arg::Any]) => {
                args = vec![node.clone()];
                self.theory.find(&Kind::Crashes).ok_or("no crashes")?
            }
            _ => Pred(atom.relation.0),
        };
        if !args.contains(&Arg::Opaque) {
            return Ok(vec![Literal::Atom { pred, args, positive }]);
        }
        // Of a value that is not known a positive literal still says that a tuple is there.
        let known = args.into_iter().map(|arg| if arg == Arg::Opaque { Arg::Any } else { arg }).collect();
        let there = positive.then_some(Literal::Atom { pred, args: known, positive });
        Ok(there.into_iter().chain([Literal::Unknown]).collect())
    }

    fn test(&mut self, body: &Body<'_>, test: &plan::Test, clause: &mut Clause) -> Result<(), String> {
        let (left, right) = (self.number(body, &test.left)?, self.number(body, &test.right)?);
        if left.is_some() || right.is_some() {
            let both = self.or_constant(left, &test.left).zip(self.or_constant(right, &test.right));
            match both.and_then(|(left, right)| Number::compare(test.op, &left, &right)) {
                Some(parts) => {
                    for part in parts {
                        let literal = self.threshold(&part, clause);
                        clause.body.push(literal);
                    }
                }
                None => clause.body.push(Literal::Unknown),
            }
            return Ok(());
        }
        let (left, right) = (self.arg(body, &test.left)?, self.arg(body, &test.right)?);
        let opaque = matches!((&left, &right), (Arg::Opaque, _) | (_, Arg::Opaque));
        clause.body.push(if opaque { Literal::Unknown } else { Literal::Compare(test.op, left, right) });
        Ok(())
    }

    fn or_constant(&self, number: Option<Number>, term: &Term) -> Option<Number> {
        number.or_else(|| match term {
            Term::Int(value) => Some(Number::Linear(Linear::constant(*value))),
            Term::Constant(place) => match self.theory.question.constant(*place) {
                Ok(Value::Int(value)) => Some(Number::Linear(Linear::constant(value))),
                _ => None,
            },
            _ => None,
        })
    }

    /// A comparison of counts as a literal.
    fn threshold(&mut self, comparison: &Comparison, clause: &Clause) -> Literal {
        let (mut args, mut columns, mut parts): (Vec<Arg>, Vec<Sort>, Vec<Part>) = (vec![], vec![], vec![]);
        for (factor, Count { count, group }) in &comparison.linear.parts {
            let elements = Pred(u32::try_from(*count).unwrap_or(u32::MAX));
            let mut places = vec![];
            for (at, arg) in group.iter().enumerate() {
                places.push(args.iter().position(|known| known == arg).unwrap_or_else(|| {
                    args.push(arg.clone());
                    columns.push(match arg {
                        Arg::Var(var) => clause.vars[*var],
                        _ => self.theory.predicates[elements.index()].columns[at],
                    });
                    args.len() - 1
                }));
            }
            parts.push(Part { factor: *factor, elements, group: places });
        }
        let threshold = Threshold { parts, constant: comparison.linear.constant, columns: columns.clone() };
        let at = self.theory.thresholds.iter().position(|known| *known == threshold).unwrap_or_else(|| {
            self.theory.thresholds.push(threshold);
            self.theory.thresholds.len() - 1
        });
        let pred = match self.theory.find(&Kind::Threshold(at)) {
            Some(pred) => pred,
            None => self.add(Kind::Threshold(at), columns),
        };
        Literal::Atom { pred, args, positive: comparison.positive }
    }

    /// The number that a term is, if it is made of counts.
    fn number(&self, body: &Body<'_>, term: &Term) -> Result<Option<Number>, String> {
        Ok(match term {
            Term::Slot(slot) => match &body.known[slot.index()] {
                Known::Number(number) => Some(number.clone()),
                Known::Arg(_) => None,
            },
            Term::Binary(op, left, right) => {
                let (one, other) = (self.number(body, left)?, self.number(body, right)?);
                if one.is_none() && other.is_none() {
                    return Ok(None);
                }
                let both = self.or_constant(one, left).zip(self.or_constant(other, right));
                both.and_then(|(one, other)| Number::compute(*op, &one, &other))
            }
            Term::Int(_) | Term::Constant(_) | Term::Neg(_) => None,
        })
    }

    fn arg(&self, body: &Body<'_>, term: &Term) -> Result<Arg, String> {
        Ok(match term {
            Term::Slot(slot) => match &body.known[slot.index()] {
                Known::Arg(arg) => arg.clone(),
                Known::Number(_) => Arg::Opaque,
            },
            Term::Int(value) => Arg::Const(Value::Int(*value)),
            Term::Constant(place) => Arg::Const(self.theory.question.constant(*place).map_err(|e| e.to_string())?),
            Term::Neg(inner) => match self.arg(body, inner)? {
                Arg::Const(Value::Int(value)) => value.checked_neg().map_or(Arg::Opaque, |v| Arg::Const(Value::Int(v))),
                _ => Arg::Opaque,
            },
            Term::Binary(op, left, right) => combine(*op, self.arg(body, left)?, self.arg(body, right)?),
        })
    }
}

/// A sum or difference with a constant; anything else is opaque.
fn combine(op: BinaryOp, left: Arg, right: Arg) -> Arg {
    let sum = |one: i64, other: i64| if op == BinaryOp::Add { one.checked_add(other) } else { one.checked_sub(other) };
    let made = match (op, left, right) {
        (BinaryOp::Add | BinaryOp::Sub, Arg::Const(Value::Int(one)), Arg::Const(Value::Int(other))) => {
            sum(one, other).map(|value| Arg::Const(Value::Int(value)))
        }
        (BinaryOp::Add | BinaryOp::Sub, Arg::Var(var), Arg::Const(Value::Int(by))) => {
            sum(0, by).map(|by| Arg::Offset(var, by))
        }
        (BinaryOp::Add | BinaryOp::Sub, Arg::Offset(var, from), Arg::Const(Value::Int(by))) => {
            sum(from, by).map(|by| Arg::Offset(var, by))
        }
        (BinaryOp::Add, Arg::Const(Value::Int(by)), Arg::Var(var)) => Some(Arg::Offset(var, by)),
        _ => None,
    };
    made.map_or(Arg::Opaque, |arg| if let Arg::Offset(var, 0) = arg { Arg::Var(var) } else { arg })
}

/// Puts one of two variables that are the same in place of the other.
fn simplify(clause: &mut Clause) {
    loop {
        let found = clause.body.iter().position(|literal| {
            matches!(literal, Literal::Compare(CompareOp::Eq, Arg::Var(_), Arg::Var(_) | Arg::Const(_)))
                || matches!(literal, Literal::Compare(CompareOp::Eq, Arg::Const(_), Arg::Var(_)))
        });
        let Some(at) = found else { return };
        let (var, by) = match clause.body.remove(at) {
            Literal::Compare(_, Arg::Var(var), by) | Literal::Compare(_, by, Arg::Var(var)) => (var, by),
            _ => return,
        };
        let replace = |arg: &mut Arg| match (&*arg, &by) {
            (Arg::Var(v), by) if *v == var => *arg = (*by).clone(),
            (Arg::Offset(v, more), Arg::Var(to)) if *v == var => *arg = Arg::Offset(*to, *more),
            (Arg::Offset(v, more), Arg::Const(Value::Int(value))) if *v == var => {
                *arg = value.checked_add(*more).map_or(Arg::Opaque, |value| Arg::Const(Value::Int(value)));
            }
            _ => {}
        };
        clause.args.iter_mut().chain(&mut clause.sender).for_each(replace);
        for literal in &mut clause.body {
            match literal {
                Literal::Atom { args, .. } => args.iter_mut().for_each(replace),
                Literal::Compare(_, left, right) => [left, right].into_iter().for_each(replace),
                Literal::Unknown => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::Interpreted;

    use super::*;
    use crate::question::Settings;

    fn show(program: &str, with: impl Fn(&Theory<'_>)) {
        let path = format!("{}/../examples/{program}.ded", env!("CARGO_MANIFEST_DIR"));
        let program = Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"));
        let question = Question::new(&program, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
        with(&Theory::new(&question).unwrap_or_else(|e| panic!("{e}")));
    }

    #[test]
    fn a_majority_is_a_threshold_over_two_counts() {
        show("raft_election", |theory| {
            let [threshold] = &theory.thresholds[..] else { panic!("{:?}", theory.thresholds) };
            let factors: Vec<i64> = threshold.parts.iter().map(|part| part.factor).collect();
            assert_eq!((&factors[..], threshold.constant), (&[2, -1][..], 0));
            let leader = theory.relation(theory.question.plan.relation("leader").unwrap());
            assert!(theory.by_head[leader.index()].iter().all(|clause| theory.clauses[*clause].sure));
        });
        show("kafka_repaired", |theory| {
            assert!(!theory.thresholds.is_empty());
            for threshold in &theory.thresholds {
                assert_eq!((threshold.parts.len(), threshold.constant), (1, -1), "at least two of one set");
            }
        });
    }

    #[test]
    fn values_that_are_all_named_are_closed() {
        show("two_pc_timeout", |theory| {
            let timer = theory.question.plan.relation("timer").unwrap();
            let left = theory.values(theory.question.sorts.column(timer, 3));
            assert!(left.closed && left.ordered);
            assert_eq!(left.named, [0, 1, 2, 3].map(Value::Int));
        });
        show("raft_election", |theory| {
            let knows = theory.question.plan.relation("knows").unwrap();
            let terms = theory.values(theory.question.sorts.column(knows, 1));
            assert!(!terms.closed && terms.ordered);
        });
    }
}

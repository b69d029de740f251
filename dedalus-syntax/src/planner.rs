//! A checked program to a plan: join order and indexes.
//!
//! Join order is greedy: conditions as soon as their variables are known, then the literal with most
//! columns known, then the order of the text. A literal that can fail (arithmetic) is a fence that no
//! literal crosses, so that errors mean what the reading order says; see [`crate::binding`].

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::agenda::{Agenda, Slots};
use crate::ast;
use crate::ast::{Ast, Expr, When};
use crate::lower::{Lowering, small};
use crate::plan::*;
use crate::promise::{Promise, Side, side_of};
use crate::source::Sources;
use crate::strata::Stratum;
use crate::types::Relations;

/// Plans a program that passed every check.
pub fn plan(ast: Ast, types: Relations, strata: Vec<Stratum>) -> Plan {
    let (rules, constants) = Lowering::new(&ast, &types).rules();
    let stable: HashSet<&str> = ast.stable.iter().map(|name| name.text.as_str()).collect();
    let mut relations: Vec<RelationPlan> = (types.iter())
        .map(|(name, columns)| RelationPlan {
            reserved: Reserved::named(name),
            stable: stable.contains(name.as_str()),
            name: name.clone(),
            columns: columns.clone(),
            indexes: vec![],
        })
        .collect();
    let names: HashMap<String, RelId> = (0u32..).zip(types.keys()).map(|(i, name)| (name.clone(), RelId(i))).collect();
    let strata: Vec<StratumPlan> = (strata.into_iter())
        .map(|s| StratumPlan {
            relations: s.relations.iter().filter_map(|name| names.get(name).copied()).collect(),
            rules: s.rules.iter().map(|&r| RuleId(small(r))).collect(),
            recursive: s.recursive,
        })
        .collect();
    let joins = join_all(&rules, &strata, &mut relations);
    let sends = rules.iter().filter(|r| r.head.when != When::Now).map(|r| r.id).collect();
    let outcome = outcome(&ast, &names);
    let (warnings, sources) = (vec![], Sources::default());
    Plan { ast, relations, constants, rules, joins, strata, sends, outcome, warnings, sources, written: None, names }
}

fn join_all(rules: &[Rule], strata: &[StratumPlan], relations: &mut [RelationPlan]) -> Vec<Joins> {
    // The relations that a rule's own recursive stratum fills.
    let mut inside: Vec<Option<usize>> = vec![None; rules.len()];
    let members: Vec<HashSet<RelId>> = strata.iter().map(|s| s.relations.iter().copied().collect()).collect();
    for (i, stratum) in strata.iter().enumerate().filter(|(_, s)| s.recursive) {
        stratum.rules.iter().for_each(|rule| inside[rule.index()] = Some(i));
    }
    let mut indexes = Indexes { relations, places: HashMap::new() };
    let join = |rule: &Rule| {
        let filled = |atom: &Atom| inside[rule.id.index()].is_some_and(|s| members[s].contains(&atom.relation));
        let recursive: Vec<usize> = (0..rule.premises.len()).filter(|&i| filled(&rule.premises[i])).collect();
        JoinPlanner { indexes: &mut indexes, rule, recursive }.joins()
    };
    rules.iter().map(join).collect()
}

fn outcome(ast: &Ast, names: &HashMap<String, RelId>) -> Outcome {
    // In the order of their names, the one without a name first.
    let promised: BTreeSet<Option<&str>> = names.keys().filter_map(|name| Some(side_of(name)?.1)).collect();
    if !promised.is_empty() {
        let find = |side: Side, name: Option<&str>| names.get(&side.relation(name)).copied();
        let promise = |name: Option<&str>| Promise {
            name: name.map(str::to_owned),
            pre: find(Side::Pre, name),
            post: find(Side::Post, name),
        };
        return Outcome::Promises(promised.into_iter().map(promise).collect());
    }
    let kept = ast.rules.iter().filter(|rule| keeps(rule)).filter_map(|rule| names.get(&rule.head.relation.text));
    let persistent: BTreeSet<RelId> = kept.copied().collect();
    Outcome::Persistent(persistent.into_iter().collect())
}

/// `r(X..)@next :- r(X..), …`
fn keeps(rule: &ast::Rule) -> bool {
    let head: Vec<String> = rule.head.terms.iter().map(ToString::to_string).collect();
    rule.head.when == When::Next
        && rule.atoms().any(|a| {
            !a.negated
                && a.at.is_none()
                && a.relation.text == rule.head.relation.text
                && a.args.iter().all(|e: &Expr| e.as_var().is_some())
                && a.args.iter().map(ToString::to_string).eq(head.iter().cloned())
        })
}

/// The relations, with the places of their indexes.
struct Indexes<'p> {
    relations: &'p mut [RelationPlan],
    places: HashMap<(RelId, IndexPlan), usize>,
}

/// Plans the joins of one rule.
struct JoinPlanner<'i, 'p, 'r> {
    indexes: &'i mut Indexes<'p>,
    rule: &'r Rule,
    /// The premises that the rule's own stratum feeds, in the order of the text.
    recursive: Vec<usize>,
}

impl<'r> JoinPlanner<'_, '_, 'r> {
    fn joins(mut self) -> Joins {
        let recursive = self.recursive.clone();
        let times: Vec<Option<i64>> = recursive.iter().map(|&premise| self.rule.premises[premise].at).collect();
        let base = times.iter().all(Option::is_some).then(|| self.join(None));
        let delta = |(&driver, &at): (&usize, &Option<i64>)| Delta { at, join: self.join(Some(driver)) };
        let deltas = recursive.iter().zip(&times).map(delta).collect();
        Joins { base, base_unless: times.into_iter().flatten().collect(), deltas }
    }

    /// A join of the whole body. `driver` is the premise of which only what changed is read.
    fn join(&mut self, driver: Option<usize>) -> Join {
        let mut ops = vec![];
        let mut bound = Slots::default();
        for stretch in self.segments() {
            let mut agenda = Agenda::new(self.rule, &stretch, driver, &bound);
            while let Some(condition) = agenda.next() {
                let op = self.op(condition, driver, &mut bound);
                match &op {
                    Op::Match(m) => m.binds.iter().for_each(|(_, slot)| agenda.learn(*slot)),
                    Op::Assign(slot, _) => agenda.learn(*slot),
                    Op::Absent(_) | Op::Filter(..) => {}
                }
                ops.push(op);
            }
        }
        let mut join = Join { ops };
        mark_once(self.rule, &mut join);
        join
    }

    /// The reading order, cut at every literal that can fail.
    fn segments(&self) -> Vec<Vec<&'r Condition>> {
        let mut segments = vec![vec![]];
        for Reading { condition, .. } in &self.rule.reading {
            let can_fail = match condition {
                Condition::Premise(i) => self.rule.premises[*i].can_fail(),
                Condition::Negated(i) => self.rule.negated[*i].can_fail(),
                Condition::Assign(_, term) => term.can_fail(),
                Condition::Test(test) => test.can_fail(),
            };
            match segments.last_mut() {
                Some(last) if !can_fail => last.push(condition),
                _ => segments.extend([vec![condition], vec![]]),
            }
        }
        segments
    }

    fn window(&self, driver: Option<usize>, premise: usize) -> Window {
        let Some(driver) = driver else { return Window::All };
        if self.recursive.binary_search(&premise).is_err() || premise < driver {
            Window::All
        } else if premise == driver {
            Window::Delta
        } else {
            Window::Old
        }
    }

    fn op(&mut self, condition: &Condition, driver: Option<usize>, bound: &mut Slots) -> Op {
        match condition {
            Condition::Premise(premise) => {
                let window = self.window(driver, *premise);
                Op::Match(self.matching(*premise, window, bound))
            }
            Condition::Negated(negated) => {
                let atom = &self.rule.negated[*negated];
                let key = atom.pattern.iter().enumerate().filter_map(|(i, term)| Some((i, term.clone()?))).collect();
                Op::Absent(Absent { negated: *negated, access: self.access(atom, key) })
            }
            Condition::Assign(slot, term) => {
                bound.insert(*slot);
                Op::Assign(*slot, term.clone())
            }
            Condition::Test(Test { op, left, right }) => Op::Filter(*op, left.clone(), right.clone()),
        }
    }

    fn matching(&mut self, premise: usize, window: Window, bound: &mut Slots) -> Match {
        let (mut key, mut binds, mut checks) = (vec![], vec![], vec![]);
        let atom = &self.rule.premises[premise];
        let mut own = BTreeSet::new();
        for (column, term) in atom.pattern.iter().enumerate() {
            match term {
                None => {}
                Some(term) if bound.know(term) => key.push((column, term.clone())),
                Some(Term::Slot(slot)) if own.insert(*slot) => binds.push((column, *slot)),
                // A variable bound by another column of the same literal.
                Some(term) => checks.push((column, term.clone())),
            }
        }
        for (_, slot) in &binds {
            bound.insert(*slot);
        }
        // What cannot fail first: an expression is computed for the tuples whose plain columns match.
        checks.sort_by_key(|(_, term)| term.can_fail());
        let access = self.access(atom, key);
        Match { premise, access, window, binds, checks, once: false }
    }

    /// The way to the tuples with these columns known.
    fn access(&mut self, atom: &Atom, known: Vec<(usize, Term)>) -> Access {
        let plan = &mut self.indexes.relations[atom.relation.index()];
        // What is the same at all times needs no index for one of them.
        let at = if plan.is_timeless() { None } else { atom.at };
        let (columns, key): (Vec<usize>, Vec<Term>) = known.into_iter().unzip();
        if columns.len() == plan.columns.len() && at.is_none() {
            return Access::Member(key);
        }
        if columns.is_empty() {
            return Access::Scan;
        }
        let index = IndexPlan { columns, at };
        let place = *self.indexes.places.entry((atom.relation, index)).or_insert_with_key(|(_, index)| {
            plan.indexes.push(index.clone());
            plan.indexes.len() - 1
        });
        Access::Index(place, key)
    }
}

/// Marks matches whose variables nothing reads later.
fn mark_once(rule: &Rule, join: &mut Join) {
    let mut used = Slots::default();
    for column in &rule.head.columns {
        match column {
            HeadColumn::Term(term) => used.add(term),
            HeadColumn::Aggregate(_, slot) => used.insert(*slot),
        }
    }
    rule.location.iter().for_each(|term| used.add(term));
    for op in join.ops.iter_mut().rev() {
        match op {
            Op::Match(m) => {
                // Its own checks come before the choice to stop, so they do not count, unless they
                // can fail: then every tuple has to be looked at.
                m.once = m.binds.iter().all(|(_, slot)| !used.contains(*slot))
                    && !m.checks.iter().any(|(_, term)| term.can_fail());
                m.checks.iter().map(|(_, term)| term).chain(m.access.key()).for_each(|term| used.add(term));
            }
            Op::Absent(a) => a.access.key().iter().for_each(|term| used.add(term)),
            Op::Assign(_, term) => used.add(term),
            Op::Filter(_, left, right) => [left, right].into_iter().for_each(|term| used.add(term)),
        }
    }
}

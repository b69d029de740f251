//! How large numbers can get, whatever the faults: which computations can fail at all.
//!
//! For each step, every column of integers gets the range from its least to its greatest possible
//! value; tests and absences in bodies are ignored, so the ranges hold for every execution. What
//! stays far from overflow and never divides by a range with zero in it cannot fail.

use dedalus_runtime::Execution;
use dedalus_runtime::model::{Paced, Spent};
use dedalus_runtime::syntax::ast::{AggregateOp, BinaryOp};
use dedalus_runtime::syntax::plan::{Atom, Condition, HeadColumn, Plan, RelId, Rule, RuleId, SlotSource, Term};
use rustc_hash::FxHashMap;

use crate::flow;

/// From the least to the greatest value.
type Range = (i128, i128);

const ALL: Range = (i64::MIN as i128, i64::MAX as i128);
/// A relation of a recursive stratum that grows more often than this may hold any numbers.
const GROWTHS: u32 = 8;
/// No relation has more rows than this.
const ROWS: i128 = u32::MAX as i128;

/// Columns of a relation at a step; `None` while no tuple is possible.
type Columns = Option<Vec<Range>>;

/// Which computations can fail, by rule and step.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// For each rule, the first step at which a computation of it can fail.
    fails_from: Vec<Option<u32>>,
}

impl Ranges {
    /// The ranges of a program up to the end of a run of it.
    ///
    /// # Errors
    /// If the budget is spent.
    pub(crate) fn new(run: &Execution, pace: &mut Paced) -> Result<Self, Spent> {
        let plan = run.plan();
        let mut fails_from = vec![None; plan.rules.len()];
        if !plan.rules.iter().any(Rule::can_fail) {
            return Ok(Ranges { fails_from });
        }
        let eot = run.eot().0;
        let mut walk = Walk { run, plan, steps: vec![vec![None; plan.relations.len()]; eot as usize + 2] };
        walk.start();
        for time in 1..=eot {
            for stratum in &plan.strata {
                walk.stratum(&stratum.rules, stratum.recursive, time, &mut fails_from, pace)?;
            }
            walk.stratum(&plan.sends, false, time, &mut fails_from, pace)?;
        }
        Ok(Ranges { fails_from })
    }

    /// Whether some faults may make a rule fail at a step.
    pub fn may_fail(&self, rule: RuleId, time: u32) -> bool {
        self.fails_from[rule.index()].is_some_and(|first| first <= time)
    }
}

struct Walk<'e> {
    run: &'e Execution,
    plan: &'e Plan,
    /// By step and relation.
    steps: Vec<Vec<Columns>>,
}

impl Walk<'_> {
    /// Facts, and crashes, which may be known from the first step on.
    fn start(&mut self) {
        for tuple in self.run.facts() {
            let columns = self.run.words(tuple).iter().map(|w| (i128::from(*w), i128::from(*w))).collect();
            if let Some(step) = self.steps.get_mut(self.run.time(tuple).0 as usize) {
                join(&mut step[tuple.relation.index()], columns);
            }
        }
        for (i, relation) in self.plan.relations.iter().enumerate().filter(|(_, r)| r.is_crash()) {
            let columns = vec![ALL, ALL, (1, i128::from(self.run.eot().0))];
            for step in &mut self.steps {
                step[i] = (relation.columns.len() == columns.len()).then(|| columns.clone());
            }
        }
    }

    fn stratum(
        &mut self,
        rules: &[RuleId],
        recursive: bool,
        time: u32,
        fails_from: &mut [Option<u32>],
        pace: &mut Paced,
    ) -> Result<(), Spent> {
        let plan = self.plan;
        let mut growths: FxHashMap<RelId, u32> = FxHashMap::default();
        let mut look = |rule: &Rule| {
            let (columns, fails) = self.rule(rule, time);
            if fails {
                fails_from[rule.id.index()].get_or_insert(time);
            }
            let Some(mut columns) = columns else { return false };
            let growths = growths.entry(rule.head.relation).or_default();
            if *growths > GROWTHS {
                columns.fill(ALL);
            }
            let grew = join(&mut self.steps[rule.head_time(time) as usize][rule.head.relation.index()], columns);
            *growths += u32::from(grew);
            grew
        };
        let rules = rules.iter().map(|id| plan.rule(*id));
        if recursive {
            return flow::settle(rules, pace, look);
        }
        for rule in rules {
            pace.tick(1)?;
            look(rule);
        }
        Ok(())
    }

    /// What a rule can derive, and whether a computation of it can fail.
    ///
    /// The body is read in its order: what is computed before a premise that cannot be there is computed.
    fn rule(&self, rule: &Rule, time: u32) -> (Columns, bool) {
        let mut fails = false;
        let mut slots: Vec<Range> = vec![];
        for reading in &rule.reading {
            let compute = |first: bool, slots: &[Range], fails: &mut bool| {
                for (term, _) in rule.computes(reading).filter(|(_, known)| *known == first) {
                    self.term(term, slots, fails);
                }
            };
            compute(true, &slots, &mut fails);
            match &reading.condition {
                Condition::Premise(place) => {
                    let Some(columns) = self.columns(&rule.premises[*place], time) else { return (None, fails) };
                    self.bind(rule, *place, columns, &mut slots);
                    compute(false, &slots, &mut fails);
                }
                Condition::Assign(_, term) => slots.push(self.term(term, &slots, &mut fails)),
                Condition::Negated(_) | Condition::Test(_) => {}
            }
        }
        let columns = rule.head.columns.iter().map(|column| match column {
            HeadColumn::Term(term) => self.term(term, &slots, &mut fails),
            HeadColumn::Aggregate(op, slot) => aggregate(*op, slots[slot.index()], &mut fails),
        });
        (Some(columns.collect()), fails)
    }

    /// What a premise can match; `None` if it is never there, or not yet.
    fn columns(&self, premise: &Atom, time: u32) -> Option<&Vec<Range>> {
        self.steps[premise.time(time)? as usize][premise.relation.index()].as_ref()
    }

    /// The variables that a premise binds, which come next.
    fn bind(&self, rule: &Rule, place: usize, columns: &[Range], slots: &mut Vec<Range>) {
        while let Some(SlotSource::Column { premise, column }) = rule.sources.get(slots.len())
            && *premise == place
        {
            slots.push(columns[*column]);
        }
    }

    fn term(&self, term: &Term, slots: &[Range], fails: &mut bool) -> Range {
        match term {
            Term::Slot(slot) => slots[slot.index()],
            Term::Int(value) => (i128::from(*value), i128::from(*value)),
            Term::Constant(place) => {
                let word = i128::from(self.run.constants()[*place]);
                (word, word)
            }
            Term::Neg(inner) => {
                let (low, high) = self.term(inner, slots, fails);
                clamp((-high, -low), fails)
            }
            Term::Binary(op, left, right) => {
                let (left, right) = (self.term(left, slots, fails), self.term(right, slots, fails));
                binary(*op, left, right, fails)
            }
        }
    }
}

fn binary(op: BinaryOp, left: Range, right: Range, fails: &mut bool) -> Range {
    let corners = |f: fn(i128, i128) -> i128| {
        let all = [f(left.0, right.0), f(left.0, right.1), f(left.1, right.0), f(left.1, right.1)];
        (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
    };
    match op {
        BinaryOp::Add => clamp((left.0 + right.0, left.1 + right.1), fails),
        BinaryOp::Sub => clamp((left.0 - right.1, left.1 - right.0), fails),
        BinaryOp::Mul => clamp(corners(|a, b| a * b), fails),
        BinaryOp::Div if right.0 <= 0 && right.1 >= 0 => {
            *fails = true;
            ALL
        }
        BinaryOp::Div => clamp(corners(|a, b| a / b), fails),
    }
}

/// What is left of a range when computations that overflow have no value.
fn clamp(range: Range, fails: &mut bool) -> Range {
    *fails |= range.0 < ALL.0 || range.1 > ALL.1;
    (range.0.clamp(ALL.0, ALL.1), range.1.clamp(ALL.0, ALL.1))
}

fn aggregate(op: AggregateOp, (low, high): Range, fails: &mut bool) -> Range {
    match op {
        AggregateOp::Count => (1, ROWS),
        AggregateOp::Min | AggregateOp::Max | AggregateOp::Avg => (low, high),
        AggregateOp::Sum => {
            // Distinct values: no more of them than the range has, or than there are rows.
            let values = (high - low + 1).min(ROWS);
            clamp((low.min(low * values), high.max(high * values)), fails)
        }
    }
}

/// Widens columns to hold these too; whether that made a difference.
fn join(columns: &mut Columns, new: Vec<Range>) -> bool {
    let Some(old) = columns else {
        *columns = Some(new);
        return true;
    };
    let mut grew = false;
    for (old, new) in old.iter_mut().zip(new) {
        let both = (old.0.min(new.0), old.1.max(new.1));
        grew |= both != *old;
        *old = both;
    }
    grew
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::faults::{Faults, Time};
    use dedalus_runtime::{Interpreted, Program};

    use super::*;

    /// The steps at which the first rule may fail.
    fn failing(rule: &str) -> Vec<u32> {
        let text = format!("{rule} n(N, K)@next :- n(N, K); n(\"a\", 1)@1; z(\"a\", 0)@2; never(\"a\", 1)@9;",);
        let program = Interpreted::from_text("t.ded", &text).unwrap_or_else(|error| panic!("{error}"));
        let run = program.execute(&Faults::none(), Time(3)).unwrap_or_else(|error| panic!("{error}"));
        let ranges = Ranges::new(&run, &mut Paced::default()).unwrap();
        (1..=3).filter(|time| ranges.may_fail(RuleId(0), *time)).collect()
    }

    #[test]
    fn a_computation_counts_from_the_step_at_which_what_is_read_before_it_can_be_there() {
        assert_eq!(failing("p(N) :- n(N, K), K < 1, 1 / (K - 1) == 1;"), [1, 2, 3]);
        assert_eq!(failing("p(N) :- z(N, B), B > 0, 1 / B == 1;"), [2, 3]);
        assert_eq!(failing("p(N) :- n(N, K), 1 / K == 1;"), [0; 0]);
    }

    #[test]
    fn what_stands_behind_a_premise_that_is_never_there_does_not_count_and_what_stands_before_does() {
        assert_eq!(failing("p(N) :- z(N, B), B > 0, never(N, _), 1 / B == 1;"), [0; 0]);
        assert_eq!(failing("p(N) :- z(N, B), B > 0, 1 / B == 1, never(N, _);"), [2, 3]);
        assert_eq!(failing("p(N) :- z(N, B), B > 0, never(N, 1 / B);"), [2, 3]);
        assert_eq!(failing("p(N) :- z(N, B), B > 0, never(N, C), never(N, 1 / (C - 1));"), [0; 0]);
    }

    #[test]
    fn what_comes_about_only_after_a_long_way_round_counts() {
        // A circle of rules against its direction, entered at one place: what it leads to is there all the same.
        let circle: String = (0..40).rev().map(|at| format!("r{}(N, B) :- r{at}(N, B);\n", (at + 1) % 40)).collect();
        let rules = format!("p(N) :- r39(N, B), B < 0, 1 / B == 1, never(N, _); r0(N, B) :- z(N, B);\n{circle}");
        assert_eq!(failing(&rules), [2, 3]);
        // Numbers that grow in it are taken to be anything, and so is what is made of them.
        let growing =
            rules.replace("r1(N, B) :- r0(N, B)", "r1(N, B + 1) :- r0(N, B), B < 30").replace("1 / B", "1 / (B - 29)");
        assert_eq!(failing(&growing), [2, 3]);
    }

    #[test]
    fn what_stands_before_a_look_into_the_future_counts() {
        assert_eq!(failing("p(N) :- z(N, B), B > 0, 1 / B == 1, n(N, _)@3;"), [2, 3]);
        assert_eq!(failing("p(N) :- z(N, B)@2, B > 0, n(N, _)@3, 1 / B == 1;"), [3]);
    }
}

//! Sorts: columns whose values meet, in a rule, are of one sort. One sort is that of nodes.

use dedalus_syntax::ast::{AggregateOp, Type, When};
use dedalus_syntax::plan::{Atom, Condition, HeadColumn, Plan, RelId, Reserved, Rule, Slot, Term};

/// A set of columns whose values meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sort(pub u32);

/// The sort of each column and of each variable of each rule.
#[derive(Clone, Debug)]
pub struct Sorts {
    /// By relation and column.
    columns: Vec<Vec<Sort>>,
    /// By rule and variable.
    slots: Vec<Vec<Sort>>,
    /// By sort.
    types: Vec<Type>,
    node: Sort,
}

impl Sorts {
    /// The sorts of a program, some of whose columns hold nodes in any case.
    pub fn new(plan: &Plan, nodes: impl IntoIterator<Item = (RelId, usize)>) -> Self {
        let mut meets = Meets::new(plan);
        let node = meets.add();
        for rule in &plan.rules {
            meets.rule(plan, rule, node);
        }
        for (relation, column) in nodes {
            meets.join(meets.columns[relation.index()] + column, node);
        }
        for (at, relation) in plan.relations.iter().enumerate() {
            let places = match relation.reserved {
                Some(Reserved::Crash | Reserved::Restart) => 0..2,
                Some(Reserved::Boot) => 0..1,
                None => 0..0,
            };
            places.for_each(|column| meets.join(meets.columns[at] + column, node));
        }
        // What is promised is compared with what it is promised for.
        for promise in plan.promises() {
            if let (Some(pre), Some(post)) = (promise.pre, promise.post) {
                let width = plan.rel(pre).columns.len().min(plan.rel(post).columns.len());
                for column in 0..width {
                    meets.join(meets.columns[pre.index()] + column, meets.columns[post.index()] + column);
                }
            }
        }
        meets.settle(plan, node)
    }

    /// The sort of a column.
    pub fn column(&self, relation: RelId, column: usize) -> Sort {
        self.columns[relation.index()][column]
    }

    /// The sort of a variable of a rule.
    pub fn slot(&self, rule: &Rule, slot: Slot) -> Sort {
        self.slots[rule.id.index()][slot.index()]
    }

    /// The type of a sort's values.
    pub fn ty(&self, sort: Sort) -> Type {
        self.types[sort.0 as usize]
    }

    /// The sort of nodes.
    pub fn node(&self) -> Sort {
        self.node
    }

    /// Whether a column holds nodes.
    pub fn is_node(&self, relation: RelId, column: usize) -> bool {
        self.column(relation, column) == self.node
    }

    /// How many sorts there are.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }
}

/// Union-find over columns and variables.
struct Meets {
    parents: Vec<usize>,
    /// Where the columns of each relation begin.
    columns: Vec<usize>,
    /// Where the variables of each rule begin.
    slots: Vec<usize>,
}

impl Meets {
    fn new(plan: &Plan) -> Self {
        let mut next = 0;
        let mut begin = |size: usize| {
            next += size;
            next - size
        };
        let columns = plan.relations.iter().map(|relation| begin(relation.columns.len())).collect();
        let slots = plan.rules.iter().map(|rule| begin(rule.slots.len())).collect();
        Meets { parents: (0..next).collect(), columns, slots }
    }

    fn add(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    fn find(&self, mut at: usize) -> usize {
        while self.parents[at] != at {
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.parents[one.max(other)] = one.min(other);
    }

    /// What a term's value is taken from: a variable, or a variable that a number is added to.
    fn slot(&self, rule: &Rule, term: &Term) -> Option<usize> {
        match term {
            Term::Slot(slot) => Some(self.slots[rule.id.index()] + slot.index()),
            Term::Neg(inner) => self.slot(rule, inner),
            Term::Binary(_, left, right) => self.slot(rule, left).or_else(|| self.slot(rule, right)),
            Term::Int(_) | Term::Constant(_) => None,
        }
    }

    /// All variables of a term meet.
    fn term(&mut self, rule: &Rule, term: &Term) {
        let base = self.slots[rule.id.index()];
        let mut slots = vec![];
        term.slots(&mut |slot| slots.push(base + slot.index()));
        slots.windows(2).for_each(|pair| self.join(pair[0], pair[1]));
    }

    fn atom(&mut self, rule: &Rule, atom: &Atom) {
        for (column, term) in atom.pattern.iter().enumerate() {
            if let Some(slot) = term.as_ref().and_then(|term| self.slot(rule, term)) {
                self.join(self.columns[atom.relation.index()] + column, slot);
            }
            term.iter().for_each(|term| self.term(rule, term));
        }
    }

    fn rule(&mut self, plan: &Plan, rule: &Rule, node: usize) {
        rule.premises.iter().chain(&rule.negated).for_each(|atom| self.atom(rule, atom));
        let head = self.columns[rule.head.relation.index()];
        for (column, value) in rule.head.columns.iter().enumerate() {
            let slot = match value {
                HeadColumn::Term(term) => {
                    self.term(rule, term);
                    self.slot(rule, term)
                }
                HeadColumn::Aggregate(AggregateOp::Min | AggregateOp::Max, slot) => {
                    Some(self.slots[rule.id.index()] + slot.index())
                }
                HeadColumn::Aggregate(..) => None,
            };
            slot.into_iter().for_each(|slot| self.join(head + column, slot));
        }
        for reading in &rule.reading {
            let pair = match &reading.condition {
                Condition::Test(test) => Some((self.slot(rule, &test.left), self.slot(rule, &test.right))),
                Condition::Assign(slot, term) => Some((self.slot(rule, &Term::Slot(*slot)), self.slot(rule, term))),
                _ => None,
            };
            if let Some((Some(one), Some(other))) = pair {
                self.join(one, other);
            }
        }
        // Where a rule stands, and where it sends to, are nodes.
        let strings = plan.rel(rule.head.relation).columns.first() == Some(&Type::Str);
        if rule.head.when == When::Async && strings {
            self.join(head, node);
        }
        if let Some(slot) = rule.location.as_ref().and_then(|term| self.slot(rule, term)) {
            self.join(slot, node);
        }
    }

    fn settle(&self, plan: &Plan, node: usize) -> Sorts {
        let mut numbers: Vec<usize> = vec![];
        let mut types = vec![];
        let mut sort = |at: usize, ty: Type| {
            let root = self.find(at);
            let place = numbers.iter().position(|known| *known == root).unwrap_or_else(|| {
                numbers.push(root);
                types.push(ty);
                numbers.len() - 1
            });
            Sort(u32::try_from(place).unwrap_or(u32::MAX))
        };
        let node = sort(node, Type::Str);
        let columns = (plan.relations.iter().zip(&self.columns))
            .map(|(relation, begin)| relation.columns.iter().enumerate().map(|(i, ty)| sort(begin + i, *ty)).collect())
            .collect();
        let slots = (plan.rules.iter().zip(&self.slots))
            .map(|(rule, begin)| rule.types.iter().enumerate().map(|(i, ty)| sort(begin + i, *ty)).collect())
            .collect();
        Sorts { columns, slots, types, node }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorts(text: &str) -> (Plan, Sorts) {
        let plan = dedalus_syntax::compile_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"));
        let sorts = Sorts::new(&plan, []);
        (plan, sorts)
    }

    #[test]
    fn the_two_sides_of_a_promise_are_of_one_sort_even_if_no_rule_joins_them() {
        let (plan, sorts) = sorts(r#"pre(X) :- a(_, X); post(X) :- b(_, X); a("n", "x")@1; b("n", "x")@1;"#);
        let column = |name: &str, at: usize| sorts.column(plan.relation(name).unwrap(), at);
        assert_eq!(column("pre", 0), column("post", 0));
        assert_eq!(column("a", 1), column("b", 1));
        assert_ne!(column("a", 0), column("a", 1));
    }

    #[test]
    fn a_column_that_holds_nodes_anyway_is_of_their_sort() {
        let text = r#"n(X, count<Y>) :- seen(X, Y); say(Y, X)@async :- n(X, _), seen(X, Y); seen("a", "b")@1;"#;
        let plan = dedalus_syntax::compile_text("t.ded", &text.replace(", seen(X, Y);", ", at(X, Y);")).unwrap();
        let seen = plan.relation("seen").unwrap();
        assert!(!Sorts::new(&plan, []).is_node(seen, 1));
        assert!(Sorts::new(&plan, [(seen, 1)]).is_node(seen, 1));
    }

    #[test]
    fn nodes_are_where_rules_stand_and_send_to() {
        let (plan, sorts) = sorts(
            r#"got(B, W)@async :- say(A, W), peer(A, B); long(A, count<W>) :- say(A, W); say("n", "x")@1; peer("n", "m")@1;"#,
        );
        let is_node = |name: &str, at: usize| sorts.is_node(plan.relation(name).unwrap(), at);
        assert!(is_node("got", 0) && is_node("say", 0) && is_node("peer", 1));
        assert!(!is_node("got", 1) && !is_node("long", 1));
    }
}

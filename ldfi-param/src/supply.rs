//! What the facts of a relation may be once it is left open: templates over the crowd, and when they hold.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::Fact;
use dedalus_syntax::plan::{Plan, RelId};
use ldfi_model::{Type, Value};

use crate::crowd::Crowd;
use crate::opening::{Key, Opening};
use crate::question::QuestionError;

/// The facts of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supply {
    /// The relation.
    pub relation: RelId,
    /// How it is left open.
    pub opening: Opening,
    /// Whether that was chosen; else it was inferred.
    pub chosen: bool,
    /// What holds at the first moment.
    pub first: First,
    /// What may hold at any moment after the first; and at the first, if it is an event.
    pub later: Vec<Template>,
    /// Keys of all its facts in a run, at whatever time.
    pub keys: Vec<Key>,
}

/// What holds at the first moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum First {
    /// These and no others.
    Exactly(Vec<Template>),
    /// Some of these.
    Within(Vec<Template>),
}

/// Tuples with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Template {
    /// The columns.
    pub columns: Vec<Column>,
    /// Whether different variables are different members.
    pub distinct: bool,
}

/// A column of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Column {
    /// This value.
    Constant(Value),
    /// A member of the crowd: any, but the same wherever the number is the same.
    Member(usize),
    /// Any node, of the crowd or named.
    Node,
    /// Any value of its type.
    Free,
}

impl Supply {
    /// What the facts of a relation become.
    ///
    /// # Errors
    /// If it cannot be left open in this way.
    pub fn new(
        plan: &Plan,
        relation: RelId,
        facts: &[&Fact],
        crowd: &Crowd,
        opening: Opening,
        chosen: bool,
        nodes: &[bool],
    ) -> Result<Self, QuestionError> {
        let name = plan.rel(relation).name.clone();
        let refuse = |why: String| QuestionError::Opening { relation: name.clone(), opening, why };
        let types = &plan.rel(relation).columns;
        let exact = |moment: fn(&Fact) -> bool| -> Result<Vec<Template>, QuestionError> {
            let chosen: Vec<&Fact> = facts.iter().copied().filter(|fact| moment(fact)).collect();
            templates(&chosen, crowd).ok_or_else(|| refuse("its facts tell nodes of the crowd apart".into()))
        };
        let at_first = |fact: &Fact| fact.time.0 == 1 && !fact.maybe;
        let rest = |fact: &Fact| fact.time.0 > 1 || fact.maybe;
        if opening == Opening::Given && facts.iter().any(|fact| fact.maybe) {
            return Err(refuse("some of its facts may come or not: say `event`".into()));
        }
        let first = match opening {
            Opening::Given => First::Exactly(exact(at_first)?),
            Opening::All => First::Exactly(mesh(facts, crowd, types).map_err(refuse)?),
            Opening::Each => First::Exactly(each(facts, crowd).map_err(refuse)?),
            Opening::Some => First::Within(exact(at_first)?),
            Opening::Any => First::Within(vec![open(nodes, facts, crowd, false)]),
            Opening::Event => First::Within(vec![open(nodes, facts, crowd, true)]),
        };
        let later = match (&first, opening) {
            (First::Within(events), Opening::Event) => events.clone(),
            (_, Opening::Given) => exact(rest)?,
            _ if facts.iter().any(|fact| rest(fact)) => {
                return Err(refuse("it has facts at other times than 1, or that may come: say `event`".into()));
            }
            _ => vec![],
        };
        let keys = inferred_keys(&name, facts, opening);
        Ok(Supply { relation, opening, chosen, first, later, keys })
    }

    /// The word that describes best what its facts look like.
    pub fn describe(plan: &Plan, relation: RelId, facts: &[&Fact], crowd: &Crowd) -> Opening {
        let members = |fact: &&Fact| fact.values.iter().filter(|value| crowd.has(value)).count();
        let most = facts.iter().map(members).max().unwrap_or(0);
        let least = facts.iter().map(members).min().unwrap_or(0);
        match (templates(facts, crowd), most, least) {
            (Some(_), 0, _) => Opening::Given,
            (Some(_), 1, 1) if each(facts, crowd).is_ok() => Opening::Each,
            (Some(found), 2.., 2..) if mesh(facts, crowd, &plan.rel(relation).columns).is_ok_and(|m| m == found) => {
                Opening::All
            }
            _ => Opening::Given,
        }
    }
}

/// Patterns whose instances are exactly these facts; `None` if the facts tell members apart.
fn templates(facts: &[&Fact], crowd: &Crowd) -> Option<Vec<Template>> {
    let mut shapes: BTreeMap<Vec<Column>, BTreeSet<&[Value]>> = BTreeMap::new();
    for fact in facts {
        let mut seen: Vec<&Value> = vec![];
        let column = |value| {
            if !crowd.has(value) {
                return Column::Constant(value.clone());
            }
            let place = seen.iter().position(|known| *known == value).unwrap_or_else(|| {
                seen.push(value);
                seen.len() - 1
            });
            Column::Member(place)
        };
        let columns: Vec<Column> = fact.values.iter().map(column).collect();
        shapes.entry(columns).or_default().insert(&fact.values);
    }
    let complete = |(columns, found): (&Vec<Column>, &BTreeSet<&[Value]>)| {
        let variables = columns
            .iter()
            .filter_map(|c| if let Column::Member(m) = c { Some(m + 1) } else { None })
            .max()
            .unwrap_or(0);
        let count = crowd.members.len();
        found.len() == (0..variables).map(|used| count.saturating_sub(used)).product::<usize>()
    };
    let all = shapes.iter().all(complete);
    let mut found: Vec<Template> = shapes.into_keys().map(|columns| Template { columns, distinct: true }).collect();
    join_diagonals(&mut found);
    all.then_some(found)
}

/// A pattern of two different members and that of one twice are one pattern.
fn join_diagonals(templates: &mut Vec<Template>) {
    let merge = |columns: &[Column]| -> Vec<Column> {
        columns.iter().map(|c| if matches!(c, Column::Member(_)) { Column::Member(0) } else { c.clone() }).collect()
    };
    let two = |t: &Template| t.columns.contains(&Column::Member(1)) && !t.columns.contains(&Column::Member(2));
    for at in 0..templates.len() {
        if two(&templates[at]) {
            let diagonal = Template { columns: merge(&templates[at].columns), distinct: true };
            if templates.contains(&diagonal) {
                templates[at].distinct = false;
            }
        }
    }
    let covered: Vec<Vec<Column>> = templates.iter().filter(|t| !t.distinct).map(|t| merge(&t.columns)).collect();
    templates.retain(|t| !(t.distinct && covered.contains(&t.columns)));
}

/// Every combination of members, with a node and itself if a fact has that.
fn mesh(facts: &[&Fact], crowd: &Crowd, types: &[Type]) -> Result<Vec<Template>, String> {
    let mut next = 0;
    let mut columns = vec![];
    for (place, ty) in types.iter().enumerate() {
        let mut values: BTreeSet<&Value> = facts.iter().map(|fact| &fact.values[place]).collect();
        if *ty == Type::Str && values.iter().any(|value| crowd.has(value)) {
            if let Some(named) = values.iter().find(|value| !crowd.has(value)) {
                return Err(format!(
                    "column {} names {named} too, which is none of many: leave it as it is",
                    place + 1
                ));
            }
            columns.push(Column::Member(next));
            next += 1;
        } else if values.len() == 1 {
            columns.push(Column::Constant(values.pop_first().expect("there is one").clone()));
        } else {
            return Err(format!("column {} is no node and has several values", place + 1));
        }
    }
    if next < 2 {
        return Err("it has fewer than two columns of nodes: say `each`".into());
    }
    let same = |fact: &&Fact| {
        let members: Vec<&Value> = fact.values.iter().filter(|value| crowd.has(value)).collect();
        members.iter().collect::<BTreeSet<_>>().len() < members.len()
    };
    Ok(vec![Template { columns, distinct: !facts.iter().any(same) }])
}

/// One for every member.
fn each(facts: &[&Fact], crowd: &Crowd) -> Result<Vec<Template>, String> {
    let shape = |fact: &&Fact| -> Vec<Column> {
        let column = |value: &Value| if crowd.has(value) { Column::Member(0) } else { Column::Constant(value.clone()) };
        fact.values.iter().map(column).collect()
    };
    let shapes: BTreeSet<Vec<Column>> = facts.iter().map(shape).collect();
    let members = |columns: &Vec<Column>| columns.iter().filter(|c| matches!(c, Column::Member(_))).count();
    if shapes.iter().all(|columns| members(columns) == 0) {
        return Err("no column of it is a node of the crowd".into());
    }
    if shapes.iter().any(|columns| members(columns) > 1) {
        return Err("a fact of it names two nodes of the crowd: say `all`".into());
    }
    let per_node: BTreeSet<Vec<bool>> =
        shapes.iter().map(|columns| columns.iter().map(|c| matches!(c, Column::Member(_))).collect()).collect();
    if per_node.len() < shapes.len() {
        return Err("nodes have different values in it: say `any`".into());
    }
    Ok(shapes.into_iter().map(|columns| Template { columns, distinct: true }).collect())
}

/// Any values; a column that always holds the same named node keeps it if `keep`.
fn open(nodes: &[bool], facts: &[&Fact], crowd: &Crowd, keep: bool) -> Template {
    let column = |(place, node): (usize, &bool)| {
        let values: BTreeSet<&Value> = facts.iter().map(|fact| &fact.values[place]).collect();
        match (node, values.first()) {
            (true, Some(only)) if keep && values.len() == 1 && !crowd.has(only) => Column::Constant((*only).clone()),
            (true, _) => Column::Node,
            (false, _) => Column::Free,
        }
    };
    Template { columns: nodes.iter().enumerate().map(column).collect(), distinct: false }
}

/// Keys that the facts suggest: what is unknown gives a node one value. What may happen at any time has the keys that
/// are declared, and no others: a few events that differ do not say that all do.
fn inferred_keys(name: &str, facts: &[&Fact], opening: Opening) -> Vec<Key> {
    let width = facts.first().map_or(0, |fact| fact.values.len());
    let tuples: BTreeSet<&Vec<Value>> = facts.iter().map(|fact| &fact.values).collect();
    let firsts: BTreeSet<&Value> = tuples.iter().filter_map(|tuple| tuple.first()).collect();
    let determines = width > 1 && firsts.len() == tuples.len() && firsts.len() > 1;
    let key = || Key::new(name, (0..width).map(|at| at == 0).collect());
    if opening == Opening::Any && determines { vec![key()] } else { vec![] }
}

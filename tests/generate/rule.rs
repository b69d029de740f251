//! A random rule: positive literals first, then conditions on what they bind, then a head.

use super::choices::Choices;
use super::world::{Domain, Relation, World};

/// How many genes a rule has.
pub const GENES: usize = 64;

/// Writes a rule for `head`.
pub fn write(world: &World, head: &Relation, genes: &[u16]) -> String {
    let mut choices = Choices::new(genes);
    if let [x, y, rest @ ..] = &head.columns[..]
        && x == y
        && head.level > 0
        && choices.chance(30)
    {
        return closure(world, head, rest.len(), &mut choices);
    }
    let timing = timing(head, &mut choices);
    let aggregates = head.columns.len() > 1 && (timing != Timing::Now || head.level > 0) && choices.chance(25);
    let mut writer =
        Writer { world, choices, head, timing, aggregates, vars: vec![], body: vec![], recursive: false, place: None };
    writer.positive();
    writer.conditions();
    let columns = writer.head_columns();
    if writer.choices.chance(6) {
        writer.in_vain();
    }
    let body = writer.ordered_body();
    let suffix = match timing {
        Timing::Now => "",
        Timing::Next => "@next",
        Timing::Async => "@async",
    };
    format!("{}({}){suffix} :- {};", head.name, columns.join(", "), body.join(", "))
}

/// `p(X, Z, …) :- p(X, Y, …), p(Y, Z, …);` and its kin: recursion that leads somewhere.
fn closure(world: &World, head: &Relation, more: usize, choices: &mut Choices<'_>) -> String {
    let name = &head.name;
    let rest: String = (1..=more).map(|i| format!(", R{i}")).collect();
    let own = |x: &str, y: &str| format!("{name}({x}, {y}{rest})");
    let at = if choices.chance(12) { format!("@{}", 1 + choices.pick(world.eot as usize)) } else { String::new() };
    let step = match (choices.pick(3), head.columns[0]) {
        (0, Domain::Node) => format!("{}, link(Y, Z){at}", own("X", "Y")),
        (1, Domain::Node) => format!("link(X, Y){at}, {}", own("Y", "Z")),
        _ => format!("{}, {}{at}", own("X", "Y"), own("Y", "Z")),
    };
    let filter = choices.weighted(&[(5, ""), (1, ", X != Z"), (1, ", X < Z")]);
    format!("{} :- {step}{filter};", own("X", "Z"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Timing {
    Now,
    Next,
    Async,
}

fn timing(head: &Relation, choices: &mut Choices<'_>) -> Timing {
    let (now, next) = if head.level == 0 { (2, 3) } else { (9, 2) };
    let sends = if head.columns.is_empty() { 0 } else { 6 };
    choices.weighted(&[(now, Timing::Now), (next, Timing::Next), (sends, Timing::Async)])
}

/// A variable and what it stands for.
#[derive(Clone)]
struct Var {
    name: String,
    domain: Domain,
    /// By `==`: positive literals must not bind it too.
    assigned: bool,
}

/// A literal of the body.
struct Piece {
    text: String,
    /// Whether it has columns, rather than being a comparison.
    relational: bool,
    /// Whether its first column is a known value.
    located: bool,
}

struct Writer<'a> {
    world: &'a World,
    choices: Choices<'a>,
    head: &'a Relation,
    timing: Timing,
    aggregates: bool,
    vars: Vec<Var>,
    body: Vec<Piece>,
    /// Whether the head's level feeds the body within the step: then no new integers, lest they never end.
    recursive: bool,
    /// The variable that says where the rule runs.
    place: Option<String>,
}

impl Writer<'_> {
    // Positive literals.

    fn positive(&mut self) {
        if self.choices.chance(8) {
            self.assign_constant();
        }
        let count = self.choices.weighted(&[(5, 1), (4, 2), (1, 3)]);
        // Who sends along a link reaches somebody.
        let link = self.timing == Timing::Async && self.choices.chance(85);
        if link && self.choices.chance(50) {
            self.literal(&self.world.relations[0].clone(), false);
        }
        for i in 0..count {
            let relation = self.readable(i == 0 && self.timing == Timing::Async);
            self.literal(&relation, false);
        }
        if link && !self.body.iter().any(|p| p.text.starts_with("link")) {
            self.literal(&self.world.relations[0].clone(), false);
        }
    }

    /// `K == 2`, before anything else is known.
    fn assign_constant(&mut self) {
        let value = self.world.constant(Domain::Int, &mut self.choices);
        let name = self.fresh(Domain::Int, true);
        self.comparison(format!("{name} == {value}"));
    }

    /// A relation that a positive literal may read.
    fn readable(&mut self, located: bool) -> Relation {
        let own = self.timing != Timing::Now || !self.aggregates;
        let limit = if self.timing == Timing::Now { self.head.level + usize::from(own) } else { usize::MAX };
        let sender = self.choices.weighted(&[(9, Domain::Node), (1, Domain::Int)]);
        let sends = |r: &Relation| r.columns.first().is_some_and(|c| sender == Domain::Int || *c == sender);
        let fits = |r: &&Relation| r.level < limit && (!located || sends(r));
        let all: Vec<Relation> = self.world.relations.iter().filter(fits).cloned().collect();
        let same: Vec<Relation> = all.iter().filter(|r| r.level == self.head.level).cloned().collect();
        if !located && self.choices.chance(8) {
            return self.choices.one_of(&reserved());
        }
        // Recursion within the level, more often than by chance.
        if !same.is_empty() && self.choices.chance(35) { self.choices.one_of(&same) } else { self.choices.one_of(&all) }
    }

    fn literal(&mut self, relation: &Relation, negated: bool) {
        self.recursive |= self.timing == Timing::Now && relation.level == self.head.level && !negated;
        let computed: Vec<bool> = relation
            .columns
            .iter()
            .enumerate()
            .map(|(i, d)| i > 0 && *d == Domain::Int && self.choices.chance(9))
            .collect();
        // Plain columns first, because computed ones may use what they bind.
        let mut columns = vec![String::new(); relation.columns.len()];
        for i in (0..columns.len()).filter(|i| !computed[*i]) {
            columns[i] = self.column(relation.columns[i], i == 0, negated, &columns);
        }
        for i in (0..columns.len()).filter(|i| computed[*i]) {
            columns[i] = self.arithmetic().unwrap_or("_".into());
        }
        let first = columns.first().cloned().unwrap_or("_".into());
        if self.place.is_none() && !negated && self.vars.iter().any(|v| v.name == first && v.domain == Domain::Node) {
            self.place = Some(first.clone());
        }
        let located = first != "_" && !first.starts_with("Any");
        let at = if self.choices.chance(9) {
            format!("@{}", 1 + self.choices.pick(self.world.eot as usize + 1))
        } else {
            String::new()
        };
        let notin = if negated { "notin " } else { "" };
        let text = format!("{notin}{}({}){at}", relation.name, columns.join(", "));
        self.body.push(Piece { text, relational: true, located });
    }

    /// A column, given those before it.
    fn column(&mut self, domain: Domain, first: bool, negated: bool, before: &[String]) -> String {
        let sends = first && !negated && self.timing == Timing::Async && !self.body.iter().any(|p| p.located);
        let here = first && domain == Domain::Node && self.choices.chance(70) && !(negated && self.choices.chance(30));
        if let Some(place) = self.place.clone().filter(|_| here) {
            return place;
        }
        let mut usable = self.usable(domain, negated);
        // A variable twice in a literal seldom matches anything.
        if !self.choices.chance(12) {
            usable.retain(|v| !before.contains(v));
        }
        let known = if usable.is_empty() {
            0
        } else if negated {
            70
        } else {
            40
        };
        let (fresh, wild, loose) = match (sends, negated) {
            (true, _) => (60, 0, 0),
            (false, false) => (45, 10, 0),
            (false, true) => (0, 22, 3),
        };
        match self.choices.weighted(&[(fresh, 0), (known, 1), (6, 2), (wild, 3), (loose, 4)]) {
            0 => self.fresh(domain, false),
            1 => self.choices.one_of(&usable),
            2 => self.world.constant(domain, &mut self.choices),
            3 => "_".into(),
            // Of one type in the whole literal.
            _ if domain == Domain::Int => "AnyInt".into(),
            _ => "Any".into(),
        }
    }

    /// Variables that may stand in a column.
    fn usable(&mut self, domain: Domain, negated: bool) -> Vec<String> {
        // Now and then a node where a text is expected, and the other way round.
        let strings = domain != Domain::Int && self.choices.chance(4);
        let fits = |v: &&Var| (v.domain == domain || strings && v.domain != Domain::Int) && (negated || !v.assigned);
        self.vars.iter().filter(fits).map(|v| v.name.clone()).collect()
    }

    fn fresh(&mut self, domain: Domain, assigned: bool) -> String {
        let letter = match domain {
            Domain::Node => 'N',
            Domain::Text => 'T',
            Domain::Int => 'I',
        };
        let name = (1..).map(|i| format!("{letter}{i}")).find(|n| !self.vars.iter().any(|v| v.name == *n));
        let name = name.unwrap_or_default();
        self.vars.push(Var { name: name.clone(), domain, assigned });
        name
    }

    // Conditions.

    fn conditions(&mut self) {
        for _ in 0..self.choices.weighted(&[(4, 0), (4, 1), (2, 2)]) {
            self.compare();
        }
        let below = if self.timing == Timing::Now { self.head.level } else { usize::MAX };
        let mut all: Vec<Relation> = self.world.relations.iter().filter(|r| r.level < below).cloned().collect();
        all.splice(0..0, reserved());
        for _ in 0..self.choices.weighted(&[(5, 0), (5, 1), (1, 2)]) {
            // The highest levels are the ones that rules fill.
            let relation = all[self.choices.pick(all.len()).max(self.choices.pick(all.len()))].clone();
            self.literal(&relation, true);
        }
    }

    fn comparison(&mut self, text: String) {
        self.body.push(Piece { text, relational: false, located: false });
    }

    fn compare(&mut self) {
        let Some(var) = (!self.vars.is_empty()).then(|| self.choices.one_of(&self.vars)) else { return };
        if var.domain == Domain::Int && self.choices.chance(55) {
            return self.assign();
        }
        let usable: Vec<String> = self.usable(var.domain, true).into_iter().filter(|v| *v != var.name).collect();
        let other = match usable.is_empty() || self.choices.chance(35) {
            true => self.world.constant(var.domain, &mut self.choices),
            false => self.choices.one_of(&usable),
        };
        // Those that often hold come more often.
        let op = self.choices.weighted(&[(6, "!="), (2, "<="), (2, ">="), (1, "<"), (1, ">"), (1, "==")]);
        self.comparison(format!("{} {op} {other}", var.name));
    }

    /// `I == expr`, or an expression compared.
    fn assign(&mut self) {
        let Some(expr) = self.arithmetic() else { return };
        if self.choices.chance(25) {
            let bound = self.world.constant(Domain::Int, &mut self.choices);
            let op = self.choices.one_of(&["<=", "!=", ">"]);
            return self.comparison(format!("{expr} {op} {bound}"));
        }
        let name = self.fresh(Domain::Int, true);
        let flipped = self.choices.chance(20);
        self.comparison(if flipped { format!("{expr} == {name}") } else { format!("{name} == {expr}") });
        // New integers breed newer ones; most rules keep them small.
        if !self.choices.chance(25) {
            self.comparison(format!("{name} <= 6"));
            self.comparison(format!("{name} >= -3"));
        }
    }

    /// An expression over the integers known so far. Some overflow or divide by zero now and then.
    fn arithmetic(&mut self) -> Option<String> {
        let ints = self.usable(Domain::Int, true);
        let ints: Vec<String> = ints.into_iter().filter(|v| v.starts_with('I')).collect();
        if ints.is_empty() {
            return None;
        }
        let (x, y) = (self.choices.one_of(&ints), self.choices.one_of(&ints));
        let k = 1 + self.choices.pick(3);
        Some(match self.choices.weighted(&[(6, 0), (4, 1), (2, 2), (2, 3), (2, 4), (1, 5), (3, 6), (3, 7)]) {
            0 => format!("{x} + {k}"),
            1 => format!("{x} - {k}"),
            2 => format!("{x} + {y}"),
            3 => format!("{x} * {y}"),
            4 => format!("({x} - {y}) / 2 + {k}"),
            5 => format!("-{x}"),
            6 => format!("6 / {x}"),
            _ => format!("{x} / ({y} - {k})"),
        })
    }

    // The head.

    fn head_columns(&mut self) -> Vec<String> {
        let columns = self.head.columns.clone();
        let mut aggregated = false;
        let mut terms = vec![];
        for (i, domain) in columns.iter().enumerate() {
            let last = i + 1 == columns.len();
            let wanted = self.aggregates && i > 0 && (self.choices.chance(60) || last && !aggregated);
            let term = if wanted { self.aggregate(*domain) } else { None };
            aggregated |= term.is_some();
            terms.push(term.unwrap_or_else(|| self.head_term(*domain, i == 0)));
        }
        terms
    }

    fn aggregate(&mut self, domain: Domain) -> Option<String> {
        let own = self.usable(domain, true);
        if domain == Domain::Int && (own.is_empty() || self.choices.chance(35)) {
            let all: Vec<String> = self.vars.iter().map(|v| v.name.clone()).collect();
            return (!all.is_empty()).then(|| format!("count<{}>", self.choices.one_of(&all)));
        }
        if own.is_empty() {
            return None;
        }
        let ops: &[&str] = if domain == Domain::Int { &["max", "min", "sum", "avg"] } else { &["max", "min"] };
        Some(format!("{}<{}>", self.choices.one_of(ops), self.choices.one_of(&own)))
    }

    fn head_term(&mut self, domain: Domain, first: bool) -> String {
        let mut usable = self.usable(domain, !self.recursive);
        if first && self.timing == Timing::Async {
            // To somebody else, if there is anybody.
            let others: Vec<String> = usable.iter().filter(|v| Some(*v) != self.place.as_ref()).cloned().collect();
            if !others.is_empty() && !self.choices.chance(10) {
                usable = others;
            }
        } else if first && self.timing == Timing::Next && !self.choices.chance(15) {
            usable = self.place.clone().filter(|v| usable.contains(v)).map_or(usable, |v| vec![v]);
        }
        if domain == Domain::Int && !usable.is_empty() && self.choices.chance(25) {
            return self.next_integer(&usable);
        }
        if usable.is_empty() || self.choices.chance(5) {
            return self.world.constant(domain, &mut self.choices);
        }
        self.choices.one_of(&usable)
    }

    /// `I + 1` within bounds, or something that has no value now and then.
    fn next_integer(&mut self, usable: &[String]) -> String {
        let var = self.choices.one_of(usable);
        if !self.recursive && self.choices.chance(30) {
            return self.choices.one_of(&["I + 1", "6 / I", "-I", "I * 3"]).replace('I', &var);
        }
        let most = 1 + self.choices.pick(4);
        self.comparison(format!("{var} <= {most}"));
        if self.recursive {
            self.comparison(format!("{var} >= -2"));
        }
        format!("{var} + 1")
    }

    /// Arithmetic that faults may make fail, and then a premise that is never there: it is computed in vain.
    fn in_vain(&mut self) {
        let number = match self.arithmetic() {
            Some(number) if self.choices.chance(40) => number,
            _ => {
                let name = self.fresh(Domain::Int, false);
                self.body.push(Piece { text: format!("crash(_, _, {name})"), relational: true, located: false });
                format!("6 / ({name} - {})", 1 + self.choices.pick(self.world.eot as usize))
            }
        };
        self.comparison(format!("{number} != 9"));
        let link = format!("link(_, _)@{}", self.world.eot + 1);
        let text = self.choices.weighted(&[(2, "never(_)"), (1, &link)]).to_owned();
        self.body.push(Piece { text, relational: true, located: false });
    }

    // The body in some order.

    /// Moves pieces about; what a rule means does not depend on it, but for the sender of a message.
    fn ordered_body(&mut self) -> Vec<String> {
        let mut body = std::mem::take(&mut self.body);
        for i in 1..body.len() {
            if self.choices.chance(25) {
                let to = self.choices.pick(i);
                body.swap(i, to);
            }
        }
        let nowhere = body.iter().find(|p| p.relational).is_some_and(|p| !p.located);
        if let Some(located) = body.iter().position(|p| p.located).filter(|_| nowhere && self.timing == Timing::Async) {
            let piece = body.remove(located);
            body.insert(0, piece);
        }
        body.into_iter().map(|p| p.text).collect()
    }
}

/// The relations that faults fill.
fn reserved() -> [Relation; 3] {
    let event = [Domain::Node, Domain::Node, Domain::Int];
    [Relation::new("crash", 0, &event), Relation::new("restart", 0, &event), Relation::new("boot", 0, &event[..1])]
}

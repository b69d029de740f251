//! When a tuple holds, and when the goals are reached: the formula made anew from the ground firings.

use std::collections::{BTreeMap, HashMap};

use super::formula::{FALSE, Lit, TRUE};
use super::read::{Firing, Ground, Group, Need, Pattern, Tuple, Value};
use super::world::World;

pub struct Meaning<'g> {
    pub world: World<'g>,
    ground: &'g Ground,
    /// What derives each tuple.
    firings: Vec<Vec<usize>>,
    groups: Vec<Vec<usize>>,
    kept: Vec<Vec<usize>>,
    by_place: HashMap<(&'g str, u32), Vec<usize>>,
    holds: Vec<Option<Lit>>,
}

impl<'g> Meaning<'g> {
    pub fn new(ground: &'g Ground) -> Self {
        let count = ground.tuples.len();
        let (mut firings, mut groups, mut kept) = (vec![vec![]; count], vec![vec![]; count], vec![vec![]; count]);
        ground.firings.iter().enumerate().for_each(|(at, firing)| firings[firing.head].push(at));
        for (at, group) in ground.groups.iter().enumerate() {
            group.heads.iter().for_each(|head| groups[*head].push(at));
        }
        ground.kept.iter().for_each(|(tuple, before)| kept[*tuple].push(*before));
        let mut by_place: HashMap<(&str, u32), Vec<usize>> = HashMap::new();
        for (at, tuple) in ground.tuples.iter().enumerate() {
            by_place.entry((&tuple.relation, tuple.time)).or_default().push(at);
        }
        let holds = vec![None; count];
        Meaning { world: World::new(ground), ground, firings, groups, kept, by_place, holds }
    }

    /// Whether something promised is missing at the end.
    pub fn violated(&mut self) -> Lit {
        let eot = self.ground.bound("eot").unwrap();
        let mut ways = vec![];
        for (pre, post) in &self.ground.promises {
            for given in self.by_place.get(&(pre.as_str(), eot)).cloned().unwrap_or_default() {
                let there = self.by_place.get(&(post.as_str(), eot)).into_iter().flatten();
                let values = &self.ground.tuples[given].values;
                let kept = there.copied().find(|tuple| self.ground.tuples[*tuple].values == *values);
                let (given, kept) = (self.holds(given), kept.map_or(FALSE, |kept| self.holds(kept)));
                ways.push(self.world.formula.and([given, -kept]));
            }
        }
        for owed in &self.ground.owed {
            ways.push(self.absent(owed));
        }
        self.world.formula.or(ways)
    }

    /// Whether some computation fails.
    pub fn fails(&mut self) -> Lit {
        let mut ways = vec![];
        for failure in &self.ground.failures {
            ways.push(self.fires(failure, None, &BTreeMap::new()));
        }
        for group in self.ground.groups.iter().filter(|group| group.overflows) {
            let ops = &self.ground.rules[group.rule].aggregates;
            for (column, _) in ops.iter().enumerate().filter(|(_, (_, op))| op == "sum") {
                let values = self.values(group, column, &BTreeMap::new());
                let beyond = |(sum, _): &(i128, usize)| i64::try_from(*sum).is_err();
                let sums = self.totals(&values);
                ways.extend(sums.into_iter().filter(|(state, _)| beyond(state)).map(|(_, lit)| lit));
            }
        }
        self.world.formula.or(ways)
    }

    /// Whether a tuple holds, with all that it depends on worked out first, circle by circle.
    fn holds(&mut self, tuple: usize) -> Lit {
        if let Some(known) = self.holds[tuple] {
            return known;
        }
        for circle in self.circles(tuple) {
            let mut now: BTreeMap<usize, Lit> = circle.iter().map(|tuple| (*tuple, FALSE)).collect();
            // From nothing, as often as there are members: none of them may hold itself up.
            for _ in 0..circle.len() {
                let before = if circle.len() > 1 || self.is_own(circle[0]) { now.clone() } else { BTreeMap::new() };
                for &tuple in &circle {
                    now.insert(tuple, self.ways(tuple, false, &before));
                }
            }
            now.into_iter().for_each(|(tuple, lit)| self.holds[tuple] = Some(lit));
        }
        self.holds[tuple].unwrap()
    }

    /// What holds a tuple up; only otherwise than by a deductive rule, if that is asked.
    fn ways(&mut self, tuple: usize, base: bool, inner: &BTreeMap<usize, Lit>) -> Lit {
        let ground = self.ground;
        let there = &ground.tuples[tuple];
        let node = match there.values.first() {
            Some(Value::Text(node)) => node.clone(),
            _ => String::new(),
        };
        let mut ways = vec![];
        if ground.facts.contains(&tuple) {
            ways.push(TRUE);
        }
        if ground.given.contains(&tuple) {
            ways.push(self.world.given(there));
        }
        if ground.boots.contains(&tuple) {
            ways.push(self.world.boots(&node, there.time));
        }
        if ground.turns.contains(&tuple) {
            let columns = there.values.iter().map(|value| Some(value.clone())).collect();
            let pattern = Pattern { relation: there.relation.clone(), time: Some(0), columns };
            ways.push(self.turned(&pattern));
        }
        for before in self.kept[tuple].clone() {
            let stable = ground.stable.contains(&there.relation);
            let keeps = self.world.keeps(&node, ground.tuples[before].time, stable);
            let was = self.ways(before, true, inner);
            ways.push(self.world.formula.and([keeps, was]));
        }
        let deductive = |rule: usize| ground.rules[rule].when == "now";
        for at in self.firings[tuple].clone() {
            let firing = &ground.firings[at];
            if !(base && deductive(firing.rule)) {
                ways.push(self.fires(firing, Some(there), inner));
            }
        }
        for at in self.groups[tuple].clone() {
            let group = &ground.groups[at];
            if !(base && deductive(group.rule)) {
                ways.push(self.comes_of(group, there, inner));
            }
        }
        self.world.formula.or(ways)
    }

    fn premise(&mut self, tuple: usize, inner: &BTreeMap<usize, Lit>) -> Lit {
        match inner.get(&tuple) {
            Some(lit) => *lit,
            None => self.holds(tuple),
        }
    }

    fn fires(&mut self, firing: &Firing, head: Option<&Tuple>, inner: &BTreeMap<usize, Lit>) -> Lit {
        let mut parts: Vec<Lit> = firing.premises.iter().map(|premise| self.premise(*premise, inner)).collect();
        for need in &firing.needs {
            parts.push(match need {
                Need::Step { node, time } => self.world.steps(node, *time),
                Need::Clock { from, to, sent } => self.world.clock(from, to, *sent),
                Need::Message { from, to, sent, by } => match head {
                    Some(head) => self.world.arrives(from, to, *sent, *by, head),
                    // A member of a group that is struck as one message: it has to be sent.
                    None if self.world.per_message() => self.world.clock(from, to, *sent),
                    None => {
                        let nothing = Tuple { relation: String::new(), time: 0, values: vec![] };
                        self.world.arrives(from, to, *sent, *by, &nothing)
                    }
                },
            });
        }
        parts.extend(firing.absent.iter().map(|pattern| self.absent(pattern)).collect::<Vec<_>>());
        self.world.formula.and(parts)
    }

    fn absent(&mut self, pattern: &Pattern) -> Lit {
        let Some(time) = pattern.time else { return TRUE };
        if ["crash", "restart"].contains(&pattern.relation.as_str()) {
            return -self.turned(pattern);
        }
        let matches = |values: &[Value]| {
            values.iter().zip(&pattern.columns).all(|(value, asked)| asked.as_ref().is_none_or(|asked| asked == value))
        };
        let there = self.by_place.get(&(pattern.relation.as_str(), time)).cloned().unwrap_or_default();
        let there: Vec<usize> = there.into_iter().filter(|tuple| matches(&self.ground.tuples[*tuple].values)).collect();
        let there: Vec<Lit> = there.into_iter().map(|tuple| self.holds(tuple)).collect();
        -self.world.formula.or(there)
    }

    /// Whether some crash, or restart, matches `(observer, node, time)`.
    fn turned(&mut self, pattern: &Pattern) -> Lit {
        let [observer, node, time] = &pattern.columns[..] else { panic!("three columns") };
        let is = |asked: &Option<Value>, name: &str| match asked {
            Some(Value::Text(text)) => text == name,
            Some(Value::Int(_)) => false,
            None => true,
        };
        if !self.ground.nodes.iter().any(|name| is(observer, name)) {
            return FALSE;
        }
        let mut ways = vec![];
        for name in self.ground.nodes.iter().filter(|name| is(node, name)) {
            for step in 1..=self.ground.bound("eot").unwrap() {
                let asked = time.as_ref().is_none_or(|time| *time == Value::Int(i128::from(step)));
                if asked && pattern.relation == "crash" {
                    ways.push(self.world.crashes(name, step));
                } else if asked {
                    ways.push(self.world.boots(name, step));
                }
            }
        }
        self.world.formula.or(ways)
    }

    // Groups.

    /// The distinct values that an aggregate ranges over, each with whether it is there.
    fn values(&mut self, group: &Group, column: usize, inner: &BTreeMap<usize, Lit>) -> Vec<(Value, Lit)> {
        let mut by_value: BTreeMap<Value, Vec<Lit>> = BTreeMap::new();
        for member in &group.members {
            let lit = self.fires(member, None, inner);
            by_value.entry(member.values[column].clone()).or_default().push(lit);
        }
        by_value.into_iter().map(|(value, lits)| (value, self.world.formula.or(lits))).collect()
    }

    /// Every sum and count that can come out, with whether it does.
    fn totals(&mut self, values: &[(Value, Lit)]) -> BTreeMap<(i128, usize), Lit> {
        let mut states = BTreeMap::from([((0, 0), TRUE)]);
        for (value, there) in values {
            let number = if let Value::Int(number) = value { *number } else { 0 };
            let mut next: BTreeMap<(i128, usize), Vec<Lit>> = BTreeMap::new();
            for ((sum, count), lit) in states {
                let (without, with) = (self.world.formula.and([lit, -there]), self.world.formula.and([lit, *there]));
                next.entry((sum, count)).or_default().push(without);
                next.entry((sum + number, count + 1)).or_default().push(with);
            }
            states = next.into_iter().map(|(state, lits)| (state, self.world.formula.or(lits))).collect();
        }
        states
    }

    fn comes_of(&mut self, group: &Group, head: &Tuple, inner: &BTreeMap<usize, Lit>) -> Lit {
        let mut parts = vec![];
        let rule = &self.ground.rules[group.rule];
        for (column, (place, op)) in rule.aggregates.iter().enumerate() {
            let values = self.values(group, column, inner);
            let wanted = &head.values[*place];
            parts.push(match op.as_str() {
                "min" | "max" => {
                    let beyond = |value: &Value| if op == "min" { value < wanted } else { value > wanted };
                    let mut parts: Vec<Lit> = values.iter().filter(|(v, _)| beyond(v)).map(|(_, lit)| -lit).collect();
                    parts.push(values.iter().find(|(value, _)| value == wanted).map_or(FALSE, |(_, lit)| *lit));
                    self.world.formula.and(parts)
                }
                _ => {
                    let Value::Int(wanted) = *wanted else { panic!("a number") };
                    let comes_to = |(sum, count): (i128, usize)| match op.as_str() {
                        _ if count == 0 => false,
                        "count" => i128::try_from(count).unwrap() == wanted,
                        "sum" => sum == wanted,
                        _ => sum / i128::try_from(count).unwrap() == wanted,
                    };
                    let totals = self.totals(&values);
                    let ways: Vec<Lit> =
                        totals.into_iter().filter(|(state, _)| comes_to(*state)).map(|(_, lit)| lit).collect();
                    self.world.formula.or(ways)
                }
            });
        }
        // Where single messages are struck, what comes of the group is one.
        if self.world.per_message() && rule.when == "async" {
            let sent = group.members.iter().flat_map(|member| &member.needs).find_map(|need| match need {
                Need::Message { from, to, .. } => Some((from.clone(), to.clone())),
                _ => None,
            });
            if let Some((from, to)) = sent {
                parts.push(self.world.arrives(&from, &to, group.time, group.by, head));
            }
        }
        self.world.formula.and(parts)
    }

    // Order.

    /// The tuples that a tuple is derived from in the same step or earlier.
    fn below(&self, tuple: usize) -> Vec<usize> {
        let ground = self.ground;
        let firings = self.firings[tuple].iter().map(|at| &ground.firings[*at]);
        let members = self.groups[tuple].iter().flat_map(|at| &ground.groups[*at].members);
        let mut all: Vec<usize> = firings.chain(members).flat_map(|firing| firing.premises.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn is_own(&self, tuple: usize) -> bool {
        self.below(tuple).contains(&tuple)
    }

    /// Tuples that are not worked out yet, in an order in which each comes after those that it is derived from, but for
    /// circles, whose members come together. (Tarjan's algorithm, with a stack of its own.)
    fn circles(&self, root: usize) -> Vec<Vec<usize>> {
        let (mut index, mut low): (HashMap<usize, usize>, HashMap<usize, usize>) = Default::default();
        let (mut open, mut found) = (vec![], vec![]);
        let mut work: Vec<(usize, Vec<usize>)> = vec![];
        let mut entering = Some(root);
        loop {
            if let Some(tuple) = entering.take() {
                let number = index.len();
                index.insert(tuple, number);
                low.insert(tuple, number);
                open.push(tuple);
                work.push((tuple, self.below(tuple)));
            }
            let Some((tuple, rest)) = work.last_mut() else { return found };
            let tuple = *tuple;
            if let Some(next) = rest.pop() {
                if self.holds[next].is_some() {
                    continue;
                }
                if !index.contains_key(&next) {
                    entering = Some(next);
                } else if open.contains(&next) {
                    let least = low[&tuple].min(index[&next]);
                    low.insert(tuple, least);
                }
                continue;
            }
            work.pop();
            if let Some((above, _)) = work.last() {
                let least = low[above].min(low[&tuple]);
                low.insert(*above, least);
            }
            if low[&tuple] == index[&tuple] {
                let from = open.iter().position(|other| *other == tuple).unwrap();
                found.push(open.split_off(from));
            }
        }
    }
}

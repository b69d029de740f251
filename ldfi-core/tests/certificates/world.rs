//! What becomes of messages and steps when every fault is an input: section 4 of the semantics, written a second time.

use ldfi_model::{Fault, Strike, Time};

use super::formula::{FALSE, Formula, Lit, TRUE};
use super::read::{Ground, Tuple, Value};

pub struct World<'g> {
    pub ground: &'g Ground,
    pub formula: Formula,
    /// Inputs of each kind that something has asked for, with what they strike.
    losses: Vec<(Link, Lit)>,
    delays: Vec<(Link, u32, Lit)>,
    copies: Vec<(Link, u32, Lit)>,
    pauses: Vec<(String, u32)>,
    gives: Vec<Lit>,
}

/// What goes from one node to another at a step; one message of it, where single messages are struck.
type Link = (String, String, u32, Option<String>);

impl<'g> World<'g> {
    pub fn new(ground: &'g Ground) -> Self {
        World {
            ground,
            formula: Formula::new(),
            losses: vec![],
            delays: vec![],
            copies: vec![],
            pauses: vec![],
            gives: vec![],
        }
    }

    fn allows(&self, bound: &str) -> bool {
        self.ground.bound(bound) != Some(0)
    }

    fn number(&self, bound: &str) -> u32 {
        self.ground.bound(bound).expect("it has a number")
    }

    pub fn is_node(&self, name: &str) -> bool {
        self.ground.nodes.iter().any(|node| node == name)
    }

    pub fn per_message(&self) -> bool {
        self.ground.bounds["per_message"] == "yes"
    }

    // Nodes.

    fn out(&mut self, node: &str, time: u32) -> Lit {
        if time == 0 || !self.allows("crashes") {
            return FALSE;
        }
        self.formula.input(&format!("dead {node}@{}", time.min(self.number("eot"))))
    }

    pub fn crashes(&mut self, node: &str, time: u32) -> Lit {
        let (now, before) = (self.out(node, time), self.out(node, time - 1));
        self.formula.and([now, -before])
    }

    pub fn boots(&mut self, node: &str, time: u32) -> Lit {
        if !self.allows("restarts") {
            return FALSE;
        }
        let (now, before) = (self.out(node, time), self.out(node, time - 1));
        self.formula.and([before, -now])
    }

    fn down(&mut self, node: &str, time: u32) -> Lit {
        let back: Vec<Lit> = (time + 1..=self.number("eot")).map(|later| self.boots(node, later)).collect();
        let (out, back) = (self.out(node, time), self.formula.or(back));
        self.formula.and([out, back])
    }

    fn paused(&mut self, node: &str, time: u32) -> Lit {
        if !self.allows("pauses") || time == 0 || time >= self.number("eff") {
            return FALSE;
        }
        if !self.pauses.contains(&(node.to_owned(), time)) {
            self.pauses.push((node.to_owned(), time));
        }
        self.formula.input(&format!("paused {node}@{time}"))
    }

    /// Whether a node takes its step; what is no node always does.
    pub fn steps(&mut self, node: &str, time: u32) -> Lit {
        if !self.is_node(node) {
            return TRUE;
        }
        let (down, paused) = (self.down(node, time), self.paused(node, time));
        self.formula.and([-down, -paused])
    }

    /// Whether what a node has at a step is there at the next without a rule.
    pub fn keeps(&mut self, node: &str, time: u32, stable: bool) -> Lit {
        if !self.is_node(node) {
            return FALSE;
        }
        let (down, paused) = (self.down(node, time), self.paused(node, time));
        if stable { self.formula.or([down, paused]) } else { self.formula.and([paused, -down]) }
    }

    // Messages.

    fn strike(link: &Link, strike: impl FnOnce(String, String, Option<ldfi_model::Tuple>) -> Strike) -> String {
        let (from, to, time, _) = link.clone();
        Fault { time: Time(time), strike: strike(from, to, None) }.to_string()
    }

    /// The text of a fault with its message put where it belongs.
    fn text(link: &Link, word: &str, by: Option<u32>) -> String {
        let plain = Self::strike(link, |from, to, message| Strike::Lose { from, to, message });
        let sent = plain.strip_prefix("lose").unwrap();
        let message = link.3.as_ref().map(|text| format!(" {text}")).unwrap_or_default();
        let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
        format!("{word}{sent}{message}{by}")
    }

    fn lost(&mut self, link: &Link) -> Lit {
        if !self.allows("losses") || link.2 >= self.number("eff") || link.3.is_some() != self.per_message() {
            return FALSE;
        }
        let lit = self.formula.input(&Self::text(link, "lose", None));
        if !self.losses.iter().any(|(_, known)| *known == lit) {
            self.losses.push((link.clone(), lit));
        }
        lit
    }

    fn late(&mut self, link: &Link, by: u32) -> Lit {
        let possible = by <= self.number("delay") && self.allows("delays") && link.2 < self.number("eff");
        if !possible || link.3.is_some() != self.per_message() {
            return FALSE;
        }
        let lit = self.formula.input(&Self::text(link, "delay", Some(by)));
        if !self.delays.iter().any(|(.., known)| *known == lit) {
            self.delays.push((link.clone(), by, lit));
        }
        lit
    }

    fn copied(&mut self, link: &Link, by: u32) -> Lit {
        let possible = by <= self.number("delay") && self.allows("duplicates") && link.2 < self.number("eff");
        if !possible || link.3.is_some() != self.per_message() {
            return FALSE;
        }
        let lit = self.formula.input(&Self::text(link, "duplicate", Some(by)));
        if !self.copies.iter().any(|(.., known)| *known == lit) {
            self.copies.push((link.clone(), by, lit));
        }
        lit
    }

    fn parted(&mut self, link: &Link) -> Lit {
        let mut ways = vec![];
        for slot in 1..=self.number("partitions") {
            if link.2 >= self.number("eff") {
                continue;
            }
            let on = self.formula.input(&format!("partition {slot} on @{}", link.2));
            let (one, other) = (self.side(slot, &link.0), self.side(slot, &link.1));
            let apart = [self.formula.and([one, -other]), self.formula.and([-one, other])];
            let apart = self.formula.or(apart);
            ways.push(self.formula.and([on, apart]));
        }
        self.formula.or(ways)
    }

    fn side(&mut self, slot: u32, node: &str) -> Lit {
        let first = self.ground.nodes[0].clone();
        if node == first {
            return FALSE;
        }
        self.formula.input(&format!("partition {slot} parts {node} from {first}"))
    }

    /// Whether `clock(from, to, time)` holds.
    pub fn clock(&mut self, from: &str, to: &str, time: u32) -> Lit {
        if from == to {
            return self.steps(from, time);
        }
        if !self.is_node(from) || !self.is_node(to) {
            return FALSE;
        }
        let link = (from.to_owned(), to.to_owned(), time, None);
        let against = [self.lost(&link), self.parted(&link), self.out(from, time), self.paused(from, time)];
        self.formula.and(against.map(|against| -against))
    }

    /// Whether it arrives `by` steps late; `message` is what it is, where single messages are struck.
    pub fn arrives(&mut self, from: &str, to: &str, time: u32, by: u32, message: &Tuple) -> Lit {
        if !self.is_node(from) || !self.is_node(to) {
            return FALSE;
        }
        let message = self.per_message().then(|| show(message));
        let link = (from.to_owned(), to.to_owned(), time, message);
        let mut against = vec![self.lost(&link), self.parted(&link), self.out(from, time), self.paused(from, time)];
        against.push(self.down(to, time + 1 + by));
        let mut parts: Vec<Lit> = against.iter().map(|against| -against).collect();
        if by == 0 {
            for late in 1..=self.number("delay") {
                parts.push(-self.late(&link, late));
            }
        } else {
            let ways = [self.late(&link, by), self.copied(&link, by)];
            parts.push(self.formula.or(ways));
        }
        self.formula.and(parts)
    }

    // Inputs.

    pub fn given(&mut self, tuple: &Tuple) -> Lit {
        if !self.allows("gives") {
            return FALSE;
        }
        let lit = self.formula.input(&format!("give {}@{}", show(tuple), tuple.time));
        if !self.gives.contains(&lit) {
            self.gives.push(lit);
        }
        lit
    }

    // Bounds.

    /// Whether the faults keep within the specification.
    pub fn admissible(&mut self) -> Lit {
        let mut all = vec![];
        let nodes = self.ground.nodes.clone();
        let eot = self.number("eot");
        let (mut crashes, mut boots) = (vec![], vec![]);
        for node in &nodes {
            for time in 1..=eot {
                crashes.push(self.crashes(node, time));
                let (before, now) = (self.out(node, time - 1), self.out(node, time));
                boots.push(self.formula.and([before, -now]));
            }
        }
        for (lits, bound) in [(crashes, "crashes"), (boots, "restarts")] {
            all.push(self.formula.at_most(&lits, self.number(bound)));
        }
        let some: Vec<(Vec<Lit>, &str)> = vec![
            (self.losses.iter().map(|(_, lit)| *lit).collect(), "losses"),
            (self.delays.iter().map(|(.., lit)| *lit).collect(), "delays"),
            (self.copies.iter().map(|(.., lit)| *lit).collect(), "duplicates"),
            (self.gives.clone(), "gives"),
        ];
        for (lits, bound) in some {
            if let Some(most) = self.ground.bound(bound) {
                all.push(self.formula.at_most(&lits, most));
            }
        }
        all.extend(self.one_strike());
        let begins: Vec<Lit> = self.pauses.clone().iter().map(|(node, time)| self.begins(node, *time)).collect();
        all.push(self.formula.at_most(&begins, self.number("pauses")));
        for slot in 1..=self.number("partitions") {
            let on: Vec<Lit> =
                (1..self.number("eff")).map(|t| self.formula.input(&format!("partition {slot} on @{t}"))).collect();
            let before = [FALSE].into_iter().chain(on.iter().copied());
            let begins: Vec<Lit> = before.zip(&on).map(|(before, now)| self.formula.and([-before, *now])).collect();
            all.push(self.formula.at_most(&begins, 1));
        }
        self.formula.and(all)
    }

    fn begins(&mut self, node: &str, time: u32) -> Lit {
        let now = self.paused(node, time);
        // A step that nothing asks about need not be paused.
        let asked = self.pauses.contains(&(node.to_owned(), time - 1));
        let before = if asked { self.paused(node, time - 1) } else { FALSE };
        self.formula.and([now, -before])
    }

    /// A message is lost, or late by one amount; copies come after it.
    fn one_strike(&mut self) -> Vec<Lit> {
        let mut never = vec![];
        for (link, lost) in &self.losses {
            never.extend(self.delays.iter().filter(|(l, ..)| l == link).map(|(.., late)| (*lost, *late)));
            never.extend(self.copies.iter().filter(|(l, ..)| l == link).map(|(.., copy)| (*lost, *copy)));
        }
        for (link, by, late) in &self.delays {
            let others = self.delays.iter().filter(|(l, b, _)| l == link && b > by);
            never.extend(others.map(|(.., other)| (*late, *other)));
            let copies = self.copies.iter().filter(|(l, b, _)| l == link && b <= by);
            never.extend(copies.map(|(.., copy)| (*late, *copy)));
        }
        never.into_iter().map(|(one, other)| self.formula.or([-one, -other])).collect()
    }
}

/// A tuple as faults name it.
fn show(tuple: &Tuple) -> String {
    let value = |value: &Value| match value {
        Value::Int(number) => ldfi_model::Value::Int(i64::try_from(*number).unwrap()),
        Value::Text(text) => ldfi_model::Value::Str(text.clone()),
    };
    ldfi_model::Tuple::new(tuple.relation.clone(), tuple.values.iter().map(value)).to_string()
}

//! The plan for people to read: strata, join orders, indexes, guards.

use std::fmt::{Display, Formatter, Result};

use crate::ast::{CompareOp, When};
use crate::plan::*;

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "relations")?;
        for relation in &self.relations {
            let columns: Vec<String> = relation.columns.iter().map(ToString::to_string).collect();
            let stable = if relation.stable { "stable " } else { "" };
            write!(f, "  {stable}{}({})", relation.name, columns.join(", "))?;
            for (i, index) in relation.indexes.iter().enumerate() {
                write!(f, "{}{}", if i == 0 { "  by " } else { ", " }, show_columns(&index.columns))?;
                index.at.map_or(Ok(()), |at| write!(f, "@{at}"))?;
            }
            writeln!(f)?;
        }
        for (i, stratum) in self.strata.iter().enumerate() {
            let names: Vec<&str> = stratum.relations.iter().map(|r| self.rel(*r).name.as_str()).collect();
            let kind = if stratum.recursive { "recursive" } else { "once" };
            writeln!(f, "stratum {} ({kind}): {}", i + 1, names.join(", "))?;
            stratum.rules.iter().try_for_each(|rule| self.dump_rule(f, *rule))?;
        }
        if !self.sends.is_empty() {
            writeln!(f, "after all strata")?;
        }
        self.sends.iter().try_for_each(|rule| self.dump_rule(f, *rule))?;
        match &self.outcome {
            Outcome::Promises(promises) => {
                let promises: Vec<String> = promises.iter().map(ToString::to_string).collect();
                writeln!(f, "outcome: {}", promises.join(", "))
            }
            Outcome::Persistent(relations) => {
                let names: Vec<&str> = relations.iter().map(|r| self.rel(*r).name.as_str()).collect();
                writeln!(f, "outcome: persistent {}", names.join(", "))
            }
        }
    }
}

fn show_columns(columns: &[usize]) -> String {
    let columns: Vec<String> = columns.iter().map(|c| (c + 1).to_string()).collect();
    format!("[{}]", columns.join(" "))
}

impl Plan {
    fn dump_rule(&self, f: &mut Formatter<'_>, id: RuleId) -> Result {
        let (rule, joins) = (self.rule(id), self.joins(id));
        writeln!(f, "  rule {}: {}", id.0, rule.text)?;
        if let Some(base) = &joins.base {
            let unless: Vec<String> = joins.base_unless.iter().map(ToString::to_string).collect();
            let when =
                if unless.is_empty() { String::new() } else { format!(" (unless now is {})", unless.join(", ")) };
            self.dump_join(f, rule, base, &format!("all{when}"))?;
        }
        for delta in &joins.deltas {
            let when = delta.at.map_or(String::new(), |at| format!(" (when now is {at})"));
            self.dump_join(f, rule, &delta.join, &format!("changes{when}"))?;
        }
        Ok(())
    }

    fn dump_join(&self, f: &mut Formatter<'_>, rule: &Rule, join: &Join, title: &str) -> Result {
        writeln!(f, "    {title}:")?;
        for op in &join.ops {
            let line = match op {
                Op::Match(m) => self.dump_match(rule, m),
                Op::Absent(a) => {
                    let negated = &rule.negated[a.negated];
                    format!("unless {}", self.dump_access(rule, negated.relation, negated.at, &a.access))
                }
                Op::Assign(slot, term) => format!("let {} = {}", rule.slots[slot.index()], self.show_term(rule, term)),
                Op::Filter(op, left, right) => self.show_filter(rule, *op, left, right),
            };
            writeln!(f, "      {line}")?;
        }
        let columns: Vec<String> = rule.head.columns.iter().map(|c| self.show_column(rule, c)).collect();
        let guard = match (rule.head.when, &rule.location) {
            (When::Now, _) => String::new(),
            (When::Next, _) => "@next".into(),
            (When::Async, Some(from)) => {
                format!("@async if clock({}, {}, now)", self.show_term(rule, from), columns[0])
            }
            (When::Async, None) => "@async".into(),
        };
        writeln!(f, "      derive {}({}){guard}", self.rel(rule.head.relation).name, columns.join(", "))
    }

    fn dump_match(&self, rule: &Rule, m: &Match) -> String {
        let premise = &rule.premises[m.premise];
        let window = match m.window {
            Window::All => "",
            Window::Delta => " new",
            Window::Old => " old",
        };
        let mut line = format!("for{window} {}", self.dump_access(rule, premise.relation, premise.at, &m.access));
        for (column, slot) in &m.binds {
            line += &format!(" {}={}", column + 1, rule.slots[slot.index()]);
        }
        for (column, term) in &m.checks {
            line += &format!(" if {}=={}", column + 1, self.show_term(rule, term));
        }
        if m.once {
            line += " once";
        }
        line
    }

    fn dump_access(&self, rule: &Rule, relation: RelId, at: Option<i64>, access: &Access) -> String {
        let plan = self.rel(relation);
        let key: Vec<String> = access.key().iter().map(|t| self.show_term(rule, t)).collect();
        let at = at.map_or(String::new(), |at| format!("@{at}"));
        match access {
            Access::Scan => format!("{}{at}", plan.name),
            Access::Member(_) => format!("{}({}){at}", plan.name, key.join(", ")),
            Access::Index(i, _) => {
                format!("{}{at} by {} = ({})", plan.name, show_columns(&plan.indexes[*i].columns), key.join(", "))
            }
        }
    }

    fn show_column(&self, rule: &Rule, column: &HeadColumn) -> String {
        match column {
            HeadColumn::Term(term) => self.show_term(rule, term),
            HeadColumn::Aggregate(op, slot) => format!("{op}<{}>", rule.slots[slot.index()]),
        }
    }

    fn show_filter(&self, rule: &Rule, op: CompareOp, left: &Term, right: &Term) -> String {
        format!("if {} {op} {}", self.show_term(rule, left), self.show_term(rule, right))
    }

    /// A term as text, with variables by name.
    pub fn show_term(&self, rule: &Rule, term: &Term) -> String {
        match term {
            Term::Slot(slot) => rule.slots[slot.index()].clone(),
            Term::Int(value) => value.to_string(),
            Term::Constant(place) => match &self.constants[*place] {
                ConstantPlan::Str(text) => crate::ast::Constant::Str(text.clone()).to_string(),
                ConstantPlan::Param(param) => self.ast.params[*param].name.text.clone(),
            },
            Term::Neg(inner) => format!("-({})", self.show_term(rule, inner)),
            Term::Binary(op, left, right) => {
                format!("({} {op} {})", self.show_term(rule, left), self.show_term(rule, right))
            }
        }
    }
}

//! Programs as text for the peers: the rewrite of the LDFI paper, done mechanically so that it is done fairly.
//!
//! With time columns ([`Shape::Timed`]) every relation gets a last column, `@next` and `@async` heads
//! are one later and guarded by `clock(from, to, time)`. The peers stratify by relation, not by time,
//! and refuse a program that negates what the head feeds one step later. Such programs are run step by
//! step ([`Shape::Stepwise`]): one step is one program without time columns, and a loop carries tuples over.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dedalus_syntax::ast::{Atom, BinaryOp, Constant, Expr, ExprKind, HeadTerm, Literal, Rule, When};
use dedalus_syntax::plan::{ConstantPlan, Plan};

use crate::peers::FIRST_ID;

/// How time is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One program with time columns.
    Timed,
    /// One program a step.
    Stepwise,
}

/// The shape that the peers can run.
pub fn shape(plan: &Plan) -> Shape {
    let edges = |negative: bool| {
        let rules = plan.ast.rules.iter();
        rules.flat_map(move |rule| {
            let atoms = rule.atoms().filter(move |a| !negative || a.negated);
            atoms.map(|a| (rule.head.relation.text.as_str(), a.relation.text.as_str()))
        })
    };
    let reaches = |from: &str, to: &str| {
        let mut seen = BTreeSet::from([from.to_owned()]);
        loop {
            let more: Vec<String> =
                edges(false).filter(|(h, b)| seen.contains(*h) && !seen.contains(*b)).map(|(_, b)| b.into()).collect();
            if more.is_empty() {
                return seen.contains(to);
            }
            seen.extend(more);
        }
    };
    let unstratified = edges(true).any(|(head, body)| reaches(body, head));
    if unstratified { Shape::Stepwise } else { Shape::Timed }
}

/// An engine to write for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// `ascent`
    Ascent,
    /// `crepe`
    Crepe,
}

/// A module with a program for an engine: a `Peer` for the benchmarks.
pub fn module(plan: &Plan, name: &str, engine: Engine) -> String {
    let shape = shape(plan);
    let writer = Writer { plan, engine, shape };
    let engine_name = if engine == Engine::Ascent { "ascent" } else { "crepe" };
    let mut out = format!("/// `{name}` for `{engine_name}`.\npub mod {engine_name} {{\n");
    let _ = writeln!(out, "    #![allow(missing_docs, unused_parens, unused_imports, dead_code, clippy::all)]");
    let _ = writeln!(out, "    use crate::peers::{{Peer, Tuples, World}};");
    for line in writer.program().lines().chain(writer.peer().lines()) {
        let _ = writeln!(out, "{}", if line.is_empty() { String::new() } else { format!("    {line}") });
    }
    out + "}\n"
}

/// The engine's program alone.
pub fn program(plan: &Plan, engine: Engine) -> String {
    Writer { plan, engine, shape: shape(plan) }.program()
}

/// The strings in a program's rules, which get the first numbers.
pub fn constants(plan: &Plan) -> Vec<String> {
    let strings = plan.constants.iter().filter_map(|c| match c {
        ConstantPlan::Str(text) => Some(text.clone()),
        ConstantPlan::Param(_) => None,
    });
    strings.collect()
}

struct Writer<'a> {
    plan: &'a Plan,
    engine: Engine,
    shape: Shape,
}

/// `missing_log` is `MissingLog` for crepe.
fn camel(name: &str) -> String {
    let upper = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').filter(|w| !w.is_empty()).map(upper).collect()
}

impl Writer<'_> {
    fn relations(&self) -> Vec<(&str, usize)> {
        let ours = self.plan.relations.iter().filter(|r| !r.is_crash());
        ours.map(|r| (r.name.as_str(), r.columns.len())).collect()
    }

    fn reads_crash(&self) -> bool {
        self.plan.relations.iter().any(|r| r.is_crash())
    }

    fn heads(&self, keep: impl Fn(When) -> bool) -> BTreeSet<&str> {
        let rules = self.plan.ast.rules.iter();
        rules.filter(|r| keep(r.head.when)).map(|r| r.head.relation.text.as_str()).collect()
    }

    /// Relations that rules fill within one program.
    fn derived(&self) -> BTreeSet<&str> {
        self.heads(|when| self.shape == Shape::Timed || when == When::Now)
    }

    /// Relations that rules fill for the next step.
    fn carried(&self) -> BTreeSet<&str> {
        self.heads(|when| when != When::Now)
    }

    /// Relations that get rows from outside: facts, and what the last step sent.
    fn fed(&self) -> BTreeSet<&str> {
        let mut fed: BTreeSet<&str> = self.plan.ast.inputs.iter().map(|i| i.relation.text.as_str()).collect();
        fed.extend(self.plan.ast.facts.iter().map(|f| f.relation.text.as_str()));
        if self.shape == Shape::Stepwise {
            fed.extend(self.carried());
        }
        fed
    }

    fn name(&self, relation: &str) -> String {
        if self.engine == Engine::Crepe { camel(relation) } else { relation.to_owned() }
    }

    fn types(&self, arity: usize, time: bool) -> String {
        let columns = arity + usize::from(time && self.shape == Shape::Timed);
        let public = if self.engine == Engine::Crepe { "pub u32" } else { "u32" };
        vec![public; columns].join(", ")
    }

    /// The rows that a relation is fed with. In crepe an input cannot also be derived.
    fn input(&self, relation: &str) -> String {
        let apart = self.engine == Engine::Crepe && self.derived().contains(relation);
        self.name(relation) + if apart { "In" } else { "" }
    }

    /// The program in the engine's notation.
    fn program(&self) -> String {
        let rules = self.plan.ast.rules.iter().map(|rule| self.rule(rule));
        let mut out = String::new();
        match self.engine {
            Engine::Ascent => {
                out += "ascent::ascent! {\n    pub struct Program;\n";
                for (name, arity) in self.relations() {
                    let _ = writeln!(out, "    relation {name}({});", self.types(arity, true));
                }
                if self.shape == Shape::Stepwise {
                    for (name, arity) in self.relations().iter().filter(|(name, _)| self.carried().contains(name)) {
                        let _ = writeln!(out, "    relation {name}_next({});", self.types(*arity, false));
                    }
                }
                let _ = writeln!(out, "    relation clock({});", self.types(2, true));
                if self.reads_crash() {
                    out += "    relation crash(u32, u32, u32);\n";
                }
            }
            Engine::Crepe => {
                out += "crepe::crepe! {\n";
                for (name, arity) in self.relations() {
                    let (derived, types) = (self.derived().contains(name), self.types(arity, true));
                    if self.fed().contains(name) || !derived {
                        let _ = writeln!(out, "    @input pub struct {}({types});", self.input(name));
                    }
                    if derived {
                        let _ = writeln!(out, "    @output pub struct {}({types});", self.name(name));
                    }
                    if self.shape == Shape::Stepwise && self.carried().contains(name) {
                        let _ = writeln!(out, "    @output pub struct {}Next({types});", self.name(name));
                    }
                }
                let _ = writeln!(out, "    @input pub struct Clock({});", self.types(2, true));
                if self.reads_crash() {
                    out += "    @input pub struct Crash(pub u32, pub u32, pub u32);\n";
                }
                for (name, arity) in self.relations() {
                    if self.derived().contains(name) && self.fed().contains(name) {
                        let mut columns: Vec<String> = (0..arity).map(|i| format!("c{i}")).collect();
                        columns.extend((self.shape == Shape::Timed).then(|| "now".to_owned()));
                        let columns = columns.join(", ");
                        let _ = writeln!(out, "    {}({columns}) <- {}({columns});", self.name(name), self.input(name));
                    }
                }
            }
        }
        for rule in rules {
            let _ = writeln!(out, "    {rule}");
        }
        out + "}\n"
    }

    fn rule(&self, rule: &Rule) -> String {
        let timed = self.shape == Shape::Timed;
        let mut columns: Vec<String> = (rule.head.terms.iter())
            .map(|term| match term {
                HeadTerm::Expr(expr) => self.expr(expr, true),
                HeadTerm::Aggregate(_) => unreachable!("the programs compared have no aggregates"),
            })
            .collect();
        let to = columns[0].clone();
        let later = rule.head.when != When::Now;
        if timed {
            columns.push(if later { "now + 1".into() } else { "now".into() });
        }
        let suffix = match (later && !timed, self.engine) {
            (false, _) => "",
            (true, Engine::Ascent) => "_next",
            (true, Engine::Crepe) => "Next",
        };
        let head = format!("{}{suffix}({})", self.name(&rule.head.relation.text), columns.join(", "));
        let mut body: Vec<String> = rule.body.iter().map(|literal| self.literal(literal)).collect();
        if later {
            let from = rule.location().map_or(String::new(), |e| self.expr(e, true));
            let to = if rule.head.when == When::Next { from.clone() } else { to };
            let time = if timed { ", now" } else { "" };
            let clock = format!("{}({from}, {to}{time})", self.name("clock"));
            // A local step is never lost: without time columns there is nothing to ask.
            if timed || rule.head.when == When::Async {
                body.push(clock);
            }
        }
        let arrow = if self.engine == Engine::Crepe { "<-" } else { "<--" };
        format!("{head} {arrow} {};", body.join(", "))
    }

    fn literal(&self, literal: &Literal) -> String {
        match literal {
            Literal::Atom(atom) => self.atom(atom),
            Literal::Compare(c) => {
                let (left, right) = (self.expr(&c.left, false), self.expr(&c.right, false));
                match self.engine {
                    Engine::Ascent => format!("if {left} {} {right}", c.op),
                    Engine::Crepe => format!("({left} {} {right})", c.op),
                }
            }
        }
    }

    fn atom(&self, atom: &Atom) -> String {
        let mut columns: Vec<String> = atom.args.iter().map(|e| self.expr(e, true)).collect();
        let relation = atom.relation.text.as_str();
        if self.shape == Shape::Timed && relation != "crash" {
            columns.push("now".into());
        }
        format!("{}{}({})", if atom.negated { "!" } else { "" }, self.name(relation), columns.join(", "))
    }

    /// `bare`: a variable that stands alone needs no dereferencing.
    fn expr(&self, expr: &Expr, bare: bool) -> String {
        match &expr.kind {
            ExprKind::Const(Constant::Int(value)) => value.to_string(),
            ExprKind::Const(Constant::Str(text)) => {
                let place = constants(self.plan).iter().position(|c| c == text).unwrap_or(0);
                (FIRST_ID as usize + place).to_string()
            }
            ExprKind::Param(place) => match &self.plan.ast.params[*place].default {
                Some(Constant::Int(value)) => value.to_string(),
                _ => unreachable!("the programs compared have integer parameters with defaults"),
            },
            ExprKind::Var(name) if bare || self.engine == Engine::Crepe => name.to_lowercase(),
            ExprKind::Var(name) => format!("*{}", name.to_lowercase()),
            ExprKind::Wild => "_".into(),
            ExprKind::Neg(inner) => format!("-{}", self.expr(inner, false)),
            ExprKind::Binary(op, left, right) => {
                let op = match op {
                    BinaryOp::Add => "+",
                    BinaryOp::Sub => "-",
                    BinaryOp::Mul => "*",
                    BinaryOp::Div => "/",
                };
                format!("{} {op} {}", self.expr(left, false), self.expr(right, false))
            }
        }
    }

    /// A row of a relation from the words of a fact in `row`.
    fn row(&self, relation: &str, arity: usize, time: Option<&str>) -> String {
        let mut columns: Vec<String> = (0..arity).map(|i| format!("row[{i}]")).collect();
        columns.extend(time.filter(|_| self.shape == Shape::Timed).map(str::to_owned));
        self.tuple(&self.input(relation), &columns)
    }

    fn tuple(&self, name: &str, columns: &[String]) -> String {
        match (self.engine, columns) {
            (Engine::Ascent, [single]) => format!("({single},)"),
            (Engine::Ascent, _) => format!("({})", columns.join(", ")),
            (Engine::Crepe, _) => format!("{name}({})", columns.join(", ")),
        }
    }

    fn row_type(&self, name: &str, arity: usize, time: bool) -> String {
        let columns = arity + usize::from(time && self.shape == Shape::Timed);
        if self.engine == Engine::Crepe { name.to_owned() } else { self.tuple("", &vec!["u32".into(); columns]) }
    }

    /// Loads, runs and reads the program.
    fn peer(&self) -> String {
        if self.shape == Shape::Timed { self.timed_peer() } else { self.stepwise_peer() }
    }

    fn fed_relations(&self) -> Vec<(&str, usize)> {
        self.relations().into_iter().filter(|(name, _)| self.fed().contains(name)).collect()
    }

    /// Reads `rows` of a relation into `tuples`.
    fn read(&self, relation: &str, arity: usize, rows: &str, time: &str) -> String {
        let columns: Vec<String> = (0..arity).map(|i| format!("row.{i}")).collect();
        let columns = columns.join(", ");
        format!("tuples.extend({rows}.iter().map(|row| ({relation:?}.to_owned(), vec![{columns}], {time})));")
    }

    fn timed_peer(&self) -> String {
        let fed = self.fed_relations();
        let mut out = String::from("\n/// The facts.\npub struct Input {\n");
        for (name, arity) in &fed {
            let _ = writeln!(out, "    {name}: Vec<{}>,", self.row_type(&self.input(name), *arity, true));
        }
        let _ = writeln!(out, "    clock: Vec<{}>,\n}}", self.row_type("Clock", 2, true));
        out += "\n/// The program.\npub struct Encoded;\n\nimpl Peer for Encoded {\n    type Input = Input;\n";
        let output = if self.engine == Engine::Ascent { "Program" } else { "Output" };
        let _ = writeln!(out, "    type Output = {output};\n    fn load(world: &World) -> Input {{\n        Input {{");
        for (name, arity) in &fed {
            let row = self.row(name, *arity, Some("*time"));
            let _ =
                writeln!(out, "            {name}: world.facts({name:?}).iter().map(|(time, row)| {row}).collect(),");
        }
        let clock = self.tuple("Clock", &["from".into(), "to".into(), "time".into()]);
        let _ = writeln!(out, "            clock: world.clock().map(|(from, to, time)| {clock}).collect(),");
        let _ = writeln!(out, "        }}\n    }}\n    fn run(input: &Input) -> {output} {{");
        match self.engine {
            Engine::Ascent => {
                out += "        let mut program = Program::default();\n";
                for (name, _) in fed.iter().chain(&[("clock", 2)]) {
                    let _ = writeln!(out, "        program.{name} = input.{name}.clone();");
                }
                out += "        program.run();\n        program\n    }\n";
            }
            Engine::Crepe => {
                out += "        let mut program = Crepe::new();\n";
                for (name, _) in fed.iter().chain(&[("clock", 2)]) {
                    let _ = writeln!(out, "        program.extend(input.{name}.iter().copied());");
                }
                let names: Vec<&str> = self.outputs().into_iter().map(|(name, _)| name).collect();
                let _ = writeln!(
                    out,
                    "        let ({},) = program.run_with_hasher::<rustc_hash::FxBuildHasher>();\n        Output {{ {} }}\n    }}",
                    names.join(", "),
                    names.join(", ")
                );
            }
        }
        out += "    fn tuples(output: &Self::Output) -> Tuples {\n        let mut tuples = Tuples::new();\n";
        for (name, arity) in self.outputs() {
            let line = self.read(name, arity, &format!("output.{name}"), &format!("row.{arity}"));
            let _ = writeln!(out, "        {line}");
        }
        out += "        tuples\n    }\n}\n";
        if self.engine == Engine::Crepe {
            out += "\n/// What came of it.\npub struct Output {\n";
            for (name, _) in self.outputs() {
                let row = self.name(name);
                let _ = writeln!(out, "    {name}: std::collections::HashSet<{row}, rustc_hash::FxBuildHasher>,");
            }
            out += "}\n";
        }
        out
    }

    /// What crepe returns within a time: the derived relations in their order.
    fn outputs(&self) -> Vec<(&str, usize)> {
        self.relations().into_iter().filter(|(name, _)| self.derived().contains(name)).collect()
    }

    fn stepwise_peer(&self) -> String {
        let (fed, relations) = (self.fed_relations(), self.relations());
        let mut out = String::from("\n/// What a step begins with.\n#[derive(Clone, Default)]\npub struct Fed {\n");
        for (name, arity) in &fed {
            let _ = writeln!(out, "    {name}: Vec<{}>,", self.row_type(&self.input(name), *arity, true));
        }
        out += "}\n\n/// The facts of each step, and the messages that get through.\npub struct Input {\n    facts: Vec<Fed>,\n";
        let _ = writeln!(out, "    clock: Vec<{}>,\n}}", self.row_type("Clock", 2, true));
        out += "\n/// What held in a step.\npub struct Step {\n";
        for (name, arity) in &relations {
            let rows = match self.engine {
                Engine::Crepe if self.derived().contains(name) => {
                    format!("std::collections::HashSet<{}, rustc_hash::FxBuildHasher>", self.name(name))
                }
                _ => format!("Vec<{}>", self.row_type(&self.name(name), *arity, true)),
            };
            let _ = writeln!(out, "    {name}: {rows},");
        }
        out += "}\n\n/// The program.\npub struct Encoded;\n\nimpl Peer for Encoded {\n    type Input = Input;\n    type Output = Vec<Step>;\n";
        out += "    fn load(world: &World) -> Input {\n        let facts = (1..=world.eot).map(|time| Fed {\n";
        for (name, arity) in &fed {
            let row = self.row(name, *arity, None);
            let _ = writeln!(out, "            {name}: world.facts_at({name:?}, time).map(|row| {row}).collect(),");
        }
        let clock = self.tuple("Clock", &["*from".into(), "*to".into()]);
        out += "        });\n        let facts = facts.collect();\n";
        let _ = writeln!(
            out,
            "        let pairs = world.nodes.iter().flat_map(|from| world.nodes.iter().map(move |to| {clock}));\n        Input {{ facts, clock: pairs.collect() }}\n    }}"
        );
        out += "    fn run(input: &Input) -> Vec<Step> {\n        let mut steps = Vec::with_capacity(input.facts.len());\n        let mut arrived = Fed::default();\n        for facts in &input.facts {\n";
        for (name, _) in &fed {
            let _ = writeln!(out, "            arrived.{name}.extend_from_slice(&facts.{name});");
        }
        match self.engine {
            Engine::Ascent => self.ascent_step(&mut out),
            Engine::Crepe => self.crepe_step(&mut out),
        }
        out += "        }\n        steps\n    }\n";
        out += "    fn tuples(output: &Vec<Step>) -> Tuples {\n        let mut tuples = Tuples::new();\n        for (time, step) in (1..).zip(output) {\n";
        for (name, arity) in &relations {
            let _ = writeln!(out, "            {}", self.read(name, *arity, &format!("step.{name}"), "time"));
        }
        out + "        }\n        tuples\n    }\n}\n"
    }

    fn ascent_step(&self, out: &mut String) {
        *out += "            let mut program = Program::default();\n            program.clock = input.clock.clone();\n";
        for (name, _) in self.fed_relations() {
            let _ = writeln!(out, "            program.{name} = std::mem::take(&mut arrived.{name});");
        }
        *out += "            program.run();\n";
        for name in self.carried() {
            let _ = writeln!(out, "            arrived.{name} = std::mem::take(&mut program.{name}_next);");
        }
        *out += "            steps.push(Step {\n";
        for (name, _) in self.relations() {
            let _ = writeln!(out, "                {name}: std::mem::take(&mut program.{name}),");
        }
        *out += "            });\n";
    }

    fn crepe_step(&self, out: &mut String) {
        *out +=
            "            let mut program = Crepe::new();\n            program.extend(input.clock.iter().copied());\n";
        for (name, _) in self.fed_relations() {
            let _ = writeln!(out, "            program.extend(arrived.{name}.iter().copied());");
        }
        let mut outputs = vec![];
        for (name, _) in self.relations() {
            if self.derived().contains(name) {
                outputs.push(name.to_owned());
            } else {
                let _ = writeln!(out, "            let {name} = std::mem::take(&mut arrived.{name});");
            }
            if self.carried().contains(name) {
                outputs.push(format!("{name}_next"));
            }
        }
        let _ = writeln!(
            out,
            "            let ({},) = program.run_with_hasher::<rustc_hash::FxBuildHasher>();",
            outputs.join(", ")
        );
        for (name, arity) in self.relations().iter().filter(|(name, _)| self.carried().contains(name)) {
            let columns: Vec<String> = (0..*arity).map(|i| format!("row.{i}")).collect();
            let row = self.tuple(&self.input(name), &columns);
            let _ = writeln!(out, "            arrived.{name}.clear();");
            let _ = writeln!(out, "            arrived.{name}.extend({name}_next.iter().map(|row| {row}));");
        }
        // A relation that is fed by facts alone is empty again in the next step.
        for (name, _) in self.fed_relations() {
            if !self.carried().contains(name) && self.derived().contains(name) {
                let _ = writeln!(out, "            arrived.{name}.clear();");
            }
        }
        let names: Vec<&str> = self.relations().into_iter().map(|(name, _)| name).collect();
        let _ = writeln!(out, "            steps.push(Step {{ {} }});", names.join(", "));
    }
}

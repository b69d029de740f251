//! The lineage of a broken promise, from its explanation: what is missing, what held instead, and one goal for each fault.

use super::{Goal, Hop, Kind, Lineage, Step, fault_goal, fault_goals};
use crate::model::RuleId;
use ldfi_model::{Claim, ClaimId, Discount, Explanation, Part, Passage, Standing, Way, Why};
use std::collections::HashMap;

struct Drawing<'e> {
    explanation: &'e Explanation,
    graph: Lineage,
    places: HashMap<ClaimId, usize>,
    queue: Vec<ClaimId>,
}

/// Why one of the promises was broken, by its place in [`Explanation::asked`]. Nothing is left out.
pub fn because(explanation: &Explanation, asked: usize) -> Lineage {
    let Some(asked) = explanation.asked.get(asked) else { return Lineage::default() };
    let mut drawing = Drawing { explanation, graph: Lineage::default(), places: HashMap::new(), queue: vec![] };
    let root = drawing.goal(asked.claim);
    if let Some(given) = asked.given {
        let given = drawing.goal(given);
        drawing.graph.steps.push(Step { premises: vec![given], owed: true, ..Step::of(root) });
    }
    let mut next = 0;
    while let Some(id) = drawing.queue.get(next).copied() {
        drawing.expand(id);
        next += 1;
    }
    drawing.graph
}

impl<'e> Drawing<'e> {
    fn goal(&mut self, id: ClaimId) -> usize {
        if let Some(place) = self.places.get(&id) {
            return *place;
        }
        let place = self.graph.goals.len();
        self.graph.goals.push(describe(self.explanation.claim(id)));
        self.places.insert(id, place);
        self.queue.push(id);
        place
    }

    fn expand(&mut self, id: ClaimId) {
        let head = self.places[&id];
        match &self.explanation.claim(id).why {
            Why::Faults(faults) => {
                let struck = fault_goals(&mut self.graph, faults);
                self.graph.steps.push(Step { struck, ..Step::of(head) });
            }
            Why::Fired(fired) => {
                let step = Step { rule: fired.rule.map(RuleId), ..Step::of(head) };
                self.parts(step, &fired.parts, fired.time.0);
            }
            Why::Never(ways) => {
                for Way { rule, times, obstacles, .. } in ways {
                    let step = Step { rule: rule.map(RuleId), ..Step::of(head) };
                    self.parts(step, obstacles, times.iter().max().map_or(0, |time| time.0));
                }
            }
            Why::Untold => self.remark(head, "there is more to tell than is told here".to_owned()),
            Why::Fact | Why::Anyway => {}
        }
    }

    /// What a rule rests on, or what was in its way: what is of the head's own kind leads to it, the rest is against it.
    fn parts(&mut self, mut step: Step, parts: &[Part], time: u32) {
        let holds = self.graph.goals[step.head].holds;
        for part in parts {
            match part {
                Part::Claim(id) | Part::OnlyDerived(id) | Part::Instead(id) | Part::Nearest(id) => {
                    let like = self.explanation.claim(*id).holds == holds;
                    let place = self.goal(*id);
                    if like { step.premises.push(place) } else { step.inhibitors.push(place) }
                }
                Part::Message(Passage { from, to, sent, arrives, faults, .. }) => {
                    step.struck.extend(fault_goals(&mut self.graph, faults));
                    let last = sent.last().map_or(0, |time| time.0);
                    let receive_time = arrives.map_or(last + 1, |time| time.0);
                    step.message = Some(Hop { from: from.clone(), to: to.clone(), send_time: last, receive_time });
                }
                Part::Node(Standing { faults, .. })
                | Part::Discounted(Discount { faults, .. })
                | Part::Struck(faults) => {
                    step.struck.extend(fault_goals(&mut self.graph, faults));
                }
                Part::Failure(text) => step.struck.push(fault_goal(&mut self.graph, text, time)),
                Part::NoMatch(text) => step.premises.push(self.add_remark(step.head, time, format!("no {text}"))),
                Part::Untrue(text) => {
                    step.premises.push(self.add_remark(step.head, time, format!("{text} does not hold")));
                }
            }
        }
        self.graph.steps.push(step);
    }

    fn remark(&mut self, head: usize, text: String) {
        let place = self.add_remark(head, self.graph.goals[head].since, text);
        self.graph.steps.push(Step { premises: vec![place], ..Step::of(head) });
    }

    /// A remark beside what it is about.
    fn add_remark(&mut self, head: usize, time: u32, text: String) -> usize {
        let location = self.graph.goals[head].location.clone();
        let known = |goal: &Goal| goal.kind == Kind::Remark && (&goal.text, goal.time) == (&text, time);
        if let Some(place) = self.graph.goals.iter().position(known) {
            return place;
        }
        let goal = Goal { text, location, ..Goal::new(Kind::Remark, time) };
        self.graph.goals.push(goal);
        self.graph.goals.len() - 1
    }
}

fn describe(claim: &Claim) -> Goal {
    let values: Vec<String> = claim.tuple.values.iter().map(ldfi_model::Value::bare).collect();
    Goal {
        text: format!("{}({})@{}", claim.tuple.relation, values.join(", "), claim.until),
        location: values.first().cloned(),
        since: claim.from.0,
        holds: claim.holds,
        falsified: !claim.holds && !claim.usual,
        // What would be so anyway tells nothing.
        background: matches!(claim.why, Why::Fact | Why::Anyway),
        ..Goal::new(Kind::Tuple, claim.until.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ldfi_model::{Asked, Fired, Time, Tuple};

    fn claim(relation: &str, node: &str, from: u32, until: u32, holds: bool, why: Why) -> Claim {
        let tuple = Tuple::new(relation, [node.into()]);
        Claim { tuple, from: Time(from), until: Time(until), holds, usual: !holds, why }
    }

    fn never(obstacles: Vec<Part>) -> Why {
        Why::Never(vec![Way { rule: Some(0), times: vec![Time(1)], usual: true, obstacles }])
    }

    #[test]
    fn each_fault_is_one_goal_however_often_it_strikes() {
        let crash: ldfi_model::Faults = "crash a@2".parse().unwrap();
        let struck = || Part::Struck(crash.clone());
        let fired = |parts| Why::Fired(Fired { rule: Some(1), time: Time(3), parts });
        let explanation = Explanation {
            claims: vec![
                claim("post", "b", 3, 3, false, never(vec![Part::Claim(ClaimId(1)), Part::Claim(ClaimId(2))])),
                claim("sees", "b", 3, 3, true, fired(vec![struck()])),
                claim("sees", "c", 3, 3, true, fired(vec![struck(), Part::NoMatch(String::from("up(c)@3").into())])),
                claim("pre", "b", 3, 3, true, Why::Fact),
            ],
            asked: vec![Asked { given: Some(ClaimId(3)), claim: ClaimId(0), like: None }],
            later: None,
        };
        let graph = because(&explanation, 0);
        let faults: Vec<&Goal> = graph.goals.iter().filter(|goal| goal.kind == Kind::Fault).collect();
        assert_eq!(faults.len(), 1);
        assert_eq!((&faults[0].text[..], faults[0].time, faults[0].location.as_deref()), ("crash a@2", 2, Some("a")));
        assert_eq!(graph.steps.iter().filter(|step| !step.struck.is_empty()).count(), 2);
        let blocked = graph.steps_of(0).find(|step| !step.owed).unwrap();
        assert_eq!((blocked.premises.len(), blocked.inhibitors.len()), (0, 2));
        assert!(graph.goals.iter().any(|goal| goal.text == "no up(c)@3"));
        assert!(graph.steps_of(0).any(|step| step.owed), "what it was promised for is there");
    }
}

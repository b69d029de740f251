//! What is said in a few words: of a message, of a node, of a literal.

use super::super::paint::Ink;
use super::show;
use super::words::Words;
use ldfi_model::{Did, Discount, Fate, Part, Passage, Standing, Time, steps};

/// A part of a reason that is no claim.
pub(super) fn part(part: &Part, arrow: &str) -> Words {
    match part {
        Part::Claim(_) | Part::Instead(_) | Part::OnlyDerived(_) | Part::Nearest(_) => Words::default(),
        Part::Message(passage) => message(passage, arrow),
        Part::Node(standing) => node(standing),
        Part::NoMatch(pattern) => bad(&format!("no {pattern}")),
        Part::Untrue(test) => bad(&format!("{test} does not hold")),
        Part::Struck(faults) => Words::default().faults(0, "because of", faults, Ink::Bad),
        Part::Discounted(Discount { tuple, times, faults }) => {
            let tuple = show(tuple, Time(0));
            let tuple = format!("{}{}", tuple.trim_end_matches("@0"), steps(times));
            Words::default().whole(0, &tuple, Ink::Bad).phrase(1, "does not", Ink::Bad).faults(
                1,
                "count:",
                faults,
                Ink::Bad,
            )
        }
        Part::Failure(text) => Words::default().whole(0, &format!("because of {text}"), Ink::Bad),
    }
}

fn bad(text: &str) -> Words {
    Words::default().phrase(0, text, Ink::Bad)
}

fn message(Passage { from, to, sent, fate, arrives, faults }: &Passage, arrow: &str) -> Words {
    let many = if sent.len() > 1 { "messages" } else { "message" };
    let (words, sent) = (bad(many).whole(1, &format!("{from}{arrow}{to}"), Ink::Bad), steps(sent));
    let at = arrives.map_or(String::new(), |time| format!("@{time}"));
    let words = match fate {
        Fate::Arrived => words.phrase(1, &format!("sent {sent} arrives {at}"), Ink::Bad),
        Fate::Late | Fate::Lost => words.phrase(1, &format!("sent {sent}"), Ink::Bad),
        Fate::Paused | Fate::Down => words.whole(1, &sent, Ink::Bad),
    };
    let words = match fate {
        Fate::Arrived => words.faults(2, "by", faults, Ink::Bad),
        Fate::Late => words.faults(2, "LATE by", faults, Ink::Bad),
        Fate::Lost => words.faults(2, "LOST by", faults, Ink::Bad),
        Fate::Paused => {
            words.phrase(2, &format!("not sent: {from} stands still"), Ink::Bad).faults(1, "by", faults, Ink::Bad)
        }
        Fate::Down => words.phrase(2, &format!("not sent: {from} is down"), Ink::Bad).faults(1, "by", faults, Ink::Bad),
    };
    match fate {
        Fate::Late if many == "message" => words.phrase(0, &format!(", arrives {at}"), Ink::Bad),
        Fate::Late => words.phrase(0, &format!(", the last arrives {at}"), Ink::Bad),
        Fate::Arrived | Fate::Lost | Fate::Paused | Fate::Down => words,
    }
}

fn node(Standing { node, did, times, faults }: &Standing) -> Words {
    let at = steps(times);
    let words = bad(&match did {
        Did::Step => format!("{node} takes its step {at}"),
        Did::StandStill => format!("{node} stands still {at}"),
        Did::Keep => format!("{node} stands still {at} and keeps it"),
        Did::NotKeep => format!("{node} does not keep it {at}"),
    });
    words.faults(2, "by", faults, Ink::Bad)
}

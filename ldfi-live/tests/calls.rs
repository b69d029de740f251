//! Calls with answers, and values that a service keeps, under failures.
#![cfg(feature = "tokio")]

use std::time::Duration;

use ldfi_live::tokio::{Calls, Host, Kept, Letter, Message, Service, Way, setup};
use ldfi_live::{Label, Options, Replayed, Scenario, Setup, label_of};
use tokio::time::timeout;

/// An instant of the world.
const TEN: Duration = Duration::from_millis(10);

/// What the services here send: calls, and something else.
#[derive(Clone, Debug)]
enum Mixed {
    Call(Letter),
    Noise,
}

impl From<Letter> for Mixed {
    fn from(letter: Letter) -> Self {
        Mixed::Call(letter)
    }
}

impl Message for Mixed {
    fn label(&self) -> Label {
        if let Mixed::Call(letter) = self { letter.label() } else { label_of(self) }
    }
}

fn replayed<M: Message>(setup: &Setup<Service<M, u32>>, scenario: &str) -> Replayed {
    let scenario = Scenario::parse(scenario, setup.nodes()).unwrap_or_else(|error| panic!("{error}"));
    let replayed = setup.replay(&[], &Options::default(), &scenario).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(replayed.struck, scenario.len(), "not every failure struck");
    replayed
}

/// What nodes told under these failures: when, who, what.
fn told<M: Message>(setup: &Setup<Service<M, u32>>, scenario: &str) -> Vec<String> {
    let replayed = replayed(setup, scenario);
    replayed.events.iter().map(|(time, event)| format!("@{time} {event}").replace('"', "")).collect()
}

/// The first node has the others double what it is asked, and tells how many calls are open an instant after that. Who is asked for 0
/// does not answer; everybody makes noise.
fn doubling(nodes: usize, asked: &[(u32, u32)]) -> Setup<Service<Mixed, u32>> {
    let mut setup = setup(nodes, TEN, |host: Host<Mixed, u32>| async move {
        let calls = Calls::new(&host);
        host.peers().for_each(|peer| host.send(peer, Mixed::Noise));
        loop {
            tokio::select! {
                biased;
                (from, message) = host.recv() => {
                    let Mixed::Call(letter) = message else { continue };
                    let Some(question) = calls.hear(from, letter) else { continue };
                    assert_eq!((question.from(), question.label()), (1, "Double"));
                    if let number @ 1.. = question.read::<u32>() {
                        question.answer(&(number * 2));
                    }
                }
                number = host.asked() => {
                    for peer in host.peers() {
                        let (host, calls) = (host.clone(), calls.clone());
                        tokio::spawn(async move {
                            match timeout(4 * TEN, calls.call::<u32>(peer, "Double", &number)).await {
                                Ok(double) => host.event("doubled", (peer, number, double)),
                                Err(_) => host.event("failed", (peer, number)),
                            }
                        });
                    }
                    let (host, calls) = (host.clone(), calls.clone());
                    tokio::spawn(async move {
                        tokio::time::sleep(TEN).await;
                        host.event("open", format!("{:?}", calls.state()).matches("ms").count());
                        tokio::time::sleep(5 * TEN).await;
                        host.event("open", format!("{:?}", calls.state()).matches("ms").count());
                    });
                }
            }
        }
    });
    setup.end(20);
    setup.workload(|w| w.extend(asked.iter().map(|(time, number)| (*time, 1, *number)))).expect("the first is asked");
    setup
}

#[test]
fn a_call_is_answered_two_instants_later() {
    let two = doubling(2, &[(2, 7)]);
    let expected = ["@3 open(n1, 1)", "@4 doubled(n1, 2, 7, 14)", "@8 open(n1, 0)"];
    assert_eq!(told(&two, "no failures"), expected);
    // Whatever else is lost is nothing to it.
    assert_eq!(told(&two, "lose n2->n1@1 Noise"), expected);
}

#[test]
fn a_call_and_its_answer_can_be_lost_each_by_its_name() {
    let three = doubling(3, &[(2, 7)]);
    for lost in ["lose n1->n2@2 Double", "lose n2->n1@3 answer:Double"] {
        let expected = ["@3 open(n1, 2)", "@4 doubled(n1, 3, 7, 14)", "@6 failed(n1, 2, 7)", "@8 open(n1, 0)"];
        assert_eq!(told(&three, lost), expected);
    }
}

#[test]
fn a_call_that_nobody_answers_is_given_up_and_one_after_it_is_answered() {
    let two = doubling(2, &[(2, 0), (10, 5)]);
    let expected =
        ["@3 open(n1, 1)", "@6 failed(n1, 2, 0)", "@8 open(n1, 0)", "@11 open(n1, 1)", "@12 doubled(n1, 2, 5, 10)"];
    assert_eq!(told(&two, "no failures")[..5], expected);
}

#[test]
fn an_answer_that_is_late_or_a_copy_is_not_heard() {
    // The first answer would come when the second call is open.
    let late = told(&doubling(2, &[(2, 7), (8, 5)]), "delay n2->n1@3 answer:Double until 6");
    assert_eq!(late.iter().filter(|line| line.contains("doubled")).collect::<Vec<_>>(), ["@10 doubled(n1, 2, 5, 10)"]);
    let copied = told(&doubling(2, &[(2, 7), (4, 5)]), "duplicate n2->n1@3 answer:Double until 5");
    let doubled = ["@4 doubled(n1, 2, 7, 14)", "@6 doubled(n1, 2, 5, 10)"];
    assert_eq!(copied.iter().filter(|line| line.contains("doubled")).collect::<Vec<_>>(), doubled);
}

#[test]
fn an_answer_from_before_a_reboot_is_not_taken_for_another() {
    // It calls as long after its boot as before, and the old answer is there first.
    let again = doubling(2, &[(2, 7), (6, 5)]);
    let told = told(&again, "reboot n1@3 until 5; delay n2->n1@3 answer:Double until 6");
    assert_eq!(told.iter().filter(|line| line.contains("doubled")).collect::<Vec<_>>(), ["@8 doubled(n1, 2, 5, 10)"]);
}

#[test]
fn a_question_that_is_read_as_something_else_is_a_finding() {
    let mut wrong = setup(2, TEN, |host: Host<Letter, u32>| async move {
        let calls = Calls::new(&host);
        if host.id() == 1 {
            calls.call::<()>(2, "Double", &"seven").await;
        }
        let (from, letter) = host.recv().await;
        calls.hear(from, letter).map(|question| question.read::<u32>());
    });
    wrong.end(4);
    let violations: Vec<String> = replayed(&wrong, "no failures").violations.iter().map(ToString::to_string).collect();
    let [panic] = &violations[..] else { panic!("{violations:?}") };
    assert!(panic.contains("`Double` is no `u32` but \"seven\""), "{panic}");
}

#[test]
fn whoever_watches_sees_each_letter_as_it_is_sent_and_heard() {
    let mut watched = setup(2, TEN, |host: Host<Letter, u32>| async move {
        let (calls, looks) = (Calls::new(&host), host.clone());
        calls.watch(move |way, peer, letter| {
            let way = if way == Way::Sent { "to" } else { "from" };
            looks.event("letter", (way, peer, &*letter.label(), letter.read::<u32>()));
        });
        if host.id() == 1 {
            let caller = calls.clone();
            tokio::spawn(async move { host.event("doubled", caller.call::<u32>(2, "Double", &7).await) });
        }
        loop {
            let question = calls.question().await;
            question.answer(&(2 * question.read::<u32>()));
        }
    });
    watched.end(5);
    let sent = ["@1 letter(n1, to, 2, Double, 7)", "@2 letter(n2, from, 1, Double, 7)"];
    let answered = ["@2 letter(n2, to, 1, answer:Double, 14)", "@3 letter(n1, from, 2, answer:Double, 14)"];
    assert_eq!(told(&watched, "no failures"), [&sent[..], &answered, &["@3 doubled(n1, 14)"]].concat());
    // What is lost on the way was sent.
    assert_eq!(told(&watched, "lose n2->n1@2 answer:Double"), [&sent[..], &answered[..1]].concat());
}

/// A node that adds what it is asked to what it keeps, and tells what it has each time; when it boots, too.
fn keeping() -> Setup<Service<Letter, u32>> {
    let mut setup = setup(1, TEN, |host: Host<Letter, u32>| async move {
        let kept: Kept<Vec<u32>> = Kept::open(host.disk(), "all").await.expect("what was kept can be read");
        host.event("has", kept.read(|all| all.iter().sum::<u32>()));
        loop {
            let number = host.asked().await;
            let (host, kept) = (host.clone(), kept.clone());
            tokio::spawn(async move {
                let added = kept.change(|all| all.push(number)).await;
                host.event(if added.is_ok() { "added" } else { "failed" }, number);
                host.event("has", kept.read(|all| all.iter().sum::<u32>()));
            });
        }
    });
    setup.end(12);
    setup.workload(|w| w.extend([(2, 1, 1), (3, 1, 10), (6, 1, 100)])).expect("there is such a node");
    setup
}

#[test]
fn what_is_kept_outlasts_a_reboot() {
    let (first, second, third) = ("@2 added(n1, 1)", "@3 added(n1, 10)", "@6 added(n1, 100)");
    let calm = ["@1 has(n1, 0)", first, "@2 has(n1, 1)", second, "@3 has(n1, 11)", third, "@6 has(n1, 111)"];
    assert_eq!(told(&keeping(), "no failures"), calm);
    let torn = ["@1 has(n1, 0)", first, "@2 has(n1, 1)", "@5 has(n1, 1)", third, "@6 has(n1, 101)"];
    assert_eq!(told(&keeping(), "reboot n1@3 write:all until 5"), torn);
    // Written, synced, and not heard of: the boot finds it.
    let there = ["@1 has(n1, 0)", first, "@2 has(n1, 1)", "@5 has(n1, 11)", third, "@6 has(n1, 111)"];
    assert_eq!(told(&keeping(), "reboot n1@3 sync:all until 5"), there);
}

#[test]
fn a_change_that_the_disk_refuses_did_not_happen() {
    let refused = [
        "@1 has(n1, 0)",
        "@2 added(n1, 1)",
        "@2 has(n1, 1)",
        "@3 failed(n1, 10)",
        "@3 has(n1, 1)",
        "@6 added(n1, 100)",
    ];
    assert_eq!(told(&keeping(), "disk-error n1@3 write:all")[..6], refused);
}

#[test]
fn changes_wait_for_each_other_on_a_slow_disk() {
    // The second is asked for while the first is being written: neither undoes the other.
    let slow = [
        "@1 has(n1, 0)",
        "@5 added(n1, 1)",
        "@5 has(n1, 1)",
        "@5 added(n1, 10)",
        "@5 has(n1, 11)",
        "@6 added(n1, 100)",
        "@6 has(n1, 111)",
    ];
    assert_eq!(told(&keeping(), "slow n1@2 write:all for 3"), slow);
}

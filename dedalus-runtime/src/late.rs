//! Messages that do not simply arrive at the next step: late ones, copies, and those that are struck alone.

use dedalus_syntax::plan::RuleId;
use ldfi_model::Tuple;

use crate::database::{Database, Halt, Step};
use crate::messages::Undelivered;
use crate::mode::{Lineage, Mode, Plain, Potential, Variant};
use crate::value::Word;

/// A message on its way: what its rule derives once it arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Post {
    rule: usize,
    sent: u32,
    /// The columns of the head that are not aggregates.
    row: Vec<Word>,
    /// For a rule with aggregates: the aggregated values.
    values: Vec<Word>,
    premises: Vec<u32>,
    sure: bool,
}

impl Post {
    /// The key and the aggregated values, if it is a solution of this rule sent then.
    pub(crate) fn solution(&self, rule: usize, sent: u32) -> Option<(&[Word], &[Word])> {
        (self.rule == rule && self.sent == sent && !self.values.is_empty()).then_some((&self.row, &self.values))
    }
}

impl Database {
    /// Sends a message that may be late, copied or struck alone.
    pub(crate) fn deliver_winding<M: Mode>(
        &mut self,
        rule: usize,
        relation: usize,
        row: &[Word],
        premises: &[u32],
        sure: bool,
        from: Word,
    ) -> Step {
        let message = self.message_number(relation, row);
        let arrivals = self.clock.arrivals(from, row[0], message);
        self.note_unheard::<M>(rule, from, message, row, !arrivals.is_empty());
        for (by, surely) in arrivals {
            if by == 0 {
                self.derive_next::<M>(rule, relation, row, premises, sure & surely)?;
            } else {
                let (row, premises) = (row.to_vec(), premises.to_vec());
                let post = Post { rule, sent: self.now(), row, values: vec![], premises, sure: sure & surely };
                self.post(by, post)?;
            }
        }
        Ok(())
    }

    /// The number of a message, if it is struck alone somewhere.
    pub(crate) fn message_number(&self, relation: usize, row: &[Word]) -> Option<u32> {
        self.clock.message(|| {
            let plan = &self.plan.relations[relation];
            let values = plan.columns.iter().zip(row).map(|(ty, word)| self.symbols.value(*ty, *word));
            Tuple::new(plan.name.clone(), values)
        })
    }

    fn post(&mut self, by: u32, post: Post) -> Step {
        let arrival = self.now() + 1 + by;
        let bytes = 96 + 8 * (post.row.len() + post.values.len()) + 4 * post.premises.len();
        self.posts.entry(arrival).or_default().push(post);
        self.allowance.take(bytes)
    }

    /// Gathers a solution of an `@async` rule with aggregates whose message gets through.
    ///
    /// # Errors
    /// If the memory or the time does not suffice.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "generated code has nothing to put them in")]
    pub fn gather_sent<M: Mode>(
        &mut self,
        rule: usize,
        key: &[Word],
        values: &[Word],
        premises: &[u32],
        sure: bool,
        passage: crate::clock::Crossing,
        from: Word,
    ) -> Step {
        if passage.winding {
            return self.gather_winding::<M>(rule, key, values, premises, sure, from);
        }
        self.gather::<M>(rule, key, values, premises, sure & passage.sure)
    }

    /// A group is made of the solutions that arrive at the same step. Where single messages are struck, what
    /// arrives is known only once the group's tuple is: then `from` is all that is needed of the passage.
    fn gather_winding<M: Mode>(
        &mut self,
        rule: usize,
        key: &[Word],
        values: &[Word],
        premises: &[u32],
        sure: bool,
        from: Word,
    ) -> Step {
        if self.clock.world().messages().next().is_some() {
            self.gathered[rule].next_sender(from);
            return self.gather::<M>(rule, key, values, premises, sure);
        }
        let arrivals = self.clock.arrivals(from, key[0], None);
        if arrivals.is_empty() {
            self.note_undelivered::<M>(rule, from, key[0], None);
        }
        for (by, surely) in arrivals {
            if by == 0 {
                self.gather::<M>(rule, key, values, premises, sure & surely)?;
            } else {
                let (row, values, premises) = (key.to_vec(), values.to_vec(), premises.to_vec());
                self.post(by, Post { rule, sent: self.now(), row, values, premises, sure: sure & surely })?;
            }
        }
        Ok(())
    }

    /// Posts a solution of a rule with aggregates, to be grouped again when it arrives.
    pub(crate) fn post_solution(
        &mut self,
        rule: usize,
        by: u32,
        key: &[Word],
        values: &[Word],
        premises: Vec<u32>,
    ) -> Step {
        let (row, values) = (key.to_vec(), values.to_vec());
        self.post(by, Post { rule, sent: self.now(), row, values, premises, sure: true })
    }

    /// What was on its way to this step arrives. Whether anything was.
    pub(crate) fn deliver_posts(&mut self) -> Result<bool, Halt> {
        let Some(posts) = self.posts.remove(&self.now()) else { return Ok(false) };
        match self.variant {
            Variant::Plain => self.arrive::<Plain>(posts)?,
            Variant::Lineage => self.arrive::<Lineage>(posts)?,
            Variant::Potential => self.arrive::<Potential>(posts)?,
        }
        Ok(true)
    }

    fn arrive<M: Mode>(&mut self, posts: Vec<Post>) -> Step {
        let mut groups: Vec<Post> = vec![];
        for post in posts {
            let head = &self.plan.rules[post.rule].head;
            if head.aggregates() {
                groups.push(post);
                continue;
            }
            let relation = head.relation.index();
            self.note_late::<M>(post.rule, post.sent);
            self.derive::<M>(post.rule, relation, &post.row, &post.premises, post.sure)?;
        }
        groups.sort_by_key(|post| (post.rule, post.sent));
        for group in groups.chunk_by(|a, b| (a.rule, a.sent) == (b.rule, b.sent)) {
            for post in group {
                self.gather::<M>(post.rule, &post.row, &post.values, &post.premises, post.sure)?;
            }
            self.sent = Some(group[0].sent);
            let outcome = self.aggregate::<M>(group[0].rule);
            self.sent = None;
            outcome?;
        }
        Ok(())
    }

    /// The next firing of a rule is of a message that was sent earlier than at the step before.
    fn note_late<M: Mode>(&mut self, rule: usize, sent: u32) {
        if M::RECORD {
            let next = self.firings[rule].len();
            self.firings[rule].late.push((next, sent));
        }
    }

    /// With lineage: notes that a message does not arrive; its columns are known as far as they have values.
    #[inline(never)]
    pub fn note_undelivered<M: Mode>(&mut self, rule: usize, from: Word, to: Word, row: Option<Vec<Word>>) {
        if M::RECORD
            && !M::RELAX
            && let (Some(sender), Some(_)) = (self.clock.node(from), self.clock.node(to))
        {
            let id = RuleId(u32::try_from(rule).unwrap_or(u32::MAX));
            let unsent = self.clock.is_silent(sender);
            self.undelivered.push(Undelivered { rule: id, from, to, sent: self.now(), unsent, late: None, row });
        }
    }

    /// With lineage: notes each time that a message which may be late or copied comes and is not heard; and if it does not
    /// arrive at all for other reasons.
    pub(crate) fn note_unheard<M: Mode>(
        &mut self,
        rule: usize,
        from: Word,
        message: Option<u32>,
        row: &[Word],
        arrives: bool,
    ) {
        if !M::RECORD || M::RELAX {
            return;
        }
        let unheard = self.clock.unheard(from, row[0], message);
        if unheard.is_empty() && !arrives {
            self.note_undelivered::<M>(rule, from, row[0], Some(row.to_vec()));
        }
        let id = RuleId(u32::try_from(rule).unwrap_or(u32::MAX));
        for by in unheard {
            let (to, sent, row) = (row[0], self.now(), Some(row.to_vec()));
            self.undelivered.push(Undelivered { rule: id, from, to, sent, unsent: false, late: Some(by), row });
        }
    }
}

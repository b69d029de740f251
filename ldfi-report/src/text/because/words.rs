//! Words that are put on lines no wider than there is room.

use super::super::paint::{Ink, paint};
use super::super::{TextOptions, visible};
use ldfi_model::Faults;

/// What is said, word by word.
#[derive(Clone, Default)]
pub(super) struct Words(Vec<Word>);

#[derive(Clone)]
struct Word {
    /// Spaces before it, unless it begins a line.
    gap: usize,
    text: String,
    ink: Option<Ink>,
}

impl Word {
    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

impl Words {
    /// A word that is never broken, whatever is in it, after so many spaces.
    pub fn whole(mut self, gap: usize, text: &str, ink: impl Into<Option<Ink>>) -> Self {
        if !text.is_empty() {
            self.0.push(Word { gap, text: visible(text).into_owned(), ink: ink.into() });
        }
        self
    }

    /// Words that may stand on several lines, after so many spaces.
    pub fn phrase(mut self, gap: usize, text: &str, ink: impl Into<Option<Ink>> + Copy) -> Self {
        for (at, word) in text.split(' ').filter(|word| !word.is_empty()).enumerate() {
            self = self.whole(if at == 0 { gap } else { 1 }, word, ink);
        }
        self
    }

    /// Faults after a word or two, as in `LOST by`. None of them is broken: whoever looks for one finds it.
    pub fn faults(mut self, gap: usize, lead: &str, faults: &Faults, ink: impl Into<Option<Ink>> + Copy) -> Self {
        for (at, fault) in (1..).zip(faults.iter()) {
            let end = if at < faults.len() { ";" } else { "" };
            self = match at {
                1 => self.whole(gap, &format!("{lead} {fault}{end}"), ink),
                _ => self.whole(1, &format!("{fault}{end}"), ink),
            };
        }
        self
    }

    /// Some words after these.
    pub fn then(mut self, gap: usize, more: Words) -> Self {
        for (at, word) in more.0.into_iter().enumerate() {
            self.0.push(Word { gap: if at == 0 { gap } else { word.gap }, ..word });
        }
        self
    }

    pub fn begins_with(&self, text: &str) -> bool {
        self.0.first().is_some_and(|word| word.text == text)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many columns they take on one line.
    pub fn width(&self) -> usize {
        let gaps: usize = self.0.iter().skip(1).map(|word| word.gap).sum();
        gaps + self.0.iter().map(Word::width).sum::<usize>()
    }

    /// On lines of so many columns, the first and the others. A word that is wider than a line has one to itself.
    pub fn lines(&self, first: usize, others: usize, options: &TextOptions) -> Vec<String> {
        let mut lines: Vec<Vec<&Word>> = vec![vec![]];
        let mut taken = 0;
        for word in &self.0 {
            let room = if lines.len() == 1 { first } else { others };
            if taken > 0 && taken + word.gap + word.width() > room {
                lines.push(vec![]);
                taken = 0;
            }
            taken += if taken > 0 { word.gap } else { 0 } + word.width();
            if let Some(line) = lines.last_mut() {
                line.push(word);
            }
        }
        lines.iter().map(|line| painted(line, options)).collect()
    }
}

/// A line; what has one colour is coloured at once.
fn painted(words: &[&Word], options: &TextOptions) -> String {
    let mut out = String::new();
    for (at, run) in words.chunk_by(|one, other| one.ink == other.ink).enumerate() {
        let mut text = String::new();
        for (place, word) in run.iter().enumerate() {
            let gap = " ".repeat(if at == 0 && place == 0 { 0 } else { word.gap });
            if place == 0 {
                out += &gap;
            } else {
                text += &gap;
            }
            text += &word.text;
        }
        out += &run[0].ink.map_or_else(|| text.clone(), |ink| paint(options, ink, &text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: TextOptions = TextOptions { width: 80, color: false, unicode: true };

    #[test]
    fn words_go_to_the_next_line_where_there_is_no_room_and_faults_stay_whole() {
        let faults: Faults = "lose a->b@1; crash c@2".parse().unwrap();
        let said = Words::default().phrase(0, "message a to b sent", None).faults(2, "LOST by", &faults, None);
        assert_eq!(said.lines(80, 80, &PLAIN), ["message a to b sent  LOST by lose a->b@1; crash c@2"]);
        assert_eq!(said.width(), said.lines(80, 80, &PLAIN)[0].len());
        let lines = said.lines(20, 12, &PLAIN);
        assert_eq!(lines, ["message a to b sent", "LOST by lose a->b@1;", "crash c@2"]);
    }

    #[test]
    fn colours_take_no_room() {
        let said = Words::default().phrase(0, "one two", Ink::Bad).phrase(2, "three", Ink::Faint);
        let lines = said.lines(14, 14, &TextOptions { color: true, ..PLAIN });
        assert_eq!(lines.len(), 1);
        assert!(lines[0].contains("one two") && lines[0].contains("\u{1b}["), "{}", lines[0]);
    }
}

//! Typed reading: the tuples of a relation at a time, as Rust values.

use std::marker::PhantomData;

use dedalus_syntax::plan::RelId;

use crate::execution::Execution;
use crate::value::{Symbols, Word};

/// A column as a Rust value.
pub trait Column<'a>: Copy {
    /// The value of a word.
    fn read(word: Word, symbols: &'a Symbols) -> Self;
    /// The word of a value, if the run has it.
    fn write(self, symbols: &Symbols) -> Option<Word>;
}

impl<'a> Column<'a> for &'a str {
    fn read(word: Word, symbols: &'a Symbols) -> Self {
        symbols.text(word)
    }

    fn write(self, symbols: &Symbols) -> Option<Word> {
        symbols.word(self)
    }
}

impl<'a> Column<'a> for i64 {
    fn read(word: Word, _: &'a Symbols) -> Self {
        word
    }

    fn write(self, _: &Symbols) -> Option<Word> {
        Some(self)
    }
}

/// A tuple as a Rust value: a tuple of columns, or the column itself if there is just one.
pub trait Row<'a>: Copy {
    /// The value of a row.
    fn read(words: &[Word], symbols: &'a Symbols) -> Self;
    /// The words of a value, if the run has them.
    fn write(self, symbols: &Symbols) -> Option<Vec<Word>>;
}

impl<'a> Row<'a> for &'a str {
    fn read(words: &[Word], symbols: &'a Symbols) -> Self {
        Column::read(words[0], symbols)
    }

    fn write(self, symbols: &Symbols) -> Option<Vec<Word>> {
        Some(vec![Column::write(self, symbols)?])
    }
}

impl<'a> Row<'a> for i64 {
    fn read(words: &[Word], symbols: &'a Symbols) -> Self {
        Column::read(words[0], symbols)
    }

    fn write(self, symbols: &Symbols) -> Option<Vec<Word>> {
        Some(vec![Column::write(self, symbols)?])
    }
}

macro_rules! row {
    ($($name:ident $place:tt),*) => {
        impl<'a, $($name: Column<'a>),*> Row<'a> for ($($name,)*) {
            #[allow(unused_variables, clippy::unused_unit)]
            fn read(words: &[Word], symbols: &'a Symbols) -> Self {
                ($($name::read(words[$place], symbols),)*)
            }

            #[allow(unused_variables)]
            fn write(self, symbols: &Symbols) -> Option<Vec<Word>> {
                Some(vec![$(self.$place.write(symbols)?),*])
            }
        }
    };
}
row!();
row!(A 0, B 1);
row!(A 0, B 1, C 2);
row!(A 0, B 1, C 2, D 3);
row!(A 0, B 1, C 2, D 3, E 4);
row!(A 0, B 1, C 2, D 3, E 4, F 5);
row!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
row!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
row!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
row!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
row!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
row!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

/// The tuples of a relation at a time.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, T> {
    execution: &'a Execution,
    relation: RelId,
    time: u32,
    row: PhantomData<T>,
}

impl<'a, T: Row<'a>> Rows<'a, T> {
    /// The tuples of a relation at a time.
    pub fn new(execution: &'a Execution, relation: RelId, time: u32) -> Self {
        Rows { execution, relation, time, row: PhantomData }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.execution.table(self.relation).rows_at(self.time).len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether this tuple is among them.
    pub fn contains(&self, row: T) -> bool {
        let words = row.write(self.execution.symbols());
        words.is_some_and(|words| self.execution.find_words(self.relation, self.time, &words).is_some())
    }

    /// Each of them, in the order in which they were derived.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<'a, T> {
        let execution = self.execution;
        let tuples = execution.at(self.relation, self.time);
        tuples.map(move |tuple| T::read(execution.words(tuple), execution.symbols()))
    }
}

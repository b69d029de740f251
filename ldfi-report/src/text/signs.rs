//! The characters that a drawing is made of, for terminals that know many and for those that know few.

use super::paint::Ink;

pub(super) struct Signs {
    pub(super) lane: char,
    pub(super) dead: char,
    pub(super) paused: char,
    pub(super) wall: char,
    /// A line that goes through a wall.
    pub(super) through: char,
    pub(super) dash: char,
    /// The line of what lands late.
    pub(super) dots: char,
    pub(super) cross: char,
    pub(super) sends: char,
    pub(super) right: char,
    pub(super) left: char,
    pub(super) leaves_right: char,
    pub(super) leaves_left: char,
    pub(super) lost: char,
    pub(super) crash: char,
    pub(super) back: char,
    pub(super) given: char,
}

pub(super) const UNICODE: Signs = Signs {
    lane: '│',
    dead: '┊',
    paused: '▒',
    wall: '║',
    through: '╫',
    dash: '─',
    dots: '┄',
    cross: '┼',
    sends: '●',
    right: '▶',
    left: '◀',
    leaves_right: '▷',
    leaves_left: '◁',
    lost: '✗',
    crash: '✖',
    back: '↺',
    given: '◆',
};

pub(super) const ASCII: Signs = Signs {
    lane: '|',
    dead: ':',
    paused: '%',
    wall: '#',
    through: '#',
    dash: '-',
    dots: '.',
    cross: '+',
    sends: 'o',
    right: '>',
    left: '<',
    leaves_right: '~',
    leaves_left: '~',
    lost: 'x',
    crash: 'X',
    back: 'R',
    given: '*',
};

impl Signs {
    /// The colour in which a sign stands out, if it should.
    pub(super) fn ink(&self, sign: char) -> Option<Ink> {
        match sign {
            _ if [self.lost, self.crash, self.wall, self.through].contains(&sign) => Some(Ink::Bad),
            _ if [self.paused, self.given, self.leaves_right, self.leaves_left].contains(&sign) => Some(Ink::Warn),
            _ if sign == self.back => Some(Ink::Good),
            _ => None,
        }
    }
}

//! A token that is passed on (the first example of Navarro Pérez, Rybalchenko and Singh 2009).
//!
//! *Promise.* Mutual exclusion: at most one node holds the token.
//!
//! *How.* A node that is told to release the token no longer holds it, and passes it to its neighbour. Whoever gets a pass
//! holds the token. Each node has one neighbour.
//!
//! *Specification.* No two different nodes hold the token. The token may get lost: then nobody holds it.
//!
//! *For any number of nodes.* Proved, for any neighbours, releases at any time, any losses and any delays: what is held and
//! what is on its way is one token at most.
//!
//! *What breaks it.* A node that passes the token on and keeps it, as in [`TokenKept`]: told to release, it makes two of
//! one.

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// A node that passes the token on has it no more.
    pub program Token {
        token(X)@next :- token(X), notin release(X);
        pass(Y)@async :- release(X), token(X), neighbor(X, Y);
        token(Y)@next :- pass(Y);
        neighbor(X, Y)@next :- neighbor(X, Y);

        pre(X, Y) :- token(X), token(Y);
        post(X, X) :- token(X);

        token("a")@1;
        neighbor("a", "b")@1;  neighbor("b", "c")@1;  neighbor("c", "a")@1;
        maybe release("a")@1..4;  maybe release("b")@1..4;  maybe release("c")@1..4;
    }

    /// A node that passes the token on keeps it.
    pub program TokenKept {
        token(X)@next :- token(X);
        pass(Y)@async :- release(X), token(X), neighbor(X, Y);
        token(Y)@next :- pass(Y);
        neighbor(X, Y)@next :- neighbor(X, Y);

        pre(X, Y) :- token(X), token(Y);
        post(X, X) :- token(X);

        token("a")@1;
        neighbor("a", "b")@1;  neighbor("b", "c")@1;  neighbor("c", "a")@1;
        maybe release("a")@1..4;  maybe release("b")@1..4;  maybe release("c")@1..4;
    }
}

fn main() {
    show::show("token", &Token::new(), [6, 5, 1]);
    show::show("token_kept", &TokenKept::new(), [6, 5, 1]);
    println!("{}", ldfi::prove(Token::new()).name("token").assert_proved());
}

#[cfg(test)]
mod tests {
    use ldfi::prove::{Any, AnyTime};

    use super::*;

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(Token::new(), "token");
        show::same_as_file(TokenKept::new(), "token_kept");
    }

    #[test]
    fn three_nodes_hold_one_token() {
        assert_eq!(show::verdict(&Token::new(), |check| check.eot(6).eff(5).crashes(1)), "fault-tolerant");
    }

    #[test]
    fn a_release_makes_two_of_a_token_that_is_kept() {
        assert_eq!(show::verdict(&TokenKept::new(), |check| check.eot(3).eff(2)), "give release(\"a\")@1");
    }

    #[test]
    fn any_number_of_nodes_hold_one_token() {
        let proved = ldfi::prove(Token::new()).open("neighbor", Any).open("release", AnyTime).assert_proved();
        assert_eq!(proved.invariant(), ["there is at most one of token(_) and pass(_) together"]);
    }

    #[test]
    fn with_a_token_that_is_kept_two_nodes_are_enough() {
        let broken = ldfi::prove(TokenKept::new()).open("neighbor", Any).open("release", AnyTime).assert_broken();
        assert_eq!(broken.instance.nodes.len(), 2);
    }
}

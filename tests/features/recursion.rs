//! Rules that feed themselves within a step.

feature! {
    a_closure_by_steps, eot 2,
    { path(X, Y) :- edge(X, Y); path(X, Z) :- path(X, Y), edge(Y, Z);
      edge("a", "b")@1; edge("b", "c")@1; edge("c", "a")@1; edge("c", "d")@1; }
    [""] "path@1" => "a a, a b, a c, a d, b a, b b, b c, b d, c a, c b, c c, c d", "path@2" => "";
}

feature! {
    a_closure_by_doubling, eot 2,
    { path(X, Y) :- edge(X, Y); path(X, Z) :- path(X, Y), path(Y, Z);
      edge("a", "b")@1; edge("b", "c")@1; edge("c", "d")@1; edge("d", "e")@1; }
    [""] "path@1" => "a b, a c, a d, a e, b c, b d, b e, c d, c e, d e";
}

feature! {
    the_same_generation, eot 1,
    { sg(X, X) :- person(X); sg(X, Y) :- parent(X, P), sg(P, Q), parent(Y, Q);
      person("a")@1; parent("b", "a")@1; parent("c", "a")@1; parent("d", "b")@1; parent("e", "c")@1; }
    [""] "sg@1" => "a a, b b, b c, c b, c c, d d, d e, e d, e e";
}

feature! {
    relations_that_need_each_other, eot 1,
    { even(X) :- zero(X); even(Y) :- odd(X), succ(X, Y); odd(Y) :- even(X), succ(X, Y);
      zero(0)@1; succ(0, 1)@1; succ(1, 2)@1; succ(2, 3)@1; }
    [""] "even@1" => "0, 2", "odd@1" => "1, 3";
}

feature! {
    counting_up_to_a_bound, eot 1,
    { n(X + 1) :- n(X), X < 5; n(0)@1; }
    [""] "n@1" => "0, 1, 2, 3, 4, 5";
}

feature! {
    three_recursive_literals_in_a_rule, eot 1,
    { p(X, W) :- p(X, Y), p(Y, Z), p(Z, W); p("a", "b")@1; p("b", "c")@1; p("c", "d")@1; p("d", "e")@1; p("e", "f")@1; }
    [""] "p@1" => "a b, a d, a f, b c, b e, c d, c f, d e, e f";
}

feature! {
    a_recursion_that_reads_a_fixed_time, eot 4,
    { r(X, Z) :- r(X, Y), r(Y, Z)@2; r(X, Y)@next :- r(X, Y); r("a", "b")@1; r("b", "c")@2; r("c", "d")@3; }
    [""] "r@1" => "a b", "r@2" => "a b, a c, b c", "r@4" => "a b, a c, b c, c d";
}

feature! {
    only_fixed_times_in_a_recursion, eot 3,
    { r(X, Z) :- r(X, Y)@1, r(Y, Z)@2; r("a", "b")@1; r("b", "c")@2; }
    [""] "r@1" => "a b", "r@2" => "a c, b c", "r@3" => "a c";
}

feature! {
    negation_after_a_recursion, eot 2,
    { met(X) :- first(X); met(Y) :- met(X), near(X, Y); alone(X) :- here(X), notin met(X);
      here("a")@1; here("b")@1; here("c")@1; first("a")@1; near("a", "b")@1; }
    [""] "alone@1" => "c";
}

feature! {
    a_recursion_over_what_arrived, eot 3,
    { link(Y, X)@async :- edge(X, Y); path(X, Y) :- link(X, Y); path(X, Z) :- path(X, Y), path(Y, Z), X != Z;
      edge("a", "b")@1; edge("b", "c")@1; edge("c", "c")@1; }
    [""] "path@2" => "b a, c a, c b, c c";
    ["lose a->b@1"] "path@2" => "c b, c c";
}

//! Absence.

feature! {
    absence_of_a_tuple, eot 2,
    { q(X) :- p(X), notin r(X); p("a")@1; p("b")@1; r("b")@1; }
    [""] "q@1" => "a";
}

feature! {
    a_wildcard_in_a_negation_matches_anything, eot 2,
    { q(X) :- p(X), notin r(X, _); none(X) :- p(X), notin r(_, _); p("a")@1; p("b")@1; r("b", 1)@1; p("c")@2; }
    [""] "q@1" => "a", "none@1" => "", "none@2" => "c";
}

feature! {
    a_variable_in_negations_only_matches_anything, eot 2,
    { q(X) :- p(X), notin r(X, Any); z(X) :- p(X), notin r(Any, Any); p("a")@1; p("b")@1; r("b", "c")@1; }
    [""] "q@1" => "a", "z@1" => "";
}

feature! {
    a_negation_may_compute_what_it_looks_for, eot 2,
    { gap(N, I) :- p(N, I), notin p(N, I + 1); p("a", 1)@1; p("a", 2)@1; p("a", 5)@1; }
    [""] "gap@1" => "a 2, a 5";
}

feature! {
    negations_stack_in_strata, eot 2,
    { odd(X) :- p(X), notin even(X); even(X) :- p(X), notin third(X); third(X) :- p(X), notin fourth(X);
      fourth(X) :- s(X); p("a")@1; p("b")@1; s("b")@1; }
    [""] "third@1" => "a", "even@1" => "b", "odd@1" => "a";
}

feature! {
    a_negation_stands_anywhere_in_the_body, eot 2,
    { q(X, Y) :- notin r(X, Y), p(X), X < Y, p(Y); p("a")@1; p("b")@1; p("c")@1; r("a", "b")@1; }
    [""] "q@1" => "a c, b c";
}

feature! {
    a_cycle_through_time_may_negate, eot 4,
    { flip(X)@next :- p(X), notin flip(X); p(X)@next :- p(X); p("a")@1; }
    [""] "flip@2" => "a", "flip@3" => "", "flip@4" => "a";
}

feature! {
    absence_depends_on_what_was_lost, eot 4,
    { got(Y)@async :- say(X, Y); alone(X) :- here(X), notin got(X); here(X)@next :- here(X);
      say("a", "b")@1; here("a")@1; here("b")@1; }
    [""] "alone@2" => "a";
    ["lose a->b@1"] "alone@2" => "a, b";
}

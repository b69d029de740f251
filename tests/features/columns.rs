//! Columns, names, and how literals are matched.

feature! {
    relations_without_columns_hold_or_do_not, eot 3,
    { go() :- p(_); stop()@next :- go(), notin p(2); idle() :- notin go(), tick(); tick()@next :- tick(); tick()@1; p(1)@1; p(2)@2; }
    [""] "go@1" => "()", "go@3" => "", "stop@2" => "()", "stop@3" => "", "idle@2" => "", "idle@3" => "()";
}

feature! {
    relations_with_one_column, eot 2,
    { q(X) :- p(X); q(X)@next :- q(X); p("a")@1; }
    [""] "q@1" => "a", "q@2" => "a";
}

feature! {
    relations_with_many_columns, eot 1,
    { q(A, B, C, D, E, F, G, H) :- p(H, G, F, E, D, C, B, A), F != 9; p("a", 1, 2, 3, 4, 5, 6, "b")@1; p("a", 1, 9, 3, 4, 5, 6, "b")@1; }
    [""] "q@1" => "b 6 5 4 3 2 1 a";
}

feature! {
    lower_case_names_are_variables_too, eot 1,
    { q(x, Y) :- p(x, Y), x != "y"; p("a", "y")@1; }
    [""] "q@1" => "a y";
}

feature! {
    every_wildcard_is_another_variable, eot 1,
    { q(X) :- p(X, _, _); p("a", 1, 2)@1; p("b", 3, 3)@1; }
    [""] "q@1" => "a, b";
}

feature! {
    a_variable_repeated_in_a_literal_joins_its_columns, eot 1,
    { q(X) :- p(X, X); r(X, Y) :- n(X), p(X, Y), p(Y, Y); p(1, 1)@1; p(1, 2)@1; p(2, 1)@1; n(2)@1; }
    [""] "q@1" => "1", "r@1" => "2 1";
}

feature! {
    constants_select, eot 1,
    { q(Y) :- p("a", Y); r(X) :- p(X, 2); s("k", 3) :- p("a", 1); p("a", 1)@1; p("b", 2)@1; }
    [""] "q@1" => "1", "r@1" => "b", "s@1" => "k 3";
}

feature! {
    strings_keep_their_escapes, eot 1,
    { q(X) :- p(X), X != "\"\\"; p("\"\\")@1; p("tab\t")@1; }
    [""] "q@1" => "tab\t";
}

feature! {
    identical_rules_count_once, eot 1,
    { s(count<X>) :- p(X); s(count<X>) :- p(X); p("a")@1; }
    [""] "s@1" => "1";
}

feature! {
    two_rules_for_one_relation_unite, eot 1,
    { q(X) :- p(X); q(X) :- r(X); p("a")@1; p("b")@1; r("b")@1; r("c")@1; }
    [""] "q@1" => "a, b, c";
}

feature! {
    relations_may_have_the_names_of_rust, eot 2,
    { r#type(X) :- fn(X); match(X)@next :- type(X); self(X) :- type(X); fn("a")@1; }
    [""] "type@1" => "a", "match@2" => "a", "self@1" => "a";
}

feature! {
    variables_may_have_the_names_of_rust, eot 1,
    { q(type, self, db, M, v_x, r0, k0) :- p(type, self, db, M, v_x, r0, k0); p("a", 1, 2, 3, 4, 5, 6)@1; }
    [""] "q@1" => "a 1 2 3 4 5 6";
}

feature! {
    a_join_of_five, eot 1,
    { q(A, F) :- p(A, B), p(B, C), p(C, D), r(D, E, A), s(E, F), A != F;
      p("a", "b")@1; p("b", "c")@1; p("c", "d")@1; r("d", 1, "a")@1; r("d", 1, "b")@1; s(1, "z")@1; s(1, "a")@1; }
    [""] "q@1" => "a z";
}

feature! {
    a_product_without_shared_variables, eot 1,
    { q(X, Y) :- p(X), r(Y); p("a")@1; p("b")@1; r(1)@1; r(2)@1; }
    [""] "q@1" => "a 1, a 2, b 1, b 2";
}

feature! {
    a_literal_that_only_asks_whether, eot 1,
    { q(X) :- p(X), r(_, _), s(X, _); p("a")@1; p("b")@1; r(1, 1)@1; r(1, 2)@1; s("a", 1)@1; s("a", 2)@1; }
    [""] "q@1" => "a";
}

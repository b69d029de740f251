//! Arithmetic, comparisons, equations.

feature! {
    operators_bind_as_usual, eot 1,
    { q(X + 2 * 3 - 4 / 2, (X + 2) * 3, -X - -1, 10 - 3 - 2) :- p(X); p(1)@1; }
    [""] "q@1" => "5 9 0 5";
}

feature! {
    division_truncates_toward_zero, eot 1,
    { q(X / 2, -X / 2, X / -2) :- p(X); p(7)@1; }
    [""] "q@1" => "3 -3 -3";
}

feature! {
    the_least_integer_can_be_written, eot 1,
    { q(X) :- p(X), X == -9223372036854775808; p(-9223372036854775808)@1; p(0)@1; }
    [""] "q@1" => "-9223372036854775808";
}

feature! {
    division_by_zero_fails_the_run, eot 4,
    { q(1 / X) :- p(X); p(1)@1; p(0)@3; }
    [""] "q@1" => "fails";
}

feature! {
    overflow_fails_the_run, eot 4,
    { q(X * 2) :- p(X); p(4611686018427387904)@2; }
    [""] "q@1" => "fails";
}

feature! {
    what_is_not_reached_is_not_computed, eot 2,
    { q(X) :- p(X), X != 0, 6 / X > 1; r(X) :- p(X), none(X), 1 / X == 1; p(0)@1; p(2)@1; none(1)@1; }
    [""] "q@1" => "2", "r@1" => "";
}

feature! {
    the_order_of_conditions_decides_what_is_computed, eot 2,
    { q(X) :- p(X), 6 / X > 1, X != 0; p(0)@1; }
    [""] "q@1" => "fails";
}

feature! {
    plain_columns_are_matched_before_computed_ones, eot 2,
    { q(X) :- p(X, 6 / X, X); p(0, 1, 2)@1; p(3, 2, 3)@1; }
    [""] "q@1" => "3";
}

feature! {
    a_computed_column_is_computed_for_every_tuple, eot 2,
    { q(X) :- n(X), p(X, I, I / (I - 1)); n("a")@1; p("a", 1, 1)@1; p("a", 2, 2)@1; }
    [""] "q@1" => "fails";
}

feature! {
    a_literal_may_compute_from_its_own_columns, eot 2,
    { q(X) :- p(X, X + 1); p(1, 1)@1; p(1, 2)@1; p(5, 6)@1; }
    [""] "q@1" => "1, 5";
}

feature! {
    a_literal_may_compute_what_it_looks_up, eot 2,
    { q(X, Y) :- n(X), p(X + 1, Y); r(X) :- n(X), p(X * 2, X + 6); n(1)@1; n(2)@1; p(2, 7)@1; p(3, 9)@1; }
    [""] "q@1" => "1 7, 2 9", "r@1" => "1";
}

feature! {
    an_equation_gives_a_variable_its_value, eot 1,
    { q(Y, Z) :- Y == X * 2 + 1, X + Y == Z, p(X); p(3)@1; }
    [""] "q@1" => "7 10";
}

feature! {
    an_equation_over_matched_variables_compares, eot 1,
    { q(X) :- X == 4, p(X); r(X) :- 1 == X, X == 2, p(_); p(3)@1; p(4)@1; }
    [""] "q@1" => "4", "r@1" => "";
}

feature! {
    integers_and_strings_compare_in_their_own_order, eot 1,
    { less(X, Y) :- p(X), p(Y), X < Y; least(X) :- n(X), X <= -1; other(X) :- p(X), X != "B";
      p("a")@1; p("B")@1; p("é")@1; p("ab")@1; n(-1)@1; n(10)@1; n(9)@1; }
    [""] "less@1" => "B a, B ab, B é, a ab, a é, ab é", "least@1" => "-1", "other@1" => "a, ab, é";
}

feature! {
    conditions_may_speak_of_constants_alone, eot 1,
    { q(X) :- p(X), 1 < 2; r(X) :- p(X), "a" > "b"; s(1 + 1) :- 2 == 1 + 1, p(_); p("a")@1; }
    [""] "q@1" => "a", "r@1" => "", "s@1" => "2";
}

feature! {
    a_key_is_computed_even_where_nothing_is_read, eot 2,
    { q(X) :- p(X), crash(_, _, 6 / X)@9; p(0)@1; }
    [""] "q@1" => "fails";
}

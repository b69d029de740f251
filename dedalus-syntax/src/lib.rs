//! One front end for Dedalus: text to tokens to a checked program to a plan.

//! Values, relations, time steps, faults, lineage, and the plan interpreter.

#![deny(deprecated)]

use ldfi::prelude::*;

dedalus_file!(Nowhere = "../../dedalus-syntax/tests/errors/warning_message_to_nowhere.ded");

fn main() {}

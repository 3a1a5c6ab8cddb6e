// expect: a text that no compiler says
static_assert(false, "this file fails for another reason, and the check must say so");

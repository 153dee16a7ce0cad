//! The scripts of the facts that pgbench's own tests check.

/// `-D` of the expression script.
pub const EXPRESSION_VARIABLES: &[(&str, &str)] = &[
    ("foo", "-10.1"),
    ("bla", "false"),
    ("i", "+3"),
    ("n", "null"),
    ("t", "t"),
    ("f", "of"),
    ("d", "1.0"),
    ("zero", "0"),
    ("one", "1.0"),
];

/// `-D` of the scripts with errors.
pub const ERROR_VARIABLES: &[(&str, &str)] = &[
    ("foo", "bla"),
    ("null", "null"),
    ("true", "true"),
    ("one", "1"),
    ("zero", "0.0"),
    ("badtrue", "trueXXX"),
    ("maxint", "9223372036854775807"),
    ("minint", "-9223372036854775808"),
];

/// What the expression script checks, each the argument of a debug(); `:last` is the value before.
pub const VALUES: &[&str] = &[
    "random(10, 19)",
    "random_exponential(100, 199, 10.0)",
    "random_gaussian(1000, 1999, 10.0)",
    "abs(-4)",
    "greatest(5, 4, 3, 2)",
    "11 + least(-5, -4, -3, -2)",
    "int(7.3)",
    "17 / (4|1) + ( 4 + (7 >> 2))",
    "- (3 * 4 - (-(~ 1) + -(~ 0))) / -1 + 3 % -1",
    "10 + (0 + 0 * 0 - 0 / 1)",
    ":last + :scale",
    "64 % (((2 + 1 * 2 + (1 # 2) | 4 * (2 & 11)) - (1 << 2)) + 2)",
    "sqrt(+1.5 * 2.0) * abs(-0.8E1)",
    "double(1 + 1) * (-75.0 / :foo)",
    "pi() * 4.9",
    "greatest(4, 2, -1.17) * 4.0 * Ln(Exp(1.0))",
    "least(-5.18, .0E0, 1.0/0) * -3.3",
    "random_zipfian(1, 9, 1.3)",
    "pow(-3,3)",
    "pow(2.0,10)",
    "pow(0,0)",
    // An argument list may begin with a comma.
    "pow(, 2, 3)",
    "pow(0.0,0.0)",
    "pow(-2,-3)",
    "pow(-2.0,-3.0)",
    "power(-5.0,-5.0)",
    "pow(9223372036854775807, 2)",
    "pow(10,30)",
    "1.0 = 0.0 and 1.0 != 0.0",
    "0 = 1 Or 1.0 = 1",
    "case when 0 < 1 then 32 else 0 end",
    "case when true then 33 else 0 end",
    "case when false THEN -1 when 1 = 1 then 13 + 19 + 2.0 end ",
    "case when (1 > 0) and (1 >= 0) and (0 < 1) and (0 <= 1) and (0 != 1) and (0 = 0) and (0 <> 1) \
     then 35 else 0 end",
    "CASE \\\n WHEN (1.0 > 0.0) AND (1.0 >= 0.0) AND (0.0 < 1.0) AND (0.0 <= 1.0) AND \\\n \
     (0.0 != 1.0) AND (0.0 = 0.0) AND (0.0 <> 1.0) \\\n THEN 36 ELSE 0 \\\n END",
    "CASE WHEN NOT FALSE THEN 3 * 12.3333334 END",
    "case when false then 0 when 1-1 <> 0 then 1 else 38 end",
    "10 + mod(13 * 7 + 12, 13) - mod(-19 * 11 - 17, 19)",
    "NOT (0 > 1) AND (1 <= 1) AND NOT (0 >= 1) AND (0 < 1) AND \\\n NOT (false and true) AND \
     (false OR TRUE) AND (NOT :f) AND (NOT FALSE) AND \\\n NOT (NOT TRUE)",
    "NULL + NULL * exp(NULL)",
    ":last",
    "NOT (:last IS NOT NULL OR :bla IS NULL)",
    ":n IS NULL AND :bla IS NOT NULL AND :bla NOTNULL",
    ":n ISNULL AND NOT :n IS TRUE AND :n IS NOT FALSE",
    "CASE WHEN :n IS NULL THEN 46 ELSE NULL END",
    ":n IS NULL AND NOT :f AND :t",
    "CASE WHEN 1 THEN TRUE END AND CASE WHEN 1.0 THEN TRUE END AND \
     CASE WHEN :n THEN NULL ELSE TRUE END",
    "hash(10, 5432)",
    ":last = hash_murmur2(10, 5432)",
    "hash_fnv1a(10, 5432)",
    "hash(10)",
    "hash(10) = hash(10, :default_seed)",
    // What is not needed is not computed.
    "case when :zero = 0 then -1 else (1 / :zero) end",
    "case when :zero = 0 or (1 / :zero) < 0 then -1 else (1 / :zero) end",
    "case when :zero > 0 and (1 / :zero) < 0 then (1 / :zero) else 1 end",
    ":scale",
    ":client_id",
    ":random_seed",
    ":default_seed",
    "-9223372036854775808",
    "-(:last + 1)",
    "permute(0, 2) + permute(1, 2) = 1",
    "permute(0, 3) + permute(1, 3) + permute(2, 3) = 3",
    "permute(0, 4) + permute(1, 4) + permute(2, 4) + permute(3, 4) = 6",
    "permute(0, 5) + permute(1, 5) + permute(2, 5) + permute(3, 5) + permute(4, 5) = 10",
    "permute(0, 16) + permute(1, 16) + permute(2, 16) + permute(3, 16) + \\\n permute(4, 16) + \
     permute(5, 16) + permute(6, 16) + permute(7, 16) + \\\n permute(8, 16) + permute(9, 16) + \
     permute(10, 16) + permute(11, 16) + \\\n permute(12, 16) + permute(13, 16) + permute(14, 16) + \
     permute(15, 16) = 120",
    "random(2, 1000)",
    "permute(random(0, :last - 1), :last)",
    "permute(:last, 1) = 0",
    "permute(0, 2, 5431) = 0 and permute(1, 2, 5431) = 1 and permute(0, 2, 5433) = 1 and \
     permute(1, 2, 5433) = 0",
    "9223372036854775807 - 10",
    "permute(9223372036854775796, 9223372036854775797, 5432)",
    "permute(9223372036854775795, 9223372036854775797, 5432)",
    "permute(9223372036854775790, 9223372036854775797, 5432)",
];

/// Scripts with values of their own: branches, substitution, waits, results as variables.
pub const SCRIPTS: &[(&str, &str)] = &[
    (
        "branches",
        "\\set wrong 0\n\
         \\if 1 > 0\n\\set x debug(65)\n\\elif 0\n\\set wrong 1\n\\else\n\\set wrong 1\n\\endif\n\
         \\if 1 < 0\n\\set wrong 1\n\\elif 1 > 0\n\\set x debug(74)\n\\else\n\\set wrong 1\n\\endif\n\
         \\if 1 < 0\n\\set wrong 1\n\\elif 1 < 0\n\\set wrong 1\n\\else\n\\set x debug(83)\n\\endif\n\
         \\if 1 = 1\n\\set x debug(86)\n\\elif 0\n\\set wrong 1\n\\endif\n\
         \\if 1 = 0\n\\set wrong 1\n\\elif 1 <> 0\n\\set x debug(93)\n\\endif\n\
         \\set x debug(:wrong)\n",
    ),
    (
        "nested branches",
        "\\if false\n SELECT 1 / 0;\n \\if true\n  SELECT 1 / 0;\n \\else\n  SELECT 1 / 0;\n \\endif\n\
         \\elif false\n \\if true\n  SELECT 1 / 0;\n \\endif\n\
         \\else\n \\if false\n  SELECT 1 / 0;\n \\elif false\n  SELECT 1 / 0;\n \\else\n\
         \\set x debug(1)\n \\endif\n\\endif\n\
         \\if true\n\\set x debug(2)\n\\else\n \\if true\n  SELECT 1 / 0;\n \\endif\n\\endif\n",
    ),
    (
        "substitution of every type",
        "\\set v0 NULL\n\\set v1 TRUE\n\\set v2 5432\n\\set v3 -54.21E-2\n\
         SELECT :v0::text, :v1::bool, :v2::int, :v3::float8;\n",
    ),
    (
        "sleeping",
        "\\set zero 0\n\\set one 1.0\n\\sleep :one ms\n\\sleep 100 us\n\\sleep 0 s\n\\sleep :zero\n\
         \\set another_one\\\n  :one\n\\set n debug(:another_one)\n",
    ),
    (
        "results as variables",
        "SELECT \\gset\n\
         SELECT 0 AS i0 \\gset\n\\set i debug(:i0)\n\
         SELECT 1 AS i1, 2 AS i2 \\gset\n\\set i debug(:i1)\n\\set i debug(:i2)\n\
         SELECT 3 AS i3 \\gset x_\n\\set i debug(:x_i3)\n\
         SELECT 0 AS i4, 4 AS i4 \\gset\n\\set i debug(:i4)\n",
    ),
    (
        "results of combined statements as variables",
        "\\; \\; SELECT 0 AS i5 \\; SELECT 5 AS i5 \\; \\; \\gset\n\\set i debug(:i5)\n\
         \\; SELECT 6 AS i6 \\; SELECT 7 AS i7 \\; \\aset\n\
         SELECT 8 AS i6 UNION SELECT 9 ORDER BY 1 DESC \\aset\n\
         \\set i debug(:i6)\n\\set i debug(:i7)\n",
    ),
    (
        "a pipeline",
        "\\startpipeline\n\\endpipeline\n\\startpipeline\nselect 1;\nselect 2;\nselect 3;\n\\endpipeline\n\\set i debug(1)\n",
    ),
    (
        "a serializable pipeline",
        "\\startpipeline\nBEGIN ISOLATION LEVEL SERIALIZABLE;\nselect 1;\nselect 2;\nEND;\n\\endpipeline\n\\set i debug(1)\n",
    ),
    ("a transaction left open", "BEGIN;\nSELECT 1;"),
];

/// Scripts that fail when they are run. A second of two commands shows that commands are counted alike.
pub const RUN_ERRORS: &[(&str, &str)] = &[
    ("division by zero", "\\set i 1/0"),
    ("undefined variable", "SELECT 1;\n\\set i :nosuchvariable"),
    ("empty range", "\\set i random(5,3)"),
    ("range too large", "\\set i random(:minint, :maxint)"),
    ("gaussian parameter", "\\set i random_gaussian(0, 10, 1.0)"),
    (
        "exponential parameter",
        "\\set i random_exponential(0, 10, 0.0)",
    ),
    ("zipfian parameter of 1", "\\set i random_zipfian(0, 10, 1)"),
    (
        "zipfian parameter too large",
        "\\set i random_zipfian(0, 10, 1000000)",
    ),
    ("not a number", "\\set i :foo + 1"),
    ("not a boolean", "\\set b NOT 0.0"),
    ("not an integer", "\\set i TRUE + 2"),
    ("not a double", "\\set d ln(TRUE)"),
    ("random of booleans", "\\set b random(FALSE, TRUE)"),
    ("double to integer", "\\set i int(1E32)"),
    ("addition", "\\set i (1<<62) + (1<<62)"),
    ("subtraction", "\\set i 0 - (1<<62) - (1<<62) - (1<<62)"),
    ("multiplication", "\\set i 2 * (1<<62)"),
    ("division", "\\set i :minint / -1"),
    ("sleep of an undefined variable", "\\sleep :nosuchvariable"),
    ("sleep of text", "\\sleep :foo"),
    ("malformed boolean", "\\set b :badtrue or true"),
    ("size of a permutation", "\\set i permute(0, 0)"),
    ("condition", "\\if 1 / :zero > 0 and 1 % 0 = 0\n\\endif"),
];

/// Errors that pgbench has when the command is run, and pgperf before.
pub const EARLIER: &[(&str, &str)] = &[
    ("syntax error of SQL", "-- one\n    SELECT 1 + ;\n"),
    (
        "arguments of a function",
        "\\set i least(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16)",
    ),
    ("name of a variable", "\\set . 1"),
];

/// Scripts that cannot be read.
pub const PARSE_ERRORS: &[(&str, &str)] = &[
    ("set: syntax", "\\set i 1 +"),
    (
        "set: syntax in a later line",
        "SELECT 1;\n\n  \\set i 1 +\nSELECT 2;\n",
    ),
    ("set: no such function", "\\set i noSuchFunction()"),
    ("set: character", "\\set i ;"),
    ("set: no expression", "\\set i"),
    ("set: no argument", "\\set"),
    ("set: case", "\\set i CASE TRUE THEN 1 ELSE 0 END"),
    ("set: number of arguments", "\\set d ln(1.0, 2.0))"),
    ("set: one argument at least", "\\set i greatest())"),
    ("sleep: too many arguments", "\\sleep too many args"),
    ("sleep: no argument", "\\sleep"),
    ("sleep: unit", "\\sleep 1 week"),
    ("sleep: time", "\\sleep soon"),
    ("no such command", "\\nosuchcommand"),
    ("no commands", ""),
    ("gset: alone", "\\gset"),
    ("gset: no statement before", "\\set i +1\n\\gset"),
    ("gset: too many arguments", "SELECT 1 \\gset a b"),
    ("gset: twice", "SELECT 1 AS i \\gset\n\\gset"),
    ("pipeline: argument", "\\startpipeline x"),
    ("if without endif", "\\if 1"),
    ("elif without if", "\\elif 1"),
    ("else without if", "\\else"),
    ("endif without if", "\\endif"),
    ("elif after else", "\\if 1\n\\else\n\\elif 0\n\\endif"),
    ("else after else", "\\if 1\n\\else\n\\else\n\\endif"),
    ("if: syntax", "\\if\n\\endif\n"),
    ("elif: syntax", "\\if 0\n\\elif +\n\\endif\n"),
    ("else: argument", "\\if 0\n\\else BAD\n\\endif\n"),
    ("endif: argument", "\\if 0\n\\endif BAD\n"),
    ("least of nothing", "\\set i least()\n"),
    ("greatest of nothing", "\\set i greatest()\n"),
    ("hash of nothing", "\\set i hash()\n"),
    ("hash of three", "\\set i hash(1,2,3)\n"),
    ("integer constant", "\\set i 100000000000000000000\n"),
    ("double constant", "\\set d 1.0E309\n"),
    ("double constant without digits before", "\\set d .1E310\n"),
    ("permute of one", "\\set i permute(1)\n"),
    ("permute of four", "\\set i permute(1, 2, 3, 4)\n"),
];

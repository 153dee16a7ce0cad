use super::*;

const ACCOUNTS: &str = "{RANGETBLENTRY :eref {ALIAS :aliasname a :colnames (\"aid\" \"bid\")} :rtekind 0 :relid 100 :relkind r}";

fn var(table: i64, column: i64) -> String {
    format!("{{VAR :varno {table} :varattno {column} :varlevelsup 0}}")
}

fn param(number: usize) -> String {
    format!("{{PARAM :paramkind 0 :paramid {number} :paramtype 23}}")
}

fn op(operator: u32, result: i64, left: &str, right: &str) -> String {
    format!(
        "{{OPEXPR :opno {operator} :opfuncid 9{operator} :opresulttype {result} :args ({left} {right})}}"
    )
}

fn target(column: i64, expression: &str) -> String {
    format!("{{TARGETENTRY :expr {expression} :resno {column}}}")
}

/// A tree: command, the table that is written, tables, condition, targets, and further fields.
fn query(command: i64, result: i64, tables: &str, quals: &str, targets: &str, more: &str) -> Node {
    Node::parse(&format!(
        "{{QUERY :commandType {command} :resultRelation {result} :hasAggs false :hasForUpdate false :rtable ({tables}) \
         :jointree {{FROMEXPR :fromlist ({{RANGETBLREF :rtindex 1}}) :quals {quals}}} :targetList ({targets}) \
         :onConflict <> :groupClause <> :distinctClause <> :setOperations <> :limitOffset <> {more}}}"
    ))
}

fn column(place: usize, relation: u32, number: i16) -> Column {
    Column {
        place,
        relation,
        number,
    }
}

fn compared(column: Column, operator: u32, column_is_right: bool) -> Use {
    Use::Compared {
        column,
        operator,
        column_is_right,
    }
}

/// Whether a parameter is added to the column.
fn is_added(uses: &Uses, number: usize) -> bool {
    matches!(uses.parameters[&number], Use::Added { target, .. } if target == column(0, 100, 2))
}

#[test]
fn comparisons_are_found_on_both_sides_and_through_casts() {
    let cast = format!(
        "{{FUNCEXPR :funcid 481 :funcformat 2 :args ({})}}",
        param(2)
    );
    let relabeled = format!("{{RELABELTYPE :arg {}}}", var(1, 2));
    let quals = format!(
        "{{BOOLEXPR :boolop and :args ({} {} {})}}",
        op(96, 16, &var(1, 1), &param(1)),
        op(97, 16, &cast, &relabeled),
        op(
            98,
            16,
            &var(1, 1),
            &op(55, 23, &param(3), "{CONST :constvalue 4 [ 1 0 ]}")
        ),
    );
    let uses = Uses::of(&query(
        1,
        0,
        ACCOUNTS,
        &quals,
        &target(1, &var(1, 2)),
        ":limitCount <>",
    ));
    assert_eq!(uses.parameters[&1], compared(column(1, 100, 1), 96, false));
    assert_eq!(uses.parameters[&2], compared(column(1, 100, 2), 97, true));
    assert_eq!(uses.parameters[&3], compared(column(1, 100, 1), 98, false));
    assert_eq!(uses.relations, [100].into());
    assert_eq!(uses.functions, [481, 996, 997, 998, 955].into());
    assert!(!uses.writes && uses.target.is_none());
}

#[test]
fn lists_limits_and_outputs_are_found() {
    let list = format!(
        "{{SCALARARRAYOPEXPR :opno 96 :opfuncid 65 :args ({} {{ARRAYEXPR :elements ({} {})}})}}",
        var(1, 1),
        param(1),
        param(2)
    );
    let coalesce = format!(
        "{{COALESCE :args ({{AGGREF :aggfnoid 2108}} {})}}",
        param(3)
    );
    let targets = [target(1, &param(4)), target(2, &coalesce)].join(" ");
    let limit = format!(":limitCount {}", param(5));
    let uses = Uses::of(&query(1, 0, ACCOUNTS, &list, &targets, &limit));
    let listed = Use::Listed {
        column: column(1, 100, 1),
        operator: 96,
    };
    assert_eq!(uses.parameters[&1], listed);
    assert_eq!(uses.parameters[&2], listed);
    assert_eq!(uses.parameters[&3], Use::Output);
    assert_eq!(uses.parameters[&4], Use::Output);
    assert_eq!(uses.parameters[&5], Use::Limit);
}

#[test]
fn what_is_written_is_found() {
    let targets = [
        target(2, &op(551, 23, &var(1, 2), &param(1))),
        target(1, &param(2)),
    ]
    .join(" ");
    let quals = op(96, 16, &var(1, 1), &param(3));
    let uses = Uses::of(&query(2, 1, ACCOUNTS, &quals, &targets, ":limitCount <>"));
    assert_eq!(
        (uses.command, uses.writes, uses.target),
        (Command::Update, true, Some(100))
    );
    assert!(is_added(&uses, 1));
    assert_eq!(uses.parameters[&2], Use::Written(column(0, 100, 1)));
    assert_eq!(uses.parameters[&3], compared(column(1, 100, 1), 96, false));
    let now = "{FUNCEXPR :funcid 1299 :funcformat 0 :args <>}";
    let targets = [target(1, &param(1)), target(2, now)].join(" ");
    let uses = Uses::of(&query(3, 1, ACCOUNTS, "<>", &targets, ":limitCount <>"));
    assert_eq!(uses.parameters[&1], Use::Written(column(0, 100, 1)));
    assert_eq!((uses.given, uses.computed), ([1].into(), [2].into()));
}

#[test]
fn rows_of_values_are_written_one_by_one() {
    let values = format!(
        "{{RANGETBLENTRY :rtekind 5 :values_lists (({} {}) ({} {}))}}",
        param(1),
        param(2),
        param(3),
        param(4)
    );
    let targets = [target(1, &var(2, 1)), target(2, &var(2, 2))].join(" ");
    let tables = format!("{ACCOUNTS} {values}");
    let uses = Uses::of(&query(3, 1, &tables, "<>", &targets, ":limitCount <>"));
    let written = |number| Use::Written(column(0, 100, number));
    let found: Vec<&Use> = uses.parameters.values().collect();
    assert_eq!(found, [&written(1), &written(2), &written(1), &written(2)]);
}

#[test]
fn columns_are_followed_into_subqueries_and_joins() {
    let inner = format!(
        "{{QUERY :commandType 1 :resultRelation 0 :rtable ({ACCOUNTS}) :targetList ({})}}",
        target(1, &var(1, 2))
    );
    let subquery = format!("{{RANGETBLENTRY :rtekind 1 :subquery {inner}}}");
    let join = format!(
        "{{RANGETBLENTRY :rtekind 2 :joinaliasvars ({} {})}}",
        var(1, 1),
        var(2, 2)
    );
    let tables = format!("{subquery} {ACCOUNTS} {join}");
    let quals = format!(
        "{{BOOLEXPR :args ({} {})}}",
        op(96, 16, &var(1, 1), &param(1)),
        op(96, 16, &var(3, 2), &param(2))
    );
    let uses = Uses::of(&query(1, 0, &tables, &quals, "", ":limitCount <>"));
    let found = |number: usize| match &uses.parameters[&number] {
        Use::Compared { column, .. } => (column.relation, column.number),
        other => panic!("{other:?}"),
    };
    assert_eq!((found(1), found(2)), ((100, 2), (100, 2)));
}

#[test]
fn others_have_a_reason() {
    let lower = format!(
        "{{FUNCEXPR :funcid 870 :funcformat 0 :args ({})}}",
        param(1)
    );
    let quals = op(98, 16, &var(1, 1), &lower);
    let offset = Node::parse(&format!(
        "{{QUERY :commandType 1 :resultRelation 0 :rtable ({ACCOUNTS}) :jointree {{FROMEXPR :fromlist <> :quals {quals}}} \
         :limitOffset {} :limitCount <>}}",
        param(2)
    ));
    let uses = Uses::of(&offset);
    let reason = |text: &str| Use::Unknown(text.to_owned());
    assert_eq!(
        uses.parameters[&1],
        reason("parameter $1 is not compared with a column")
    );
    assert_eq!(uses.parameters[&2], Use::Skip);
    // Another use says more.
    let twice = format!(
        "{{BOOLEXPR :args ({} {})}}",
        op(98, 16, &var(1, 1), &lower),
        op(96, 16, &var(1, 2), &param(1))
    );
    let uses = Uses::of(&query(1, 0, ACCOUNTS, &twice, "", ":limitCount <>"));
    assert_eq!(uses.parameters[&1], compared(column(1, 100, 2), 96, false));
}

#[test]
fn a_number_added_to_a_parameter_is_an_offset() {
    let last = op(82, 16, &var(1, 1), &op(555, 23, &param(1), &param(2)));
    let uses = Uses::of(&query(1, 0, ACCOUNTS, &last, "", ":limitCount <>"));
    assert_eq!(uses.parameters[&1], compared(column(1, 100, 1), 82, false));
    assert_eq!(
        uses.parameters[&2],
        Use::Offset {
            operator: 555,
            is_interval: false
        }
    );
    // Of another type, nothing is known of it.
    let text = last.replace(":paramid 2 :paramtype 23", ":paramid 2 :paramtype 25");
    let uses = Uses::of(&query(1, 0, ACCOUNTS, &text, "", ":limitCount <>"));
    assert!(matches!(uses.parameters[&2], Use::Unknown(_)));
}

#[test]
fn what_a_case_computes_chooses_no_rows() {
    // CASE WHEN bid >= $1 THEN bid - $2 ELSE bid - $3 + $4 END, with the names of both kinds of versions.
    for (case, when) in [("CASE", "WHEN"), ("CASEEXPR", "CASEWHEN")] {
        let condition = op(525, 16, &var(1, 2), &param(1));
        let below = op(555, 23, &var(1, 2), &param(2));
        let above = op(551, 23, &op(555, 23, &var(1, 2), &param(3)), &param(4));
        let expression = format!(
            "{{{case} :arg <> :args ({{{when} :expr {condition} :result {below}}}) :defresult {above}}}"
        );
        let targets = target(2, &expression);
        let quals = op(96, 16, &var(1, 1), &param(5));
        let uses = Uses::of(&query(2, 1, ACCOUNTS, &quals, &targets, ":limitCount <>"));
        assert_eq!(uses.parameters[&1], Use::Chosen(column(1, 100, 2)));
        for number in [2, 3, 4] {
            assert!(is_added(&uses, number));
        }
        assert_eq!(uses.parameters[&5], compared(column(1, 100, 1), 96, false));
    }
}

#[test]
fn arrays_and_the_limits_of_subqueries_are_found() {
    let any = format!(
        "{{SCALARARRAYOPEXPR :opno 96 :opfuncid 65 :args ({} {})}}",
        var(1, 1),
        param(1)
    );
    let inner = format!(
        "{{QUERY :commandType 1 :resultRelation 0 :rtable ({ACCOUNTS}) :jointree {{FROMEXPR :fromlist <> :quals {any}}} \
         :limitCount {} :limitOffset <>}}",
        param(2)
    );
    let around = |sums: &str| {
        Node::parse(&format!(
            "{{QUERY :commandType 1 :resultRelation 0 :hasAggs {sums} \
             :rtable ({{RANGETBLENTRY :rtekind 1 :subquery {inner}}}) :limitCount <> :limitOffset <>}}"
        ))
    };
    let uses = Uses::of(&around("true"));
    let array = Use::Array {
        column: column(1, 100, 1),
        operator: 96,
    };
    assert_eq!(uses.parameters[&1], array);
    assert_eq!(uses.parameters[&2], Use::InnerLimit);
    assert_eq!(Uses::of(&around("false")).parameters[&2], Use::Limit);
}

#[test]
fn what_only_computes_a_result_or_a_value_is_found() {
    // RETURNING bid - $1, left(concat_ws($2, bid), $3), CASE bid WHEN $4 THEN $5 END
    let joined = format!(
        "{{FUNCEXPR :funcid 3059 :funcformat 0 :args ({} {})}}",
        param(2).replace(":paramtype 23", ":paramtype 25"),
        var(1, 2)
    );
    let left = format!(
        "{{FUNCEXPR :funcid 3060 :funcformat 0 :args ({joined} {})}}",
        param(3)
    );
    let condition = op(96, 16, "{CASETESTEXPR :typeId 23}", &param(4));
    let case = format!(
        "{{CASE :arg {} :args ({{WHEN :expr {condition} :result {}}}) :defresult <>}}",
        var(1, 2),
        param(5)
    );
    let results = [
        target(1, &op(555, 23, &var(1, 2), &param(1))),
        target(2, &left),
        target(3, &case),
    ]
    .join(" ");
    let uses = Uses::of(&query(1, 0, ACCOUNTS, "<>", &results, ":limitCount <>"));
    assert_eq!(
        uses.parameters[&1],
        Use::Offset {
            operator: 555,
            is_interval: false
        }
    );
    assert_eq!(uses.parameters[&2], Use::Output);
    assert_eq!(
        uses.parameters[&3],
        Use::Argument {
            function: 3060,
            written: None
        }
    );
    assert_eq!(uses.parameters[&4], Use::Chosen(column(1, 100, 2)));
    assert_eq!(uses.parameters[&5], Use::Output);
    // As RETURNING does.
    let more = format!(":limitCount <> :returningList ({results})");
    let uses = Uses::of(&query(4, 1, ACCOUNTS, "<>", "", &more));
    assert_eq!(
        uses.parameters[&1],
        Use::Offset {
            operator: 555,
            is_interval: false
        }
    );
    assert_eq!(uses.parameters[&4], Use::Chosen(column(1, 100, 2)));
    // Or what is written.
    let value = target(2, &op(98, 25, &left, &param(4)));
    let uses = Uses::of(&query(2, 1, ACCOUNTS, "<>", &value, ":limitCount <>"));
    let (function, written) = (3060, Some(column(0, 100, 2)));
    assert_eq!(uses.parameters[&3], Use::Argument { function, written });
    // What is written is no NULL, and a text may choose what a function does.
    let date = param(1).replace(":paramtype 23", ":paramtype 1082");
    let shown = format!(
        "{{FUNCEXPR :funcid 2020 :funcformat 0 :args ({})}}",
        param(2).replace(":paramtype 23", ":paramtype 25")
    );
    let values = [
        target(1, &op(551, 1114, &date, &param(3))),
        target(2, &shown),
    ]
    .join(" ");
    let uses = Uses::of(&query(3, 1, ACCOUNTS, "<>", &values, ":limitCount <>"));
    for number in [1, 2] {
        assert!(
            matches!(uses.parameters[&number], Use::Unknown(_)),
            "{number}"
        );
    }
    assert_eq!(
        uses.parameters[&3],
        Use::Offset {
            operator: 551,
            is_interval: false
        }
    );
}

#[test]
fn numbers_on_a_side_of_a_comparison_are_operands() {
    // count = (total + $1) / $2, where both are computed.
    let computed = format!(
        "{{RANGETBLENTRY :rtekind 1 :subquery {{QUERY :commandType 1 :resultRelation 0 :rtable () :targetList ({})}}}}",
        target(1, "{WINDOWFUNC :winfnoid 3100}")
    );
    let sum = op(551, 20, &var(1, 1), &param(1));
    let quals = op(410, 16, &var(1, 1), &op(691, 20, &sum, &param(2)));
    let uses = Uses::of(&query(1, 0, &computed, &quals, "", ":limitCount <>"));
    assert_eq!(uses.parameters[&1], Use::Operand);
    assert_eq!(uses.parameters[&2], Use::Operand);
    // SELECT … FROM (SELECT bid - $1, left(…, $2) FROM accounts) WHERE …: who knows what is chosen by them.
    let left = format!(
        "{{FUNCEXPR :funcid 3060 :args ({} {})}}",
        var(1, 2),
        param(2)
    );
    let inner = format!(
        "{{RANGETBLENTRY :rtekind 1 :subquery {{QUERY :commandType 1 :resultRelation 0 :rtable ({ACCOUNTS}) :targetList ({} {})}}}}",
        target(1, &op(555, 23, &var(1, 2), &param(1))),
        target(2, &left)
    );
    let uses = Uses::of(&query(1, 0, &inner, "<>", "", ":limitCount <>"));
    assert_eq!(uses.parameters[&1], Use::Operand);
    assert!(matches!(uses.parameters[&2], Use::Unknown(_)));
    // The number of rows depends on a set.
    let set = target(
        1,
        &format!(
            "{{FUNCEXPR :funcid 1067 :funcretset true :args ({})}}",
            param(1)
        ),
    );
    let uses = Uses::of(&query(1, 0, ACCOUNTS, "<>", &set, ":limitCount <>"));
    assert!(matches!(uses.parameters[&1], Use::Unknown(_)));
}

#[test]
fn lengths_of_time_are_told_from_numbers() {
    let interval = |number| param(number).replace(":paramtype 23", ":paramtype 1186");
    // a > now() - $1 AND a < $2 + $3
    let now = "{FUNCEXPR :funcid 1299 :funcformat 0 :args <>}";
    let since = op(521, 16, &var(1, 1), &op(1328, 1184, now, &interval(1)));
    let until = op(97, 16, &var(1, 1), &op(1327, 1184, &param(2), &interval(3)));
    let both = format!("{{BOOLEXPR :boolop and :args ({since} {until})}}");
    let results = target(1, &op(1327, 1184, now, &interval(4)));
    let uses = Uses::of(&query(1, 0, ACCOUNTS, &both, &results, ":limitCount <>"));
    assert_eq!(uses.parameters[&1], Use::Period);
    let compared = |it: &Use| matches!(it, Use::Compared { .. });
    assert!(compared(&uses.parameters[&2]), "{:?}", uses.parameters);
    for number in [3, 4] {
        let found = Use::Offset {
            operator: 1327,
            is_interval: true,
        };
        assert_eq!(uses.parameters[&number], found);
    }
}

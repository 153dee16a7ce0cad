//! Data sets on a target. Nothing of pgperf is installed there: a comment of each relation says what it is a part of. It goes with the
//! relation, through a rename and a dump, and is gone with it.

use super::{ForeignTable, Registered, Relation};
use crate::pg::sql::quote::{qualified, quote_literal};
use crate::workload::given::Given;
use crate::workload::scale::Scale;
use serde::{Deserialize, Serialize};

/// What each comment begins with.
const MARK: &str = "pgperf: ";
/// What the document in it begins with.
const DOCUMENT: &str = "{\"data_set\":";

/// What a comment says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Label {
    pub data_set: String,
    /// None: a load has not filled it, or is about to.
    pub scale: Option<Scale>,
    /// Those of the load.
    pub options: Given,
}

impl Label {
    /// In words, and as a document for the next load.
    pub fn text(&self) -> String {
        let state = match self.scale {
            Some(scale) => format!("loaded at scale {scale}"),
            None => "incomplete".to_owned(),
        };
        let document = serde_json::to_string(self).unwrap_or_default();
        format!("{MARK}{}, {state} {document}", self.data_set)
    }

    /// None: the comment is somebody else's.
    pub fn parse(comment: &str) -> Option<Label> {
        let text = comment.strip_prefix(MARK)?;
        serde_json::from_str(&text[text.find(DOCUMENT)?..]).ok()
    }
}

/// A relation of a target's schema.
#[derive(Debug, Deserialize)]
pub struct Labelled {
    #[serde(flatten)]
    relation: Relation,
    comment: Option<String>,
}

impl Labelled {
    fn label(&self) -> Option<Label> {
        self.comment.as_deref().and_then(Label::parse)
    }
}

/// Relations of a target's schema, the last created first: those with a comment of pgperf, and those with certain names.
#[derive(Debug)]
pub struct OnTarget(Vec<Labelled>);

impl OnTarget {
    /// The rows of [`OnTarget::query`].
    pub fn new(rows: Vec<Labelled>) -> OnTarget {
        OnTarget(rows)
    }

    /// The query that tells them, for any major.
    pub fn query(schema: &str, names: &[String]) -> String {
        let names: Vec<_> = names.iter().map(|name| quote_literal(name)).collect();
        format!(
            "SELECT c.relname AS name, c.relkind AS kind, d.description AS comment \
               FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
               LEFT JOIN pg_catalog.pg_description d ON d.objoid OPERATOR(pg_catalog.=) c.oid AND d.objsubid OPERATOR(pg_catalog.=) 0 \
                    AND d.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
              WHERE n.nspname OPERATOR(pg_catalog.=) {schema}::pg_catalog.name \
                AND c.relkind OPERATOR(pg_catalog.=) ANY ('{{r,p,v,m,f,S}}'::pg_catalog.\"char\"[]) \
                AND (d.description OPERATOR(pg_catalog.~~) '{MARK}%' \
                     OR c.relname OPERATOR(pg_catalog.=) ANY (ARRAY[{names}]::pg_catalog.name[])) \
              ORDER BY c.oid DESC",
            schema = quote_literal(schema),
            names = names.join(", ")
        )
    }

    /// The data set of this name, if pgperf has loaded one there.
    pub fn registered(&self, data_set: &str) -> Option<Registered> {
        let own = self.of(data_set);
        let (_, label) = own.last()?;
        // The load has not ended if one of them says so.
        let scales = own
            .iter()
            .map(|(_, label)| label.scale.map_or(0.0, Scale::value));
        let scale = scales.fold(f64::INFINITY, f64::min);
        let relations: Vec<Relation> = own
            .iter()
            .map(|(relation, _)| (*relation).clone())
            .collect();
        let tables = relations
            .iter()
            .rev()
            .filter(|relation| relation.is_table());
        Some(Registered {
            scale,
            options: label.options.clone(),
            tables: Some(tables.map(|table| table.name.clone()).collect()),
            relations,
        })
    }

    /// The first of these tables that is there, but is not the data set's.
    pub fn foreign_table(&self, tables: &[String], data_set: &str) -> Option<ForeignTable> {
        let mut found: Vec<ForeignTable> = self
            .0
            .iter()
            .filter(|it| tables.contains(&it.relation.name))
            .map(|it| ForeignTable {
                relation: it.relation.name.clone(),
                data_set: it.label().map(|label| label.data_set),
            })
            .filter(|it| it.data_set.as_deref() != Some(data_set))
            .collect();
        found.sort_by(|a, b| a.relation.cmp(&b.relation));
        found.into_iter().next()
    }

    /// The statements that give these relations this label. None of them is a part of another data set.
    pub fn label(&self, schema: &str, names: &[String], label: &Label) -> Vec<String> {
        let named = self.0.iter().map(|it| &it.relation);
        let named = named.filter(|relation| names.contains(&relation.name));
        named
            .filter_map(|it| comment_on(schema, it, label))
            .collect()
    }

    /// The statements that change the scale in the labels of a data set.
    pub fn rescale(&self, schema: &str, data_set: &str, scale: Option<Scale>) -> Vec<String> {
        let own = self.of(data_set).into_iter();
        own.filter_map(|(relation, label)| comment_on(schema, relation, &Label { scale, ..label }))
            .collect()
    }

    fn of(&self, data_set: &str) -> Vec<(&Relation, Label)> {
        let labelled = self.0.iter();
        let labelled = labelled.filter_map(|it| Some((&it.relation, it.label()?)));
        labelled
            .filter(|(_, label)| label.data_set == data_set)
            .collect()
    }
}

fn comment_on(schema: &str, relation: &Relation, label: &Label) -> Option<String> {
    let kind = match relation.kind.as_str() {
        "r" | "p" => "TABLE",
        "v" => "VIEW",
        "m" => "MATERIALIZED VIEW",
        "f" => "FOREIGN TABLE",
        "S" => "SEQUENCE",
        _ => return None,
    };
    let (name, text) = (
        qualified(schema, &relation.name),
        quote_literal(&label.text()),
    );
    Some(format!("COMMENT ON {kind} {name} IS {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn label(data_set: &str, scale: Option<f64>) -> Label {
        Label {
            data_set: data_set.to_owned(),
            scale: scale.map(Scale::new),
            options: json!({"fillfactor": 90})
                .as_object()
                .cloned()
                .unwrap_or_default(),
        }
    }

    fn relations(of: &[(&str, &str, Option<String>)]) -> OnTarget {
        let rows = of.iter();
        let rows = rows
            .map(|(name, kind, comment)| json!({"name": name, "kind": kind, "comment": comment}));
        OnTarget(serde_json::from_value(rows.collect()).unwrap())
    }

    #[test]
    fn a_comment_is_words_and_a_document() {
        let loaded = label("tatp", Some(0.5));
        assert_eq!(
            loaded.text(),
            r#"pgperf: tatp, loaded at scale 0.5 {"data_set":"tatp","scale":0.5,"options":{"fillfactor":90}}"#
        );
        let unfinished = label("my \"own\" {set}", None);
        assert!(unfinished.text().contains(", incomplete {"));
        for label in [loaded, unfinished] {
            assert_eq!(Label::parse(&label.text()), Some(label));
        }
        for other in [
            "",
            "Accounts",
            "pgperf: nothing",
            "pgperf: x, loaded {\"data_set\":1}",
        ] {
            assert_eq!(Label::parse(other), None);
        }
    }

    #[test]
    fn the_labels_of_a_schema_tell_its_data_sets() {
        let there = relations(&[
            ("numbers", "S", Some(label("own", Some(3.0)).text())),
            ("b", "r", Some(label("own", Some(3.0)).text())),
            ("a", "r", Some(label("own", Some(3.0)).text())),
            ("c", "r", Some("a table of somebody".to_owned())),
        ]);
        let own = there.registered("own").unwrap();
        assert_eq!(own.scale(), Some(Scale::new(3.0)));
        assert_eq!(own.tables(), ["a", "b"]);
        assert_eq!(own.relations.len(), 3);
        assert!(there.registered("other").is_none());
        let unfinished = relations(&[
            ("b", "r", Some(label("own", None).text())),
            ("a", "r", Some(label("own", Some(3.0)).text())),
        ]);
        assert_eq!(unfinished.registered("own").unwrap().scale(), None);
        let names = ["a", "c"].map(str::to_owned);
        assert_eq!(there.foreign_table(&names, "own").unwrap().relation, "c");
        let of_another = there.foreign_table(&names, "other").unwrap();
        assert_eq!(of_another.data_set.as_deref(), Some("own"));
        assert!(there.foreign_table(&names[..1], "own").is_none());
    }

    #[test]
    fn labels_keep_the_options_of_the_load_that_made_the_tables() {
        let there = relations(&[
            ("v", "v", Some(label("own", None).text())),
            ("c", "r", None),
        ]);
        let statements = there.rescale("s", "own", Some(Scale::new(2.0)));
        assert_eq!(
            statements,
            [format!(
                "COMMENT ON VIEW \"s\".\"v\" IS '{}'",
                label("own", Some(2.0)).text()
            )]
        );
        let statements = there.label("s", &["c".to_owned()], &label("it's", None));
        assert!(
            statements[0]
                .starts_with("COMMENT ON TABLE \"s\".\"c\" IS 'pgperf: it''s, incomplete {")
        );
    }
}

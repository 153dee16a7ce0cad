//! Mistakes in Rust: operators, constants, conditions, arguments in the wrong order, statements left out.
//!
//! What the compiler computes (constants, types, patterns) has no switch, and macros are not looked into. What is compiled for
//! tests or for a Cargo feature is left alone.

use std::ops::Range;

use crate::Result;
use crate::found::{Found, neighbour};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, Lit, Stmt, UnOp};

/// The mistakes that can be made in a file, and the names of the modules that it declares for tests.
pub fn find(text: &str) -> Result<(Vec<Found>, Vec<String>)> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder {
        text,
        found: Vec::new(),
        for_tests: Vec::new(),
    };
    if !left_alone(&file.attrs) {
        finder.visit_file(&file);
    }
    Ok((finder.found, finder.for_tests))
}

struct Finder<'a> {
    text: &'a str,
    found: Vec<Found>,
    for_tests: Vec<String>,
}

/// Functions that are each other's likely mistake.
const SWAPPED_NAMES: &[(&str, &str)] = &[
    ("min", "max"),
    ("max", "min"),
    ("any", "all"),
    ("all", "any"),
    ("first", "last"),
    ("last", "first"),
    ("is_some", "is_none"),
    ("is_none", "is_some"),
    ("is_ok", "is_err"),
    ("is_err", "is_ok"),
    ("floor", "ceil"),
    ("ceil", "floor"),
];

fn swapped_operator(operator: &BinOp) -> Option<(&'static str, &'static str)> {
    Some(match operator {
        BinOp::Lt(_) => ("comparison", "<="),
        BinOp::Le(_) => ("comparison", "<"),
        BinOp::Gt(_) => ("comparison", ">="),
        BinOp::Ge(_) => ("comparison", ">"),
        BinOp::Eq(_) => ("comparison", "!="),
        BinOp::Ne(_) => ("comparison", "=="),
        BinOp::And(_) => ("condition", "||"),
        BinOp::Or(_) => ("condition", "&&"),
        BinOp::Add(_) => ("arithmetic", "-"),
        BinOp::Sub(_) => ("arithmetic", "+"),
        BinOp::Mul(_) => ("arithmetic", "/"),
        BinOp::Div(_) => ("arithmetic", "*"),
        BinOp::AddAssign(_) => ("arithmetic", "-="),
        BinOp::SubAssign(_) => ("arithmetic", "+="),
        _ => return None,
    })
}

/// Whether an item is for tests, for a feature, or not run at all.
fn left_alone(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|list| {
                    let condition = list.tokens.to_string();
                    condition.contains("test") || condition.contains("feature")
                })
    })
}

/// Whether an expression holds `let`, so that it is no value.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// Whether an expression can be written twice at no cost: a name, a field, a reference to one, a literal.
fn is_plain(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Field(field) => is_plain(&field.base),
        Expr::Reference(reference) => is_plain(&reference.expr),
        _ => false,
    }
}

/// Whether a statement can be left out, as far as the grammar goes.
fn is_action(expression: &Expr) -> bool {
    match expression {
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) => true,
        Expr::Try(tried) => is_action(&tried.expr),
        Expr::Binary(binary) => matches!(binary.op, BinOp::AddAssign(_) | BinOp::SubAssign(_)),
        _ => false,
    }
}

impl Finder<'_> {
    fn text_of(&self, span: Span) -> &str {
        self.text.get(span.byte_range()).unwrap_or_default()
    }

    /// Replaces a part of an expression.
    fn replace(&mut self, kind: &'static str, whole: Range<usize>, part: Range<usize>, by: &str) {
        let text = self.text;
        let (Some(before), Some(after)) = (
            text.get(whole.start..part.start),
            text.get(part.end..whole.end),
        ) else {
            return;
        };
        self.found
            .push(Found::new(kind, whole, format!("{before}{by}{after}")));
    }

    fn arguments<'e>(&mut self, whole: Span, arguments: impl Iterator<Item = &'e Expr>) {
        let arguments: Vec<&Expr> = arguments.collect();
        for pair in arguments.windows(2) {
            let [left, right] = pair else { continue };
            if !is_plain(left) || !is_plain(right) {
                continue;
            }
            let (first, second) = (left.span(), right.span());
            let between = self
                .text
                .get(first.byte_range().end..second.byte_range().start)
                .unwrap_or_default();
            let by = format!("{}{between}{}", self.text_of(second), self.text_of(first));
            let part = first.byte_range().start..second.byte_range().end;
            self.replace("arguments", whole.byte_range(), part, &by);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Fn(item) if item.sig.constness.is_some() => return,
            syn::Item::Const(_) | syn::Item::Static(_) | syn::Item::Macro(_) => return,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Trait(item) => &item.attrs,
            syn::Item::Mod(item) => {
                if left_alone(&item.attrs) {
                    self.for_tests.push(item.ident.to_string());
                }
                &item.attrs
            }
            // Structures, enumerations, types, imports: nothing that runs.
            _ => return,
        };
        if !left_alone(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        match item {
            syn::ImplItem::Fn(function)
                if function.sig.constness.is_none() && !left_alone(&function.attrs) =>
            {
                visit::visit_impl_item(self, item);
            }
            _ => {}
        }
    }

    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(expression, Some(_)) = statement
            && is_action(expression)
        {
            self.found.push(Found {
                statement: true,
                ..Found::new("omission", statement.span().byte_range(), "")
            });
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        let whole = expression.span().byte_range();
        match expression {
            Expr::Binary(binary) if !has_let(expression) => {
                if let Some((kind, by)) = swapped_operator(&binary.op) {
                    self.replace(kind, whole, binary.op.span().byte_range(), by);
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                self.replace("condition", whole, unary.op.span().byte_range(), "");
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(integer) => {
                    let digits = integer.base10_digits();
                    let text = self.text_of(integer.span());
                    if text.starts_with(digits)
                        && let Some(by) = neighbour(digits)
                    {
                        let by = format!("{by}{}", integer.suffix());
                        self.replace("constant", whole.clone(), whole, &by);
                    }
                }
                Lit::Float(float) => {
                    let text = self.text_of(float.span());
                    let by = match float.base10_parse::<f64>() {
                        Ok(0.0) => "1.0".to_owned(),
                        _ => format!("({text} * 1.1)"),
                    };
                    self.replace("constant", whole.clone(), whole, &by);
                }
                Lit::Bool(truth) => {
                    let by = (!truth.value).to_string();
                    self.replace("constant", whole.clone(), whole, &by);
                }
                _ => {}
            },
            Expr::Range(range) if range.end.is_some() => {
                let by = match range.limits {
                    syn::RangeLimits::HalfOpen(_) => "..=",
                    syn::RangeLimits::Closed(_) => "..",
                };
                self.replace("comparison", whole, range.limits.span().byte_range(), by);
            }
            Expr::Call(call) => self.arguments(expression.span(), call.args.iter()),
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                if let Some((_, by)) = SWAPPED_NAMES.iter().find(|(is, _)| *is == name) {
                    self.replace("function", whole, call.method.span().byte_range(), by);
                }
                self.arguments(expression.span(), call.args.iter());
            }
            _ => {}
        }
        visit::visit_expr(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<String> {
        let (found, _) = find(text).unwrap();
        found
            .iter()
            .map(|found| {
                let bytes = found.bytes.clone();
                format!("{}: {} -> {}", found.kind, &text[bytes], found.mistake)
            })
            .collect()
    }

    #[test]
    fn operators_constants_and_arguments() {
        assert_eq!(
            mistakes("fn f() -> bool { a < 9 && g(b, c.d) }"),
            [
                "condition: a < 9 && g(b, c.d) -> a < 9 || g(b, c.d)",
                "comparison: a < 9 -> a <= 9",
                "constant: 9 -> 8",
                "arguments: g(b, c.d) -> g(c.d, b)",
            ]
        );
    }

    #[test]
    fn statements_are_left_out() {
        assert_eq!(
            mistakes("fn f() { g(); x += y; let z = h(); }"),
            [
                "omission: g(); -> ",
                "omission: x += y; -> ",
                "arithmetic: x += y -> x -= y",
            ]
        );
    }

    #[test]
    fn nothing_that_is_constant_or_for_tests() {
        let text = "const A: u8 = 1 + 1; static B: [u8; 2] = [0; 2];\n\
                    #[cfg(test)] mod tests { fn f() { g(1 + 1); } }\n\
                    fn f() { match x { 1..=2 => {} _ => {} } if let Some(1) = x && y() {} }";
        assert!(mistakes(text).is_empty());
        assert_eq!(find(text).unwrap().1, ["tests"]);
    }
}

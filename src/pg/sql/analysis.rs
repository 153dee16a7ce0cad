//! Parse analysis of a statement that is not run.

use crate::pg::encoding;
use pgrx::pg_sys;
use std::ffi::CStr;

/// What the server has found in a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Analyzed {
    /// The text of each tree after rewriting, and the types of the parameters.
    Query { trees: Vec<String>, types: Vec<u32> },
    /// BEGIN, COMMIT and the like.
    TransactionControl,
    /// Another utility statement.
    Utility,
    /// No statement, or several.
    NotOne,
}

/// Analyzes a text, as for a client's Parse message. `given`: the types of the first parameters, in which 0 is any type, as for
/// all others. Raises the server's own error, so call it within a subtransaction.
pub fn analyze(text: &CStr, given: &[u32]) -> Analyzed {
    // SAFETY: the text outlives the call; lists, nodes and the array of types, which the server makes longer where it has to,
    // belong to the current memory context, which nobody resets meanwhile. The snapshot is popped on the only way out, and by the subtransaction's abort after an ERROR.
    unsafe {
        let list = pg_sys::pg_parse_query(text.as_ptr());
        if list.is_null() || (*list).length != 1 {
            return Analyzed::NotOne;
        }
        let tree = (*(*list).elements).ptr_value.cast::<pg_sys::RawStmt>();
        match (*(*tree).stmt).type_ {
            pg_sys::NodeTag::T_SelectStmt
            | pg_sys::NodeTag::T_InsertStmt
            | pg_sys::NodeTag::T_UpdateStmt
            | pg_sys::NodeTag::T_DeleteStmt
            | pg_sys::NodeTag::T_MergeStmt => {}
            pg_sys::NodeTag::T_TransactionStmt => return Analyzed::TransactionControl,
            _ => return Analyzed::Utility,
        }
        let mut types: *mut pg_sys::Oid = std::ptr::null_mut();
        let mut count = given.len() as i32;
        if !given.is_empty() {
            types = pg_sys::palloc(size_of_val(given)).cast();
            for (place, oid) in given.iter().enumerate() {
                types.add(place).write(pg_sys::Oid::from(*oid));
            }
        }
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
        let queries = pg_sys::pg_analyze_and_rewrite_varparams(
            tree,
            text.as_ptr(),
            &mut types,
            &mut count,
            std::ptr::null_mut(),
        );
        pg_sys::PopActiveSnapshot();
        let length = if queries.is_null() {
            0
        } else {
            (*queries).length
        };
        let is_utility = (0..length).any(|i| {
            let query = (*(*queries).elements.add(i as usize))
                .ptr_value
                .cast::<pg_sys::Query>();
            (*query).commandType == pg_sys::CmdType::CMD_UTILITY
        });
        // SELECT INTO has become one.
        if is_utility {
            return Analyzed::Utility;
        }
        let trees = (0..length).map(|i| {
            let query = (*(*queries).elements.add(i as usize)).ptr_value;
            encoding::from_c(CStr::from_ptr(pg_sys::nodeToString(query)))
        });
        let types = (0..count).map(|i| (*types.add(i as usize)).to_u32());
        Analyzed::Query {
            trees: trees.collect(),
            types: types.collect(),
        }
    }
}

/// The columns of a text's rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Columns {
    /// Their types.
    Of(Vec<u32>),
    /// It is not one query.
    NoQuery,
}

/// The columns of the one query that a text is, which has no parameters. Raises the server's own error, so call it within a
/// subtransaction.
pub fn columns(text: &CStr) -> Columns {
    // SAFETY: as in `analyze`. A SELECT is one query with a list of target entries, whose expressions have a type each.
    unsafe {
        let list = pg_sys::pg_parse_query(text.as_ptr());
        if list.is_null() || (*list).length != 1 {
            return Columns::NoQuery;
        }
        let tree = (*(*list).elements).ptr_value.cast::<pg_sys::RawStmt>();
        if (*(*tree).stmt).type_ != pg_sys::NodeTag::T_SelectStmt {
            return Columns::NoQuery;
        }
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
        let query = pg_sys::parse_analyze_fixedparams(
            tree,
            text.as_ptr(),
            std::ptr::null(),
            0,
            std::ptr::null_mut(),
        );
        pg_sys::PopActiveSnapshot();
        // SELECT INTO has become a utility statement.
        if (*query).commandType != pg_sys::CmdType::CMD_SELECT {
            return Columns::NoQuery;
        }
        let targets = (*query).targetList;
        let length = if targets.is_null() {
            0
        } else {
            (*targets).length
        };
        let types = (0..length).filter_map(|i| {
            let target = (*(*targets).elements.add(i as usize)).ptr_value;
            let target = target.cast::<pg_sys::TargetEntry>();
            (!(*target).resjunk).then(|| pg_sys::exprType((*target).expr.cast()).to_u32())
        });
        Columns::Of(types.collect())
    }
}

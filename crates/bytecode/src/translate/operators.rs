//! Operators and comparisons, which every version but the first three keeps in arguments.

use super::Translator;
use crate::op::{BinaryOp, CompareOp, Op, UnaryOp};
use crate::versions::Mnemonic;

/// NB_x of `opcode._nb_ops`, in its order; the in-place operators follow in the same order.
const BINARY_OPERATORS: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::And,
    BinaryOp::FloorDivide,
    BinaryOp::LeftShift,
    BinaryOp::MatrixMultiply,
    BinaryOp::Multiply,
    BinaryOp::Remainder,
    BinaryOp::Or,
    BinaryOp::Power,
    BinaryOp::RightShift,
    BinaryOp::Subtract,
    BinaryOp::TrueDivide,
    BinaryOp::Xor,
];

/// NB_SUBSCR (3.14 and later).
const SUBSCRIPT: usize = 2 * BINARY_OPERATORS.len();

/// The first six of `opcode.cmp_op`.
const COMPARISONS: [CompareOp; 6] = [
    CompareOp::Less,
    CompareOp::LessEqual,
    CompareOp::Equal,
    CompareOp::NotEqual,
    CompareOp::Greater,
    CompareOp::GreaterEqual,
];

impl Translator<'_> {
    /// Translates an operator; says whether it was one.
    pub(super) fn operator(&mut self, mnemonic: Mnemonic, arg: u32) -> bool {
        use Mnemonic::*;
        let op = match mnemonic {
            UNARY_POSITIVE => Op::Unary(UnaryOp::Positive),
            UNARY_NEGATIVE => Op::Unary(UnaryOp::Negative),
            UNARY_NOT => Op::Unary(UnaryOp::Not),
            UNARY_INVERT => Op::Unary(UnaryOp::Invert),
            BINARY_OP => match binary_op(arg as usize) {
                Some(op) => op,
                None => return false,
            },
            BINARY_POWER => Op::Binary(BinaryOp::Power),
            BINARY_MULTIPLY => Op::Binary(BinaryOp::Multiply),
            BINARY_MATRIX_MULTIPLY => Op::Binary(BinaryOp::MatrixMultiply),
            BINARY_MODULO => Op::Binary(BinaryOp::Remainder),
            BINARY_ADD => Op::Binary(BinaryOp::Add),
            BINARY_SUBTRACT => Op::Binary(BinaryOp::Subtract),
            BINARY_FLOOR_DIVIDE => Op::Binary(BinaryOp::FloorDivide),
            BINARY_TRUE_DIVIDE => Op::Binary(BinaryOp::TrueDivide),
            BINARY_LSHIFT => Op::Binary(BinaryOp::LeftShift),
            BINARY_RSHIFT => Op::Binary(BinaryOp::RightShift),
            BINARY_AND => Op::Binary(BinaryOp::And),
            BINARY_XOR => Op::Binary(BinaryOp::Xor),
            BINARY_OR => Op::Binary(BinaryOp::Or),
            INPLACE_POWER => Op::Inplace(BinaryOp::Power),
            INPLACE_MULTIPLY => Op::Inplace(BinaryOp::Multiply),
            INPLACE_MATRIX_MULTIPLY => Op::Inplace(BinaryOp::MatrixMultiply),
            INPLACE_MODULO => Op::Inplace(BinaryOp::Remainder),
            INPLACE_ADD => Op::Inplace(BinaryOp::Add),
            INPLACE_SUBTRACT => Op::Inplace(BinaryOp::Subtract),
            INPLACE_FLOOR_DIVIDE => Op::Inplace(BinaryOp::FloorDivide),
            INPLACE_TRUE_DIVIDE => Op::Inplace(BinaryOp::TrueDivide),
            INPLACE_LSHIFT => Op::Inplace(BinaryOp::LeftShift),
            INPLACE_RSHIFT => Op::Inplace(BinaryOp::RightShift),
            INPLACE_AND => Op::Inplace(BinaryOp::And),
            INPLACE_XOR => Op::Inplace(BinaryOp::Xor),
            INPLACE_OR => Op::Inplace(BinaryOp::Or),
            BINARY_SUBSCR => Op::Subscript,
            STORE_SUBSCR => Op::StoreSubscript,
            DELETE_SUBSCR => Op::DeleteSubscript,
            BINARY_SLICE => Op::BinarySlice,
            STORE_SLICE => Op::StoreSlice,
            IS_OP => Op::Is { negated: arg & 1 != 0 },
            CONTAINS_OP => Op::Contains { negated: arg & 1 != 0 },
            COMPARE_OP => return self.compare(arg),
            TO_BOOL => Op::ToBool,
            _ => return false,
        };
        self.emit(op);
        true
    }

    /// COMPARE_OP: in 3.8 identity, membership and the match of exceptions are comparisons too.
    fn compare(&mut self, arg: u32) -> bool {
        let op = match arg >> self.facts.compare_shift {
            6 | 7 => Op::Contains { negated: arg == 7 },
            8 | 9 => Op::Is { negated: arg == 9 },
            10 => Op::ExceptionMatch,
            index => match COMPARISONS.get(index as usize) {
                Some(&comparison) => Op::Compare(comparison),
                None => return false,
            },
        };
        if !self.facts.features.finally_subroutines && !matches!(op, Op::Compare(_)) {
            return false;
        }
        self.emit(op);
        if arg & self.facts.compare_bool_flag != 0 {
            self.emit(Op::ToBool);
        }
        true
    }
}

fn binary_op(arg: usize) -> Option<Op> {
    if arg == SUBSCRIPT {
        return Some(Op::Subscript);
    }
    if let Some(&operator) = BINARY_OPERATORS.get(arg) {
        return Some(Op::Binary(operator));
    }
    BINARY_OPERATORS.get(arg - BINARY_OPERATORS.len()).copied().map(Op::Inplace)
}

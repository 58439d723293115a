//! The ordered list of passes.
//!
//! Each entry says why it stands where it stands; what a pass needs and establishes, with an example, is
//! told in its own file. [`PASSES`] is the whole way from decoded operations to the tree that is printed: one list, so this
//! file is as long as that.

use depyf_bytecode::flags;
use depyf_syntax::Grammar;

use crate::flow::{self, Contents};
use crate::lift;
use crate::scope::is_comprehension;
use crate::{View, refine, structure};

mod run;

#[cfg(test)]
pub(crate) use run::run_passes_that_are_not_needed;
pub(crate) use run::{Observe, run, run_observed};
use run::{Pass, Run, compiler, folds_named_values, inline};

/// All passes, in order.
const PASSES: &[Pass] = &[
    Pass {
        name: "fold_profiler",
        needs: Contents::READABLE,
        place: "first, while the prologue still has the shape in which Dynamo writes it",
        run: Run::Graph(|graph, context, _| flow::fold_profiler(graph, context.code)),
    },
    Pass {
        name: "join_none_tests",
        needs: Contents::IDENTITY_TESTS,
        place: "before anything looks for tests of None",
        run: Run::Graph(|graph, context, _| flow::join_none_tests(graph, context)),
    },
    Pass {
        name: "undo_templates",
        needs: Contents::JUMPS,
        place: "before anything asks what a block does, or which region it is in",
        run: Run::Graph(|graph, context, _| flow::undo_templates(graph, context)),
    },
    Pass {
        name: "erase_class_bookkeeping",
        needs: Contents::BODY,
        place: "before anything looks at statements: what the compiler adds is none",
        run: Run::Graph(|graph, context, _| {
            flow::erase_class_bookkeeping(graph, context.code, context.function);
        }),
    },
    Pass {
        name: "join_body_ends",
        needs: Contents::BODY,
        place: "behind the bookkeeping of classes, which ends them; before anything asks where ways lead",
        run: Run::Graph(|graph, context, _| {
            if context.code.flags & flags::OPTIMIZED == 0 {
                flow::join_body_ends(graph, context.code);
            }
        }),
    },
    Pass {
        name: "mark_annotations",
        needs: Contents::BODY,
        place: "behind the bookkeeping of classes; the marks are statements, as the annotations were",
        run: Run::Graph(|graph, context, _| {
            if context.function.features.deferred_annotations && context.code.flags & flags::OPTIMIZED == 0 {
                flow::mark_annotations(graph, context.code, context.function);
            }
        }),
    },
    Pass {
        name: "spell_annotations",
        needs: Contents::DEFERRED_ANNOTATIONS,
        place: "before the dict of the annotations is taken for one that somebody built",
        run: Run::Graph(|graph, context, _| flow::spell_annotations(graph, context.code)),
    },
    Pass {
        name: "find_assertions",
        needs: Contents::TESTS,
        place: "while a test and its raise still are the blocks that the compiler made",
        run: Run::Graph(|graph, context, _| {
            if context.scope.options.optimization == 0
                && compiler(context).is_some_and(|compiler| compiler.assertion_error_by_name)
            {
                flow::find_assertions(graph, context.code, context.function);
            }
        }),
    },
    Pass {
        name: "erase_dead_deletions",
        needs: Contents::DELETIONS,
        place: "before anything is lifted: a deletion forces a name on every pending read of the local",
        run: Run::Graph(|graph, context, _| {
            if context.scope.options.view == View::Readable {
                flow::erase_dead_deletions(graph);
            }
        }),
    },
    Pass {
        name: "reach_unreached_code",
        needs: Contents::UNREACHED,
        place: "before anything asks what is reached, while the blocks lie in the order of the bytecode",
        run: Run::Graph(|graph, context, _| flow::reach_unreached_code(graph, context)),
    },
    Pass {
        name: "note_dead_jumps",
        needs: Contents::SOURCE_ORDER,
        place: "while the blocks lie in the order of the bytecode, before `finally` bodies are copied",
        run: Run::Graph(|graph, context, _| flow::note_dead_jumps(graph, context.function)),
    },
    Pass {
        name: "split_shared_heads",
        needs: Contents::SOURCE_ORDER,
        place: "behind what notes where loops end; before jumps are threaded, which keeps heads that are known",
        run: Run::Graph(|graph, context, _| flow::split_shared_heads(graph, context.code, context.function)),
    },
    Pass {
        name: "note_written_jumps",
        needs: Contents::JUMPS,
        place: "before jumps are threaded, which erases those that stand alone",
        run: Run::Graph(|graph, context, _| flow::note_written_jumps(graph, context.code, context.function)),
    },
    Pass {
        name: "copy_finally_bodies",
        needs: Contents::REGIONS,
        place: "before jumps are threaded, which hides where a region is entered",
        run: Run::Graph(|graph, context, _| flow::copy_finally_bodies(graph, context.function)),
    },
    Pass {
        name: "note_what_lies_behind",
        needs: Contents::REGIONS,
        place: "before jumps are threaded: a jump alone may lie behind a handler",
        run: Run::Graph(|graph, context, _| flow::note_what_lies_behind(graph, context.function)),
    },
    Pass {
        name: "thread_jumps",
        needs: Contents::JUMPS.and(Contents::REGIONS),
        place: "before anything looks at regions, which have holes where only jumps are, or instructions that do nothing",
        run: Run::Graph(|graph, context, _| flow::thread_jumps(graph, context.function)),
    },
    Pass {
        name: "fill_region_holes",
        needs: Contents::REGIONS,
        place: "behind the threading of jumps, which would look like ways out of a region",
        run: Run::Graph(|graph, context, _| flow::fill_region_holes(graph, &context.function.features)),
    },
    Pass {
        name: "fold_delegation",
        needs: Contents::SENDS,
        place: "before regions: the handlers of a suspended `await` go with its loop",
        run: Run::Graph(|graph, context, _| {
            flow::fold_delegation(graph, context.function.features.send_drops_iterator);
        }),
    },
    Pass {
        name: "fold_async_loops",
        needs: Contents::ASYNC_LOOPS,
        place: "behind delegation: the item of an `async for` is awaited",
        run: Run::Graph(|graph, _, _| flow::fold_async_loops(graph)),
    },
    Pass {
        name: "erase_manager_awaits",
        needs: Contents::MANAGERS,
        place: "behind delegation, before `with` statements are looked for",
        run: Run::Graph(|graph, _, _| flow::erase_manager_awaits(graph)),
    },
    Pass {
        name: "erase_cleanup_regions",
        needs: Contents::REGIONS,
        place: "before `with` statements and joins, which cleanup regions would split",
        run: Run::Graph(|graph, context, _| flow::erase_cleanup_regions(graph, context.function)),
    },
    Pass {
        name: "find_exception_groups",
        needs: Contents::REGIONS,
        place: "behind the erasure of cleanup regions; before all that look at handlers",
        run: Run::Graph(|graph, context, _| flow::find_exception_groups(graph, context.function)),
    },
    Pass {
        name: "find_with_statements",
        needs: Contents::MANAGERS,
        place: "before blocks are joined: the exit call must start its block",
        run: Run::Graph(|graph, context, _| flow::find_with_statements(graph, context.function)),
    },
    Pass {
        name: "join_copied_ends",
        needs: Contents::JUMPS.and(Contents::REGIONS),
        place: "behind the erasure of what unbinds a handler's name, which copies differ in",
        run: Run::Graph(|graph, context, _| flow::join_copied_ends(graph, context)),
    },
    Pass {
        name: "join_copied_raises",
        needs: Contents::REGIONS,
        place: "before `finally` bodies, whose copies end where the body raises again",
        run: Run::Graph(|graph, context, _| flow::join_copied_raises(graph, context.function)),
    },
    Pass {
        name: "restore_variables_first",
        needs: Contents::CLEARED_LOCALS,
        place: "before `finally` bodies, whose copies are compared",
        run: Run::Graph(|graph, _, _| flow::restore_variables_first(graph)),
    },
    Pass {
        name: "join_finally_bodies",
        needs: Contents::REGIONS,
        place: "behind `with`, whose exits a body may hold; before reductions, which would split copies",
        run: Run::Graph(|graph, context, _| flow::join_finally_bodies(graph, context)),
    },
    Pass {
        name: "join_copied_ends",
        needs: Contents::MOVED_ENDS,
        place: "once more: what follows the copies of a `finally` body is a block of its own now",
        run: Run::Graph(|graph, context, _| flow::join_copied_ends(graph, context)),
    },
    Pass {
        name: "join_copied_statements",
        needs: Contents::JUMPS,
        place: "behind `finally` bodies, whose copies stand in one place",
        run: Run::Graph(|graph, context, _| flow::join_copied_statements(graph, context)),
    },
    Pass {
        name: "return_inside_regions",
        needs: Contents::REGIONS,
        place: "behind `with` and `finally`, which know a return by what stands before it",
        run: Run::Graph(|graph, context, _| flow::return_inside_regions(graph, context)),
    },
    Pass {
        name: "continue_inside_regions",
        needs: Contents::REGIONS,
        place: "behind `with` and `finally`, whose ways out are theirs",
        run: Run::Graph(|graph, _, _| flow::continue_inside_regions(graph)),
    },
    Pass {
        name: "find_matches",
        needs: Contents::COPIES.and(Contents::PATTERNS).and(Contents::TESTS),
        place: "behind the joining of copies, which compares steps; before short circuits, which test copies too",
        run: Run::Graph(flow::find_matches),
    },
    Pass {
        name: "join_shared_exits",
        needs: Contents::JUMPS.and(Contents::REGIONS),
        place: "behind `finally` and `match`, whose ways are told apart by the exits that they have for themselves",
        run: Run::Graph(|graph, context, _| flow::join_shared_exits(graph, context.code, context.function)),
    },
    Pass {
        name: "join_case_bodies",
        needs: Contents::CASES,
        place: "behind the joining of exits, by which copies end at one place; before guards become one expression",
        run: Run::Graph(|graph, context, _| flow::join_case_bodies(graph, context.function)),
    },
    Pass {
        name: "find_function_end",
        needs: Contents::JUMPS.and(Contents::REGIONS),
        place: "behind `finally`, whose copies a `return` may have; where ends are copied, the joining of exits finds it",
        run: Run::Graph(|graph, context, _| flow::find_function_end(graph, context.code, context.function)),
    },
    Pass {
        name: "join_body_exits",
        needs: Contents::REGIONS,
        place: "behind the joining of exits, which they lead to; before short circuits, whose tests lead out in one way",
        run: Run::Graph(|graph, context, _| flow::join_body_exits(graph, context.function)),
    },
    Pass {
        name: "return_constants_inside_regions",
        needs: Contents::REGIONS,
        place: "behind the joining of exits, which finds the end of the function among them",
        run: Run::Graph(|graph, context, _| flow::return_constants_inside_regions(graph, context.function)),
    },
    Pass {
        name: "join_expression_ends",
        needs: Contents::JUMPS,
        place: "behind the joining of exits, by which copies end at one place; before short circuits, which drop less",
        run: Run::Graph(|graph, context, _| flow::join_expression_ends(graph, context.function)),
    },
    Pass {
        name: "undo_builtin_shortcuts",
        needs: Contents::TESTS,
        place: "before short circuits: the shortcut copies the callee as they copy a value",
        run: Run::Graph(|graph, _, _| flow::undo_builtin_shortcuts(graph)),
    },
    Pass {
        name: "restore_or_pop",
        needs: Contents::COPIES,
        place: "before the reductions, which know one form of short circuit",
        run: Run::Graph(|graph, _, _| flow::restore_or_pop(graph)),
    },
    Pass {
        name: "fold_comprehensions",
        place: "before the reductions, which fold what a comprehension is a part of",
        needs: Contents::JUMPS.and(Contents::REGIONS),
        run: Run::Graph(flow::fold_comprehensions),
    },
    Pass {
        name: "reduce",
        needs: Contents::JUMPS.and(Contents::REGIONS),
        place: "when only structure is left to find: what remains is control flow between statements",
        run: Run::Graph(flow::reduce),
    },
    Pass {
        name: "fold_guards",
        needs: Contents::TESTS,
        place: "behind the reductions, which make one expression of a guard",
        run: Run::Graph(flow::fold_guards),
    },
    Pass {
        name: "join_rotated_tests",
        needs: Contents::TESTS,
        place: "behind the reductions, which make one run of steps of a compound test",
        run: Run::Graph(flow::join_rotated_tests),
    },
    Pass {
        name: "lift",
        needs: Contents::ANYTHING,
        place: "needs whole expressions in blocks",
        run: Run::Lift(lift::lift_blocks),
    },
    Pass {
        name: "structure",
        needs: Contents::ANYTHING,
        place: "needs statements",
        run: Run::Structure(structure::structure),
    },
    Pass {
        name: "place_unreached_code",
        needs: Contents::UNREACHED,
        place: "first on the tree: what the tests skip is the rest of a list of statements",
        run: Run::Tree(|block, _| refine::place_unreached_code(block)),
    },
    Pass {
        name: "restore_targets",
        needs: Contents::TEMPORARIES,
        place: "before temporaries are inlined, which would hide an item's store",
        run: Run::Temporaries(|block, context, contents| {
            if !refine::restore_targets(block, context.names.variables()) {
                contents.note_no_temporaries();
            }
        }),
    },
    Pass {
        name: "join_chained_assignments",
        needs: Contents::ASSIGNED_TEMPORARIES,
        place: "behind targets, which may be unpackings; before inlining, which moves values",
        run: Run::Knowing(|block, context, contents| {
            if contents.meets(Contents::TEMPORARIES) {
                refine::join_chained_assignments(block, context.names.variables());
            }
        }),
    },
    Pass {
        name: "inline_temporaries",
        needs: Contents::ASSIGNED_TEMPORARIES,
        place: "behind targets; brings the iterables to their loops, which comprehensions look for",
        run: Run::Temporaries(inline),
    },
    Pass {
        name: "restore_asserts",
        needs: Contents::ASSERTIONS,
        place: "behind inlining, which brings the message into the `raise`",
        run: Run::Tree(|block, context| refine::restore_asserts(block, context.function)),
    },
    Pass {
        name: "restore_comprehensions",
        needs: Contents::ADDITIONS,
        place: "behind targets and iterables, which are parts of a comprehension",
        run: Run::Knowing(|block, context, contents| {
            if contents.meets(Contents::TEMPORARIES) {
                refine::restore_comprehensions(block, context.names, Grammar::of(context.code.version));
            }
        }),
    },
    Pass {
        name: "join_chained_assignments",
        needs: Contents::ADDITIONS,
        place: "once more: a comprehension is a value that may be assigned now; before inlining, as the first time",
        run: Run::Knowing(|block, context, contents| {
            if contents.meets(Contents::TEMPORARIES) {
                refine::join_chained_assignments(block, context.names.variables());
            }
        }),
    },
    Pass {
        name: "inline_temporaries",
        needs: Contents::ADDITIONS,
        place: "once more: moves comprehensions to where they are used",
        run: Run::Temporaries(inline),
    },
    Pass {
        name: "restore_unpacked_items",
        needs: Contents::GENERATOR,
        place: "behind the iterables, which come to their loops; before the item of the loop would get a name",
        run: Run::Tree(|block, context| {
            let spelled = Grammar::of(context.code.version).star_in_comprehension;
            if spelled && crate::scope::is_comprehension(context.code) {
                refine::restore_unpacked_items(block);
            }
        }),
    },
    Pass {
        name: "restore_while",
        needs: Contents::LOOPS,
        place: "behind inlining, so that a condition is one expression",
        run: Run::Tree(|block, context| refine::restore_while(block, &context.function.features)),
    },
    Pass {
        name: "spell_endless_tests",
        needs: Contents::LOOPS,
        place: "behind the other loops: an endless one that has a condition tests that",
        run: Run::Knowing(|block, context, contents| {
            refine::spell_endless_tests(block, context.function, contents);
        }),
    },
    Pass {
        name: "spell_named_values",
        needs: Contents::COPIES,
        place: "behind inlining, which makes operations operands; what is spelled late from here on is none",
        run: Run::Tree(|block, context| {
            if !folds_named_values(context) {
                refine::spell_named_values(block);
            }
        }),
    },
    Pass {
        name: "turn_comparisons",
        needs: Contents::MEMBERSHIP,
        place: "behind the spelling of all tests, `while` and `assert` included",
        run: Run::Tree(|block, context| {
            if context.function.features.negates_comparisons {
                refine::turn_comparisons(block, folds_named_values(context));
            }
        }),
    },
    Pass {
        name: "spell_none_tests",
        needs: Contents::NONE_TESTS,
        place: "behind the turning of comparisons, which moves a `not` around several of them",
        run: Run::Knowing(|block, _, contents| refine::spell_none_tests(block, contents)),
    },
    Pass {
        name: "spell_negated_tests",
        needs: Contents::NEGATED_TESTS,
        place: "behind the turning of comparisons, as tests for None are spelled, of which other versions have none",
        run: Run::Knowing(|block, context, contents| {
            refine::spell_negated_tests(block, context.function, contents);
        }),
    },
    Pass {
        name: "spell_negated_constants",
        needs: Contents::COMPOUND_TESTS,
        place: "behind all else that moves a `not` around",
        run: Run::Knowing(|block, _, contents| refine::spell_negated_constants(block, contents)),
    },
    Pass {
        name: "name_returned_none",
        needs: Contents::ANYTHING,
        place: "before columns are looked at, and before implied ends are dropped: that of a `return` that names None is none",
        run: Run::Tree(|block, context| refine::name_returned_none(block, &context.words())),
    },
    Pass {
        name: "stand_behind_cases",
        needs: Contents::CASES,
        place: "before columns are looked at, which are those of what stands in the cases",
        run: Run::Tree(|block, context| refine::stand_behind_cases(block, context.function)),
    },
    Pass {
        name: "stand_in_loops",
        needs: Contents::JUMPS,
        place: "before columns are looked at, which are those of what stands in loops",
        run: Run::Tree(|block, context| refine::stand_in_loops(block, context.function)),
    },
    Pass {
        name: "indent_by_columns",
        needs: Contents::JUMPS.and(Contents::REGIONS),
        place: "before implied ends are dropped: an arm that ends in one leaves, and behind an `else` it need not",
        run: Run::Tree(|block, context| refine::indent_by_columns(block, context.code, context.function)),
    },
    Pass {
        name: "nest_tests",
        needs: Contents::COMPOUND_TESTS,
        place: "behind what moves statements into arms and out of them: whether there is an `else` is known",
        run: Run::Tree(|block, context| refine::nest_tests(block, context.function)),
    },
    Pass {
        name: "negate_by_columns",
        needs: Contents::COMPOUND_TESTS,
        place: "behind the splitting of tests: a `not` is in front of what one statement tests",
        run: Run::Knowing(|block, context, contents| {
            refine::negate_by_columns(block, context.function, contents);
        }),
    },
    Pass {
        name: "spell_leaving_words",
        needs: Contents::ANYTHING,
        place: "behind the naming of None; before implied ends are dropped, which a `break` is none of",
        run: Run::Tree(|block, context| refine::spell_leaving_words(block, &context.words())),
    },
    Pass {
        name: "drop_implied_returns",
        needs: Contents::IMPLIED_RETURNS,
        place: "behind all passes that read `return`",
        run: Run::Tree(|block, context| refine::drop_implied_returns(block, &context.words())),
    },
    Pass {
        name: "drop_last_return",
        needs: Contents::READABLE,
        place: "behind all passes that read `return`; readable view: Dynamo writes one whatever the source has",
        run: Run::Tree(|block, _| refine::drop_last_return(block)),
    },
    Pass {
        name: "spell_bare_returns",
        needs: Contents::GENERATOR,
        place: "behind the dropping of implied ends, which keeps those that name None",
        run: Run::Tree(|block, context| refine::spell_bare_returns(block, context.code)),
    },
    Pass {
        name: "drop_implied_continues",
        needs: Contents::LOOPS,
        place: "behind all passes that read `continue`",
        run: Run::Tree(|block, context| refine::drop_implied_continues(block, &context.words())),
    },
    Pass {
        name: "place_words",
        needs: Contents::JUMPS.and(Contents::REGIONS),
        place: "behind the dropping of implied ends: what the source has of them comes back",
        run: Run::Tree(|block, context| refine::place_words(block, &context.words())),
    },
    Pass {
        name: "join_with_items",
        needs: Contents::MANAGERS,
        place: "behind the dropping of implied ends, which may stand behind the inner statement",
        run: Run::Tree(|block, context| refine::join_with_items(block, context.function)),
    },
    Pass {
        name: "join_skipped_jumps",
        needs: Contents::JUMPS,
        place: "behind the dropping of implied `continue`: what is left must be spelled",
        run: Run::Tree(|block, context| refine::join_skipped_jumps(block, context.function)),
    },
    Pass {
        name: "count_jumps",
        needs: Contents::JUMPS,
        place: "when each `break` and `continue` stands where it was written, and before what nothing reaches is added",
        run: Run::Tree(|block, context| refine::count_jumps(block, context.function)),
    },
    Pass {
        name: "restore_dead_return",
        needs: Contents::LEFT_OVER,
        place: "in front of the `else` of a last statement: what stands behind that is none",
        run: Run::Tree(|block, context| refine::restore_dead_return(block, context.code, context.function)),
    },
    Pass {
        name: "restore_erased_else",
        needs: Contents::LEFT_OVER,
        place: "behind the dropping of implied ends: whether the last statement is a `return` counts",
        run: Run::Tree(|block, context| refine::restore_erased_else(block, context.code, context.function)),
    },
    Pass {
        name: "name_none_beside_values",
        needs: Contents::JUMPS,
        place: "behind all passes that read `return`: of what is left each is printed",
        run: Run::Tree(|block, context| refine::name_none_beside_values(block, &context.words())),
    },
    Pass {
        name: "join_statements",
        needs: Contents::JOINABLE,
        place: "on the final statements: none comes between two that stand on one line",
        run: Run::Tree(|block, context| refine::join_statements(block, context.function)),
    },
    Pass {
        name: "restore_docstring",
        needs: Contents::BODY,
        place: "on the final statements, before annotations are put in front",
        run: Run::Tree(|block, context| {
            if context.code.flags & flags::OPTIMIZED == 0 && context.scope.options.optimization < 2 {
                let cleaned = compiler(context).is_some_and(|compiler| compiler.cleans_docstrings);
                refine::restore_docstring(block, context.function, cleaned);
            }
        }),
    },
    Pass {
        name: "place_annotations",
        needs: Contents::BODY,
        place: "on the final statements, while their origins tell lines; before marks would be named",
        run: Run::Tree(refine::place_annotations),
    },
    Pass {
        name: "name_temporaries",
        needs: Contents::TEMPORARIES,
        place: "when the last temporary has found its place",
        run: Run::Tree(|block, context| {
            let prefix = &context.scope.options.temp_prefix;
            refine::name_temporaries(block, prefix, |name| context.is_taken(name));
        }),
    },
    Pass {
        name: "restore_annotations",
        needs: Contents::ANNOTATIONS,
        place: "on the final statements of a body",
        run: Run::Tree(|block, context| {
            let texts = context.scope.annotation_texts;
            refine::restore_annotations(block, texts, context.function, context.names);
        }),
    },
    Pass {
        name: "restore_lost_annotations",
        needs: Contents::BODY,
        place: "when all annotations of the body that left one are statements",
        run: Run::Knowing(refine::restore_lost_annotations),
    },
    Pass {
        name: "keep_nested_code",
        needs: Contents::NESTED_CODE.and(Contents::GENERATOR),
        place: "before declarations: what it adds may store names that are not the function's own",
        run: Run::Tree(refine::keep_nested_code),
    },
    Pass {
        name: "restore_mentions",
        needs: Contents::ANYTHING,
        place: "behind the passes that read statements: what it adds is none that runs",
        run: Run::Tree(refine::restore_mentions),
    },
    Pass {
        name: "restore_static_attributes",
        needs: Contents::BODY,
        place: "behind all that reads the methods of a class: what it adds to them is none that runs",
        run: Run::Tree(refine::restore_static_attributes),
    },
    Pass {
        name: "declare",
        needs: Contents::DECLARED,
        place: "last of what adds statements: declarations go to the head of the final body",
        run: Run::Knowing(refine::declare),
    },
    Pass {
        name: "share_lines",
        needs: Contents::NESTED_EXPRESSIONS,
        place: "behind all that adds statements or moves them",
        run: Run::Tree(|block, context| {
            if compiler(context).is_some_and(|compiler| compiler.lines_tell_code_apart) {
                refine::share_lines(block, context.code, context.function);
            }
        }),
    },
    Pass {
        name: "pair_lines",
        needs: Contents::BROKEN_LINES,
        place: "last: where lines break is no matter of what anything does",
        run: Run::Knowing(|block, context, contents| {
            let (function, is_comprehension) = (context.function, is_comprehension(context.code));
            context.scope.note_lines(refine::pair_lines(block, function, contents, is_comprehension));
        }),
    },
];

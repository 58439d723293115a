"""Where bytecode leaves a choice, what people write is printed: these sources come back letter by letter.

The list is long because each of its sources is a case by itself, with the first version whose bytecode tells.
"""

from __future__ import annotations

import ast
import sys
from types import FunctionType
from typing import Any, Dict

import pytest

import depyf

#: With the first version whose bytecode tells: to 3.10 no columns do, nor does a jump test for None.
SOURCES = {
    "a conditional expression that tests another, in front of the end": (
        11,
        """\
def f(a, b, c):
    d = a if (b if c else a.x) else b
    return d
""",
    ),
    "a chained comparison that ends in a conditional expression": (
        8,
        """\
def f(a, b, c):
    d = a in b == (0 if c else a)
""",
    ),
    "a conditional expression as the guard of a case that leaves": (
        10,
        """\
def f(a, b, c):
    match a:
        case None if b if c else a.x:
            raise b
        case {'k': d} if b if c else a.x:
            try:
                raise a
            except KeyError:
                a.g()
        case _:
            b.f()
""",
    ),
    "a statement behind a with, in front of a try that raises": (
        8,
        """\
def f(a, b):
    with a:
        b()
    c = 1
    try:
        raise
    except KeyError:
        b()
""",
    ),
    "a lambda with one constant in several arms": (
        8,
        """\
def f(a):
    return lambda b: (1 if b == 1 else 2 if b <= 8 else 0) if a == 8 else 0
""",
    ),
    "a chained comparison in front of a break at the end": (
        11,
        """\
def f(a, b):
    for c in a:
        if 1 < a < b:
            c.f()
        else:
            b = 1
            break
""",
    ),
    "a break behind a finally that ends in an assertion": (
        10,
        """\
def f(a, b):
    with a:
        while b:
            if a.x:
                try:
                    a.f()
                finally:
                    assert b
                break
""",
    ),
    "a break out of a with": (
        11,
        """\
def f(a, b):
    while True:
        with a.lock:
            if a.x:
                break
            c = a()
        b(c)
""",
    ),
    "a return and a break out of a with in a for": (
        11,
        """\
def f(a, b):
    for c in a:
        with b:
            if c:
                return
            if c.x:
                break
            d = a()
        b(d)
""",
    ),
    "a break out of managers": (
        11,
        """\
def f(a, b):
    while True:
        if b:
            with a as c, b:
                with b.x:
                    c()
                    break
        a(b)
""",
    ),
    "a return out of a with in a for": (
        11,
        """\
def f(a, b):
    for c in a:
        if c:
            with b:
                return
        b(c)
""",
    ),
    "a break out of an asynchronous manager": (
        11,
        """\
async def f(a, b):
    while True:
        async with a:
            if a.x:
                break
            c = await a()
        b(c)
""",
    ),
    "a test that goes on with the loop below a guard": (
        11,
        """\
def f(a, b):
    for c in a:
        match c:
            case [d, e] if d:
                if e:
                    continue
        b(c)
""",
    ),
    "a loop of one round that a body breaks": (
        12,
        """\
def f(a, b, c):
    while True:
        try:
            a()
            if a.x:
                break
        except KeyError:
            b()
        return a
    raise c(a.b)
""",
    ),
    "a with that is left by a break in front of another one": (
        8,
        """\
def f(a, b):
    for c in a:
        with b as d:
            if c:
                d.f()
            break
        break
    return a
""",
    ),
    "a return and a break in a try with finally in an endless loop": (
        12,
        """\
def f(a, b):
    while True:
        try:
            if not b:
                a.log()
                return
            for c in b:
                a.r(c)
        except ValueError:
            a.log()
            break
        finally:
            b.close()
""",
    ),
    "a match of one value": (
        10,
        """\
def f(a, b):
    match a:
        case 1:
            if b:
                a.f()
    return b
""",
    ),
    "a pass behind the last test of a with": (
        13,
        """\
def f(a, b, c):
    with a:
        match b:
            case {'k': d}:
                if c:
                    d.f()
                else:
                    pass
""",
    ),
    "an expression that chooses between what nobody asks for": (
        12,
        """\
def f(a, b, c):
    a.f()
    b.f() if a else ''
    b.f() if a else c.f()
""",
    ),
    "targets of one name on two lines": (
        13,
        """\
def f(a):
    for (b, c, c,
        c) in a:
        b.f(c)
    ((b, c),
        c) = a
""",
    ),
    "a continue in front of a finally in a loop that is left": (
        13,
        """\
def f(a, b):
    for c in a:
        try:
            c.f()
            break
        except KeyError:
            continue
        finally:
            if b:
                b.f()
""",
    ),
    "a return in a handler in front of a finally": (
        12,
        """\
def f(a, b):
    for c in a:
        try:
            c.f()
        except KeyError:
            return
        except ValueError as d:
            return 1
        finally:
            b.f()
    a.f()
""",
    ),
    "a first item that a return behind the loop takes": (
        12,
        """\
def f(a, b):
    try:
        for c in a:
            break
        return c
    except KeyError:
        return b
""",
    ),
    "a finally around one that always leaves": (
        9,
        """\
def f(a, b):
    try:
        try:
            return a
        finally:
            raise
    finally:
        b.f()
""",
    ),
    "handlers that raise again, one behind another statement": (
        8,
        """\
def f(a, b):
    try:
        a.f()
    except KeyError:
        if b:
            b.f()
        raise
    except:
        try:
            a.g()
        except:
            b.g()
        raise
""",
    ),
    "a break out of a handler with a name in a loop that starts another": (
        8,
        """\
def f(a, b):
    while True:
        while a:
            try:
                b.f()
            except KeyError as c:
                break
        b.g()
""",
    ),
    "a break behind a try with an else that ends with a test": (
        11,
        """\
def f(a, b):
    for c in a:
        try:
            c.f()
        except KeyError:
            b.f()
        else:
            b.g()
            if b:
                c.g()
        break
    return b.h()
""",
    ),
    "an end that a break leads to and an else falls into": (
        8,
        """\
def f(a, b):
    for c in a:
        if b(c):
            break
    else:
        d = c
    b.x = a
    return d
""",
    ),
    "a loop that is left on two ways with an end on its own": (
        8,
        """\
def f(a, b):
    while a.f():
        if b(a):
            break
        a.g()
    b.h(a)
    return a
""",
    ),
    "a break that ends a loop": (
        8,
        """\
def f(a, b):
    while a.f():
        if b(a):
            break
    return a.g()
""",
    ),
    "a break in front of an end that is copied to it": (
        10,
        """\
def f(a, b):
    while True:
        try:
            a()
        except OSError:
            b()
        if a:
            break
        b.f()
    return b
""",
    ),
    "the else of a try that ends the function": (
        10,
        """\
def f(a, b):
    while a:
        try:
            c = a[b]
        except KeyError:
            b.append(a.pop())
        else:
            b.insert(0, c)
            return b
    c = a.get('')
    if c is not None:
        b.insert(0, c)
    return c
""",
    ),
    "a global that only comprehensions have a variable of": (
        8,
        """\
def f(a):
    def g():
        return b
    c = [b for b in a]
    return g, [b for b in c if b]
""",
    ),
    "bases of a class that locals hold": (
        8,
        """\
def f(a, b):
    c = [a, *b]
    class D(*c, a.X, a.Y, *b, a.Z):
        e = a
    return D
""",
    ),
    "a return behind a with in a handler": (
        8,
        """\
def f(a, b):
    try:
        c = a(b)
        try:
            with b(c) as d:
                e = d.read()
            return e
        except OSError:
            with b(c, 1) as d:
                e = d.read()
            return e
    except OSError:
        with b(c, 2) as d:
            e = d.read()
        return e
""",
    ),
    "a break in front of a finally that tests": (
        10,
        """\
def f(a, b):
    for c in a:
        try:
            b(c)
            if c:
                break
        finally:
            if b is not None:
                b.f()
""",
    ),
    "a continue in front of a finally that tests": (
        10,
        """\
def f(a, b):
    for c in a:
        try:
            if c:
                continue
            b(c)
        finally:
            if b:
                c.d()
""",
    ),
    "a return in an endless loop behind a try": (
        11,
        """\
def f(a, b):
    while True:
        try:
            c = b(a)
        except BaseException as e:
            if e.f():
                continue
            raise
        while True:
            try:
                a.g()
            except KeyError:
                if e.g():
                    continue
                if e.h():
                    break
                raise
            return c
""",
    ),
    "a method of one of two": (
        8,
        """\
def f(a, b, c):
    return a(b.items() if c else b.values())
""",
    ),
    "one of two attributes that are called": (
        8,
        """\
def f(a, b, c):
    return (a.f if b else a.g)(c)
""",
    ),
    "cases that end alike": (
        12,
        """\
def f(a, b):
    c = a.f()
    match a.g:
        case 'x':
            if b.x:
                c += b.f(a)
                c += b.g(a)
            else:
                c += b.h(a)
        case 'y':
            c += b.f(a)
            c += b.g(a)
        case _:
            b(a)
    return c[0]
""",
    ),
    "a break of a loop in a handler that raises again": (
        12,
        """\
def f(a, b):
    try:
        return b(a)
    except ImportError:
        for c in a:
            try:
                d = b(c)
            except ImportError:
                break
            a(d)
        raise
""",
    ),
    "return None in the else of a return": (
        11,
        """\
def f(a):
    if a:
        return a.b
    else:
        return None
""",
    ),
    "elif behind a return": (
        11,
        """\
def f(a, b, c):
    if a:
        return 1
    elif b:
        return 2
    elif not c:
        return 3
    elif c(1):
        raise c
    if a.b:
        return 4
    d = f(a)
    return d
""",
    ),
    "a return in a handler": (
        11,
        """\
def f(a):
    try:
        return a()
    except OSError:
        return False
""",
    ),
    "a return behind a handler": (
        11,
        """\
def f(a):
    try:
        return a()
    except OSError:
        pass
    return False
""",
    ),
    "None that is named": (
        11,
        """\
def f(a, b):
    if a:
        return None
    if b:
        return
    for c in a:
        if c(b):
            b.x = c
            return None
    a()
""",
    ),
    "constants for two names": (
        14,
        """\
def f(a):
    b, c = -20, 2.5
    a.x, a.y, a.z = 1, 2, 3
    return b, c
""",
    ),
    "tests for None": (
        11,
        """\
def f(a, b, c):
    if a is not None and (b is not None or c is not None):
        raise ValueError(a)
    while a is not None and a < b:
        a = a.f() if c is not None else b
    if a is None or b is not None and c is None:
        return [d for d in a if d is not None]
    return a is not None
""",
    ),
    "formats with a percent sign": (
        11,
        """\
def f(a, b):
    c = '%s and %r%%' % (a.b, b(1) + 2)
    a(b, '%s%s' % (a, b), f'{a!s}{b!s}')
    return c, '%-5s%5.3s%.2s%a' % (a, b, c, not b), f'{a!r:>5}', '%s' % a, '%d' % (a,)
""",
    ),
    "a match that begins with a guard": (
        10,
        """\
def f(a, b):
    match a:
        case _ if not b:
            c = 1
        case 0:
            c = 2
    return c
""",
    ),
    "words that mean the same at the end of a function": (
        11,
        """\
def f(a, b):
    if a.b:
        if a.c:
            pass
        elif a.d:
            return None
        else:
            return
    elif b:
        for c in b:
            if c:
                break
            elif c.d:
                return
    else:
        try:
            a()
        except b:
            return
        except a:
            pass
        except c:
            return None
""",
    ),
    "words that mean the same at the end of a round": (
        11,
        """\
def f(a, b):
    for c in a:
        try:
            a()
        except b:
            continue
        except c:
            pass
    for d in a:
        pass
    with a:
        return
""",
    ),
    "a function of three dots": (
        11,
        """\
def f(a, b):
    ...
""",
    ),
    "a function that returns None": (
        11,
        """\
def f(a, b):
    return None
""",
    ),
    "a last return of nothing": (
        11,
        """\
def f(a, b):
    a(b)
    return
""",
    ),
    "endless loops": (
        12,
        """\
def f(a):
    while 1:
        b = a.f()
        while True:
            b.g()
            if a:
                break
""",
    ),
    "else behind a try that leaves": (
        11,
        """\
def f(a, b):
    if a.b:
        try:
            return a.f()
        except b:
            return -1
    else:
        return -1
""",
    ),
    "elif behind a break": (
        11,
        """\
def f(a, b):
    for c in a:
        if c:
            break
        elif c < b:
            continue
        else:
            c.f()
            c.g()
""",
    ),
    "a constant that the else of a try returns": (
        11,
        """\
def f(a, b):
    try:
        a.f()
    except b:
        return False
    else:
        return True
""",
    ),
    "a return behind a try whose handler leaves": (
        11,
        """\
def f(a, b):
    c = a
    try:
        for d in b:
            c = d
    except a.b:
        b.f()
        raise
    return c
""",
    ),
    "imports and deletions on one line": (
        8,
        """\
def f(a, b):
    import os, sys as c
    import re
    del a, b.c, c[0]
    del os
    del sys, re
""",
    ),
    "a break in a try with finally, in a try": (
        10,
        """\
def f(a):
    try:
        for b in a:
            try:
                c = 5
                if b > 0:
                    break
                c = 8
            finally:
                b.f()
    except KeyError:
        d = c
    return d
""",
    ),
    "an if in an if": (
        11,
        """\
def f(a, b, c):
    for d in a:
        if d:
            if b.f(d):
                c.append(d)
        elif c:
            if a or not b:
                if not b.g() and c.h():
                    c.pop()
        if a and b and c:
            a.f()
""",
    ),
    "what a not stands in front of": (
        11,
        """\
def f(a, b, c):
    if not (a and b(c)):
        a()
    if not a or not b(c):
        b()
    while not (a.b or c) and a:
        if not a.b and not c:
            a(not (b and c))
        elif not (a < b or c and b):
            c()
    if a and not (b or c(a)) or b:
        c(1)
    return b if not (a and c == 1) else c
""",
    ),
    "a comparison with None beside a negation": (
        11,
        """\
def f(a, b, c):
    if a is not None and not b:
        a()
    if a is None or not b(c):
        b()
    if not (a is None or b):
        c()
    if not (a is not None and b):
        a(1)
""",
    ),
    "an elif that negates": (
        11,
        """\
def f(a, b):
    for c in a:
        if a(c):
            b()
        elif b(c):
            pass
        elif not c:
            raise a
    a.b()
""",
    ),
    "a None that leaves a handler with a name": (
        11,
        """\
def f(a, b):
    try:
        return a(b)
    except ValueError as e:
        if e.b:
            return None
        if e.a:
            return
        raise
""",
    ),
    "a width that is too long for an f-string": (
        8,
        """\
def f(a, b):
    return '%200s: %s' % (a, b)
""",
    ),
    "a break in front of handlers that go round the loop": (
        11,
        """\
def f(a, b):
    while True:
        try:
            a.b(b)
            if a.a:
                break
            b()
        except KeyError:
            a()
        except ValueError:
            raise
""",
    ),
    "an elif of what begins with a not": (
        11,
        """\
def f(a, b):
    if not a or a == b:
        c = b.x
        return c
    elif a not in b.y:
        return False
    else:
        a.z()
        return a in b
""",
    ),
    "tests that begin with a not, one below the other": (
        11,
        """\
def f(a, b):
    if not a.b(b):
        raise a
    if not b.a(a):
        raise b
    if not a or b:
        if not a(b):
            raise a
    a.c()
""",
    ),
    "an else that returns out of another": (
        11,
        """\
def f(a, b):
    try:
        c = a[b]
    except KeyError:
        return b
    else:
        d = c()
        if d is None:
            return b
        else:
            return d
""",
    ),
    "breaks out of an endless loop to a return that names None": (
        11,
        """\
def f(a, b):
    while True:
        c = a()
        if c:
            if b:
                return c
        if c is b:
            break
        b = c
        if b.d:
            if not a.e:
                break
            b = a.e
        c.f(b)
    return None
""",
    ),
    "pass in a handler of an endless loop that only returns": (
        8,
        """\
def f(a, b):
    while True:
        try:
            b.h()
            try:
                while True:
                    c = a()
                    if c is b:
                        b.f()
                        return
                    b = c
            except IndexError:
                pass
        except ValueError as d:
            b.g(d)
""",
    ),
    "an else that returns what a not gives": (
        11,
        """\
def f(a, b):
    if a is not None:
        return a.b(b)
    else:
        return not b.a
""",
    ),
    "groups whose value is used": (
        8,
        """\
def f(a, b, c, d):
    a.x = (a and b or c) and d or a.y
    a.y = b and (a and b or c) and d or a.x
    a.z = (a if b else c or d) and a.y or a.x
    return not (not a or not b) and c
""",
    ),
    "a group in a finally": (
        8,
        """\
def f(a, b, c):
    try:
        a.f()
    finally:
        (a and b or c).close()
    while a:
        try:
            b.f(a)
        finally:
            b.g(a and b or c)
""",
    ),
    "displays in keys that are read and stored to": (
        8,
        """\
def f(a, b):
    a[:, [1, 2]] += b
    a[[]] += b
    a[:, [b.x, 3], b.f()] -= b
""",
    ),
    "a starred key that is read and stored to": (
        11,
        """\
def f(a, b):
    a[:, *b] /= b.x
""",
    ),
    "displays that are returned in a with": (
        8,
        """\
def f(a, b, c):
    with a:
        return [{b: 1}, c.d], {c, b.x}, a.y
""",
    ),
    "a cause that several ways make": (
        8,
        """\
def f(a, b, c):
    raise a from b and c if a.x else c.y
""",
    ),
    "a return that a finally overrides": (
        11,
        """\
def f(a, b):
    try:
        a.f()
    except ValueError:
        return
    finally:
        return b or a.x
""",
    ),
    "a finally that leaves on one of its ways": (
        8,
        """\
def f(a, b, c):
    try:
        a.f()
    finally:
        with b:
            if c:
                return
    a.g()
""",
    ),
    "a test in the body of the last case": (
        11,
        """\
def f(a, b):
    with b:
        match a.x:
            case int():
                b()
            case other:
                assert b, other
    match a:
        case int():
            b()
        case other:
            if b:
                a()
            other()
""",
    ),
    "a test in the body of the only case": (
        11,
        """\
def f(a, b):
    for c in a:
        match c:
            case [x]:
                if b:
                    raise
        return
""",
    ),
    "a loop in the body of the last case": (
        11,
        """\
def f(a, b):
    match a:
        case int():
            b()
        case other:
            while b.x:
                other()
            else:
                return
""",
    ),
    "values of groups whose last operand is negated": (
        8,
        """\
def f(a, b, c, d, e):
    x = (a and (b or not c) or d) and e
    y = (a and not b or c) and d
    return (a and (not b or c) or not d) and e, x, y
""",
    ),
    "values that handlers return, on several ways": (
        11,
        """\
def f(a, b, c):
    try:
        a()
    except ValueError:
        return a < b <= c
    except OSError:
        return a and b and (c if a.x else b.x)
""",
    ),
    "a guard with a test for None behind a pattern that always matches": (
        11,
        """\
def f(a, b, c):
    match a:
        case x if b is not None and c:
            b(x)
        case y:
            b(2)
""",
    ),
    "a loop that is left by its test, a break and a return in a with": (
        13,
        """\
def f(a, b):
    with a:
        while b:
            if a.x:
                return
            if a.y:
                break
        c()
""",
    ),
    "a return behind a finally in statements around it": (
        8,
        """\
def f(a, b):
    with a:
        try:
            for c in a:
                try:
                    b()
                finally:
                    a()
                return
        except OSError as error:
            try:
                b(error)
            finally:
                a()
            return
    b()
""",
    ),
    "arms of conditional expressions that are groups": (
        8,
        """\
def f(a, b, c, d, e):
    x = ((a if c else d or e) or b) and d.x
    y = a.f or (b or c if d else e)
    return y or x
""",
    ),
    "a continue behind a conditional expression": (
        11,
        """\
def f(a, b, c, d):
    for e in a:
        if b or c(e) if d else c(b):
            continue
        a.append(e)
""",
    ),
    "patterns of several parts at the ends of loops": (
        11,
        """\
def f(a, b):
    with a:
        for x in b:
            match x:
                case [1, 1, 'a']:
                    c()
""",
    ),
    "returns of constants in a coroutine": (
        11,
        """\
async def f(a):
    await a
    if a.x:
        return 1
    return 2
""",
    ),
    "returns in an asynchronous generator": (
        11,
        """\
async def f(a):
    yield a
    if a.x:
        return
    return
""",
    ),
    "a return with nested code behind a return in a with": (
        11,
        """\
def f(a):
    if not a:
        with b:
            return None
    return sum(c for d in a if d)
""",
    ),
    "a return with nested code behind a return in a finally": (
        11,
        """\
def f(a):
    if a.x == 'a':
        try:
            if b:
                return
        finally:
            c()
    return lambda: a
""",
    ),
    "a return with nested code in a try": (
        11,
        """\
def f(a):
    try:
        if a:
            b()
        elif c:
            return
        return any(d for d in a if e)
    except ValueError:
        g()
""",
    ),
    "a test in the body of the only case in front of another match": (
        11,
        """\
def f(a, b):
    match a:
        case {'x': x}:
            if x:
                raise
    match b:
        case [x]:
            a(x)
""",
    ),
    "a finally body with default values": (
        8,
        """\
def f(a, b):
    try:
        a()
    finally:
        a(b, lambda c, d=1, e=-0.0: c)
    return a.f(b)
""",
    ),
    "a guard of the last case in a loop in a try": (
        11,
        """\
def f(a, b):
    try:
        for c in a:
            match c:
                case str():
                    a()
                case d if b:
                    b(d)
    except ValueError:
        b()
""",
    ),
    "a return in a loop in a try with handlers and finally": (
        8,
        """\
def f(a, b):
    try:
        while a.f:
            if a == b:
                a(b)
            elif b(a):
                return a
    except ValueError:
        b()
    finally:
        a.g()
    return b
""",
    ),
    "a body that is tried until it ends": (
        8,
        """\
def f(a, b):
    while True:
        try:
            a()
            break
        except:
            b()
    a(b)
""",
    ),
    "a break behind a statement that drops an iterator in a try": (
        8,
        """\
def f(a, b):
    while True:
        a()
        try:
            for c in b:
                if a(c):
                    with b as d:
                        a(d)
                    break
                try:
                    a(2)
                except KeyError:
                    a(3)
                break
        except ValueError as e:
            a(e)
""",
    ),
    "an end that is copied as a whole and ends with a return that is copied more often": (
        8,
        """\
def f(a, b, c):
    if a:
        d = b(c)
        a.f and a.g(d)
        b[d] = (a, b, c)
        b(a.c)
    else:
        d = None
        b and c()
    return d
""",
    ),
    "guards of several tests in front of a default": (
        10,
        """\
def f(a, b):
    match a:
        case _ if a.c and not a.d:
            b.f(a)
        case _ if a.d and a.c:
            b.g(a)
        case _:
            b.h(a)
""",
    ),
    "a test in the last case with a guard": (
        11,
        """\
def f(a, b):
    for c in a:
        match c:
            case d if b(d):
                a.f(1)
            case d if a.g(d):
                if a.x:
                    b.f(2)
""",
    ),
    "a conditional expression with a negated arm": (
        8,
        """\
def f(a, b, c):
    if a if b else not c:
        a()
    else:
        b()
    if not a if b else c:
        b()
    else:
        c()
""",
    ),
    "a negated assertion of memberships": (
        8,
        """\
def f(a, b, c):
    assert not (a in b or c), a
    a()
    if b:
        assert not (c or a is b)
        return
    c()
""",
    ),
    "a default behind cases that leave, in a loop": (
        11,
        """\
def f(a, b):
    for c in a:
        match c:
            case [1, d]:
                d()
                continue
            case 2:
                return c
            case _:
                a.f()
        b(c)
""",
    ),
    "a default that raises": (
        11,
        """\
def f(a):
    match a:
        case 1:
            return 'a'
        case [b, 2]:
            return b
        case _:
            raise ValueError(a)
""",
    ),
    "a default that returns None by name": (
        11,
        """\
def f(a, b):
    match a:
        case b.x if b.x >= 0:
            return True
        case b.x if b.x < 0:
            return False
        case _:
            return None
""",
    ),
    "a match behind an if that leaves": (
        11,
        """\
def f(a, b):
    for c in a:
        if b(c) or b.x:
            d = c
        else:
            return
        match d:
            case b.y(x=0) if c:
                a.f()
""",
    ),
    "an end behind tests in a handler in a handler": (
        8,
        """\
def f(a, b):
    try:
        a.f()
    except ValueError:
        try:
            a.g()
        except KeyError:
            if b:
                b.f()
            elif b.x:
                b.g()
            elif b.y:
                b.h()
    return a
""",
    ),
    "a break behind an else that returns": (
        11,
        """\
def f(a, b):
    for c in a:
        if b(c):
            b.f()
        else:
            return
        break
    b.g()
""",
    ),
    "what stands behind a match of which one case goes on": (
        11,
        """\
def f(a, b):
    match a:
        case 1:
            b.f()
        case [c, 2]:
            return c
        case _:
            return b
    b.g()
    b.h()
""",
    ),
    "a break behind a match of which one case goes on": (
        11,
        """\
def f(a, b):
    for c in a:
        match c:
            case 1:
                b.f()
            case 2:
                continue
            case _:
                return
        break
    b.g()
""",
    ),
    "cases that continue alone": (
        11,
        """\
def f(a, b):
    for c in a:
        match c:
            case 1:
                b.f()
            case 2:
                pass
            case 3:
                continue
            case _:
                continue
        b.g()
    b.h()
""",
    ),
    "a return in front of what falls off the end of a try with finally": (
        8,
        """\
def f(a, b):
    try:
        if not a.f():
            a.g(1)
            return
        b = a.h
        a.g(b)
    finally:
        a.i = False
        a.g(2)
""",
    ),
    "tests that lead past a body that does nothing": (
        10,
        """\
def f(a, b):
    for c in a:
        if not b and c:
            pass
""",
    ),
    "tests of which one alone leads to a body that does nothing": (
        10,
        """\
def f(a, b):
    for c in a:
        if b or c:
            pass
""",
    ),
    "chains in front of tests of bodies that do nothing": (
        8,
        """\
def f(a, b, c):
    for d in a:
        if a == b and b == c == d and d.f == b:
            pass
        elif a == d and b == c == d and d.f == a:
            pass
        else:
            d.g()
        d.h()
""",
    ),
    "a constant returned from a loop in front of a finally that ends with an if": (
        8,
        """\
def f(a, b):
    for c in a:
        try:
            if c:
                return 1
            c.f()
        finally:
            if b:
                c.g()
""",
    ),
    "a constant returned in a try and one behind its finally": (
        11,
        """\
def f(a, b):
    try:
        if a:
            a.f()
        else:
            return False
    finally:
        if b:
            b.g()
    return True
""",
    ),
    "code behind an if whose else continues, below targets that are not unpacked": (
        11,
        """\
def f(a, b):
    for c in a:
        d, e = {}, c
        if c:
            for g in c:
                break
        else:
            continue
        if b:
            b(d, e)
""",
    ),
    "an assignment of several values at the head of a loop": (
        11,
        """\
def f(a, b):
    for c in a:
        d, e = False, {}
        if c:
            for g in b:
                g(e)
        else:
            continue
        if e:
            return d
""",
    ),
    "a return that runs a finally in a loop in a with": (
        11,
        """\
def f(a, b):
    with a:
        while a.f():
            try:
                if b(a):
                    b.f()
                else:
                    b.g()
                    return None
            finally:
                b.h()
        b()
        return None
""",
    ),
    "a return and a break in an endless loop in a with": (
        13,
        """\
def f(a, b):
    with a:
        while True:
            a.f()
            if b.x:
                return
            a.g()
            if b.y:
                break
        b()
""",
    ),
    "a return in a handler in a loop in a with": (
        11,
        """\
def f(a, b):
    with a:
        while a.f():
            try:
                b(a)
            except ValueError:
                b.f()
                return
        b()
        return
""",
    ),
    "a break and a return in the last loop in a with": (
        11,
        """\
def f(a, b):
    with a:
        for c in a.f():
            if b(c):
                break
            if c:
                return
""",
    ),
    "breaks in front of another that ends the function": (
        13,
        """\
def f(a, b):
    for c in a:
        for d in c:
            if d.x():
                continue
            if d is c:
                break
            d.y()
            break
        else:
            b.add(c)
            continue
        break
    else:
        b.z()
""",
    ),
    "a continue in a case, in front of an end that all other ways come to": (
        11,
        """\
def f(a, b):
    for c in a:
        match c:
            case 1:
                if b(c):
                    continue
            case 2:
                b.f()
                continue
        raise ValueError(c)
""",
    ),
    "an endless loop that starts with an endless one, in a try": (
        8,
        """\
def f(a, b):
    while True:
        while True:
            try:
                if a.f():
                    break
            except KeyError:
                pass
            b.f()
        b.g()
""",
    ),
    "an endless loop that starts with an endless one, and what goes round in both": (
        8,
        """\
def f(a, b):
    while True:
        while True:
            if a.f():
                break
            if a.g():
                continue
            b.f()
        if b.g():
            continue
        b.h()
""",
    ),
    "an assert that is the else of a try in a loop": (
        11,
        """\
def f(a, b):
    for c in a:
        try:
            c.f()
        except KeyError:
            b.f()
        else:
            assert c and b, a
""",
    ),
    "a function that is the else of a try in a loop": (
        11,
        """\
def f(a, b):
    for c in a:
        try:
            c.f()
        except KeyError:
            b.f()
        else:
            @b
            def g():
                return b
""",
    ),
    "a class that is the else of a try in a loop": (
        11,
        """\
def f(a, b):
    for c in a:
        try:
            c.f()
        except KeyError:
            b.f()
        else:
            class D(b):
                x = 1
""",
    ),
    "statements of a coroutine that are the else of a try in a loop": (
        11,
        """\
async def f(a, b):
    for c in a:
        try:
            c.f()
        except KeyError:
            b.f()
        else:
            async with b as d:
                d.f()
    while a:
        try:
            c.f()
        except KeyError:
            b.f()
        else:
            async for d in b:
                d.f()
""",
    ),
    "two returns of a constant out of a loop in a try with a finally": (
        12,
        """\
def f(a, b):
    try:
        for c in a:
            if c and not b:
                if a.f:
                    return False
            else:
                return False
    finally:
        b.g()
""",
    ),
    "a break out of a loop in a with, whose else raises": (
        8,
        """\
def f(a, b):
    with a.f() as c:
        for d in c:
            try:
                if d.g():
                    break
            except KeyError:
                b.f()
        else:
            raise b
    return 1
""",
    ),
    "a name for whatever is left": (
        10,
        """\
def f(a, b):
    match a:
        case 1 | 2:
            b.f()
        case _ as c:
            b.g(c)
    match (a, b):
        case [1, _]:
            b.f()
        case d:
            b.g(d)
""",
    ),
    "a break behind a try with an else, in a loop of one round": (
        11,
        """\
def f(a, b):
    for c in a:
        try:
            b.f()
        except KeyError as d:
            b.g(d)
        else:
            b.h()
        break
    for c in a:
        try:
            b.f()
        except KeyError:
            b.g()
        else:
            b.h()
        break
    return b
""",
    ),
    "a break behind a try with an else, in the last loop": (
        11,
        """\
def f(a, b):
    for c in a:
        try:
            b.f()
        except KeyError as d:
            b.g(d)
        else:
            b.h()
        break
""",
    ),
    "a continue at the end of a while": (
        10,
        """\
def f(a, b):
    while a:
        b.f()
        if a.f():
            b.g()
        continue
    while b:
        a.f()
        continue
    return a
""",
    ),
    "an expression in front of a return in a try with a finally": (
        10,
        """\
def f(a, b):
    try:
        a and b.f()
        return 1
    finally:
        b.g()
""",
    ),
    "a continue in a handler in front of a raise": (
        12,
        """\
def f(a, b):
    for c in a.items:
        try:
            a.go(c)
        except ValueError as d:
            if a.may_wait(b):
                e = a.more(d)
                if e:
                    a.sleep()
                    continue
            raise d
    return b
""",
    ),
    "a break behind a nested test in a try": (
        12,
        """\
def f(a, b):
    while a.active:
        try:
            if a.is_retry():
                c = a.more()
                if c:
                    a.sleep()
                    continue
            break
        except ValueError as d:
            a.failed()
    return b
""",
    ),
    "the same with a finally, whose copies tell": (
        12,
        """\
def f(a, b):
    while a.active:
        try:
            if a.is_retry():
                c = a.more()
                if c:
                    a.sleep()
                    continue
            break
        except ValueError as d:
            raise d
        finally:
            a.end()
    return b
""",
    ),
    "a case that may return in front of one that does": (
        10,
        """\
def f(a, b):
    match a.b:
        case a.x:
            if not b.f(a):
                return None
        case a.y:
            if b is not None:
                return None
        case _:
            return None
    return b.g(a)
""",
    ),
    "a break behind a finally in a handler": (
        11,
        """\
def f(a, b):
    for c in a:
        try:
            c()
        except KeyError:
            try:
                a.f()
            finally:
                b.f()
            break
        b.g()
""",
    ),
    "a break behind a finally around a with that breaks": (
        11,
        """\
def f(a, b):
    for c in a:
        try:
            with b as d:
                break
        finally:
            a.f()
        break
""",
    ),
    "returns of None in a handler and behind the loop": (
        11,
        """\
def f(a, b):
    for c in a:
        if c.x == b:
            try:
                return a.f(c)
            except KeyError:
                return None
    return None
""",
    ),
    "a continue behind a while that ends by its test": (
        10,
        """\
def f(a, b):
    while a:
        if a.x:
            while a.f() != b:
                b.g()
            continue
        b.f()
    return a
""",
    ),
    "a store that the next target of a chain overwrites": (
        8,
        """\
def f(a, b, c):
    a, b = b = c
    a, *b = b = a.f()
    a, (b, c) = c = b
    return a, b, c
""",
    ),
    "a return behind a try in a for of one round": (
        11,
        """\
def f(a, b):
    with a as c:
        for d in b:
            try:
                c.f(d)
            except KeyError:
                c.g(d)
            return
        c.h()
""",
    ),
    "a return behind a try with an else in a for of one round": (
        12,
        """\
def f(a, b):
    with a as c:
        for d in b:
            try:
                c.f(d)
            except KeyError as e:
                c.g(e)
            else:
                c.i(d)
            return
        c.h()
""",
    ),
    "a break behind a finally around a return": (
        10,
        """\
def f(a, b):
    for c in a:
        try:
            with b as d:
                d.f(c)
                return
        finally:
            b.g()
        break
    b.h()
""",
    ),
    "a break behind a continue in the last loop of another": (
        10,
        """\
def f(a, b):
    for c in a:
        while b.f():
            if c == b.x:
                continue
            b.g(c)
            break
""",
    ),
    "a break behind a continue in the last loop of another, in a try": (
        10,
        """\
def f(a, b):
    while a:
        while b.f():
            if b.x:
                continue
            try:
                b.g()
                break
            finally:
                b.h()
""",
    ),
    "a return in a finally in two loops": (
        11,
        """\
def f(a, b):
    for c in a:
        for d in c:
            try:
                d.f()
                return
            finally:
                b.g()
        b.h()
""",
    ),
    "a return behind a finally in two loops": (
        11,
        """\
def f(a, b):
    for c in a:
        for d in c:
            try:
                d.f()
            finally:
                b.g()
            return
        b.h()
""",
    ),
    "a return behind a with around a try whose handler goes on": (
        10,
        """\
def f(a, b):
    for c in a:
        with b as d:
            try:
                d.f(c)
            except KeyError:
                if d.g():
                    continue
            else:
                d.h()
        return
""",
    ),
    "a return behind a finally around a break": (
        10,
        """\
def f(a, b):
    for c in a:
        if c.x:
            continue
        try:
            with b as d:
                d.f(c)
                break
        finally:
            b.g()
        return
    b.h()
""",
    ),
    "an else that continues behind a loop with a break": (
        10,
        """\
def f(a, b):
    for c in a:
        while b.f():
            if c == b.x:
                break
            b.g(c)
        else:
            continue
        b.h(c)
""",
    ),
    "a case of None alone": (
        11,
        """\
def f(a, b):
    match a:
        case None:
            b.f()
    if a is None:
        b.g()
    return [a for a in b if b.x is None]
""",
    ),
    "a case of None with a guard": (
        11,
        """\
def f(a, b):
    for c in a:
        match c.x:
            case None if b:
                b.f()
""",
    ),
    "an assert in the last case": (
        10,
        """\
def f(a, b):
    match a:
        case [c, 1] if b:
            assert c, b
    match b:
        case 1:
            assert a
""",
    ),
    "an assert of several in the last case": (
        12,
        """\
def f(a, b):
    for c in a:
        match c:
            case [d, 1] if b or d:
                assert d or b.x, c
""",
    ),
    "a guard that begins with a local of the pattern": (
        11,
        """\
def f(a, b):
    match a:
        case [c, d] if d and b or a.f():
            return c
""",
    ),
    "an assert in an if of several": (
        12,
        """\
def f(a, b):
    for c in a:
        if b or c:
            assert c.x or b.x, c
""",
    ),
    "a match that only one case does not leave": (
        11,
        """\
def f(a, b):
    while a:
        match b.f():
            case 1:
                while b.x:
                    b.g()
            case _:
                raise KeyError(b)
        a, b = b.h(), a.x
""",
    ),
    "what follows a match with a continue": (
        11,
        """\
def f(a, b):
    while a:
        match b:
            case 's':
                break
            case 1 if a.f():
                continue
        a, b = b.g(), a.x
""",
    ),
    "a default behind a case that continues": (
        10,
        """\
def f(a, b):
    for c in a:
        match c:
            case 1:
                b.f()
                continue
            case [c, 2]:
                b.g(c)
            case _:
                b.h()
""",
    ),
    "a default where all cases leave": (
        10,
        """\
def f(a, b):
    match a:
        case 1:
            return b
        case 2:
            return b.x
        case _:
            raise KeyError(a)
""",
    ),
    "no default where all cases leave": (
        10,
        """\
def f(a, b):
    match a:
        case 1:
            return b
        case 2:
            return b.x
    raise KeyError(a)
""",
    ),
    "what follows a match whose last case leaves": (
        10,
        """\
def f(a, b):
    match a:
        case 1:
            b()
        case _:
            return 1
    a.b = b
""",
    ),
    "what follows a match whose first case does nothing": (
        10,
        """\
def f(a, b):
    match a:
        case 1:
            pass
        case _:
            return
    a.b()
""",
    ),
    "one statement behind both arms of an if": (
        11,
        """\
def f(a, b):
    if a:
        b.x()
    else:
        b.y()
    b()
""",
    ),
    "a continue out of a with": (
        9,
        """\
def f(a, b):
    for c in a:
        with b:
            if c:
                continue
            c.x(1)
""",
    ),
    "a match whose only case is a name with a guard": (
        10,
        """\
def f(a, b):
    match a.f():
        case c if c:
            b.f(c)
    return b
""",
    ),
    "a match whose only case is anything with a guard": (
        10,
        """\
def f(a, b):
    match a:
        case _ if b:
            b.f(a)
    return b
""",
    ),
    "a match of a name with a guard and a default": (
        10,
        """\
def f(a, b):
    match a:
        case c if c.x:
            b.f(c)
        case _:
            b.g()
""",
    ),
    "an assertion behind the guard of the last case": (
        10,
        """\
def f(a, b):
    match a:
        case 1 if b:
            assert b.x or a
    return b.f()
""",
    ),
    "a chain in front of bodies that do nothing": (
        10,
        """\
def f(a, b, c):
    if a < b < c:
        pass
    return b
""",
    ),
    "sets of unpacked tuples": (
        9,
        """\
def f(a):
    b = {*('x', 'y', 'z')}
    return b, {'x', 'y', 'z', *a}
""",
    ),
    "arms that raise in front of a last test": (
        14,
        """\
def f(a, b, c):
    try:
        while a:
            if b:
                a.x = b.x or c
                c = a.x
            else:
                raise KeyError(b)
            if c:
                b.f()
    except ValueError as e:
        c.f(e)
""",
    ),
    "a return in a handler of a loop": (
        11,
        """\
def f(a, b, d):
    for c in a:
        try:
            b(c)
        except ValueError:
            if d:
                return
""",
    ),
    "a handler that does nothing beside an else": (
        11,
        """\
def f(a):
    try:
        b = a.x
    except AttributeError:
        pass
    else:
        del a.y
        b()
""",
    ),
    "a handler that returns beside an else": (
        11,
        """\
def f(a):
    try:
        b = a.x
    except AttributeError:
        return
    else:
        del a.y
        b()
""",
    ),
    "a loop whose test is a conditional with a negated arm": (
        10,
        """\
def f(a, b, c):
    while a if b else not c():
        a()
    return [d for d in a if d]
""",
    ),
    "a return in a loop in a with": (
        11,
        """\
def f(a, b, c):
    with c as d:
        while d.x:
            if a:
                b()
                return
        d.y()
    a()
""",
    ),
    "a break in a loop of one round around a try": (
        10,
        """\
def f(a, b, c):
    while True:
        try:
            a.x()
        except KeyError:
            break
        except ValueError:
            b()
        return c
    b.y()
""",
    ),
    "a break and a return in a with in a loop": (
        12,
        """\
def f(a, b, c):
    for a in b:
        with c as d:
            if d == 1:
                break
            elif d:
                return
        a()
    b()
""",
    ),
    "a call on the line behind one with two equal functions": (
        8,
        """\
def f(a):
    b, c = lambda: a, lambda: a
    a.x(b, c)
    return b
""",
    ),
    "a break behind an if that stores in both arms": (
        8,
        """\
def f(a, b, c):
    for d in a:
        if b(d):
            if c(d):
                if d == 'a':
                    b = c(d, 'a')
                else:
                    b = d[:-1]
            break
    return b
""",
    ),
    "a continue behind a loop in a with": (
        8,
        """\
def f(a, b, c):
    for d in a:
        with b(d) as e:
            if not e:
                for d in c:
                    if e.a(d):
                        b(e)
                        break
                continue
            c = False
            if e.c('l'):
                c = True
""",
    ),
    "parameters of underscores alone": (
        8,
        """\
def f(_, __, ___, a):
    return 1 + max([0, *a, *[max(b) for b in a.c()]])
""",
    ),
    "a loop behind an else that leaves in a handler": (
        8,
        """\
def f(a, b, c):
    try:
        a()
    except ValueError as d:
        if a:
            if b:
                c = 1
            else:
                raise a
            while c:
                if b:
                    a(d)
        b()
""",
    ),
    "alternatives with a guard in front of a case that takes all": (
        11,
        """\
def f(a, b):
    match a:
        case 1 | 2 if b:
            pass
        case c:
            pass
""",
    ),
    "an inner match that takes all and leaves": (
        10,
        """\
def f(a, b):
    match a:
        case []:
            match b:
                case 1:
                    return 2
                case c:
                    return c
        case str():
            pass
    b.f()
""",
    ),
    "a handler that goes on with the loop around its loop": (
        11,
        """\
def f(a, b):
    while True:
        try:
            while a:
                a.f()
        except KeyError:
            continue
        b()
""",
    ),
    "a raise behind a with that goes on with the loop": (
        8,
        """\
def f(a, b):
    while a:
        with b:
            continue
        raise KeyError
    a.f()
""",
    ),
    "a return behind a with in a loop": (
        11,
        """\
def f(a, b):
    try:
        while True:
            if a:
                with a:
                    a.f()
            elif b:
                continue
            else:
                break
            return b.f()
        b.g()
    except KeyError:
        pass
    a.h()
""",
    ),
    "an endless loop in front of a break": (
        8,
        """\
def f(a, b):
    while a:
        if b:
            while True:
                try:
                    c = b.f()
                except KeyError:
                    break
            a.f(b)
            break
    a = a.g()
""",
    ),
    "a return in the body of an except*": (
        11,
        """\
def f(a, b):
    try:
        if a:
            return
    except* ValueError:
        b()
    return
""",
    ),
    "an endless loop of nothing in a handler": (
        8,
        """\
def f(a):
    try:
        a()
    except:
        while True:
            pass
""",
    ),
    "a return of a loop in a handler in front of a finally": (
        11,
        """\
def f(a, b):
    try:
        try:
            a()
        except KeyError:
            for c in b:
                if c:
                    return
        a.f()
    finally:
        b.f()
""",
    ),
    "a mapping that is unpacked behind fewer pairs": (
        9,
        """\
def f(a):
    return {a.x: 1, a.y: 2, **{a.z: 3}}
""",
    ),
    "a return of nothing beside one of a value": (
        8,
        """\
def f(a, b):
    if a:
        return None
    for c in b:
        if c:
            return None
        a(c)
    return b
""",
    ),
    "a return of nothing in a function without values": (
        8,
        """\
def f(a, b):
    if a:
        return
    b()
""",
    ),
    "a return of nothing in a try behind two ways": (
        8,
        """\
def f(a, b):
    try:
        if b:
            a.f(b)
        else:
            a.g(b)
        return
    except KeyError:
        b()
""",
    ),
    "a return of a constant in a try behind two ways": (
        8,
        """\
def f(a, b):
    try:
        if b:
            a.f(b)
        else:
            a.g(b)
        return True
    except KeyError:
        return False
""",
    ),
    "a return of a local in a try behind two ways": (
        8,
        """\
def f(a, b):
    try:
        if b:
            a.f(b)
        else:
            a.g(b)
        return a
    except KeyError:
        return False
""",
    ),
    "a return behind a try with two ways": (
        8,
        """\
def f(a, b):
    try:
        if b:
            a.f(b)
        else:
            a.g(b)
    except KeyError:
        return False
    return True
""",
    ),
    "a return of a handler in an endless loop": (
        11,
        """\
def f(a, b):
    while True:
        try:
            c = a.pop()
        except KeyError:
            return
        b(c)
""",
    ),
    "a break of a handler in an endless loop": (
        11,
        """\
def f(a, b):
    while True:
        try:
            c = a.pop()
        except KeyError:
            break
        b(c)
""",
    ),
    "a test in an except* that ends the function": (
        11,
        """\
def f(a, b, c):
    try:
        if a:
            b()
    except* ValueError:
        pass
""",
    ),
    "a with in an except* that ends the function": (
        11,
        """\
def f(a, b, c):
    try:
        with a:
            b()
    except* ValueError:
        c()
""",
    ),
    "a loop in an except* that ends the function": (
        11,
        """\
def f(a, b, c):
    try:
        for d in a:
            b(d)
    except* ValueError:
        pass
    except* KeyError as e:
        c(e)
""",
    ),
    "a match in an except* that ends the function": (
        11,
        """\
def f(a, b, c):
    try:
        match a:
            case 1:
                b()
            case 2:
                c()
    except* ValueError:
        c()
""",
    ),
    "a continue behind a loop of one round in a with": (
        12,
        """\
def f(a, b, c):
    for d in a:
        with b:
            if d:
                pass
            else:
                for e in c:
                    break
                continue
""",
    ),
    "a continue behind a loop of one round on one way": (
        12,
        """\
def f(a, b, c):
    for d in a:
        with b:
            if d:
                c()
            else:
                for e in c:
                    break
                continue
""",
    ),
    "a raise behind a condition with a chain": (
        11,
        """\
def f(a, b, c):
    while a:
        if b or c < 2 <= a:
            raise
""",
    ),
}


@pytest.mark.parametrize("count", [17, 18, 35, 36])
def test_a_dict_of_more_pairs_than_are_made_at_once(count: int) -> None:
    pairs = "".join(f"        a.x{at}: {at},\n" for at in range(count))
    source = f"def f(a):\n    return {{\n{pairs}    }}\n"
    assert tree_of(depyf.decompile(made_of(source))) == tree_of(source)


@pytest.mark.parametrize("count", [30, 31, 61])
def test_a_call_with_more_arguments_than_lie_on_the_stack(count: int) -> None:
    arguments = "".join(f"        b.x{at},\n" for at in range(count))
    source = f"def f(a, b):\n    return a(\n{arguments}    )\n"
    assert tree_of(depyf.decompile(made_of(source))) == tree_of(source)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="`continue` in its place compiles to the same")
def test_a_body_that_does_nothing_in_a_handler_in_front_of_a_break() -> None:
    source = """\
def f(a, b, c):
    while a:
        if b:
            try:
                b.x = 1
            except ValueError as d:
                if d.args:
                    pass
                else:
                    break
        else:
            c()
    c.x()
"""
    function = made_of(source)
    assert depyf.decompile(function) == source
    assert depyf.verify(function, source)


@pytest.mark.parametrize("name", SOURCES)
def test_comes_back_as_it_was_written(name: str) -> None:
    first, source = SOURCES[name]
    if sys.version_info < (3, first):
        pytest.skip("the bytecode of this version does not tell")
    function = made_of(source)
    assert depyf.decompile(function) == source
    assert depyf.verify(function, source)


#: Modules whose lines tell how they are compiled: from 3.13 on two locals on one line are one instruction.
MODULES = {
    "arguments that stand on lines of their own": """\
def f(a, b, c, d):
    e = c(
        a,
        b,
        key=d,
    )
    return c(
        lambda g, h: k(
            g,
            h,
        ),
        [
            g.x
            for g in a
            if g
        ],
        a, [b,
            c],
    )
""",
    "targets on several lines, and a generator expression": """\
def f(a):
    (
        b, c,
        d,
        e, g,
    ) = a
    return b(
        c.x
        for c in a
    )
""",
    "what a comprehension takes apart between two arguments": """\
def f(a, b, c):
    return c(
        a,
        [h for g.x, (g.y, g.z) in b],
    )
""",
}


@pytest.mark.parametrize("name", MODULES)
def test_lines_of_modules_break_where_they_were_broken(name: str) -> None:
    if sys.version_info < (3, 13):
        pytest.skip("the bytecode of this version does not tell")
    source = MODULES[name]
    assert depyf.decompile(compile(source, "module.py", "exec")) == source
    # One function alone is read, and not compiled: each statement stands on one line.
    (tree,) = ast.parse(source).body
    assert isinstance(tree, ast.FunctionDef)
    assert len(depyf.decompile(made_of(source)).splitlines()) == 1 + len(tree.body)


#: Sources on more lines than we print them on, or on columns of their own: what stands where tells less.
BROKEN = {
    "a try in a loop in narrow columns": """\
def f(a):
  for b in a:
    try:
      c = b()
    except KeyError:
      a.f()
      continue
    if c:
      yield c.x
""",
    "operands that are as deep as a body": """\
def f(a, b, c):
    for d in a:
        if d and \\
            (b or c):
            a.f()
        if (d and
                b):
            b.f()
        if d \\
                and b.f(d) \\
                and c:
            c.f()
""",
    "an else of a loop behind a test on lines of its own": """\
def f(a, b):
    for c in a:
        if (
            c.x
            and c.y
        ):
            b(c)
            return
    else:
        raise ValueError(a)
""",
    "what follows a try and tests in parentheses": """\
def f(a, b, c):
    for d in a:
        if b:
            try:
                e = d()
            except ValueError:
                a.f()
                continue
            if (
                (b and e < 1)
                or (c and e > 2)
            ):
                b.f(d)
""",
    "a value in parentheses": """\
def f(a, b):
    try:
        return (
            a.f
            and b
        )
    except KeyError:
        return False
""",
    "a test in a test behind parentheses": """\
def f(a, b, c, d):
    for e in a:
        if (b or
            (c(e) or d) is d):
            if e.is_seen(b):
                a.append(e)
    if b and c(a):
        if not (1 <= a.x() <= 2):
            d(a)
    if (b.x and
            c.x == 1 and
            d.x == 2):
        if not a.y():
            return False
    if b and c:
        # Nothing else.
        if a.y() != b.y():
            return None
    if b and c:
        if a(c) and (
            b(c)
            or d(c)
        ):
            d.x()
    return True
""",
    "an elif with a test in it": """\
def f(a, b, c):
    if a.x > b:
        c()
        if not c:
            a.y = 1
        b += 1

    # Otherwise.
    elif not (b and c):
        if not a.z(1):
            a.w()

    if b and c:
        a.v()
""",
    "what is assigned in tests of each other": """\
def f(a, b):
    if b and "c" in b:
        c = b["c"]
        if (d := b.get("d")) is None:
            if e := b.get("e"):
                try:
                    d = e.d
                except AttributeError:
                    pass
        return a(d, c)
""",
    "tests in parentheses behind a test that leaves": """\
def f(a, b, c):
    if (a.x(b) or
            a.y(b)):
        raise TypeError(b)
    if not c(b):
        raise TypeError(c)
    if (not a and not b):
        return 0
    elif (a and not b):
        return -1
    elif (not a and b):
        return 1
    elif (a and b):
        return 2
""",
    "an elif behind a loop that tests a negation": """\
def f(a, b, c):
    with a.x:
        if not b:
            if not a.y():
                raise KeyError
        elif c is None:
            while not a.y():
                a.x.wait()
        elif c < 0:
            raise ValueError("c")
        else:
            d = b() + c
            while not a.y():
                e = d - b()
                if e <= 0:
                    raise KeyError
                a.x.wait(e)
        return a.z()
""",
    "an elif behind a break": """\
def f(a, b):
    while True:
        c = a.x()
        if not c:
            break
        elif c[0] == "#":
            if a.y == b and len(c) == 1:
                a.z()
            continue
        elif c == "d":
            d = a.x()
        else:
            raise ValueError(c)
        if not d:
            raise KeyError(c)
        a.w(d)
""",
    "an elif on several lines behind a body that does nothing": """\
def f(a, b, c):
    try:
        a()
        return
    except ValueError as d:
        if b.x:
            pass

        elif not a(c) and b(
            c.y
        ):
            raise KeyError("y") from d

        elif a(c.z) or b(c.w):
            raise KeyError("z") from d
    b(c)
""",
    "a try in a try behind a test that leaves": """\
def f(a, b):
    if not b:
        return a.x(b)
    try:
        try:
            c = getattr(a, "d" + b)
            return c()
        except AttributeError:
            d = getattr(a, "e" + b)
    except AttributeError:
        a.y(b)
    else:
        a.z(d)
""",
    "a continue behind a loop": """\
def f(a, b):
    for c in a:
        if c == "d":
            for d in b:
                yield d
            continue
        if c in "ef":
            for d in c:
                yield d + c
        b(c)
""",
    "a break in the else of a try": """\
def f(a, b):
    c = 0
    while True:
        try:
            d = list(a)
            e = list(b)
        except RuntimeError:
            c += 1
            if c >= 10:
                raise
        else:
            break
    return d, e
""",
    "an assertion that never holds in an else": """\
def f(a):
    for b in a:
        c = b.x
        if c != 1:
            if c >= 0:
                raise ValueError(1)
            elif c == -1:
                raise ValueError(2)
            else:
                assert False, f"{b!r}: {c}"
        b.x = 2
""",
    "stores of two locals at the end of an elif": """\
def f(a, b):
    while b:
        if b[0] == "c":
            a, b = a.x(b)
        elif b[0] == "d":
            a, b = a.y(b)
        else:
            if a.z:
                a.w(b)
                break
            else:
                a.v(b[0])
                b = b[1:]
    return a, b
""",
    "heads of with on several lines": """\
def f(a, b):
    with (
        a(b) as c,
        a(c) as d,
    ):
        d()
    with a(b) as c, \\
         a(c) as d:
        d()
    with a(b) as c, \\
            a(c) as d, a(d):
        d()
    with a(b) as c:
        with a(c) as d:
            d()
    with a(b) as c, a(c) as d:
        with a(d):
            return 1
""",
    "a not in front of tests on several lines": """\
def f(a, b, c):
    if not (
        a is b
        and c
        and a(b[0])
    ):
        return 1
    if not (a.x() and
            b.x() and
            c.x()):
        return 2
    if (
        not a.x
        or not b.y
    ):
        return 3
    if not (a.x or
            b.y):
        return 4
    if not a.x and \\
       not b.y:
        return 5
    if (
        not a.x()
        and not (
            b.x == c
            and a(b)
        )
    ):
        c = 1
    if a is not None and not (b or c):
        c = 2
    return c
""",
    "conditional expressions that are returned or raised": """\
def f(a, b):
    if a == 1:
        return (
            len(a.x)
            if a.x
            else a(b.y)
        )
    if a == 2:
        raise (
            OSError("b")
            if a.x
            else EOFError("c")
        )
    if a == 3:
        return (
            a(b) if b.x else
            b(a) if b.y else
            a(1)
        )
    return (
        None
        if a.x is None
        else a.x.get("b")
    )
""",
    "statements in an endless loop in front of its break": """\
def f(a, b):
    c = []
    while True:
        d = a()
        if d == b:
            if len(c) < 3:
                c.append(d)
            b(d)
        elif not d:
            c.append(b)
            break
    return dict(c)
""",
    "a return behind tests of which one goes on": """\
async def f(a, b):
    while True:
        c = await a.x()
        if c.d is b:
            a.y(c.e)
            if not a.z and a.w:
                await a.v()
        elif c.d is a:
            a.u()
        elif c.d is None and a.w:
            await a.t(c.e)
            continue
        elif c.d is False and a.w:
            continue
        return c
""",
}


@pytest.mark.parametrize("name", BROKEN)
def test_lines_that_are_broken_make_no_statements(name: str) -> None:
    if sys.version_info < (3, 11):
        pytest.skip("the bytecode of this version does not tell")
    source = BROKEN[name]
    function = made_of(source)
    expected = ast.parse(source)
    assert ast.dump(ast.parse(depyf.decompile(function))) == ast.dump(expected)


def tree_of(source: str) -> str:
    """The tree of a source, which does not tell where its lines end."""
    return ast.dump(ast.parse(source))


def made_of(source: str) -> FunctionType:
    """The function of a source."""
    names: Dict[str, Any] = {}
    exec(source, names)
    function = names["f"]
    assert isinstance(function, FunctionType)
    return function

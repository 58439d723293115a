# To 3.9 the arm that a constant test skips is in the bytecode.
x if 'a' else [a for a in y]
(x or y or z if b'a' else (a async for a in y)) if x else y
z = f(x if 1 else [a for a in y] if 2 else {a for a in y}, 7)
x < y < z if 5 else lambda: a
for a in x:
    while a:
        b = (a and x) if __debug__ else {b: a for b in x}

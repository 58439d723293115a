"""A module with a docstring."""
import os.path
import sys as system
from a.b import *
from c import d as e

x = y = e.f(1)
x += 1
z: int = 3
w: "later"
a, *b = x
del y
for i in x:
    if i:
        continue
    print(i)
else:
    print("done")


def function(p, q=x, *, r=z):
    return p, q, r


if x:
    pass
elif z:
    u = [v for v in x if v is not z]
try:
    v = 1
finally:
    print(v)

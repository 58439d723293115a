import sys

a = 1
b = sys.flags.optimize
c = 3
x = (a < b < c) == (b < c)
y = [a < b < c]
z = a < b < c

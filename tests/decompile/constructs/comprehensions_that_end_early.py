# python: 3.12+
cells = [lambda: a for b in c if 0 for a in d]
shared = [a for a in c if 0 if (a for b in c)]
nested = [a for b in c for d in {d for a in c} if 0 if a].e
first = {a for b[e] in c if False if {d: d for f in a}}
deeper = {{d for a in c} for b in d if 0}


class Body:
    made = [lambda: a for b in (1,) if 0 for a in (2,)]
    raise ValueError
    [lambda: lost for lost in made]


def inner(a, b):
    return [a for c in b if 0 for d in [lambda: c]]


raise ValueError
{cells for name in shared for other in (name for another in deeper)}

shared = [lambda: a for b in c if {d for a in e} for a in f]
inside = [{a for b in c if d} for e in f if {g for d in h}]
mixed = [{a: {b for c in d} for e in f if (c for g in h)} for c in a]
ordered = [a for b in c if d >> e if (a for f in c if d if e) for d in b for e in f]
targets = [(a << b for c in a) for b[a] in d for b, a in e]
pairs = {[a for b in c]: [a for d in c] for e in c}
stored = {a for b in c if (lambda: d) for d in b}, {a: (d := b) for e in c}
called = [{(d := a) for a in b}(c=d) for e in b]


class Body:
    made = [lambda: a for b in (1,) if {2 for a in ()} for a in (3,)]


def lends_a_cell(x):
    def inner(y):
        [x for x in y]
        return lambda: x

    return inner


def hides_a_name(y, w):
    [1 for x in y]
    return [x for z in w]


def stores_in_places(a, b, c):
    x = a.b[[y for y in b if y]] = c()
    x, a.z[{y: z for y, z in b}] = a.b[[y for y in c if y]] = c()
    a[0] = a[[y for z in b]] = 0
    return x


def raises_what_a_test_chooses(a, b, c):
    raise a from {b for b in c} if b else None

def plain(a, b):
    return f"{a}", f"x{a}y{b}z", f"{a}{b}", f"", f"{{{a}}}"


def conversions(a):
    return f"{a!r}{a!s}{a!a}"


def formats(a, b):
    return f"{a:>10}", f"{a!r:^{b}}", f"{a:{b}.{b}}", f"{a:x{b}y}"


def nested(a, b):
    return f"{a + b} {a.x[0]} {f'{b}'} {a if b else 1} {(lambda: a)()}"


def quotes(a):
    return f"'{a}'", f'"{a}"', f"""'"{a}"'""", f"\n{a}\t", f"{a['k']}"


def debugging(a):
    return f"{a=}", f"{a.x = !s}"


def joined(a):
    return "a" f"{a}" "b" + f"c{a}"


def dict_display(a):
    return f"{ {a: 1} }", f"{ {a} }"


def percent(a, b):
    return "%s and %r" % (a, b), "%s" % a, "%5d" % (a,)


def remainder_of_no_literal(a, b):
    return f'%s.%s {{}}' % (a, b)


def percent_with_what_a_field_cannot_hold(a, b):
    x = "S-%s%s" % (a, ("-%s" % "-".join(str(y) for y in b)) if b else "")
    y = "%s at %r\n%s" % (a, b, "\n".join(["%r=%r" % (z, a[z]) for z in b]))
    return "%s%%\\%s\t%s" % (a.replace("/", "\\"), b"\x00" + b, x + y)


def returned_without_fields(f, a):
    for x in a:
        if x:
            return f"a"
        with f:
            return f"b"
    return f"c"


def returned_without_fields_by_a_try(f, a):
    try:
        f()
        return f"a"
    except a:
        return f"b"


def returned_without_fields_in_front_of_a_finally(f, a):
    for x in a:
        try:
            if x:
                return f"a"
            f(x)
        except x as e:
            return f"b"
        finally:
            f()


def percent_of_a_folded_format():
    return ("%22s" + "%11s" * 2) % ("Class", "Images", "Instances")


def percent_of_a_folded_format_and_a_variable(a):
    return ("%22s" + "%11s" * 2) % ("Class", a, "Instances")


def percent_of_constants():
    return "%22s%11r" % ("x", 1)


def field_of_a_field(x, y):
    return f"a{f'{x!s}'}b", f"{f'{x!r}':>10}", f"{x!r:>10}{f'{y}'}", f"{x!r:{y!s}}{f'{y!a:3}'!s:3}"


def fields_of_nothing(x):
    return f'' not in (x, [], {}) is x > x, x < f'' < x, f'{x:}'

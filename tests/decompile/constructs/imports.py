def plain():
    import a
    import a.b
    import a.b.c as d
    import e as f, g
    return a, d, f, g


def of_names():
    from a import b
    from a.b import c as d, e
    from a import (f, g as h)
    return b, d, e, f, h


def relative():
    from . import a
    from .b import c
    from .. import d as e
    from ...f.g import h
    return a, c, e, h


def to_globals():
    global x, y, z
    import x
    import x.y as y
    from x import z


def in_flow(a):
    if a:
        import b.c
    else:
        from d import b
    try:
        import e
    except ImportError:
        e = None
    return b, e


def to_cell():
    import a
    from b import c

    return lambda: (a, c)

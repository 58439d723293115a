# python: 3.14+
def several(a):
    try:
        a.f()
    except ValueError, TypeError:
        return a.g()
    except OSError, KeyError, a.Error:
        a.h()
    return a


def group(a):
    try:
        a.f()
    except* ValueError, TypeError:
        a.g()
    except* OSError:
        a.h()
    return a

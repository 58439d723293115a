def temporaries(__temp_1, a):
    __temp_0 = a.f(__temp_1, a.g() if a else 1)
    return __temp_0


def soft_keywords(match, case, type, _):
    match.case = type
    return match, case, _


def unicode(ä, 变量):
    ä.ö = 变量
    return ä


def builtin_names(list, print):
    print(list)
    str = list[0]
    return str


def dunder(a):
    return a.__class__, a.__dict__, __name__


def underscore(_, __):
    _, __ = __, _
    return _


def shadowed_function(shadowed_function):
    return shadowed_function


def marks_that_combine():
    class हिन्दी:
        नमस्ते = 1
        x󠄀 = 2

    return हिन्दी

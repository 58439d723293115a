# python: 3.8+


(nothing): int


class Attribute:
    print.x: int


class NameInParentheses:
    (name): int
    other = 1


class UnderATest:
    if print:
        (name): int

# python: 3.11+
def of_parameters(a):
    def plain(*args: *a):
        return args

    def with_others(x: int, *args: *a[int], k: a = 1, **kwargs: a) -> a.b:
        return x, args, k, kwargs

    class C:
        def method(self, *args: *a.Ts):
            return self, args

    return plain, with_others, C


def in_subscripts(a, b):
    a[*b] = a[*b, 1], a[1, *b, *a]
    a[*b, 1:2] += b[1:2, *a]
    del a[*b]
    for a[*b] in b:
        pass
    return a[(*b,)], a[()], a[1,]


async def awaited(a):
    return a[*await a]

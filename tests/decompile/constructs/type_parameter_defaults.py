# python: 3.13+
def defaults(a):
    type Alias[T = int, *Ts = *tuple[int], **P = [int]] = T

    def function[T: int = bool](x: T):
        return x

    class Class[*Ts = *tuple[int, str]]:
        x: T = a

    return Alias, function, Class

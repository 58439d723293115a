def announces():
    global names, sizes, empty
    return None


names = ['a', 'b']
sizes = [len(name) for name in names if names]
lengths = {name: sizes for name in sizes}
if (empty := not names):
    shown = {name: empty for name in names}
found = [size for name in names if (size := len(name))]
again = {name: size for name in names}
both = [[size, largest] for name in names if (largest := max(size, len(name)))]


def reads_what_only_comprehensions_bind(values):
    def read():
        return name, names

    pairs = [name for name in values]
    pairs = [name for name in pairs if name]
    try:
        return {names: name for names, name in pairs}, [[name for name in names] for names in pairs]
    finally:
        read([lambda: name for name in values])


def reads_what_is_bound_besides(name):
    def read():
        global name, names
        return name, names

    pairs = [names for names in name]
    for names in pairs:
        read([name for name in names])

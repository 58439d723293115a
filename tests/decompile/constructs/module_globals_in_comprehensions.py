def announces():
    global names, sizes, empty
    return None


names = ['a', 'b']
sizes = [len(name) for name in names if names]
lengths = {name: sizes for name in sizes}
if (empty := not names):
    shown = {name: empty for name in names}

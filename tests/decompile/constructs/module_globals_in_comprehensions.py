def announces():
    global names, sizes
    return None


names = ['a', 'b']
sizes = [len(name) for name in names if names]
lengths = {name: sizes for name in sizes}

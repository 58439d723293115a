# python: 3.11+
# expect: DecompilationError: exception groups are not structured yet
def groups(a):
    try:
        a.f()
    except* ValueError as error:
        a.g(error)

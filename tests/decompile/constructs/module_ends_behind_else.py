try:
    import a_module_that_is_not_there
except ImportError:
    pass
else:
    from os import path, sep
value = 3

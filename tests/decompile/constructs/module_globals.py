# module
state = None
cache = {}


def read():
    global state
    return state


def write(value):
    global cache
    cache = value


state = 1
cache = 2


def announces():
    global __name__
    return None


is_main = __name__ == '__main__'

# python: 3.13+
def break_of_each_loop_at_the_end(a, b):
    for x in a:
        for y in b:
            for z in x:
                if z:
                    y = 1
                b(y)
                break
            break
        break


def break_in_front_of_a_break_at_the_end(a, b):
    for x in a:
        for y in b:
            if y:
                continue
            b(y)
            break
        else:
            continue
        break
    else:
        a()


def break_in_handlers_in_front_of_a_break_at_the_end(a, b):
    for x in a:
        try:
            if x:
                continue
        except KeyError:
            continue
        else:
            for y in b:
                try:
                    if y():
                        continue
                except ValueError:
                    break
                if y:
                    continue
                break
            else:
                b()
                continue
        break
    else:
        for z in b:
            z()

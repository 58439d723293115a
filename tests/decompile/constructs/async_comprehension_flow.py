# What follows an asynchronous comprehension is reached by an exception only: from 3.12 on it lies at the end of the function.


async def returned_in_a_with(a, b, c):
    with b:
        if a:
            return [x async for x in c]
        return a


async def in_front_of_a_break(a, b, c):
    for x in a:
        y = {z async for z in c}
        if b:
            b.f(y)
        elif x:
            break
    return c


async def in_the_head_of_a_with_in_a_loop(a, b, c):
    for x in a:
        async with b({y async for y in c if x}), c as d:
            d.f()
        if x:
            break
    return a


async def in_a_loop_of_one_round(a, b, c):
    for x in a:
        y = {z: 1 async for z in c if z}
        if b:
            b.f(y)
        else:
            continue
        break
    a.g()


async def in_an_arm_beside_a_break(a, b, c):
    for x in a:
        if x:
            async with b([y async for y in c if y]) as d:
                d.f()
        else:
            break
    a.g()


async def in_an_arm_beside_one_that_raises(a, b, c):
    if a:
        x = [y async for y in c]
    else:
        raise b
    a.f()
    return x


async def in_an_arm_beside_one_that_leaves(a, b, c):
    if a:
        x = [b async for y in c if y]
    else:
        while a:
            a.f({b: 1 async for y in c if y})
        return

    def inner(y, z=x):
        return y, z

    if b:
        c.f(inner)


async def in_an_arm_and_behind_it(a, b, c):
    for x in a:
        if x:
            y = [z async for z in c]
            b.f()
        else:
            continue
        b.g(y)


async def behind_a_with_that_may_swallow(a, b, c):
    if a:
        with b as d:
            return None
    d = [x async for x in c if x]


async def behind_an_arm_with_an_async_with(a, b, c):
    if a:
        c.f()
    elif b:
        async with b as d:
            return None
    d = [x async for x in c if x]

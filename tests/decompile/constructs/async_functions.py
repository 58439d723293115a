# python: 3.8+
async def coroutine(a):
    return await a


async def loops(a):
    async for x in a:
        x.f()


async def manages(a):
    async with a as b:
        b.f()


async def awaits(a, b):
    x = await a.f(await b)
    a.use(await x, (await a)[await b], key=await b)
    await x.y
    return [await x, await b]


async def awaits_in_conditions(a, b):
    if await a and not await b:
        return await b
    while await a.more():
        b = await b if await a else await b.c
    return (await a) or (await b)


async def loop_targets(a):
    async for x, (y, *z) in a.f():
        a.use(x, y, z)
    async for a.x in a:
        pass


async def loop_exits(a, b):
    async for x in a:
        if x.skip:
            continue
        if x.stop:
            break
        await x
    else:
        b.done()
    return b


async def loop_return(a):
    async for x in a:
        if x:
            return x
    return None


async def loops_nested(a):
    async for x in a:
        for y in x:
            async for z in y:
                if z.a:
                    break
                a.use(x, y, z)
            if y.b:
                continue
            a.next()


async def loop_in_try(a):
    try:
        async for x in a:
            await x
    except ValueError as error:
        a.failed(error)
    finally:
        await a.close()


async def try_in_loop(a):
    async for x in a:
        try:
            await x
        except ValueError:
            continue
        a.use(x)


async def with_plain(a):
    async with a:
        await a.f()


async def with_several(a, b):
    async with a as x, b.c() as y, a:
        x.use(y)
    return a


async def with_nested(a, b):
    async with a as x:
        with b as y:
            async with y:
                await x
        a.inner()


async def with_return(a):
    async with a as x:
        return x


async def with_return_call(a):
    async with a as x:
        return await x.f()


async def with_in_loop(a):
    for x in a:
        async with x as y:
            if y.a:
                continue
            if y.b:
                break
            y.c()


async def with_in_async_for(a):
    async for x in a:
        async with x:
            if x.a:
                return x


async def with_in_try(a):
    try:
        async with a as x:
            x.f()
    except ValueError:
        a.failed()


async def with_try_inside(a):
    async with a:
        try:
            await a
        except ValueError:
            a.failed()


async def with_if(a, b):
    if b:
        async with a:
            a.f()
    else:
        a.g()


async def comprehension(a):
    return [x async for x in a]


async def comprehensions(a, b):
    c = {x: y async for x in a for y in x}
    d = {x for x in a if await x}
    e = [await x for x in b]
    a.use(c, d, [[await y async for y in x] async for x in a.f() if x if await x])
    return e


async def generator_expression(a):
    b = (x async for x in a if x)
    c = (await x for x in a)
    return b, c


async def generator(a):
    yield a
    x = yield await a
    async for y in a:
        yield x, y
    yield


async def generator_in_try(a):
    try:
        async with a as b:
            yield b
    finally:
        await a.close()


async def await_in_handler(a):
    try:
        await a
    except ValueError:
        await a.failed()
        raise
    except TypeError as error:
        return await a.g(error)
    else:
        await a.fine()


async def nested(a):
    async def inner(b):
        async for x in b:
            yield x

    return [x async for x in inner(a)]


async def lambda_inside(a):
    return lambda: (x async for x in a)


async def fstring(a):
    return f"{await a} {await a.b!r:{await a}}"


async def lambdas_in_comprehensions(a):
    b = [lambda: i async for i in a]
    c = {i: lambda: i for i in a}
    return b, c


async def comprehension_with_a_chained_test(a):
    return [x + 1 async for x in a.f() if 0 < x < a.g]


async def manager_in_loop_that_returns(a, b):
    async for x in a:
        with b:
            pass
        return x


async def managers_in_loop_that_return(a, b):
    async for x in a:
        with b(x):
            x.f()
        async with a(x):
            pass
        return x.g


async def generator_that_returns_early(a, b):
    yield a
    if a or b:
        return


async def generator_with_returns_in_a_loop(a, b):
    async for x in a:
        try:
            yield x
        except ValueError:
            if b:
                return
        if x and b:
            yield
            return


async def loops_in_a_loop_that_is_left_in_front_of_another(a, b, c):
    async for x in a:
        if b(x):
            break
        async for y in c:
            b(y)
        if c:
            b(1)
    for z in a:
        b(z)


async def returns_in_an_asynchronous_generator(a):
    yield a
    if a.x:
        return
    return


async def returns_of_constants(a):
    await a
    if a.x:
        return 1
    return 2


async def ends_with_an_operand_that_is_awaited(a):
    a and await a


async def returns_a_text_without_fields(a):
    try:
        return f"text"
    except a:
        pass


async def waits_behind_a_try_that_protects_nothing(a, b, c):
    for d in a:
        try:
            continue
        except ValueError:
            await b()
        finally:
            await b()
    c()

# python: 3.11+
async def nested_async(a):
    return [[x async for x in y] for y in a], {x: [await y for y in x] async for x in a}


async def builtins_of_awaited(a, b):
    if any(x.f for x in await a()):
        return set(y for y in [x for x in await a(await b)])
    return all(x for x in (await a).y), tuple(x for x in await b)

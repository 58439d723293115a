# python: 3.11+
async def nested_async(a):
    return [[x async for x in y] for y in a], {x: [await y for y in x] async for x in a}

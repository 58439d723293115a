# expect: DecompilationError: async code is not structured yet
async def coroutine(a):
    return await a


async def loops(a):
    async for x in a:
        x.f()


async def manages(a):
    async with a as b:
        b.f()

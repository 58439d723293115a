def mangled(a):
    class _Outer:
        __x = a
        __y: int = 1

        def __method(self, __p=a, *, __k=a.b):
            self.__attribute = __p
            self.__method(__k)
            del self.__attribute

            class Inner:
                def method(self):
                    return self.__x, __p

            return Inner, self._Inner__x

        class __Nested:
            pass

    class __:
        __x = 1

    return _Outer, __


def keywords_and_imports(a):
    class C(a.Base, __keyword=a):
        def method(self, __x):
            a.f(__x=__x)
            a.f(*__x, __y=1, **a)
            return [__z for __z in __x], {__k: __v for __k in a for __v in __k}, lambda __p=1: __p

        def imports(self):
            from os import path as __path
            import os.path as __os

            return __path, __os

        def binds(self):
            try:
                a.f()
            except ValueError as __error:
                a.g(__error)
            for __i in a:
                del __i
            with a as __entered:
                __local: __entered = 1
            return __local

    return C

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

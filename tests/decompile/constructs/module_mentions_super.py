class A:
    def b(self):
        return 1


class B(A):
    def b(self):
        return super().b() + super(B, self).b()


c = super(B, B()).b
d = c()

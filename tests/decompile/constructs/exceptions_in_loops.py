def try_in_for(a):
    for x in a:
        try:
            x.f()
        except ValueError:
            continue
        except KeyError:
            break
        x.g()
    return a


def try_in_while(a):
    while a.more():
        try:
            a.f()
        except ValueError:
            a.g()
        else:
            break
    else:
        a.h()


def retry(a):
    while True:
        try:
            return a.f()
        except ValueError:
            if a.stop:
                raise
            a.wait()


def retry_break(a):
    for x in a:
        try:
            y = x.f()
            break
        except ValueError as error:
            a.log(error)
    else:
        return None
    return y


def loop_in_try(a):
    try:
        for x in a:
            if x:
                break
            x.f()
        else:
            a.g()
    except ValueError:
        a.h()
    return a


def loop_in_handler(a):
    try:
        a.f()
    except ValueError:
        for x in a:
            if x:
                return x
            x.g()
    return a


def continue_through_finally(a):
    for x in a:
        try:
            if x.skip:
                continue
            if x.stop:
                break
            x.f()
        finally:
            x.g()
    return a


def return_through_finally(a):
    for x in a:
        try:
            if x:
                return x.f()
        finally:
            a.g()
    return None


def break_in_finally(a):
    for x in a:
        try:
            x.f()
        finally:
            if x.y:
                break
    return a


def while_true_finally(a):
    while True:
        try:
            if a.f():
                break
        finally:
            a.g()
    a.h()


def loop_in_finally(a):
    try:
        a.f()
    finally:
        while a.more():
            a.g()


def nested_loops(a):
    for x in a:
        try:
            for y in x:
                try:
                    y.f()
                except ValueError:
                    continue
                except KeyError:
                    return y
                if y.z:
                    break
        except TypeError:
            break
        finally:
            x.g()
    return a


def handlers_break_before_return(a):
    while True:
        b = a.f()
        try:
            c = b[0]
        except IndexError:
            break
        if c.x:
            a.g()
            continue
        try:
            c = b[1]
        except IndexError:
            break
        a.h()
    return a.b


def return_through_two_tries(a):
    for x in a:
        try:
            for y in x:
                try:
                    y.f()
                except KeyError:
                    return y
                y.g()
        except TypeError:
            break
        finally:
            x.h()
    return a


def else_continue(a):
    for x in a:
        try:
            x.f()
        except ValueError:
            x.g()
        else:
            if x.y:
                continue
            x.h()
        x.i()


def handler_leaves_the_loop(a):
    while True:
        try:
            a.f()
            if a.x:
                a.g()
            else:
                a.h()
        except ValueError:
            a.end()
            break
    try:
        while True:
            a.f()
            if a.x:
                a.g()
    except ValueError:
        a.end()
    return a


def with_in_endless_loop(a):
    while True:
        try:
            with a:
                a.f()
                if a.x:
                    a.g()
        except ValueError:
            break
    with a:
        while True:
            a.h()


def break_behind_a_test_in_finally(a):
    try:
        return a.f()
    finally:
        while a.b > 0:
            if not a.more():
                break


def loop_that_starts_with_try(a):
    with a.lock:
        if a.wanted:
            while True:
                try:
                    x = a.next()
                except a.Empty:
                    break
                if x:
                    x.cancel()
        a.put()
    return a.done


def breaks_out_of_finally(a):
    while True:
        if a.acquire():
            try:
                if a.code:
                    break
                x = a.wait()
                if x:
                    a.handle(x)
                    break
            finally:
                a.release()
        if a.remaining():
            raise a.Timeout
        a.sleep()
    return a.code


def while_else_leaves_the_loop_around(a):
    for x in a:
        while True:
            a.push(x)
            while a.stack:
                try:
                    x = a.pop()
                    break
                except a.Stop:
                    a.drop()
            else:
                break
    return a


def return_in_two_handlers(a):
    with a:
        try:
            a.f()
        except a.First:
            try:
                a.g()
                return None
            except a.Second as e:
                return None
            except a.First as e:
                pass
    return a.h()


def raise_in_two_handlers(a, b):
    try:
        a.f()
    except (a.First, a.Second):
        raise
    except a.Third as e:
        if b:
            a.g(e)
        raise


def handler_that_ends_in_an_inner_region(a):
    try:
        a.f()
    except a.First as e:
        try:
            a.g()
        except a.Second:
            raise e
    a.h()


def try_behind_a_branch(a):
    while True:
        if a.x is None:
            try:
                b = a.f()
            except KeyError:
                a.g()
                raise
            a.x = b
        try:
            return a.h(b)
        except ValueError:
            a.i()
            a.x = None


def break_in_else(a):
    for x in a:
        try:
            y = x.f()
        except ValueError as error:
            a.note(error)
        else:
            break
    else:
        return None
    return y


def break_behind_handlers(a):
    while True:
        try:
            y = a.f()
        except KeyError as error:
            if a.stop:
                a.note(error)
                continue
        except ValueError:
            if a.more:
                raise RuntimeError
        break
    return y


def continue_in_with_in_try(a):
    for x in a:
        try:
            with x.m() as y:
                if not y.f():
                    continue
                if y.g() != 1:
                    continue
                a.add(y)
        except ValueError:
            continue


def break_behind_with(a):
    for x in a:
        try:
            with x as y:
                z = y.f()
            break
        except ValueError:
            pass
    return z


def loop_that_starts_in_try(a):
    while True:
        try:
            while True:
                x = a.f()
                if x:
                    break
            if a.g(x):
                raise ValueError
        except KeyError as error:
            if a.h(error):
                raise


def return_in_finally_in_with(a):
    with a as b:
        try:
            a.f()
            return a, b
        except ValueError:
            a.g()
            raise
        finally:
            a.h()


def finally_that_does_nothing(a):
    for x in a:
        try:
            try:
                x.f()
            except ValueError as error:
                a.note(error)
        finally:
            pass


def endless_loop_of_handlers_in_finally(a):
    try:
        while True:
            try:
                a.f()
            except KeyError:
                a.g()
            except ValueError as error:
                if a.h(error):
                    break
                else:
                    raise
    finally:
        a.i()


def search_in_handler(a, b):
    try:
        c = a.get(b)
    except TypeError:
        c = None
        if b in a.x or b in a.y:
            for x in a:
                if x.z == b:
                    c = x
                    break
    return c


def loop_that_returns_in_try_finally(a, b):
    try:
        for x in a:
            if x:
                return
    finally:
        a.f()
    b.g()


def while_that_returns_in_try_finally(a, b):
    try:
        while a.x():
            if b:
                return
            b = a.y()
    finally:
        a.f()
    b.g()


def what_follows_a_try_ends_the_loop(a, b):
    while True:
        try:
            c = a.f(b)
        except KeyError:
            c = b
        except ValueError:
            c = a
        except Exception as error:
            a.g(error)
            continue
        a.h(c)
        return


def handlers_that_go_on_to_the_end_through_finally(a, b):
    try:
        c = a.f()
        if c != 0:
            raise ValueError(c)
    except (KeyError, IndexError):
        pass
    except TypeError:
        raise
    except Exception as error:
        b.g(error)
    else:
        b.h(c)
    finally:
        b = None


def else_that_ends_an_endless_loop(a, b):
    c = []
    while True:
        try:
            d = a.f(b)
        except (KeyError, ValueError):
            b, e = a.g(b)
            if b == c:
                raise TypeError(b)
            c.append(e)
        else:
            if d:
                raise TypeError(d)
            break
    return c


def else_that_breaks_behind_handlers_of_all_kinds(a, b):
    for c in b:
        try:
            a.f(c)
            if c:
                if not a.g:
                    a.h()
                d = a.i
        except KeyError as error:
            if a is not None:
                b.close()
            a.j(error)
        except:
            a.k()
            raise
        else:
            break
    else:
        raise ValueError
    return d


def else_that_goes_on_in_a_handler(a, b):
    for c in b:
        try:
            a.f(c)
        except:
            d = a.g()
            try:
                a.h(d)
            except:
                a.i(d)
                a.j()
            else:
                continue


def with_behind_an_else_of_a_handler_that_returns(a, b):
    while True:
        try:
            c = a.f(b)
        except KeyError:
            return
        else:
            if c == 0:
                return
            d = a.g(c)
        with a:
            try:
                b = d.h()
            except KeyError:
                continue
        if b is None:
            a.i(d)


def else_of_an_end_in_a_while(a, b):
    while a:
        try:
            a.f()
        except KeyError:
            b()
        else:
            raise b


def a_loop_of_one_round_that_a_body_breaks(self):
    while True:
        try:
            data = self.read()
            if not data:
                break
        except (KeyError, ValueError):
            break
        decoded = self.loads(data)
        if self.f:
            try:
                self.g(decoded)
            except IndexError:
                self.close()
                raise
        return self.h(decoded)
    raise TypeError


def loop_of_one_round_that_a_body_breaks(a):
    b = a.x()
    while True:
        try:
            if not a.y():
                raise ValueError()
            break
        except ValueError:
            pass
        a.z = b
        if not a.y():
            return False
        break
    a.x = b


def loop_of_one_round_in_a_try(a):
    while True:
        b = a.x
        try:
            while True:
                c = a.y
                try:
                    if not a.z():
                        raise KeyError()
                    break
                except KeyError:
                    pass
                a.y = c
                if not a.x():
                    raise ValueError()
                break
            a.z = c
            continue
        except ValueError:
            pass
        a.x = b
        break
    return True


def loop_of_one_round_at_the_end_of_a_try(a):
    try:
        while True:
            b = a.x()
            try:
                a.y()
                break
            except ValueError:
                pass
            a.z = b
            break
    except KeyError:
        pass
    a.z()


def loop_of_one_round_at_the_end_of_an_arm(a):
    while a.x():
        if a.y():
            while True:
                b = a.x()
                try:
                    if a.z():
                        raise ValueError()
                    break
                except ValueError:
                    pass
                a.z = b
                if not a.y():
                    return False
                break
        else:
            a.z()


def breaks_of_a_loop_that_ends_two_tries(a, b):
    try:
        try:
            for c in b:
                try:
                    a.x(c)
                    break
                except ValueError:
                    if a.y(c):
                        break
                    if a.z(c):
                        raise
                    a.x()
        except KeyError:
            a.y()
            raise
    except Exception:
        a.z()
        raise
    return a


def continue_in_a_with_at_the_end_of_a_try(a):
    for b in a:
        try:
            if b.x():
                b.y()
                continue
            with b.z() as c:
                c.x()
                if b.y():
                    b.z()
                    continue
                b.x()
        except ValueError as d:
            b.y(d)
            continue
    return b


def code_behind_a_raise_in_a_try(a):
    try:
        a.x()
        try:
            a.y()
            raise ValueError()
            a.z()
        except ValueError:
            a.x()
            raise
        a.y()
    except KeyError as b:
        assert b
    else:
        a.z()


def loop_of_one_round_in_an_arm_of_a_try(a, b):
    try:
        if b == 1:
            while True:
                c = a.x
                try:
                    if not a.y():
                        raise ValueError()
                    try:
                        if a.z():
                            raise IndexError()
                        a.x -= 1
                        raise ValueError()
                    except IndexError:
                        pass
                    a.y()
                    break
                except ValueError:
                    pass
                a.x = c
                if not a.z():
                    raise KeyError()
                break
        else:
            a.y()
    except KeyError:
        pass
    a.x = 5


def loops_of_one_round_that_end_together(a):
    while True:
        try:
            while True:
                try:
                    a.x()
                    break
                except ValueError:
                    pass
                a.y()
                break
            break
        except KeyError:
            pass
        a.z()
        break
    a.x()


def loop_that_a_break_leaves_in_front_of_a_continue(a):
    while True:
        b = a.x
        try:
            while True:
                c = a.y
                try:
                    if a.z():
                        raise ValueError()
                    a.y = c
                    break
                except ValueError:
                    pass
                a.y = c
                if a.x():
                    raise KeyError()
                a.y += 1
            continue
        except KeyError:
            pass
        a.x = b
        break
    return True


def loop_of_one_round_in_front_of_a_return(a):
    while True:
        b = a.x
        try:
            if not a.y():
                raise ValueError()
            c = a.z
            try:
                if not a.x():
                    raise KeyError()
            except KeyError:
                pass
            break
        except ValueError:
            pass
        a.x = b
        try:
            a.y()
            break
        except ValueError:
            pass
        a.y = c
        break
    return True


def loop_of_one_round_passes_what_follows_its_try(self, lab):
    while True:
        try:
            if not self.first():
                raise lab
            break
        except lab:
            pass
        if not self.second():
            raise ValueError
        break
    self.third()
    return self


def loop_of_one_round_in_a_loop_of_one_round(self, lab):
    try:
        while True:
            try:
                if self.first():
                    raise lab
                break
            except lab:
                pass
            if self.second():
                raise lab
            break
    except lab:
        pass
    self.third(lab)
    return self


def loop_of_one_round_with_a_test(self, lab):
    while self:
        try:
            self.first += 1
            break
        except lab:
            pass
        self.first = lab
        break
    return lab


def loop_of_one_round_in_another(self, lab):
    while self:
        try:
            while self:
                try:
                    self.first += 1
                    break
                except lab:
                    pass
                self.first = lab
                break
            break
        except lab:
            pass
        break
    self.second = lab


def loop_in_endless_loop_breaks_a_handler(self, lab):
    while True:
        while True:
            try:
                self.first = lab
                break
            except lab:
                pass
            self.first += 1
        continue


def finally_body_breaks_a_loop_of_one_round(a, b, d):
    with a as a:
        while a:
            try:
                b()
            except d:
                return d
            finally:
                break
    b.x += a


def else_returns_in_an_arm_of_a_try(a):
    try:
        if a:
            try:
                a.f()
            except a:
                pass
            else:
                return
            finally:
                a = a
        else:
            a = a()
    except:
        pass
    a


def else_in_front_of_a_break_in_two_loops(a, b):
    for x in b:
        while x:
            if x:
                try:
                    a.f()
                except ValueError:
                    pass
                else:
                    a()
                break


def inner_finally_runs_into_the_outer_one(a, b, c):
    for d in a:
        try:
            if b:
                a()
            elif c:
                try:
                    d()
                finally:
                    c.f()
            else:
                b()
        finally:
            a.f()


def breaks_that_are_the_end(q, x, t):
    while True:
        if q:
            try:
                x()
            except ValueError:
                break
            else:
                break
            finally:
                x()
        t()


def breaks_in_a_body_that_are_the_end(q, x, t):
    while True:
        if q:
            try:
                break
            except ValueError:
                break
            finally:
                x()
        t()


def returns_from_a_try_in_an_endless_loop(q, x, t):
    while True:
        if q:
            try:
                x()
                return 1
            except ValueError:
                return 2
            finally:
                x()
        t()


def continue_behind_a_loop_that_breaks_in_a_handler(a, b):
    for c in a:
        try:
            a.x()
        except E:
            try:
                for d in b:
                    a.y()
                    break
                continue
            except E:
                a.z()
            if a:
                a.w()


def continue_behind_a_loop_in_a_handler(a, b):
    for c in a:
        try:
            a.x()
        except E:
            try:
                for d in b:
                    if a.y():
                        break
                continue
            except E:
                a.z()
            a.w()


def continue_behind_a_while_in_a_handler(a, b):
    for c in a:
        try:
            a.x()
        except E:
            try:
                while b:
                    if a.y():
                        break
                continue
            except E:
                a.z()
            a.w()


def continue_behind_an_if_in_a_handler(a, b):
    for c in a:
        try:
            a.x()
        except E:
            try:
                if b:
                    a.y()
                continue
            except E:
                a.z()
            a.w()


def continue_behind_a_loop_that_breaks_in_a_try(a, b):
    for c in a:
        try:
            for d in b:
                a.y()
                break
            continue
        except E:
            a.z()
        a.w()

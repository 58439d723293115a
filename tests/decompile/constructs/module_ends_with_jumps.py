value = [1]
while value:
    try:
        value.pop()
    finally:
        value.append(2)
        break

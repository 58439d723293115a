numbers = iter([1, 2, 3])
seen = []
while True:
    number = next(numbers)
    if number > 2:
        seen.append("last")
        break
    seen.append(number)

try:
    value = max
except ValueError:
    if min if max else sum:
        value = min

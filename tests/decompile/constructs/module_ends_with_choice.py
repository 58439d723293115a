value = []
for item in value, [1]:
    value.append(item) if item else ''
value.pop() if value else ''

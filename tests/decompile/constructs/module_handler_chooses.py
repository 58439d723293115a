try:
    min or max
except KeyError if max else ValueError:
    pass
except:
    pass

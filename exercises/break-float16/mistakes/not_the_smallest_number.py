def break_softmax():
    return [11.09375]


def break_normalize():
    return [2.0**-14]


def break_mean():
    return [32768.0, 32752.0]

def break_softmax():
    return [20.0, 19.0]


def break_normalize():
    return [2.0**-24]


def break_mean():
    return [32768.0, 32752.0]

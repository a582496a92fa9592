def break_softmax():
    return [11.09375]


def break_normalize():
    return [2.0**-24]


def break_mean():
    return [65504.0, 16.0]

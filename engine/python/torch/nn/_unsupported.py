"""Names that PyTorch has and this engine doesn't: using one raises an error that says so."""

_WHY = {
    "conv": "convolutions are not part of this engine; use Linear on flattened patches.",
    "rnn": "recurrent cells are not part of this engine; write the cell with Linear layers.",
    "pool": "pooling is not part of this engine; use mean() or amax() over reshaped windows.",
    "other": "it is not part of this engine.",
}

MODULES = {
    **dict.fromkeys(
        "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d LazyConv3d "
        "Fold Unfold".split(),
        "conv",
    ),
    **dict.fromkeys("RNN LSTM GRU RNNCell LSTMCell GRUCell RNNBase".split(), "rnn"),
    **dict.fromkeys(
        "MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d "
        "AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d LPPool1d LPPool2d FractionalMaxPool2d MaxUnpool2d".split(),
        "pool",
    ),
    **dict.fromkeys(
        "Bilinear EmbeddingBag MultiheadAttention Transformer TransformerEncoder TransformerEncoderLayer TransformerDecoder "
        "TransformerDecoderLayer InstanceNorm1d InstanceNorm2d InstanceNorm3d SyncBatchNorm LocalResponseNorm CrossMapLRN2d "
        "LazyLinear Upsample UpsamplingNearest2d UpsamplingBilinear2d PixelShuffle PixelUnshuffle DataParallel CTCLoss "
        "MultiLabelMarginLoss TripletMarginWithDistanceLoss AdaptiveLogSoftmaxWithLoss RReLU "
        "Softmax2d AlphaDropout FeatureAlphaDropout Dropout2d Dropout3d Dropout1d ZeroPad2d ConstantPad1d "
        "ReflectionPad2d ReplicationPad2d".split(),
        "other",
    ),
}

FUNCTIONS = {
    **dict.fromkeys(
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d fold unfold".split(), "conv"
    ),
    **dict.fromkeys(
        "max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d "
        "adaptive_max_pool1d adaptive_max_pool2d".split(),
        "pool",
    ),
    **dict.fromkeys(
        "ctc_loss multilabel_margin_loss instance_norm local_response_norm interpolate upsample "
        "grid_sample affine_grid embedding_bag pixel_shuffle rrelu alpha_dropout dropout1d dropout2d "
        "dropout3d multi_head_attention_forward".split(),
        "other",
    ),
}


def refuse(where, name, kind):
    """Raises for `where.name`."""
    raise NotImplementedError(f"torch.{where}.{name} is not supported: {_WHY[kind]}")


def stand_in(name, kind):
    """A class of that name that can be referred to (in isinstance, say) but not made."""

    def __init__(self, *args, **kwargs):
        refuse("nn", name, kind)

    return type(name, (), {"__init__": __init__, "__doc__": f"torch.nn.{name} is not supported: {_WHY[kind]}"})

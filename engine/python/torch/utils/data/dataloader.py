"""DataLoader, in one process."""

from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler, draw_seed


class DataLoader:
    """Batches of a dataset. shuffle=True draws from the generator exactly as PyTorch does.

    num_workers has to be 0: there are no worker processes here. batch_size=None yields samples rather than batches.
    """

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn=None,
        pin_memory=False,
        drop_last=False,
        timeout=0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        *,
        prefetch_factor=None,
        persistent_workers=False,
        pin_memory_device="",
        in_order=True,
    ):
        if num_workers < 0:
            raise ValueError(
                "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
            )
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers > 0:
            raise NotImplementedError(
                "DataLoader(num_workers > 0) is not supported: Python runs in one process here. Use num_workers=0."
            )
        if prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing."
                "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
            )
        if persistent_workers:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if multiprocessing_context is not None:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=0"
            )
        self.dataset = dataset
        self.num_workers = num_workers
        self.pin_memory = pin_memory  # memory is shared with the engine's host either way
        self.timeout = timeout
        self.generator = generator
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable:
            self._check_iterable(shuffle, sampler, batch_sampler)
        else:
            shuffle = bool(shuffle)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
            drop_last = False
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None and not self._iterable:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            if self._iterable:
                sampler = _Forever()
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        auto = batch_sampler is not None
        self.collate_fn = collate_fn if collate_fn is not None else default_collate if auto else default_convert

    @staticmethod
    def _check_iterable(shuffle, sampler, batch_sampler):
        given = "DataLoader with IterableDataset: expected unspecified"
        if shuffle not in (False, None):
            raise ValueError(f"{given} shuffle option, but got shuffle={shuffle}")
        if sampler is not None:
            raise ValueError(f"{given} sampler option, but got sampler={sampler}")
        if batch_sampler is not None:
            raise ValueError(f"{given} batch_sampler option, but got batch_sampler={batch_sampler}")

    def __iter__(self):
        # PyTorch draws a base seed for worker processes at each iteration, even without any: later numbers depend on it.
        draw_seed(self.generator)
        return self._batches()

    def _batches(self):
        if self._iterable:
            yield from self._batches_of_iterable()
        elif self.batch_sampler is not None:
            for indices in self.batch_sampler:
                getitems = getattr(self.dataset, "__getitems__", None)
                yield self.collate_fn(getitems(indices) if getitems else [self.dataset[i] for i in indices])
        else:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])

    def _batches_of_iterable(self):
        samples = iter(self.dataset)
        if self.batch_sampler is None:
            for sample in samples:
                yield self.collate_fn(sample)
            return
        for indices in self.batch_sampler:
            batch = [sample for _, sample in zip(indices, samples)]
            if not batch or (self.drop_last and len(batch) < len(indices)):
                return
            yield self.collate_fn(batch)
            if len(batch) < len(indices):
                return

    def __len__(self):
        if self._iterable:
            n = len(self.dataset)
            if self.batch_size is None:
                return n
            return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
        return len(self.batch_sampler if self.batch_sampler is not None else self.sampler)


class _Forever:
    """A sampler for datasets without indices."""

    def __iter__(self):
        while True:
            yield None

# Datasets, samplers and DataLoader: order of draws, batching, collation, errors.
import torch
from torch.utils.data import (BatchSampler, ConcatDataset, DataLoader, Dataset, IterableDataset, RandomSampler, SequentialSampler,
                              Subset, SubsetRandomSampler, TensorDataset, default_collate, random_split)


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, error)


x = torch.arange(10.0)
data = TensorDataset(x, x.to(torch.int64) * 2)
torch.manual_seed(0)
for epoch in range(2):
    print([a.tolist() for a, b in DataLoader(data, batch_size=4, shuffle=True)])
print(torch.rand(2).tolist())  # the loader has drawn from the default generator
g = torch.Generator().manual_seed(7)
print([b.tolist() for a, b in DataLoader(data, 3, shuffle=True, drop_last=True, generator=g)])
print(torch.rand(2, generator=g).tolist())
torch.manual_seed(1)
print([len(s) for s in random_split(data, [0.5, 0.25, 0.25])], [i for s in random_split(data, [7, 3]) for i in s.indices])
print(list(RandomSampler(range(5), replacement=True, num_samples=8)), list(SubsetRandomSampler([3, 5, 7])))
print(list(BatchSampler(SequentialSampler(range(5)), 2, False)), len(BatchSampler(range(5), 2, True)))
print(len(DataLoader(data, 4)), len(DataLoader(data, 4, drop_last=True)), len(data + data), (data + data)[12])
print([int(b[0]) for a, b in DataLoader(Subset(data, [4, 2]))])
print([a.shape for a, b in DataLoader(data, batch_size=None)][:2])


class Dicts(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return {"x": torch.full((2,), float(i)), "name": str(i), "n": i, "f": i / 2, "pair": (i, [i])}


for batch in DataLoader(Dicts(), batch_size=2):
    print(batch)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(5))


print(list(DataLoader(Stream(), batch_size=2)), list(DataLoader(Stream(), batch_size=2, drop_last=True)))
print(default_collate([True, False]), default_collate([1.5, 2.5]).dtype, default_collate(["a", "b"]))
torch.manual_seed(3)
loader = DataLoader(data, batch_sampler=BatchSampler(RandomSampler(data), 5, False))
print([a.tolist() for a, _ in loader])
attempt("sizes", lambda: TensorDataset(torch.ones(2), torch.ones(3)))
attempt("split", lambda: random_split(data, [1, 2]))
attempt("shuffle and sampler", lambda: DataLoader(data, shuffle=True, sampler=SequentialSampler(data)))
attempt("batch_sampler", lambda: DataLoader(data, batch_size=2, batch_sampler=[[0]]))
attempt("batch size", lambda: DataLoader(data, batch_size=0))
attempt("drop_last", lambda: DataLoader(data, batch_size=None, drop_last=True))
attempt("workers", lambda: DataLoader(data, num_workers=-1))
attempt("prefetch", lambda: DataLoader(data, prefetch_factor=2))
attempt("stream", lambda: DataLoader(Stream(), shuffle=True))
attempt("unequal", lambda: default_collate([[1], [1, 2]]))
attempt("empty", lambda: RandomSampler([]))
attempt("concat", lambda: ConcatDataset([]))
attempt("base", lambda: Dataset()[0])

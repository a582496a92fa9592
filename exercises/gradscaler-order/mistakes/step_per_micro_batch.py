import torch
import torch.nn.functional as F


def train_step(model, optimizer, scaler, micro_batches, max_norm):
    for x, y in micro_batches:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.mse_loss(model(x), y) / len(micro_batches)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
    return norm

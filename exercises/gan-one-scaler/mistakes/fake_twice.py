import torch
import torch.nn.functional as F


def gan_step(generator, critic, g_optimizer, d_optimizer, scaler, real, noise, max_norm):
    d_optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        fake = generator(noise)
        on_real, on_fake = critic(real), critic(fake.detach())
        d_loss = F.mse_loss(on_real, torch.ones_like(on_real)) + F.mse_loss(on_fake, torch.zeros_like(on_fake))
    scaler.scale(d_loss).backward()
    scaler.step(d_optimizer)
    g_optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        on_fake = critic(fake.detach())
        g_loss = F.mse_loss(on_fake, torch.ones_like(on_fake))
    scaler.scale(g_loss).backward()
    scaler.unscale_(g_optimizer)
    norm = torch.nn.utils.clip_grad_norm_(generator.parameters(), max_norm)
    scaler.step(g_optimizer)
    scaler.update()
    return norm

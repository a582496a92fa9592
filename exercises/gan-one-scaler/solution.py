import torch
import torch.nn.functional as F


def gan_step(generator, critic, g_optimizer, d_optimizer, scaler, real, noise, max_norm):
    """One step of the critic, then one of the generator. Returns the norm of the generator's gradients before clipping.

    real: [rows, features], noise: [rows, latent]. Both losses are mean squared errors: the critic's scores should be 1 on
    real and 0 on fake rows; the generator wants 1 on its own.
    """
    d_optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        fake = generator(noise)
        on_real, on_fake = critic(real), critic(fake.detach())  # detached: this loss is none of the generator's business
        d_loss = F.mse_loss(on_real, torch.ones_like(on_real)) + F.mse_loss(on_fake, torch.zeros_like(on_fake))
    scaler.scale(d_loss).backward()
    scaler.step(d_optimizer)  # unscales by itself; before the generator's backward adds to the critic's gradients

    g_optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):  # a new region: the old one's float16 copy of the weights is stale
        on_fake = critic(fake)
        g_loss = F.mse_loss(on_fake, torch.ones_like(on_fake))
    scaler.scale(g_loss).backward()
    scaler.unscale_(g_optimizer)  # only of what is clipped, and before it is
    norm = torch.nn.utils.clip_grad_norm_(generator.parameters(), max_norm)
    scaler.step(g_optimizer)

    scaler.update()  # once, after both: it looks at what either has found
    return norm


torch.manual_seed(0)
generator = torch.nn.Linear(2, 2, device="cuda")
critic = torch.nn.Linear(2, 1, device="cuda")
g_optimizer = torch.optim.SGD(generator.parameters(), lr=0.05)
d_optimizer = torch.optim.SGD(critic.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cuda", init_scale=1024.0, growth_interval=4)
for step in range(8):
    real = 1 + 0.5 * torch.randn(8, 2, device="cuda")
    noise = torch.randn(8, 2, device="cuda")
    norm = gan_step(generator, critic, g_optimizer, d_optimizer, scaler, real, noise, max_norm=0.25)
    print(f"step {step}: generator's norm {norm.item():.4g}, scale {scaler.get_scale():g}")

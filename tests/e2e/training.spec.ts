/** A float16 training step on WebGPU: accumulation, clipping, scaler. Every printed number is what PyTorch 2.13 printed (autocast on its CPU). */
import { expect, test } from '@playwright/test';
import { LabPage } from './lab-page';

const SCRIPT = `import torch
torch.manual_seed(0)
model = torch.nn.Linear(4, 1, device="cuda")
opt = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda", init_scale=1024.0)
x = torch.randn(8, 4, device="cuda"); y = torch.randn(8, 1, device="cuda")
for i in range(4):
    opt.zero_grad()
    for xb, yb in zip(x.chunk(2), y.chunk(2)):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = torch.nn.functional.mse_loss(model(xb), yb) / 2
        scaler.scale(loss).backward()
    scaler.unscale_(opt)
    n = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    scaler.step(opt); scaler.update()
    print(i, loss.item(), n.item(), scaler.get_scale(), model.weight.tolist())
`;

const PRINTED = `0 1.513587474822998 2.541926145553589 1024.0 [[-0.028052521869540215, 0.25516921281814575, -0.3709721565246582, -0.35903728008270264]]
1 1.45835280418396 2.327104091644287 1024.0 [[-0.051253750920295715, 0.2422230988740921, -0.329825758934021, -0.3495296537876129]]
2 1.408945083618164 2.1174991130828857 1024.0 [[-0.07313128560781479, 0.22938482463359833, -0.2880364954471588, -0.33936914801597595]]
3 1.3654658794403076 1.913217306137085 1024.0 [[-0.09340489655733109, 0.21662409603595734, -0.24556878209114075, -0.3284651041030884]]
`;

test('losses, norms, scale and weights of a scaled training loop are PyTorch’s', async ({ page }) => {
  const lab = await LabPage.open(page);
  expect(await lab.run(SCRIPT)).toBe(PRINTED);
  await expect(lab.runner).toHaveAttribute('data-backend', 'webgpu');
  await expect(lab.status).toContainText('GPU kernels');
});

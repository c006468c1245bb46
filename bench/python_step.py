"""The training step of the `small` preset in Python's PyTorch, for comparison with `bench_train_step`.

The same model (equivariant backbone, Wigner predictor), loss, optimiser and batch, written as a PyTorch
user would: fused attention, fused AdamW. Prints milliseconds per step and clouds per second.
"""
import argparse
import math
import time

import torch
import torch.nn.functional as F
from torch import nn

CHANNELS = (8, 24, 16, 12, 8)
DEGREE = len(CHANNELS) - 1
BATCH, PATCHES, POINTS, WIDTH, DEPTH, HEADS = 64, 32, 16, 128, 3, 4


def harmonics(v, degree=DEGREE):
    """Real spherical harmonics; each degree has norm 1."""
    x, y, z = v.unbind(-1)
    re, im = [torch.ones_like(x)], [torch.zeros_like(x)]
    for _ in range(degree):
        re, im = re + [x * re[-1] - y * im[-1]], im + [x * im[-1] + y * re[-1]]
    columns = {}
    for m in range(degree + 1):
        p = [torch.full_like(z, float(math.prod(range(1, 2 * m, 2))))]
        for l in range(m + 1, degree + 1):
            q = (2 * l - 1) * z * p[-1] - ((l + m - 1) * p[-2] if l > m + 1 else 0)
            p.append(q / (l - m))
        for l in range(m, degree + 1):
            scale = math.sqrt(math.factorial(l - m) / math.factorial(l + m))
            if m == 0:
                columns[l, 0] = p[l]
            else:
                columns[l, 2 * m - 1] = math.sqrt(2) * scale * p[l - m] * re[m]
                columns[l, 2 * m] = math.sqrt(2) * scale * p[l - m] * im[m]
    return torch.stack([columns[key] for key in sorted(columns)], -1)


def to_matrix(q):
    w, x, y, z = q.unbind(-1)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return torch.stack(rows, -1).unflatten(-1, (3, 3))


PROBES = F.normalize(torch.randn(2 * (2 * DEGREE + 1), 3, generator=torch.Generator().manual_seed(0)), dim=-1)
INVERSES = [torch.linalg.pinv(harmonics(PROBES)[:, l * l:(l + 1) ** 2]) for l in range(DEGREE + 1)]


def wigner(q):
    values = harmonics(PROBES @ to_matrix(q).transpose(-1, -2))
    return [(INVERSES[l] @ values[..., l * l:(l + 1) ** 2]).transpose(-1, -2) for l in range(DEGREE + 1)]


def split(z):
    sizes = [m * (2 * l + 1) for l, m in enumerate(CHANNELS)]
    return [part.unflatten(-1, (m, -1)) for part, m in zip(z.split(sizes, -1), CHANNELS)]


def rotate(q, z):
    return torch.cat([(part @ d.transpose(-1, -2)).flatten(-2) for part, d in zip(split(z), wigner(q))], -1)


def similarity(q, source, target):
    correlation = torch.cat([(b.transpose(1, 2) @ a).flatten(1) for a, b in zip(split(source), split(target))], 1)
    matrices = torch.cat([d.flatten(-2) for d in wigner(q)], -1)
    return correlation @ matrices.t() if q.dim() == 2 else (matrices @ correlation[..., None]).squeeze(-1)


def random_rotations(*shape):
    return F.normalize(torch.randn(*shape, 4), dim=-1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x, bias):
        b, n, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, n, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + self.out(a.transpose(1, 2).reshape(b, n, WIDTH))
        return x + self.mlp(self.norm2(x))


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 48))
        self.second = nn.Sequential(nn.Linear(96, 128), nn.ReLU())
        self.last = nn.Linear(128, WIDTH)
        self.place = nn.Sequential(nn.Linear(2, 64), nn.GELU(), nn.Linear(64, WIDTH))
        self.relation, self.bias = nn.Linear(2, 16), nn.Linear(16, DEPTH * HEADS, bias=False)
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.norm = nn.LayerNorm(WIDTH)
        self.directions, self.moments = nn.Linear(WIDTH, sum(CHANNELS)), nn.Linear(WIDTH, sum(CHANNELS))

    def forward(self, centres, points):
        offset = points.mean(2)
        centroid = centres + offset
        radius = centroid.norm(dim=-1, keepdim=True).clamp_min(1e-4)
        direction, points = centroid / radius, points - offset[:, :, None]
        seen = torch.stack([6 * points.norm(dim=-1), 2 * (points + centroid[:, :, None]).norm(dim=-1) - 1,
                            6 * (points * direction[:, :, None]).sum(-1)], -1)
        local = self.first(seen)
        both = torch.cat([local, local.amax(2, keepdim=True).expand_as(local)], -1)
        x = self.last(self.second(both).amax(2))
        x = x + self.place(torch.cat([2 * radius - 1, 8 * offset.norm(dim=-1, keepdim=True)], -1))
        relation = torch.stack([torch.cdist(centroid, centroid), centroid @ centroid.transpose(1, 2)], -1)
        bias = self.bias(F.gelu(self.relation(relation))).permute(0, 3, 1, 2).chunk(DEPTH, 1)
        for block, b in zip(self.blocks, bias):
            x = block(x, b)
        x = self.norm(x)
        square = points.square().sum(-1, keepdim=True)
        moments = (square / (square.mean(2, keepdim=True) + 1e-12)
                   * harmonics(points * (square + 1e-12).rsqrt())).mean(2)
        y, w, v = harmonics(direction), self.directions(x), self.moments(x)
        parts, first = [], 0
        for l, m in enumerate(CHANNELS):
            own = slice(l * l, (l + 1) ** 2)
            part = w[..., first:first + m].transpose(1, 2) @ y[..., own]
            part = part + v[..., first:first + m].transpose(1, 2) @ moments[..., own]
            parts.append(part.flatten(1))
            first += m
        return F.normalize(torch.cat(parts, 1), dim=-1)


def loss_of(backbone, centres, points, g, tau=0.5, beta=0.3):
    z, z_plus = backbone(centres, points).chunk(2)
    anchor = rotate(g, z)
    positive = (anchor * z_plus).sum(-1)
    near = random_rotations(BATCH, 8)
    negative = torch.cat([similarity(random_rotations(32), z, anchor), similarity(near, z, anchor)], 1)
    cope = torch.logsumexp((2 * torch.cat([negative, positive[:, None]], 1) - 2) / tau, 1).mean()
    both, objects = torch.cat([z, z_plus]), torch.arange(BATCH).repeat(2)
    different = objects[:, None] != objects[None]
    uniform = torch.logsumexp(((2 * both @ both.t() - 2) / tau)[different], 0) - math.log(int(different.sum()))
    return (2 - 2 * positive).mean() + beta * cope + (1 - beta) * uniform


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=8)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    backbone = Backbone()
    optimiser = torch.optim.AdamW(backbone.parameters(), lr=1e-4, fused=True)
    centres, points = 0.5 * torch.randn(2 * BATCH, PATCHES, 3), 0.1 * torch.randn(2 * BATCH, PATCHES, POINTS, 3)
    g = random_rotations(BATCH)

    def step():
        optimiser.zero_grad()
        loss_of(backbone, centres, points, g).backward()
        torch.nn.utils.clip_grad_norm_(backbone.parameters(), 1.0)
        optimiser.step()

    for _ in range(3):
        step()
    started, cpu_started, steps = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - started < args.seconds:
        step()
        steps += 1
    ms, cpu_ms = 1e3 * (time.perf_counter() - started) / steps, 1e3 * (time.process_time() - cpu_started) / steps
    print(f"PyTorch {torch.__version__}, {args.threads} threads: {ms:.1f} ms per step ({cpu_ms:.1f} ms of CPU time), "
          f"{2e3 * BATCH / ms:.0f} clouds/s")


if __name__ == "__main__":
    main()

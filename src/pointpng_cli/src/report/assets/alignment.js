/* The viewer's controls. Numbers and words are in the page already; the script chooses which of them are visible.
   Positions are relative to the target's centre. A placement of the source is {q, at}: its rotation, and where its
   centre lies. */
const MOTION_MS = 900;
const one = selector => document.querySelector(selector);
const all = selector => [...document.querySelectorAll(selector)];

const decode = ({centre, points}) => {
  const bytes = Uint8Array.from(atob(points), character => character.charCodeAt(0));
  const offsets = new Float32Array(bytes.buffer);
  const count = offsets.length / 3;
  const distances = new Float32Array(count);
  for (let i = 0; i < count; ++i) distances[i] = Math.hypot(offsets[3 * i], offsets[3 * i + 1], offsets[3 * i + 2]);
  distances.sort();
  /* Outliers must not make the rest small. */
  return {points: offsets, count, centre, radius: 1.05 * (distances[Math.floor(0.98 * count)] || 0)};
};

/* Nearest neighbour in a cloud within a limit, by spatial hashing. Points of another cell with the same hash do no
   harm: they are candidates like any other. */
class Nearest {
  constructor(cloud) {
    const {points, count, radius} = cloud;
    const spacing = radius * Math.sqrt((4 * Math.PI) / Math.max(1, count));
    this.points = points;
    this.cell = spacing || 1;
    this.limit = Math.max(0.1 * radius, 3 * spacing) || 1;
    let slots = 1024;
    while (slots < 2 * count) slots *= 2;
    this.mask = slots - 1;
    this.first = new Int32Array(slots).fill(-1);
    this.next = new Int32Array(count);
    const cell = value => Math.floor(value / this.cell);
    for (let i = 0; i < count; ++i) {
      const slot = this.slot(cell(points[3 * i]), cell(points[3 * i + 1]), cell(points[3 * i + 2]));
      this.next[i] = this.first[slot];
      this.first[slot] = i;
    }
  }
  slot(x, y, z) {
    return (Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) & this.mask;
  }
  distance(x, y, z) {
    const {points, cell, first, next} = this;
    const cx = Math.floor(x / cell);
    const cy = Math.floor(y / cell);
    const cz = Math.floor(z / cell);
    let best = this.limit * this.limit;
    /* Whatever is outside of the first `ring` shells is at least `ring` cells away. */
    for (let ring = 0; ring === 0 || (ring - 1) * cell < Math.sqrt(best); ++ring)
      for (let i = -ring; i <= ring; ++i)
        for (let j = -ring; j <= ring; ++j) {
          const shell = Math.max(Math.abs(i), Math.abs(j)) === ring;
          for (let k = -ring; k <= ring; k += shell ? 1 : 2 * ring)
            for (let p = first[this.slot(cx + i, cy + j, cz + k)]; p >= 0; p = next[p]) {
              const dx = points[3 * p] - x;
              const dy = points[3 * p + 1] - y;
              const dz = points[3 * p + 2] - z;
              const square = dx * dx + dy * dy + dz * dz;
              if (square < best) best = square;
            }
        }
    return Math.sqrt(best);
  }
}

/* Two clouds with the placements of the source: before, and one per hypothesis. */
class Pair {
  constructor(entry) {
    this.unit = entry.unit;
    this.source = decode(entry.source);
    this.target = decode(entry.target);
    const origin = this.target.count ? this.target.centre : this.source.centre;
    const relative = position => position.map((v, i) => v - origin[i]);
    this.targetAt = relative(this.target.centre);
    this.before = {q: [1, 0, 0, 0], at: relative(this.source.centre)};
    this.after = entry.poses.map(m => {
      if (!m) return null;
      const rotation = [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]];
      const centre = turned(rotation, this.source.centre).map((v, i) => v + m[4 * i + 3]);
      return {q: quaternion.ofMatrix(rotation), at: relative(centre)};
    });
    for (const place of [this.before, ...this.after]) if (place) Object.assign(place, this.framing(place));
  }
  /* The smallest sphere around both clouds. */
  framing({at}) {
    const {source, target, targetAt} = this;
    if (!target.count) return {centre: at, radius: source.radius || 1};
    const gap = Math.hypot(...at.map((v, i) => v - targetAt[i]));
    if (!source.count || gap + source.radius <= target.radius) return {centre: targetAt, radius: target.radius || 1};
    if (gap + target.radius <= source.radius) return {centre: at, radius: source.radius || 1};
    const radius = (gap + source.radius + target.radius) / 2 || 1;
    const part = gap ? (radius - target.radius) / gap : 0;
    return {centre: targetAt.map((v, i) => v + part * (at[i] - v)), radius};
  }
  /* Distances of the source's points to the target; computed once per placement. */
  distances(place) {
    if (place.distances) return place.distances;
    this.nearest ??= new Nearest(this.target);
    const m = quaternion.matrix(place.q);
    const {points, count} = this.source;
    const shift = place.at.map((v, i) => v - this.targetAt[i]);
    const found = new Float32Array(count);
    for (let i = 0; i < count; ++i) {
      const x = points[3 * i];
      const y = points[3 * i + 1];
      const z = points[3 * i + 2];
      found[i] = this.nearest.distance(
        m[0] * x + m[1] * y + m[2] * z + shift[0],
        m[3] * x + m[4] * y + m[5] * z + shift[1],
        m[6] * x + m[7] * y + m[8] * z + shift[2],
      );
    }
    return (place.distances = found);
  }
  /* End of the colour scale: the same for all hypotheses, so that they can be compared. */
  scaleEnd() {
    if (this.end) return this.end;
    const sorted = this.distances(this.after.find(Boolean) ?? this.before)
      .slice()
      .sort();
    const {cell, limit} = this.nearest;
    const wanted = Math.max(sorted[Math.floor(0.95 * sorted.length)] || 0, 2 * cell);
    const power = 10 ** Math.floor(Math.log10(wanted));
    const round = [10, 5, 2, 1, 0.5].map(factor => factor * power).filter(end => end <= limit);
    return (this.end = round.findLast(end => end >= 0.999 * wanted) ?? round[0] ?? limit);
  }
  values(place) {
    const end = this.scaleEnd();
    return (place.values ??= this.distances(place).map(distance => distance / end));
  }
}

const entries = JSON.parse(one('#alignments').textContent);
const pairs = [];
const view = new PointView(one('.screen canvas'));
const sourceLayer = {visible: true, turn: quaternion.matrix([1, 0, 0, 0]), shift: [0, 0, 0]};
const targetLayer = {visible: true, turn: quaternion.matrix([1, 0, 0, 0]), shift: [0, 0, 0]};
view.layers = [targetLayer, sourceLayer];
let alignment = 0;
let pair;
let chosen = 0;
let showing = 'after';
let byResidual = false;
let place;
let motion;

const length = value => Number(value.toPrecision(2)) + (pair.unit ? '\u202f' + pair.unit : '');
const wanted = () => (showing === 'after' && pair.after[chosen]) || pair.before;

const paintColours = () => {
  const style = getComputedStyle(document.documentElement);
  const colour = name =>
    [1, 3, 5].map(
      i =>
        parseInt(
          style
            .getPropertyValue(name)
            .trim()
            .slice(i, i + 2),
          16,
        ) / 255,
    );
  view.colours = {ground: colour('--screen'), ramp: ['--near', '--between', '--far'].map(colour)};
  sourceLayer.colour = colour('--source');
  targetLayer.colour = colour(byResidual ? '--faint' : '--target');
  view.request();
};

const putSource = at => {
  place = at;
  sourceLayer.turn = quaternion.matrix(at.q);
  sourceLayer.shift = at.at;
  view.centre = at.centre;
  view.radius = at.radius;
};

const paintResiduals = (from, to) => {
  const usable = byResidual && pair.source.count && pair.target.count;
  one('.scale').hidden = !usable;
  sourceLayer.from = usable ? pair.values(from) : null;
  sourceLayer.to = usable ? pair.values(to) : null;
  if (!usable) return;
  const end = pair.scaleEnd();
  const sorted = pair.distances(to).slice().sort();
  const middle = sorted[sorted.length >> 1];
  const below = sorted.filter(v => v < end / 2).length;
  one('.scale .half').textContent = length(end / 2);
  one('.scale .most').textContent = '≥ ' + length(end);
  one('.scale small').textContent =
    'median ' +
    (middle >= end ? '≥ ' + length(end) : length(middle)) +
    ', ' +
    Math.round((100 * below) / sorted.length) +
    ' % below ' +
    length(end / 2);
};

const mix = (a, b, t) => a.map((v, i) => v + t * (b[i] - v));
const still = matchMedia('(prefers-reduced-motion: reduce)');
const tick = now => {
  if (!motion) return;
  motion.start ??= now;
  const part = Math.min(1, (now - motion.start) / MOTION_MS);
  const t = part * part * (3 - 2 * part);
  const {from, to} = motion;
  view.blend = t;
  if (part < 1) {
    putSource({
      q: quaternion.slerp(from.q, to.q, t),
      at: mix(from.at, to.at, t),
      centre: mix(from.centre, to.centre, t),
      radius: from.radius + t * (to.radius - from.radius),
    });
    requestAnimationFrame(tick);
  } else {
    putSource(to);
    motion = undefined;
  }
  view.canvas.dataset.moving = motion ? 'yes' : 'no';
  view.request();
};

const tell = () => {
  const applied = showing === 'after' && pair.after[chosen];
  one('.shown').textContent = applied
    ? 'After: the source moved by hypothesis ' + (chosen + 1) + '.'
    : 'Before: the source in its own frame.';
  for (const button of all('[data-show]'))
    button.setAttribute('aria-pressed', (button.dataset.show === 'after') === Boolean(applied));
  one('[data-show=after]').disabled = !pair.after[chosen];
  const here = '[data-alignment="' + alignment + '"] ';
  for (const button of all(here + '[data-pose]'))
    button.setAttribute('aria-pressed', Number(button.dataset.pose) === chosen);
  for (const numbers of all(here + '[data-pose-of]')) numbers.hidden = Number(numbers.dataset.poseOf) !== chosen;
};

/* Moves the source to the selected placement and blends to its colours. */
const move = animated => {
  const to = wanted();
  const running = motion;
  tell();
  const settled = running ? running.to : place;
  paintResiduals(animated && settled ? settled : to, to);
  motion = {from: place ?? to, to};
  view.canvas.dataset.moving = 'yes';
  if (!animated || still.matches) motion.start = -Infinity;
  if (!running) requestAnimationFrame(tick);
};

const choosePair = index => {
  alignment = index;
  pair = pairs[index] ??= new Pair(entries[index]);
  chosen = Math.max(0, pair.after.findIndex(Boolean));
  for (const group of all('[data-alignment]')) group.hidden = Number(group.dataset.alignment) !== index;
  one('.empty').hidden = pair.source.count + pair.target.count > 0;
  const size = Math.min(7, Math.max(2, 200 / Math.sqrt(Math.max(pair.source.count, pair.target.count, 1))));
  one('#point-size').value = sourceLayer.size = targetLayer.size = Math.round(2 * size) / 2;
  sourceLayer.points = pair.source.points;
  targetLayer.points = pair.target.points;
  targetLayer.shift = pair.targetAt;
  place = undefined;
  move(false);
};

const show = what => {
  showing = what;
  move(true);
};
const click = (selector, act) => {
  for (const element of all(selector)) element.addEventListener('click', () => act(element));
};
click('[data-show]', button => show(button.dataset.show));
click('[data-pose]', button => {
  chosen = Number(button.dataset.pose);
  show('after');
});
click('[data-colour]', button => {
  byResidual = button.dataset.colour === 'residual';
  for (const other of all('[data-colour]')) other.setAttribute('aria-pressed', other === button);
  paintResiduals(wanted(), wanted());
  paintColours();
});
click('#reset', () => view.reset());
for (const [name, layer] of [
  ['source', sourceLayer],
  ['target', targetLayer],
])
  one('#show-' + name).addEventListener('change', event => {
    layer.visible = event.target.checked;
    view.request();
  });
one('#point-size').addEventListener('input', event => {
  sourceLayer.size = targetLayer.size = Number(event.target.value);
  view.request();
});
one('#alignment')?.addEventListener('change', event => choosePair(Number(event.target.value)));
view.canvas.addEventListener('keydown', event => {
  if (event.key !== ' ') return;
  event.preventDefault();
  if (pair.after[chosen]) show(showing === 'after' ? 'before' : 'after');
});
view.onDraw = turn =>
  ['x', 'y', 'z'].forEach((axis, i) => {
    const x = 20 * turn[i];
    const y = -20 * turn[i + 3];
    const line = one('.axes line.' + axis);
    const text = one('.axes text.' + axis);
    line.setAttribute('x2', x.toFixed(1));
    line.setAttribute('y2', y.toFixed(1));
    text.setAttribute('x', (1.3 * x).toFixed(1));
    text.setAttribute('y', (1.3 * y + 3).toFixed(1));
  });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paintColours);
paintColours();
choosePair(0);

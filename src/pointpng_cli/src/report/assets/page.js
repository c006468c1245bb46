/* Reads out charts and pictures under the pointer. Pixel positions come from the paths, values from their data
   attributes. The legend shows the values, so nothing ever covers a curve. */
'use strict';

const numbers = text => (text.match(/-?[\d.]+(e[-+]?\d+)?/g) || []).map(Number);
const create = (name, parent) => parent.appendChild(document.createElementNS('http://www.w3.org/2000/svg', name));
/* Index of the number in a rising list that is closest to `value`. */
const nearest = (list, value) => {
  let low = 0;
  let high = list.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle;
    else high = middle;
  }
  return Math.abs(list[low] - value) <= Math.abs(list[high] - value) ? low : high;
};

for (const figure of document.querySelectorAll('figure.chart')) {
  const svg = figure.querySelector('svg');
  const at = figure.querySelector('.at');
  const values = [...figure.querySelectorAll('.legend b')];
  const curves = [...svg.querySelectorAll('path.main')].map(path => {
    const xy = numbers(path.getAttribute('d'));
    return {
      px: xy.filter((_, i) => i % 2 === 0),
      py: xy.filter((_, i) => i % 2 === 1),
      x: numbers(path.dataset.x),
      y: path.dataset.y.split(' '),
      colour: path.parentNode.getAttribute('class').replace('line ', ''),
    };
  });
  const longest = curves.reduce((a, b) => (b.px.length > a.px.length ? b : a), {px: []});
  if (!longest.px.length) continue;
  const cursor = create('g', svg);
  cursor.setAttribute('class', 'cursor');
  const rule = create('path', cursor);
  const dots = curves.map((_, i) => {
    const dot = create('circle', cursor);
    dot.setAttribute('class', curves[i].colour);
    dot.setAttribute('r', 4);
    return dot;
  });
  let current = -1;
  const show = index => {
    current = Math.max(0, Math.min(longest.px.length - 1, index));
    const pixel = longest.px[current];
    rule.setAttribute('d', 'M' + pixel + ',' + svg.dataset.top + 'V' + svg.dataset.bottom);
    curves.forEach((curve, i) => {
      if (!curve.px.length) return dots[i].setAttribute('display', 'none');
      const k = nearest(curve.px, pixel);
      values[i].textContent = curve.y[k];
      dots[i].setAttribute('cx', curve.px[k]);
      dots[i].setAttribute('cy', curve.py[k]);
    });
    cursor.setAttribute('display', 'inline');
    at.textContent = 'at ' + figure.dataset.xName + ' ' + longest.x[current];
  };
  const hide = () => {
    current = -1;
    cursor.setAttribute('display', 'none');
    at.textContent = '';
    for (const value of values) value.textContent = value.dataset.last;
  };
  hide();
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect();
    show(nearest(longest.px, ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width));
  });
  svg.addEventListener('pointerleave', hide);
  svg.addEventListener('blur', hide);
  svg.addEventListener('keydown', event => {
    const stride = Math.max(1, Math.round(longest.px.length / 50));
    const step = {ArrowLeft: -stride, ArrowRight: stride}[event.key];
    if (step === undefined) return;
    show(current < 0 ? longest.px.length - 1 : current + step);
    event.preventDefault();
  });
}

/* Pictures: the mark nearest to the pointer says what it is; pointing at a name of the legend shows its marks alone. */
for (const figure of document.querySelectorAll('figure.picture')) {
  const svg = figure.querySelector('svg');
  const tip = figure.querySelector('.tip');
  const marks = [...svg.querySelectorAll('[data-tip]')].map(mark => {
    const [x, y] = mark.dataset.at.split(' ').map(Number);
    return {x, y, tip: mark.dataset.tip};
  });
  const ring = create('circle', svg);
  ring.setAttribute('class', 'ring');
  ring.setAttribute('r', 7);
  const hide = () => {
    ring.setAttribute('display', 'none');
    tip.textContent = '';
  };
  hide();
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    let best = null;
    let closest = 18 * 18;
    for (const mark of marks) {
      const distance = (mark.x - x) ** 2 + (mark.y - y) ** 2;
      if (distance <= closest) {
        best = mark;
        closest = distance;
      }
    }
    if (!best) return hide();
    ring.setAttribute('cx', best.x);
    ring.setAttribute('cy', best.y);
    ring.setAttribute('display', 'inline');
    tip.textContent = best.tip;
  });
  svg.addEventListener('pointerleave', hide);
  for (const name of svg.querySelectorAll('[data-legend]')) {
    name.addEventListener('pointerenter', () => {
      for (const mark of svg.querySelectorAll('[data-group]'))
        mark.classList.toggle('shown', mark.dataset.group === name.dataset.legend);
      svg.classList.add('one');
    });
    name.addEventListener('pointerleave', () => svg.classList.remove('one'));
  }
}
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});

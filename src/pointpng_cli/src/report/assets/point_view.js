/* Draws layers of points in 3D. A layer is {points, turn (3 x 3, row by row), shift, colour, size, visible, from, to};
   `from` and `to` hold one value per point in [0, 1], between which the view blends. Lengths in a frame are in units
   of the scene's radius, so the shaders never see the size of the clouds. */
'use strict';
const EYE = 3.2;
const NEAR = 0.05;
const FAR = 12;

const quaternion = {
  multiply: (a, b) => [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ],
  about: (x, y, z, angle) => {
    const s = Math.sin(angle / 2);
    return [Math.cos(angle / 2), x * s, y * s, z * s];
  },
  normalised: q => {
    const n = Math.hypot(...q);
    return q.map(v => v / n);
  },
  matrix: ([w, x, y, z]) => [
    1 - 2 * (y * y + z * z),
    2 * (x * y - w * z),
    2 * (x * z + w * y),
    2 * (x * y + w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z - w * x),
    2 * (x * z - w * y),
    2 * (y * z + w * x),
    1 - 2 * (x * x + y * y),
  ],
  /* From the largest component, for numerical stability. */
  ofMatrix: m => {
    const squares = [1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8]];
    const largest = squares.indexOf(Math.max(...squares));
    const row = [
      [squares[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]],
      [m[7] - m[5], squares[1], m[1] + m[3], m[2] + m[6]],
      [m[2] - m[6], m[1] + m[3], squares[2], m[5] + m[7]],
      [m[3] - m[1], m[2] + m[6], m[5] + m[7], squares[3]],
    ][largest];
    return quaternion.normalised(row);
  },
  slerp: (a, b, t) => {
    let dot = a.reduce((sum, v, i) => sum + v * b[i], 0);
    const sign = dot < 0 ? -1 : 1;
    dot = Math.min(1, Math.abs(dot));
    const angle = Math.acos(dot);
    if (angle < 1e-4) return quaternion.normalised(a.map((v, i) => v + t * (sign * b[i] - v)));
    const u = Math.sin((1 - t) * angle);
    const v = Math.sin(t * angle);
    return quaternion.normalised(a.map((x, i) => u * x + v * sign * b[i]));
  },
};
const product = (a, b) =>
  [0, 3, 6].flatMap(i => [0, 1, 2].map(k => a[i] * b[k] + a[i + 1] * b[k + 3] + a[i + 2] * b[k + 6]));
const turned = (m, v) => [0, 3, 6].map(i => m[i] * v[0] + m[i + 1] * v[1] + m[i + 2] * v[2]);

/* Without a graphics card WebGL is slower than our own painter. Asked on another canvas: one with a WebGL context
   gives no other. */
const hasGraphicsCard = () => {
  const gl = document.createElement('canvas').getContext('webgl');
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
};

class GlPainter {
  static create(canvas) {
    const gl = canvas.getContext('webgl', {antialias: true, preserveDrawingBuffer: true});
    return gl && new GlPainter(gl);
  }
  constructor(gl) {
    this.gl = gl;
    this.buffers = new Map();
    const vertex = `attribute vec3 point; attribute float from, to;
      uniform mat3 turn; uniform vec3 shift; uniform vec2 focal; uniform float size, blend;
      varying float fog, value;
      void main() {
        vec3 seen = turn * point + shift;
        float depth = ${EYE} - seen.z;
        gl_Position = vec4(focal * seen.xy,
                           (2.0 * (depth - ${NEAR}) / (${FAR}.0 - ${NEAR}) - 1.0) * depth, depth);
        gl_PointSize = max(1.0, size * ${EYE} / max(depth, 0.3));
        fog = 0.62 * clamp((depth - ${EYE - 1}) / 2.0, 0.0, 1.0);
        value = clamp(mix(from, to, blend), 0.0, 1.0);
      }`;
    const fragment = `precision mediump float;
      uniform vec3 colour, ground, low, middle, high; uniform float ramp;
      varying float fog, value;
      void main() {
        vec2 place = 2.0 * gl_PointCoord - 1.0;
        float radius = dot(place, place);
        if (radius > 1.0) discard;
        vec3 scale = value < 0.5 ? mix(low, middle, 2.0 * value)
                                 : mix(middle, high, 2.0 * value - 1.0);
        gl_FragColor = vec4(mix(mix(colour, scale, ramp) * (1.0 - 0.22 * radius), ground, fog), 1.0);
      }`;
    const program = (this.program = gl.createProgram());
    for (const [type, source] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error('WebGL program: ' + gl.getProgramInfoLog(program));
    gl.useProgram(program);
    gl.enable(gl.DEPTH_TEST);
    this.uniforms = {};
    for (const name of ['turn', 'shift', 'focal', 'size', 'blend', 'colour', 'ground', 'low', 'middle', 'high', 'ramp'])
      this.uniforms[name] = gl.getUniformLocation(program, name);
  }
  /* Arrays go to the graphics card once. */
  attribute(name, array, width) {
    const gl = this.gl;
    const place = gl.getAttribLocation(this.program, name);
    if (!array) {
      gl.disableVertexAttribArray(place);
      return gl.vertexAttrib1f(place, 0);
    }
    let buffer = this.buffers.get(array);
    if (buffer) gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    else {
      this.buffers.set(array, (buffer = gl.createBuffer()));
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
    }
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, width, gl.FLOAT, false, 0, 0);
  }
  paint(frame) {
    const gl = this.gl;
    const at = this.uniforms;
    const [r, g, b] = frame.ground;
    gl.viewport(0, 0, frame.width, frame.height);
    gl.clearColor(r, g, b, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniform2f(at.focal, (2 * frame.focal) / frame.width, (2 * frame.focal) / frame.height);
    gl.uniform3fv(at.ground, frame.ground);
    ['low', 'middle', 'high'].forEach((name, i) => gl.uniform3fv(at[name], frame.ramp[i]));
    for (const layer of frame.layers) {
      this.attribute('point', layer.points, 3);
      this.attribute('from', layer.from, 1);
      this.attribute('to', layer.to, 1);
      const m = layer.turn;
      gl.uniformMatrix3fv(at.turn, false, [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]]);
      gl.uniform3fv(at.shift, layer.shift);
      gl.uniform1f(at.size, layer.size);
      gl.uniform1f(at.blend, frame.blend);
      gl.uniform1f(at.ramp, layer.to ? 1 : 0);
      gl.uniform3fv(at.colour, layer.colour);
      gl.drawArrays(gl.POINTS, 0, layer.points.length / 3);
    }
  }
}

/* A colour as one pixel of an image. */
const packed = (r, g, b) => ((255 << 24) | ((b * 255) << 16) | ((g * 255) << 8) | (r * 255)) >>> 0;

/* The same without WebGL: discs in a depth buffer. */
class FlatPainter {
  constructor(canvas) {
    this.context = canvas.getContext('2d');
  }
  paint(frame) {
    const {width, height, focal, ground} = frame;
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = this.context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.depths = new Float32Array(width * height);
    }
    this.pixels.fill(packed(...ground));
    this.depths.fill(FAR);
    for (const {points, turn: m, shift: s, size, colour, from, to} of frame.layers) {
      for (let i = 0; i < points.length; i += 3) {
        const px = points[i];
        const py = points[i + 1];
        const pz = points[i + 2];
        const depth = EYE - (m[6] * px + m[7] * py + m[8] * pz + s[2]);
        if (!(depth > NEAR && depth < FAR)) continue;
        const x = width / 2 + (focal * (m[0] * px + m[1] * py + m[2] * pz + s[0])) / depth;
        const y = height / 2 - (focal * (m[3] * px + m[4] * py + m[5] * pz + s[1])) / depth;
        let [r, g, b] = colour;
        if (to) {
          const start = from ? from[i / 3] : 0;
          const value = Math.min(1, Math.max(0, start + frame.blend * (to[i / 3] - start)));
          const j = value < 0.5 ? 0 : 1;
          const low = frame.ramp[j];
          const high = frame.ramp[j + 1];
          const part = 2 * value - j;
          r = low[0] + part * (high[0] - low[0]);
          g = low[1] + part * (high[1] - low[1]);
          b = low[2] + part * (high[2] - low[2]);
        }
        const fog = 0.62 * Math.min(1, Math.max(0, (depth - EYE + 1) / 2));
        const pixel = packed(r + fog * (ground[0] - r), g + fog * (ground[1] - g), b + fog * (ground[2] - b));
        this.disc(x, y, Math.max(1, (size * EYE) / Math.max(depth, 0.3)) / 2, depth, pixel);
      }
    }
    this.context.putImageData(this.image, 0, 0);
  }
  disc(x, y, radius, depth, pixel) {
    const {width, height} = this.image;
    const {depths, pixels} = this;
    const last = Math.min(height, Math.round(y + radius));
    for (let v = Math.max(0, Math.round(y - radius)); v < last; ++v) {
      const up = v + 0.5 - y;
      const half = radius < 1.2 ? radius : Math.sqrt(Math.max(0.25, radius * radius - up * up));
      const end = v * width + Math.min(width, Math.round(x + half));
      for (let k = v * width + Math.max(0, Math.round(x - half)); k < end; ++k)
        if (depth < depths[k]) {
          depths[k] = depth;
          pixels[k] = pixel;
        }
    }
  }
}

/* A canvas that shows layers of points and lets the user rotate them. It draws on request only. */
class PointView {
  constructor(canvas) {
    this.canvas = canvas;
    this.layers = [];
    this.centre = [0, 0, 0];
    this.radius = 1;
    this.blend = 1;
    this.colours = {
      ground: [1, 1, 1],
      ramp: [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
    };
    this.onDraw = () => {};
    this.painter = (hasGraphicsCard() && GlPainter.create(canvas)) || new FlatPainter(canvas);
    canvas.dataset.painter = this.painter instanceof GlPainter ? 'webgl' : '2d';
    this.reset();
    this.listen();
  }
  reset() {
    const {about, multiply} = quaternion;
    this.turn = multiply(about(1, 0, 0, -1.2), about(0, 0, 1, -0.6));
    this.zoom = 1;
    this.pan = [0, 0];
    this.request();
  }
  rotate(right, down) {
    const {about, multiply, normalised} = quaternion;
    this.turn = normalised(multiply(multiply(about(0, 1, 0, right), about(1, 0, 0, down)), this.turn));
    this.request();
  }
  zoomBy(factor) {
    this.zoom = Math.min(40, Math.max(0.2, this.zoom * factor));
    this.request();
  }
  panBy(x, y) {
    const unit = EYE / (this.focal() / this.ratio());
    this.pan = [this.pan[0] + x * unit, this.pan[1] - y * unit];
    this.request();
  }
  ratio() {
    return Math.min(2, devicePixelRatio || 1);
  }
  focal() {
    return 1.7 * this.zoom * Math.min(this.canvas.width, this.canvas.height);
  }
  request() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = undefined;
      this.draw();
    });
  }
  draw() {
    const canvas = this.canvas;
    const ratio = this.ratio();
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    if (!width || !height) return;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const view = quaternion.matrix(this.turn).map(v => v / this.radius);
    this.painter.paint({
      width,
      height,
      focal: this.focal(),
      blend: this.blend,
      ...this.colours,
      layers: this.layers
        .filter(layer => layer.visible && layer.points.length)
        .map(layer => {
          const shift = turned(
            view,
            layer.shift.map((v, i) => v - this.centre[i]),
          );
          return {
            ...layer,
            turn: product(view, layer.turn),
            size: layer.size * ratio * Math.sqrt(this.zoom),
            shift: [shift[0] + this.pan[0], shift[1] + this.pan[1], shift[2]],
          };
        }),
    });
    this.onDraw(quaternion.matrix(this.turn));
  }
  listen() {
    const canvas = this.canvas;
    const fingers = new Map();
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, size: Math.hypot(a.x - b.x, a.y - b.y) || 1};
    };
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, {x: event.clientX, y: event.clientY});
    });
    canvas.addEventListener('pointermove', event => {
      const last = fingers.get(event.pointerId);
      if (!last) return;
      const before = fingers.size === 2 ? spread() : null;
      fingers.set(event.pointerId, {x: event.clientX, y: event.clientY});
      const x = event.clientX - last.x;
      const y = event.clientY - last.y;
      if (before) {
        const after = spread();
        this.zoomBy(after.size / before.size);
        this.panBy(after.x - before.x, after.y - before.y);
      } else if (event.shiftKey || event.buttons & 6) this.panBy(x, y);
      else this.rotate(x * 0.008, y * 0.008);
    });
    for (const end of ['pointerup', 'pointercancel'])
      canvas.addEventListener(end, event => fingers.delete(event.pointerId));
    canvas.addEventListener('contextmenu', event => event.preventDefault());
    canvas.addEventListener(
      'wheel',
      event => {
        event.preventDefault();
        this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
      },
      {passive: false},
    );
    canvas.addEventListener('keydown', event => {
      const step = 0.09;
      const act = {
        ArrowLeft: () => this.rotate(-step, 0),
        ArrowRight: () => this.rotate(step, 0),
        ArrowUp: () => this.rotate(0, -step),
        ArrowDown: () => this.rotate(0, step),
        '+': () => this.zoomBy(1.15),
        '=': () => this.zoomBy(1.15),
        '-': () => this.zoomBy(1 / 1.15),
        0: () => this.reset(),
        Home: () => this.reset(),
      }[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      act();
      event.preventDefault();
    });
    canvas.addEventListener('webglcontextlost', event => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', () => {
      this.painter = GlPainter.create(canvas);
      this.request();
    });
    new ResizeObserver(() => this.request()).observe(canvas);
  }
}

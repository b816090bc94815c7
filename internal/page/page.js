const Page = (() => {
  const NS = 'http://www.w3.org/2000/svg';
  const $ = id => document.getElementById(id);
  const data = JSON.parse($('data').textContent);

  // element makes an HTML element; draw adds one of a drawing to another one.
  const element = (name, attributes = {}, ...children) => {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children);
    return e;
  };
  const draw = (parent, name, attributes = {}, text) => {
    const e = document.createElementNS(NS, name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    parent.append(e);
    return e;
  };
  const clip = (s, n) => [...s].length > n ? [...s].slice(0, n - 1).join('') + '…' : s;

  // heads makes the heads of arrows, one for each type of dependency.
  function heads(svg, prefix, types) {
    const defs = draw(svg, 'defs');
    for (const type of types) {
      const m = draw(defs, 'marker', { id: prefix + type, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: 'userSpaceOnUse', orient: 'auto-start-reverse' });
      draw(m, 'path', { d: 'M0 0 L10 5 L0 10 Z', style: `fill: var(--${type})` });
    }
  }

  // border gives where the line from the middle of a box to a point leaves it.
  function border(b, x, y) {
    const cx = b.x + b.w / 2, cy = b.y + b.h / 2, dx = x - cx, dy = y - cy;
    const scale = Math.min(dx ? b.w / 2 / Math.abs(dx) : Infinity, dy ? b.h / 2 / Math.abs(dy) : Infinity, 1);
    return [cx + dx * scale, cy + dy * scale];
  }

  // curve gives an arc from one box to another, bent to its left by some pixels, so that
  // there and back are two.
  function curve(a, b, bend) {
    const ax = a.x + a.w / 2, ay = a.y + a.h / 2, bx = b.x + b.w / 2, by = b.y + b.h / 2;
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const mx = (ax + bx) / 2 + (by - ay) / length * bend, my = (ay + by) / 2 - (bx - ax) / length * bend;
    const [sx, sy] = border(a, mx, my), [tx, ty] = border(b, mx, my);
    return { sx, sy, mx, my, tx, ty, d: `M${sx} ${sy} Q${mx} ${my} ${tx} ${ty}`,
      at: u => [(1 - u) ** 2 * sx + 2 * u * (1 - u) * mx + u * u * tx, (1 - u) ** 2 * sy + 2 * u * (1 - u) * my + u * u * ty] };
  }
  // loop gives an arc from a box back to itself, above it.
  function loop(b) {
    const x = b.x + b.w - 34, y = b.y;
    return { d: `M${x} ${y} C${x - 6} ${y - 34} ${x + 36} ${y - 34} ${x + 26} ${y}`, at: () => [x + 12, y - 22] };
  }

  // tip shows something beside something.
  function tip(beside, ...children) {
    const t = $('tip');
    t.replaceChildren(...children);
    t.hidden = false;
    const r = beside.getBoundingClientRect(), s = t.getBoundingClientRect();
    const left = r.right + 12 + s.width < innerWidth ? r.right + 12 : Math.max(8, r.left - 12 - s.width);
    t.style.left = left + 'px';
    t.style.top = Math.max(8, Math.min(r.top, innerHeight - s.height - 8)) + 'px';
  }
  const hide = () => { $('tip').hidden = true; };

  // stepper makes a bar with which one steps from 0 to last; show is told each step, and
  // word is what a step is called. The arrow keys do the same wherever they have no other
  // use: for the bar that was used last or, if that is out of sight, for one that is not.
  const bars = [];
  let stepping = null;
  function stepper({ last, at = 0, word, show }) {
    const button = (text, title, to) => {
      const b = element('button', { type: 'button', title, 'aria-label': title }, text);
      b.addEventListener('click', () => { stop(); go(to()); });
      return b;
    };
    let now = at, timer = 0;
    const first = button('|◀', 'to the start (Home)', () => 0), back = button('◀', 'one step back (←)', () => now - 1);
    const next = button('▶', 'one step on (→)', () => now + 1), end = button('▶|', 'to the end (End)', () => last);
    const play = element('button', { type: 'button', title: 'a step every second and a half', 'aria-pressed': 'false' }, 'play');
    const slider = element('input', { type: 'range', min: 0, max: last, value: at, 'aria-label': word });
    const output = element('output');
    const bar = element('div', { class: 'stepper', role: 'group', 'aria-label': word }, first, back, next, end, slider, play, output);
    function go(n) {
      now = Math.max(0, Math.min(last, n));
      slider.value = now;
      output.textContent = `${word} ${now} of ${last}`;
      first.disabled = back.disabled = now === 0;
      next.disabled = end.disabled = now === last;
      if (now === last) stop();
      show(now);
    }
    function stop() {
      clearInterval(timer);
      timer = 0;
      play.setAttribute('aria-pressed', 'false');
    }
    play.addEventListener('click', () => {
      if (timer) { stop(); return; }
      if (now === last) go(0);
      play.setAttribute('aria-pressed', 'true');
      timer = setInterval(() => bar.isConnected ? go(now + 1) : stop(), 1500);
    });
    slider.addEventListener('input', () => { stop(); go(+slider.value); });
    const self = { bar, go, get now() { return now; }, last, stop };
    bar.addEventListener('click', () => { stepping = self; });
    bars.push(self);
    return self;
  }
  function used() {
    bars.splice(0, bars.length, ...bars.filter(b => b.bar.isConnected));
    const seen = bars.filter(b => { const r = b.bar.getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight; });
    if (!bars.includes(stepping) || seen.length && !seen.includes(stepping)) stepping = seen[0] || bars[0];
    return stepping;
  }
  document.addEventListener('keydown', e => {
    if (e.defaultPrevented || e.altKey || e.ctrlKey || e.metaKey || e.target.matches?.('input, select, textarea, #scroll, .canvas')) return;
    const b = used();
    const to = b && { ArrowRight: b.now + 1, ArrowLeft: b.now - 1, Home: 0, End: b.last }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    b.stop();
    b.go(to);
  });

  // choices makes a list of buttons, of which one or none is pressed; up and down move
  // in it.
  function choices(list, buttons, choose) {
    const all = [];
    buttons.forEach((children, i) => {
      const b = element('button', { type: 'button', 'aria-pressed': 'false' }, ...children);
      b.addEventListener('click', () => choose(b.getAttribute('aria-pressed') === 'true' ? -1 : i));
      all.push(b);
      list.append(b);
    });
    list.addEventListener('keydown', e => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      const next = step && all[all.indexOf(document.activeElement) + step];
      if (next) { next.focus(); next.click(); e.preventDefault(); }
    });
    return n => all.forEach((b, i) => b.setAttribute('aria-pressed', i === n));
  }

  return { $, data, element, draw, clip, heads, curve, loop, tip, hide, stepper, choices };
})();

'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const $ = id => document.getElementById(id);
  const svg = $('drawing');
  const NS = 'http://www.w3.org/2000/svg';
  const W = 176, GAP = 84, OPS = 4, LINE = 15, PAD = 116;
  const TYPES = {
    WW: 'write dependency: overwrites', WR: 'read dependency: reads what was written',
    RW: 'anti-dependency: overwrites what was read', SO: 'session order', RT: 'real-time order',
  };

  // element makes an HTML or, with a class of attributes, an SVG element.
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

  // Where things are.
  const rows = Math.min(OPS + 1, Math.max(1, ...data.txns.map(t => t.operations.length + t.omitted)));
  const H = 38 + rows * LINE;
  const LANE = H + 44;
  const TOP = 40;
  const columns = 1 + Math.max(0, ...data.txns.map(t => t.column));
  const box = t => ({ x: PAD + t.column * (W + GAP), y: TOP + t.lane * LANE + (LANE - H) / 2, w: W, h: H });
  const width = 2 * PAD + columns * (W + GAP) - GAP;
  const height = TOP + Math.max(1, data.lanes.length) * LANE + 20;
  svg.setAttribute('width', width);
  svg.setAttribute('height', height);
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);

  const defs = draw(svg, 'defs');
  for (const type of Object.keys(TYPES)) {
    const m = draw(defs, 'marker', { id: 'head-' + type, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto' });
    draw(m, 'path', { d: 'M0 0 L10 5 L0 10 Z', style: `fill: var(--${type})` });
  }

  const names = $('names');
  names.style.paddingTop = TOP + 'px';
  data.lanes.forEach((name, i) => {
    const d = element('div', { class: 'lane-name', title: name }, name);
    d.style.height = LANE + 'px';
    names.append(d);
    draw(svg, 'rect', { class: 'lane', x: 0, y: TOP + i * LANE + 5, width, height: LANE - 10, rx: 8 });
  });

  const readLayer = draw(svg, 'g', { id: 'all-reads' });
  const boxes = draw(svg, 'g', { id: 'txns' });
  const edgeLayer = draw(svg, 'g', { id: 'edges' });

  const what = t => [t.name, t.label, t.status === 'committed' ? '' : t.status, t.place].filter(Boolean).join(', ');

  data.txns.forEach((t, i) => {
    const b = box(t);
    if (t.skipped > 0) draw(svg, 'text', { class: 'skipped', x: b.x - 6, y: b.y + 12, 'text-anchor': 'end' }, `… ${t.skipped} ·`);
    const all = t.operations.concat(t.omitted > 0 ? [`${t.omitted} more`] : []);
    const g = draw(boxes, 'g', { class: 'txn ' + t.status, id: 'txn-' + i, tabindex: 0, role: 'img', 'aria-label': what(t) + ': ' + all.join('; ') });
    draw(g, 'rect', { x: b.x, y: b.y, width: b.w, height: b.h, rx: 7 });
    draw(g, 'text', { class: 'name', x: b.x + 10, y: b.y + 18 }, clip(t.name + (t.label ? ' ' + t.label : '') + (t.status === 'committed' ? '' : ` (${t.status})`), 24));
    const place = t.place.split('/').pop();
    if (place) draw(g, 'text', { class: 'place', x: b.x + 10, y: b.y + 31 }, clip(place, 32));
    fill(t, g, []);
    const show = () => tip(t, g);
    g.addEventListener('mouseenter', show);
    g.addEventListener('focus', show);
    g.addEventListener('mouseleave', hide);
    g.addEventListener('blur', hide);
  });

  // fill writes operations into a box: the first ones, or those on some keys.
  function fill(t, g, keys) {
    g.querySelectorAll('.op').forEach(o => o.remove());
    const b = box(t), total = t.operations.length + t.omitted;
    let ops = t.operations.map((text, i) => ({ text, on: keys.includes(t.keys[i]) }));
    if (total > OPS + 1) {
      if (ops.some(o => o.on)) ops = ops.filter(o => o.on);
      ops = ops.slice(0, OPS);
    }
    ops.forEach((o, n) => draw(g, 'text', { class: o.on ? 'op at' : 'op', x: b.x + 10, y: b.y + 46 + n * LINE }, clip(o.text, 24)));
    if (total > ops.length) draw(g, 'text', { class: 'op', x: b.x + 10, y: b.y + 46 + ops.length * LINE }, `… ${total - ops.length} more`);
  }

  // tip shows all operations of a transaction beside it.
  function tip(t, g) {
    const ops = element('ol', {}, ...t.operations.map(o => element('li', {}, o)));
    $('tip').replaceChildren(element('b', {}, t.name),
      element('span', {}, [t.label, t.session && `session ${t.session}, transaction ${t.position}`, t.status, t.place].filter(Boolean).join(' · ')), ops);
    if (t.omitted > 0) $('tip').append(`… ${t.omitted} more`);
    $('tip').hidden = false;
    const r = g.getBoundingClientRect(), s = $('tip').getBoundingClientRect();
    const left = r.right + 12 + s.width < innerWidth ? r.right + 12 : Math.max(8, r.left - 12 - s.width);
    $('tip').style.left = left + 'px';
    $('tip').style.top = Math.max(8, Math.min(r.top, innerHeight - s.height - 8)) + 'px';
  }
  function hide() { $('tip').hidden = true; }

  // border gives where the line from the middle of a box to a point leaves it.
  function border(b, x, y) {
    const cx = b.x + b.w / 2, cy = b.y + b.h / 2, dx = x - cx, dy = y - cy;
    const scale = Math.min(dx ? b.w / 2 / Math.abs(dx) : Infinity, dy ? b.h / 2 / Math.abs(dy) : Infinity, 1);
    return [cx + dx * scale, cy + dy * scale];
  }

  // curve gives an arc from one transaction to another, bent to its left by some
  // pixels, so that there and back are two.
  function curve(from, to, bend) {
    const a = box(from), b = box(to);
    const ax = a.x + a.w / 2, ay = a.y + a.h / 2, bx = b.x + b.w / 2, by = b.y + b.h / 2;
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const mx = (ax + bx) / 2 + (by - ay) / length * bend, my = (ay + by) / 2 - (bx - ax) / length * bend;
    const [sx, sy] = border(a, mx, my), [tx, ty] = border(b, mx, my);
    return { sx, sy, mx, my, tx, ty, at: u => [(1 - u) ** 2 * sx + 2 * u * (1 - u) * mx + u * u * tx, (1 - u) ** 2 * sy + 2 * u * (1 - u) * my + u * u * ty] };
  }
  // hits counts the points of an arc that are in a box, or out of the drawing.
  function hits(c) {
    const [hx, hy] = c.at(0.5);
    let n = middles.some(([x, y]) => Math.hypot(x - hx, y - hy) < 22) ? 4 : 0; // on top of another edge
    for (let u = 0.06; u < 0.95; u += 0.04) {
      const [x, y] = c.at(u);
      if (x < 2 || y < 8 || x > width - 2 || y > height - 4) n += 2;
      for (const t of data.txns) {
        const b = box(t);
        if (x > b.x - 3 && x < b.x + b.w + 3 && y > b.y - 3 && y < b.y + b.h + 3) n++;
      }
    }
    return n;
  }
  // BENDS are tried until an arc is free. middles are those of the arcs so far.
  const BENDS = [26, 50, 90, -40, 140, -90, 200, -140, 270, -200];
  let middles = [];
  function route(e, kind) {
    const from = data.txns[e.from], to = data.txns[e.to];
    if (kind === 'read') return curve(from, to, 26);
    let best, fewest = Infinity;
    for (const bend of BENDS) {
      const c = curve(from, to, bend), n = hits(c);
      if (n < fewest) { best = c; fewest = n; }
      if (n === 0) break;
    }
    middles.push(best.at(0.5));
    return best;
  }

  // edge draws an edge with its label.
  function edge(layer, e, kind) {
    const from = data.txns[e.from], to = data.txns[e.to];
    const { sx, sy, mx, my, tx, ty } = route(e, kind);
    const g = draw(layer, 'g', { class: 'edge ' + e.type + ' ' + kind, 'data-from': from.name, 'data-to': to.name });
    draw(g, 'path', { d: `M${sx} ${sy} Q${mx} ${my} ${tx} ${ty}`, style: `stroke: var(--${e.type})`, 'marker-end': `url(#head-${e.type})` });
    if (kind !== 'read') {
      draw(g, 'text', { x: sx / 4 + mx / 2 + tx / 4, y: sy / 4 + my / 2 + ty / 4 + 4, style: `fill: var(--${e.type})` }, clip(e.type + (e.key ? ' ' + e.key : ''), 26));
      draw(g, 'title', {}, e.why);
    }
  }
  function edges(layer, list, kind) {
    layer.replaceChildren();
    middles = [];
    for (const e of list) edge(layer, e, kind(e));
  }

  // choose shows one anomaly, or none.
  function choose(n) {
    const a = data.anomalies[n];
    document.querySelectorAll('#list button').forEach((b, i) => b.setAttribute('aria-pressed', i === n));
    document.querySelectorAll('.txn').forEach((g, i) => {
      const on = !!a && a.txns.includes(i);
      g.classList.toggle('on', on);
      fill(data.txns[i], g, on ? a.keys : []);
    });
    svg.classList.toggle('choosing', !!a && a.txns.length > 0);
    edges(edgeLayer, a ? a.edges : [], e => e.because ? 'because' : 'cycle');
    explain(a);
    if (a && a.txns.length) bringIntoView(a.txns.map(i => box(data.txns[i])));
  }
  function bringIntoView(bs) {
    const x = Math.min(...bs.map(b => b.x)), y = Math.min(...bs.map(b => b.y));
    $('scroll').scrollTo({ left: Math.max(0, x - PAD), top: Math.max(0, y - TOP - 24) });
  }
  function explain(a) {
    const out = $('explanation');
    out.replaceChildren();
    if (!a) {
      if (data.anomalies.length) out.append('Choose an anomaly to see its transactions.');
      return;
    }
    out.append(element('h2', {}, a.name), element('p', {}, a.what[0].toUpperCase() + a.what.slice(1) + '.'));
    if (a.names) out.append(element('p', { class: 'size' }, a.names));
    out.append(element('p', {}, 'Violates ' + a.violates.join(', ') + ' and what is stronger.'));
    out.append(element('ol', {}, ...a.text.map(s => element('li', {}, s))));
    if (a.missing) out.append(element('p', { class: 'size' }, `${a.missing} of its transactions are not drawn.`));
  }

  // The lists around the drawing.
  for (const l of data.levels) $('levels').append(element('li', { class: l.verdict, title: `${l.long}: ${l.verdict}. ${l.why}` }, `${l.name} ${{ accept: '✓', reject: '✗', unknown: '?' }[l.verdict]}`));
  for (const [type, words] of Object.entries(TYPES)) $('legend').append(element('span', { title: words }, element('i', { style: `color: var(--${type})` }), type));
  if (data.left) $('left').textContent = `${data.left} other transactions are not drawn`;
  data.anomalies.forEach((a, i) => {
    const b = element('button', { type: 'button', 'aria-pressed': 'false' }, `${i + 1}. ${a.name}`, element('small', {}, a.txns.map(n => data.txns[n].name).join(', ')));
    b.addEventListener('click', () => choose(b.getAttribute('aria-pressed') === 'true' ? -1 : i));
    $('list').append(b);
  });
  if (!data.anomalies.length) $('list').append(element('p', { class: 'size' }, 'No anomaly was found.'));
  $('list').addEventListener('keydown', e => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step) return;
    const all = [...document.querySelectorAll('#list button')];
    const next = all[all.indexOf(document.activeElement) + step];
    if (next) { next.focus(); next.click(); e.preventDefault(); }
  });
  document.addEventListener('keydown', e => { if (e.key === 'Escape') { hide(); choose(-1); } });
  $('scroll').addEventListener('scroll', () => {
    const g = document.activeElement; // moving there may have scrolled
    if (g.classList.contains('txn')) tip(data.txns[+g.id.slice(4)], g); else hide();
  });
  $('reads').addEventListener('change', () => edges(readLayer, $('reads').checked ? data.reads : [], () => 'read'));
  $('reads').checked = !data.anomalies.length;
  edges(readLayer, $('reads').checked ? data.reads : [], () => 'read');
  choose(data.anomalies.length ? 0 : -1);
})();

(() => {
  const { $, data, element, draw, clip, heads, curve, tip, hide, stepper, choices } = Page;
  const svg = $('drawing');
  const W = 176, GAP = 84, OPS = 4, LINE = 15, PAD = 116, TOP = 40, FEW = 12;
  const TYPES = {
    WW: 'write dependency: overwrites', WR: 'read dependency: reads what was written',
    RW: 'anti-dependency: overwrites what was read', SO: 'session order', RT: 'real-time order',
  };
  const NONE = 'both are part of it';
  const color = type => `var(--${type || 'soft'})`;

  // Where things are. Of many sessions only those of the chosen anomaly are shown, with its
  // transactions, side by side.
  const lines = Math.min(OPS + 1, Math.max(1, ...data.txns.map(t => t.operations.length + t.omitted)));
  const H = 38 + lines * LINE, LANE = H + 44;
  let shown, lane, column, width;
  const box = t => ({ x: PAD + column.get(t.column) * (W + GAP), y: TOP + lane.get(t.lane) * LANE + (LANE - H) / 2, w: W, h: H });
  const narrow = a => a && a.txns.length && data.lanes.length > FEW && !$('sessions').checked;
  function arrange(a) {
    shown = data.txns.map((_, i) => i).filter(i => !narrow(a) || a.txns.includes(i));
    const rank = values => new Map([...new Set(values)].sort((x, y) => x - y).map((v, i) => [v, i]));
    lane = narrow(a) ? rank(shown.map(i => data.txns[i].lane)) : new Map(data.lanes.map((_, i) => [i, i]));
    column = rank(shown.map(i => data.txns[i].column));
    width = 2 * PAD + Math.max(1, column.size) * (W + GAP) - GAP;
  }

  const what = t => [t.name, t.label, t.status === 'committed' ? '' : t.status, t.place].filter(Boolean).join(', ');
  let readLayer, edgeLayer;

  // lay draws the lanes and the transactions.
  function lay(a) {
    arrange(a);
    const height = TOP + Math.max(1, lane.size) * LANE + 20;
    svg.replaceChildren();
    for (const [k, v] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(k, v);
    heads(svg, 'head-', Object.keys(TYPES));
    const names = $('names');
    names.replaceChildren();
    names.style.paddingTop = TOP + 'px';
    for (const [l, i] of lane) {
      const d = element('div', { class: 'lane-name', title: data.lanes[l] }, data.lanes[l]);
      d.style.height = LANE + 'px';
      names.append(d);
      draw(svg, 'rect', { class: 'lane', x: 0, y: TOP + i * LANE + 5, width, height: LANE - 10, rx: 8 });
    }
    readLayer = draw(svg, 'g', { id: 'all-reads' });
    const boxes = draw(svg, 'g', { id: 'txns' });
    edgeLayer = draw(svg, 'g', { id: 'edges' });
    shown.forEach(i => {
      const t = data.txns[i], b = box(t), before = shown.includes(i - 1) && data.txns[i - 1].lane === t.lane;
      if (t.skipped > 0 || t.position > 1 && !before) draw(svg, 'text', { class: 'skipped', x: b.x - 6, y: b.y + 12, 'text-anchor': 'end' }, `… ${before ? t.skipped : t.position - 1} ·`);
      const all = t.operations.concat(t.omitted > 0 ? [`${t.omitted} more`] : []);
      const on = !!a && a.txns.includes(i);
      const g = draw(boxes, 'g', { class: 'txn ' + t.status + (on ? ' on' : ''), id: 'txn-' + i, tabindex: 0, role: 'img', 'aria-label': what(t) + ': ' + all.join('; ') });
      draw(g, 'rect', { x: b.x, y: b.y, width: b.w, height: b.h, rx: 7 });
      draw(g, 'text', { class: 'name', x: b.x + 10, y: b.y + 18 }, clip(t.name + (t.label ? ' ' + t.label : '') + (t.status === 'committed' ? '' : ` (${t.status})`), 24));
      const place = t.place.split('/').pop();
      if (place) draw(g, 'text', { class: 'place', x: b.x + 10, y: b.y + 31 }, clip(place, 32));
      fill(t, g, on ? a.keys : []);
      const show = () => about(t, g);
      g.addEventListener('mouseenter', show);
      g.addEventListener('focus', show);
      g.addEventListener('mouseleave', hide);
      g.addEventListener('blur', hide);
    });
  }

  // fill writes operations into a box: the first ones, or those on some keys.
  function fill(t, g, keys) {
    const b = box(t), total = t.operations.length + t.omitted;
    let ops = t.operations.map((text, i) => ({ text, on: keys.includes(t.keys[i]) }));
    if (total > OPS + 1) {
      if (ops.some(o => o.on)) ops = ops.filter(o => o.on);
      ops = ops.slice(0, OPS);
    }
    ops.forEach((o, n) => draw(g, 'text', { class: o.on ? 'op at' : 'op', x: b.x + 10, y: b.y + 46 + n * LINE }, clip(o.text, 24)));
    if (total > ops.length) draw(g, 'text', { class: 'op', x: b.x + 10, y: b.y + 46 + ops.length * LINE }, `… ${total - ops.length} more`);
  }

  // about shows all operations of a transaction beside it.
  function about(t, g) {
    const more = t.omitted > 0 ? [`… ${t.omitted} more`] : [];
    tip(g, element('b', {}, t.name), element('span', {}, [t.label, t.session && `session ${t.session}, transaction ${t.position}`, t.status, t.place].filter(Boolean).join(' · ')),
      element('ol', {}, ...t.operations.map(o => element('li', {}, o))), ...more);
  }

  // hits counts the points of an arc that are in a box, or out of the drawing.
  function hits(c) {
    const [hx, hy] = c.at(0.5), height = +svg.getAttribute('height');
    let n = middles.some(([x, y]) => Math.hypot(x - hx, y - hy) < 22) ? 4 : 0; // on top of another edge
    for (let u = 0.06; u < 0.95; u += 0.04) {
      const [x, y] = c.at(u);
      if (x < 2 || y < 8 || x > width - 2 || y > height - 4) n += 2;
      for (const i of shown) {
        const b = box(data.txns[i]);
        if (x > b.x - 3 && x < b.x + b.w + 3 && y > b.y - 3 && y < b.y + b.h + 3) n++;
      }
    }
    return n;
  }

  // route bends an edge so that it crosses as little as possible.
  const BENDS = [26, 50, 90, -40, 140, -90, 200, -140, 270, -200];
  let middles = [];
  function route(e, kind) {
    const from = box(data.txns[e.from]), to = box(data.txns[e.to]);
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
    const from = data.txns[e.from], to = data.txns[e.to], c = route(e, kind);
    const g = draw(layer, 'g', { class: 'edge ' + (e.type || 'NONE') + ' ' + kind, 'data-from': from.name, 'data-to': to.name });
    draw(g, 'path', { d: c.d, style: `stroke: ${color(e.type)}`, ...(e.type ? { 'marker-end': `url(#head-${e.type})` } : {}) });
    if (kind !== 'read') {
      const [x, y] = c.at(0.5);
      draw(g, 'text', { x, y: y + 4, style: `fill: ${color(e.type)}` }, clip([e.type, e.key].filter(Boolean).join(' '), 26));
      draw(g, 'title', {}, e.why || NONE);
    }
    return g;
  }
  function edges(layer, list, kind) {
    layer.replaceChildren();
    middles = [];
    return list.filter(e => shown.includes(e.from) && shown.includes(e.to)).map(e => edge(layer, e, kind(e)));
  }
  const reads = () => edges(readLayer, $('reads').checked ? data.reads : [], () => 'read');

  // choose shows one anomaly, or none.
  let chosen = -1;
  function choose(n) {
    chosen = n;
    const a = data.anomalies[n];
    pressed(n);
    lay(a);
    svg.classList.toggle('choosing', !!a && a.txns.length > 0);
    reads();
    const drawn = edges(edgeLayer, a ? a.edges : [], e => e.because ? 'because' : 'cycle');
    explain(a, drawn);
    if (a && a.txns.length) bringIntoView(a.txns.map(i => box(data.txns[i])));
  }
  // bringIntoView scrolls to some boxes. Where they do not fit, the drawing gets smaller.
  function bringIntoView(bs) {
    const x = Math.min(...bs.map(b => b.x)), y = Math.min(...bs.map(b => b.y));
    const w = Math.max(...bs.map(b => b.x + b.w)) - x, h = Math.max(...bs.map(b => b.y + b.h)) - y;
    const room = $('scroll').clientWidth - $('names').offsetWidth;
    if (narrow(data.anomalies[chosen])) {
      const scale = Math.max(0.4, Math.min(1, room / (w + 2 * PAD), $('scroll').clientHeight / (h + TOP + 48)));
      const height = +svg.getAttribute('height');
      svg.setAttribute('width', width * scale);
      svg.setAttribute('height', height * scale);
      $('names').style.paddingTop = TOP * scale + 'px';
      for (const d of $('names').children) d.style.height = LANE * scale + 'px';
      $('scroll').scrollTo({ left: Math.max(0, (x - PAD) * scale), top: Math.max(0, (y - TOP - 24) * scale) });
      return;
    }
    $('scroll').scrollTo({ left: Math.max(0, w + PAD > room ? x - 24 : x - PAD), top: Math.max(0, y - TOP - 24) });
  }
  // head says what an anomaly is.
  function head(a) {
    return [element('h2', {}, a.name), element('p', {}, a.what[0].toUpperCase() + a.what.slice(1) + '.'), ...(a.names ? [element('p', { class: 'size' }, a.names)] : []),
      element('p', {}, 'Violates ' + a.violates.join(', ') + ' and what is stronger.')];
  }
  function explain(a, drawn) {
    const out = $('explanation');
    out.replaceChildren();
    if (!a) {
      if (data.anomalies.length) out.append('Choose an anomaly to see its transactions.');
      return;
    }
    const sentences = a.text.map(s => element('li', {}, s));
    out.append(...head(a));
    const cycle = drawn.filter(g => g.classList.contains('cycle'));
    if (cycle.length > 1 && cycle.length === sentences.length) {
      const bar = stepper({ last: cycle.length, word: 'edge', show: n => {
        drawn.forEach(g => g.classList.toggle('aside', n > 0 && g !== cycle[n - 1]));
        sentences.forEach((li, i) => li.classList.toggle('here', i === n - 1));
      } });
      out.append(bar.bar);
      bar.go(0);
    }
    out.append(element('ol', {}, ...sentences));
    if (a.missing) out.append(element('p', { class: 'size' }, `${a.missing} of its transactions are not drawn.`));
  }

  // The lists around the drawing.
  for (const l of data.levels) $('levels').append(element('li', { class: l.verdict, title: `${l.long}: ${l.verdict}. ${l.why}` }, `${l.name} ${{ accept: '✓', reject: '✗', unknown: '?' }[l.verdict]}`));
  for (const [type, words] of Object.entries(TYPES)) $('legend').append(element('span', { title: words }, element('i', { style: `color: ${color(type)}` }), type));
  if (data.left) $('left').textContent = `${data.left} other transactions are not drawn`;
  const pressed = choices($('list'), data.anomalies.map((a, i) => [`${i + 1}. ${a.name}`, element('small', {}, a.txns.map(n => data.txns[n].name).join(', '))]), choose);
  if (!data.anomalies.length) $('list').append(element('p', { class: 'size' }, 'No anomaly was found.'));
  document.addEventListener('keydown', e => { if (e.key === 'Escape') { hide(); choose(-1); } });
  $('scroll').addEventListener('scroll', () => {
    const g = document.activeElement; // moving there may have scrolled
    if (g.classList.contains('txn')) about(data.txns[+g.id.slice(4)], g); else hide();
  });
  $('reads').checked = !data.anomalies.length;
  $('reads').addEventListener('change', reads);
  $('everybody').hidden = !data.anomalies.length || data.lanes.length <= FEW;
  $('sessions').addEventListener('change', () => choose(chosen));
  choose(data.anomalies.length ? 0 : -1);

  // On paper the drawing is as wide as a page, and the other anomalies are told below it.
  const PAPER = 700;
  const unprint = () => { document.querySelectorAll('.printed').forEach(e => e.remove()); $('scroll').style.zoom = ''; };
  addEventListener('beforeprint', () => {
    unprint();
    $('scroll').style.zoom = Math.min(1, PAPER / ($('names').offsetWidth + +svg.getAttribute('width')));
    $('picture').append(...data.anomalies.map((a, i) => i === chosen ? '' : element('div', { class: 'printed' }, ...head(a), element('ol', {}, ...a.text.map(t => element('li', {}, t))))));
  });
  addEventListener('afterprint', unprint);
})();

(() => {
  const { $, data, element, draw, clip, heads, curve, loop, tip, hide, stepper, choices } = Page;
  const TYPES = {
    RW: 'the second overwrites what the first has read: the first comes before',
    WR: 'the second reads what the first has written',
    WW: 'both write; whoever writes later overwrites',
    SO: 'the order of a session', CO: 'a constraint needs what the first has done',
  };
  const MANY = 36; // transactions that do not fit around a circle
  const place = n => data.places[n];
  const source = n => {
    const p = place(n);
    if (!p) return [];
    return p.line ? [element('span', { class: 'at' }, p.at), ' ', element('code', {}, p.line)] : [element('span', { class: 'at' }, p.at)];
  };
  const list = (items, attributes = {}) => element('ul', attributes, ...items.map(i => element('li', {}, i)));

  // play gives what is committed, and what everybody sees, before the first step of a run
  // and after each. own has the cells that somebody has written and not committed.
  function play(run) {
    const rows = list => list.map(i => run.tables[i]);
    const states = [{ committed: rows(run.start), seen: {}, own: {}, over: {} }];
    for (const e of run.events) {
      const last = states[states.length - 1];
      const now = { committed: e.committed ? rows(e.committed) : last.committed, seen: { ...last.seen }, own: { ...last.own }, over: { ...last.over } };
      for (const [who, list] of Object.entries(e.seen || {})) now.seen[who] = rows(list);
      if (e.kind === 'begin') now.own[e.lane] = new Set();
      if (e.kind === 'write' && last.seen[label(run, e)]) {
        now.own[e.lane] = new Set([...(last.own[e.lane] || []), ...changes(last.seen[label(run, e)], now.seen[label(run, e)])]);
      }
      if (e.kind === 'commit' || e.kind === 'rollback') {
        delete now.seen[label(run, e)];
        delete now.own[e.lane];
        now.over[e.lane] = e.kind === 'commit' ? 'has committed' : 'has rolled back';
      }
      states.push(now);
    }
    return states;
  }
  const label = (run, e) => run.lanes[e.lane].label;
  const cellsOf = tables => {
    const out = new Map();
    for (const t of tables) t.keys.forEach((k, i) => {
      out.set(t.name + '\n' + k, t.rows[i]);
    });
    return out;
  };
  // changes names the cells, "table key column", in which two states differ.
  function changes(before, after) {
    const a = cellsOf(before), b = cellsOf(after), out = [];
    for (const k of new Set([...a.keys(), ...b.keys()])) {
      const x = a.get(k), y = b.get(k);
      for (let c = 0; c < (x || y).length; c++) if (!x || !y || x[c] !== y[c]) out.push(k + '\n' + c);
    }
    return out;
  }

  // shape gives the tables that a run is about, with all rows that there ever are, so that
  // they stay where they are.
  function shape(states, run) {
    const tables = new Map(), touched = new Set(run.events.map(e => e.table).filter(Boolean));
    const note = list => {
      for (const t of list) {
        if (!tables.has(t.name)) tables.set(t.name, { ...t, keys: [], rows: [], changing: new Set() });
        const all = tables.get(t.name);
        t.keys.forEach((k, i) => {
          const at = all.keys.indexOf(k);
          if (at < 0) { all.keys.push(k); all.rows.push(t.rows[i]); } else t.rows[i].forEach((v, c) => { if (v !== all.rows[at][c]) all.changing.add(c); });
        });
      }
    };
    for (const s of states) {
      note(s.committed);
      for (const seen of Object.values(s.seen)) note(seen);
    }
    let list = [...tables.values()];
    if (list.some(t => touched.has(t.name))) list = list.filter(t => touched.has(t.name));
    const named = (t, c) => {
      const word = new RegExp(`(?<![\\p{L}\\p{N}_])${t.columns[c].replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}_])`, 'u');
      return run.events.some(e => e.table === t.name && word.test(e.text));
    };
    for (const t of list) t.columnsShown = t.columns.map((_, c) => c).filter(c => t.columns.length <= 6 || c === 0 || t.changing.has(c) || named(t, c));
    return list;
  }

  // card shows the rows as somebody has them. mark says how a cell stands out.
  function card(title, note, tables, rows, mark) {
    const has = rows && cellsOf(rows);
    const out = element('div', { class: 'card' }, element('h4', {}, title), element('p', { class: 'soft' }, note));
    if (!has) return out;
    if (!tables.length) out.append(element('p', { class: 'soft' }, 'no rows'));
    for (const t of tables) {
      const body = element('tbody');
      t.keys.forEach(key => {
        const row = has.get(t.name + '\n' + key), tr = element('tr');
        t.columnsShown.forEach((c, n) => {
          const kind = mark(t.name + '\n' + key + '\n' + c);
          const cell = element('td', { class: kind + (row ? '' : ' none') }, row ? row[c] : n === 0 ? 'no such row' : '');
          if (kind) cell.title = MARKS[kind.split(' ')[0]] || '';
          tr.append(cell);
        });
        body.append(tr);
      });
      if (!t.keys.length) continue;
      const rest = t.columns.length - t.columnsShown.length;
      const table = element('table', {}, element('caption', {}, t.name, rest ? element('small', {}, ` (${rest} other column${rest > 1 ? 's' : ''})`) : ''));
      if (!t.variable) table.append(element('thead', {}, element('tr', {}, ...t.columnsShown.map(c => element('th', {}, t.columns[c])))));
      table.append(body);
      out.append(table);
    }
    return out;
  }
  const MARKS = { stale: 'not what is committed by now', own: 'written by this transaction, not committed yet', changed: 'changed by this step', otherwise: 'ends otherwise than in the execution that was found' };

  // rowsAt shows what is committed and what everybody sees.
  function rowsAt(f, run, states, tables, n, ends) {
    const s = states[n], changed = n ? new Set(changes(states[n - 1].committed, s.committed)) : new Set();
    const out = [card('Committed', 'what whoever begins now sees', tables, s.committed, c => [changed.has(c) && 'changed', ends && ends.has(c) && 'otherwise'].filter(Boolean).join(' '))];
    f.lanes.forEach((lane, i) => {
      const seen = s.seen[lane.label];
      const title = f.lanes.length > 1 ? `${lane.label} sees` : 'sees';
      if (!seen) {
        out.push(card(title, s.over[i] || (n === states.length - 1 ? 'has not run' : 'has not begun'), tables, null));
        return;
      }
      const stale = new Set(changes(s.committed, seen)), own = s.own[i] || new Set();
      const old = [...stale].some(c => !own.has(c));
      out.push(card(title, old ? 'not what is committed by now' : own.size ? 'what is committed, and its own writes' : 'what is committed', tables, seen,
        c => own.has(c) ? 'own' : stale.has(c) ? 'stale' : ''));
    });
    return out;
  }

  // caption says what happens in a step.
  function caption(f, run, n) {
    if (n === 0) return [element('b', {}, 'At the start'), ' nobody has begun. These rows are committed.'];
    const e = run.events[n - 1], who = f.lanes[e.lane];
    const out = [element('b', {}, `${who.label} (${who.name})`), ': ', words(e)];
    if (e.now) out.push(element('strong', { class: 'stale' }, ` By now it is otherwise: ${e.now}.`));
    run.events.forEach((x, i) => {
      if (x.stale === n && i !== n - 1) out.push(element('strong', { class: 'stale' }, ` What ${f.lanes[x.lane].label} has read in step ${i + 1} is not the newest any more.`));
    });
    if (place(e.place) && e.kind !== 'begin' && e.kind !== 'commit') out.push(element('br'), ...source(e.place));
    return out;
  }
  const words = e => ({ 'BEGIN, snapshot': 'BEGIN. From now on it sees the rows as they are committed at this moment.', BEGIN: 'BEGIN', COMMIT: 'COMMIT. What it wrote is there for all that begin later.' })[e.text] || e.text;

  // lanes shows the steps of a run, a lane for each transaction, time going down.
  function lanes(f, run, go) {
    const grid = element('div', { class: 'lanes', role: 'list', 'aria-label': 'schedule' });
    grid.style.gridTemplateColumns = `auto repeat(${f.lanes.length}, minmax(9em, 1fr))`;
    grid.append(element('div', { class: 'head' }));
    for (const l of f.lanes) {
      grid.append(element('div', { class: 'head', title: l.name + l.call }, element('b', {}, `${l.label}: ${l.name}`), element('span', { class: 'call' }, l.call),
        ...(l.level ? [element('small', {}, l.level)] : [])));
    }
    const files = new Set(run.events.map(e => place(e.place)).filter(Boolean).map(p => p.at.replace(/:\d+$/, '')));
    if (files.size === 1) grid.firstChild.append(element('span', { class: 'file' }, [...files][0]));
    const cells = run.events.map((e, i) => {
      const p = place(e.place);
      grid.append(element('div', { class: 'where', title: p && p.line || '' }, e.kind === 'begin' || e.kind === 'commit' || !p ? '' : files.size === 1 ? p.at.match(/:\d+$/)[0] : p.at));
      const cell = element('button', { type: 'button', class: 'event ' + e.kind, title: p && p.line || '' }, e.text);
      cell.dataset.step = i + 1;
      cell.style.gridColumn = e.lane + 2;
      if (e.now) cell.append(element('small', {}, `by now ${e.now}`));
      cell.addEventListener('click', () => go(i + 1));
      grid.append(cell);
      return cell;
    });
    return { grid, cells };
  }
  // arrows draws the edges of a cycle over the schedule.
  function arrows(f, grid, cells, step) {
    grid.querySelectorAll('svg').forEach(s => s.remove());
    const box = grid.getBoundingClientRect();
    if (!box.width) return;
    const svg = draw(grid, 'svg', { class: 'arrows', width: grid.scrollWidth, height: grid.scrollHeight, 'aria-hidden': 'true' });
    heads(svg, 'arrow-', ['RW', 'WR', 'WW', 'SO', 'CO']);
    f.edges.forEach(e => {
      const a = cells[e.fromEvent], b = cells[e.toEvent];
      if (!a || !b || Math.max(e.fromEvent, e.toEvent) >= step) return;
      const r = c => { const x = c.getBoundingClientRect(); return { x: x.x - box.x + grid.scrollLeft, y: x.y - box.y, w: x.width, h: x.height }; };
      const c = curve(r(a), r(b), 24), [x, y] = c.at(0.5);
      const g = draw(svg, 'g', { class: 'edge' });
      draw(g, 'path', { d: c.d, style: `stroke: var(--${e.type})`, 'marker-end': `url(#arrow-${e.type})` });
      draw(g, 'text', { x, y, style: `fill: var(--${e.type})` }, `${f.lanes[e.from].label} before ${f.lanes[e.to].label}`);
    });
  }

  // circle draws who has to come before whom.
  function circle(f) {
    const ids = [...new Set(f.edges.flatMap(e => [e.from, e.to]))];
    const W = 190, H = 40, n = ids.length, R = n === 2 ? 190 : 90 + 52 * n, up = n === 2 ? 0 : R * 0.5;
    const width = 2 * R + W + 120, height = 2 * up + H + 110, cx = width / 2, cy = height / 2;
    const svg = draw(element('div'), 'svg', { class: 'circle', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': f.edges.map(e => `${f.lanes[e.from].label} before ${f.lanes[e.to].label}: ${e.text}`).join('; ') });
    heads(svg, 'circle-', ['RW', 'WR', 'WW', 'SO', 'CO']);
    const boxes = new Map(ids.map((id, i) => {
      const a = (n === 2 ? Math.PI : -Math.PI / 2) + 2 * Math.PI * i / n;
      return [id, { x: cx + R * Math.cos(a) - W / 2, y: cy + up * Math.sin(a) - H / 2, w: W, h: H }];
    }));
    f.edges.forEach(e => {
      const c = curve(boxes.get(e.from), boxes.get(e.to), n === 2 ? 90 : 34), [x, y] = c.at(0.5);
      const g = draw(svg, 'g', { class: 'edge' });
      draw(g, 'path', { d: c.d, style: `stroke: var(--${e.type})`, 'marker-end': `url(#circle-${e.type})` });
      draw(g, 'text', { x, y: y + 4, style: `fill: var(--${e.type})` }, clip(`before (${e.type}${e.what ? ' ' + e.what : ''})`, 34));
      draw(g, 'title', {}, e.text);
    });
    for (const [id, b] of boxes) {
      draw(svg, 'rect', { class: 'node', x: b.x, y: b.y, width: b.w, height: b.h, rx: 8 });
      draw(svg, 'text', { x: b.x + b.w / 2, y: b.y + 25, 'text-anchor': 'middle', class: 'name' }, clip(`${f.lanes[id].label}: ${f.lanes[id].name}`, 21));
    }
    return svg;
  }

  // Why no serial order explains it: the cycle, and what every order does instead.
  function why(f, choose) {
    const out = [];
    if (f.edges.length) {
      const edges = element('ol', { class: 'edges' }, ...f.edges.map(e => element('li', {},
        element('b', {}, `${f.lanes[e.from].label} has to come before ${f.lanes[e.to].label}`), `: ${e.text}. `,
        element('span', { class: 'lines' }, ...source(e.fromPlace), ...(e.toPlace === e.fromPlace ? [] : [element('br'), ...source(e.toPlace)])))));
      out.push(element('h3', {}, 'Why no serial order is possible'),
        element('p', {}, 'If they ran one after the other with the same results, each would have to come before the next one, and the last before the first:'),
        element('div', { class: 'cycle' }, circle(f), edges));
    }
    const orders = f.runs.slice(1);
    if (orders.length && !f.classic) {
      const rows = orders.map((r, i) => {
        const again = element('button', { type: 'button', class: 'try' }, r.events.length ? 'run it' : 'not played');
        again.disabled = !r.events.length;
        again.addEventListener('click', () => choose(i + 1));
        return element('tr', {}, element('th', { scope: 'row' }, r.order.join(', ')), element('td', {}, list(r.differs)), element('td', { class: 'tool' }, again));
      });
      out.push(element('h3', {}, 'What every serial order does instead'), element('table', { class: 'orders' },
        element('thead', {}, element('tr', {}, element('th', {}, 'order'), element('th', {}, 'what would be different'), element('th', { class: 'tool' }))), element('tbody', {}, ...rows)));
      if (f.orders > orders.length) out.push(element('p', { class: 'soft' }, `${orders.length} of ${f.orders} orders are shown; the others give something else, too.`));
    }
    return out;
  }

  const title = f => `${f.kind}: ${f.cycle.join(' → ')}`;

  // intro is what is said of a finding before its schedule.
  function intro(f, n) {
    const out = [element('h2', {}, `${n + 1}. ${title(f)} `, element('small', {}, f.code))];
    if (f.group) out.push(element('p', { class: 'soft' }, f.group + '.'));
    out.push(element('p', { class: 'what' }, `${f.what} It happens ${f.at}.`));
    if (f.doubts.length) out.push(element('div', { class: 'doubts' }, element('p', {}, 'Suspected only:'), list(f.doubts)));
    return out;
  }
  const diff = d => element('pre', { class: 'diff' }, ...d.split(/(?<=\n)/).map(l => element('span', { class: { '+': 'added', '-': 'removed' }[l[0]] || '' }, l)));
  const outro = f => [
    ...(f.repairs.length ? [element('h3', {}, 'What to change'), f.repairs.length > 1 ? element('p', {}, 'Any of these removes it:') : '', list(f.repairs, { class: 'repairs' })] : []),
    ...(f.diffs || []).map(diff),
    ...f.remarks.map(r => element('p', { class: 'soft' }, r)),
  ];

  const known = f => f.runs.forEach(r => { r.lanes = f.lanes; r.tables = f.tables; r.events = r.steps.map(s => ({ ...f.events[s.e], ...s })); });

  // show shows a finding with the bar to step through it.
  function show(into, f, n) {
    known(f);
    const runs = element('div', { class: 'runs', role: 'group', 'aria-label': 'what runs' });
    const stage = element('div', { class: 'stage' }), difference = element('div', { class: 'difference', 'aria-live': 'polite' });
    into.replaceChildren(...intro(f, n));
    if (!f.runs.length) { into.append(...why(f, () => 0), ...outro(f)); return; }
    const foundStates = play(f.runs[0]), foundEnd = foundStates[foundStates.length - 1].committed;
    const returned = run => { const out = {}; for (const e of run.events) if (e.kind === 'return') (out[e.lane] ||= []).push(e.text); return out; };
    const foundReturned = returned(f.runs[0]);
    let bar = null, relayout = () => 0;
    function choose(k) {
      const run = f.runs[k], states = play(run), tables = shape([...states, ...(k ? foundStates : [])], { events: f.runs.flatMap(r => r.events) });
      [...runs.querySelectorAll('button')].forEach((b, i) => b.setAttribute('aria-pressed', i === k));
      difference.replaceChildren(...(k ? [element('p', {}, `One after the other in the order ${run.order.join(', ')}, this is different:`), list(run.differs)] : []));
      difference.hidden = !k;
      const now = element('p', { class: 'now', 'aria-live': 'polite' }), rows = element('div', { class: 'cards' });
      const { grid, cells } = lanes(f, run, i => bar.go(i));
      const ends = k ? new Set(changes(foundEnd, states[states.length - 1].committed)) : null;
      const mine = returned(run), other = {};
      run.events.forEach((e, i) => {
        if (k && e.kind === 'return') {
          const m = other[e.lane] = (other[e.lane] ?? -1) + 1;
          if ((foundReturned[e.lane] || [])[m] !== mine[e.lane][m]) cells[i].classList.add('otherwise');
        }
      });
      if (bar) bar.stop();
      bar = stepper({
        last: run.events.length, at: 0, word: 'step', show: at => {
          now.replaceChildren(...caption(f, run, at));
          rows.replaceChildren(...rowsAt(f, run, states, tables, at, at === run.events.length ? ends : null));
          cells.forEach((c, i) => {
            c.classList.toggle('here', i === at - 1);
            c.classList.toggle('later', i >= at);
            c.classList.toggle('stale', run.events[i].stale <= at && i < at);
            if (i === at - 1) c.setAttribute('aria-current', 'step'); else c.removeAttribute('aria-current');
          });
          if (k === 0) arrows(f, grid, cells, at);
          const here = cells[at - 1];
          if (here) {
            const top = here.offsetTop - grid.offsetTop, view = scroller.clientHeight;
            if (top < scroller.scrollTop + 60 || top + here.offsetHeight > scroller.scrollTop + view) scroller.scrollTop = top - view / 2;
          } else scroller.scrollTop = 0;
        },
      });
      const scroller = element('div', { class: 'scroller' }, grid);
      const key = element('p', { class: 'legend key' }, element('span', {}, element('i', { class: 'swatch changed' }), 'changed by this step'),
        element('span', {}, element('i', { class: 'swatch own' }), 'its own write, not committed'), element('span', {}, element('i', { class: 'swatch stale' }), 'not what is committed by now'),
        ...(k ? [element('span', {}, element('i', { class: 'swatch otherwise' }), 'otherwise than found')] : []));
      stage.replaceChildren(bar.bar, now, element('div', { class: 'two' }, scroller, element('div', {}, rows, key)));
      relayout = () => { if (k === 0) arrows(f, grid, cells, bar.now); };
      bar.go(0);
    }
    runs.append(element('span', { class: 'soft' }, 'Run it'));
    f.runs.forEach((r, i) => {
      if (!r.events.length) return;
      const b = element('button', { type: 'button', 'aria-pressed': 'false' }, i ? r.order.join(', ') : 'as it was found');
      b.addEventListener('click', () => choose(i));
      if (i === 1) runs.append(element('span', { class: 'soft' }, 'or try a serial order:'));
      runs.append(b);
    });
    into.append(runs, difference, stage, ...why(f, k => { choose(k); runs.scrollIntoView({ block: 'start' }); }), ...outro(f));
    choose(0);
    redraw = () => relayout();
  }
  let redraw = () => 0;
  addEventListener('resize', () => redraw());

  // paper lays out all steps of a finding, for those who print the page.
  function paper(f, n) {
    known(f);
    const out = element('div', { class: 'printed' }, ...intro(f, n));
    if (f.runs.length) {
      const run = f.runs[0], states = play(run), tables = shape(states, run);
      out.append(element('h3', {}, 'Step by step'));
      let before = '';
      states.forEach((s, i) => {
        const cards = rowsAt(f, run, states, tables, i).filter(c => c.querySelector('table')), rows = cards.map(c => c.textContent).join('\n');
        const moved = rows !== before && (i === 0 || run.events[i - 1].kind !== 'begin'); // whoever begins sees what is committed
        if (moved) before = rows;
        out.append(element('div', { class: 'paper' }, element('p', {}, element('span', { class: 'soft' }, i ? `${i}. ` : ''), ...caption(f, run, i)),
          ...(moved ? [element('div', { class: 'cards' }, ...cards)] : [])));
      });
    }
    out.append(...why(f, () => 0), ...outro(f));
    return out;
  }

  // The findings of a program.
  function findings(program, section) {
    if (!program.findings.length) return;
    section.hidden = false;
    const menu = element('nav', { class: 'choices', 'aria-label': 'findings' }), view = element('div', { class: 'finding' });
    const pressed = choices(menu, program.findings.map((f, i) => [`${i + 1}. ${title(f)}`, element('small', {}, f.group || `${f.lanes.length} transactions, ${f.at}`)]), n => choose(Math.max(n, 0)));
    let at = 0;
    function choose(n) {
      if (n === at && view.firstChild) return;
      at = n;
      pressed(n);
      show(view, program.findings[n], n);
    }
    if (program.findings.length > 1) section.append(menu);
    section.classList.toggle('several', program.findings.length > 1);
    section.append(view);
    choose(0);
    addEventListener('beforeprint', () => { section.querySelectorAll('.printed').forEach(e => e.remove()); section.append(...program.findings.map(paper)); });
    addEventListener('afterprint', () => section.querySelectorAll('.printed').forEach(e => e.remove()));
  }

  // The map of a program.
  function map(graph, section) {
    if (!graph.nodes.length) return;
    const n = graph.nodes.length, edges = graph.edges.slice();
    for (const e of graph.edges) {
      if (e.k !== 'RW' || graph.edges.some(x => x.c && x.k === 'WR' && x.f === e.t && x.t === e.f)) continue;
      edges.push({ f: e.t, t: e.f, k: 'WR', on: e.on.map(([what, a, b]) => [what, b, a]) });
    }
    const onCycle = new Set(edges.filter(e => e.c).flatMap(e => [e.f, e.t]));
    const select = element('select', { 'aria-label': 'what is drawn' });
    const option = (value, text, to = select) => to.append(element('option', { value }, text));
    option('all', n === 1 ? 'the transaction' : `all ${n} transactions`);
    if (onCycle.size) option('cycle', `those on cycles (${onCycle.size})`);
    const around = element('optgroup', { label: 'around one of them' });
    graph.nodes.forEach((x, i) => option(i, x.name, around));
    select.append(around);
    const types = {}, boxes = element('span', { class: 'legend' });
    for (const k of ['RW', 'WR', 'WW']) {
      const c = types[k] = element('input', { type: 'checkbox' });
      c.checked = k === 'RW';
      c.addEventListener('change', render);
      boxes.append(element('label', { title: TYPES[k] }, c, element('i', { style: `color: var(--${k})` }), `${k}: ${TYPES[k]}`));
    }
    boxes.append(element('span', { title: 'nothing excludes that the second commits while the first still runs' }, element('i', { class: 'dashed', style: 'color: var(--RW)' }), 'vulnerable: the second may commit while the first still runs'));
    const canvas = element('div', { class: 'canvas', tabindex: 0, 'aria-label': 'drawing; scrolls' }), detail = element('div', { class: 'detail', 'aria-live': 'polite' });
    section.append(element('p', { class: 'tools' }, select), element('p', { class: 'tools' }, boxes), canvas, detail);
    if (graph.left) section.append(element('p', { class: 'soft' }, `${graph.left} other dependencies of safe transactions are left out.`));
    select.addEventListener('change', () => { chosen = -1; render(); });
    let chosen = -1;

    const what = e => e.on.map(([w]) => graph.texts[w]).join('; ');
    function about(e) {
      const out = [element('b', {}, `${graph.nodes[e.f].name} –${e.k}→ ${graph.nodes[e.t].name}`), element('span', {}, TYPES[e.k] + (e.v ? '; vulnerable: nothing excludes that it commits while the first still runs' : ''))];
      if (e.w) out.push(element('p', {}, `Not vulnerable: ${graph.texts[e.w - 1]}.`));
      for (const [w, a, b] of e.on) out.push(element('p', {}, element('b', {}, graph.texts[w]), ...source(a), ...(a === b ? [] : [element('br'), ...source(b)])));
      return out;
    }
    function details() {
      detail.replaceChildren();
      if (chosen < 0) { detail.append(element('p', { class: 'soft tool' }, 'Choose a transaction to see what it depends on, and in which statements.')); return; }
      const x = graph.nodes[chosen], mine = edges.filter(e => e.f === chosen || e.t === chosen && e.f !== chosen);
      detail.append(element('h3', {}, x.name), element('p', { class: 'soft' }, [place(x.place) && place(x.place).at, x.standing.replace(/-/g, ' '), x.note].filter(Boolean).join(' · ')));
      if (!mine.length) detail.append(element('p', {}, 'It depends on no other transaction, and none on it.'));
      else detail.append(element('table', { class: 'dependencies' }, element('thead', {}, element('tr', {}, ...['from', 'type', 'to', 'on', 'statements'].map(h => element('th', {}, h)))),
        element('tbody', {}, ...mine.map(e => element('tr', { class: e.c ? 'on' : '' }, element('td', {}, graph.nodes[e.f].name), element('td', { style: `color: var(--${e.k})`, title: TYPES[e.k] }, e.k + (e.v ? ' (vulnerable)' : '')),
          element('td', {}, graph.nodes[e.t].name), element('td', {}, what(e)),
          element('td', {}, ...e.on.flatMap(([, a, b], i) => [...(i ? [element('br')] : []), ...source(a), ...(a === b ? [] : [element('br'), ...source(b)])])))))));
    }
    function choose(i) {
      chosen = chosen === i ? -1 : i;
      render();
    }
    function members() {
      if (select.value === 'all') return graph.nodes.map((_, i) => i);
      if (select.value === 'cycle') return [...onCycle].sort((a, b) => a - b);
      const c = +select.value;
      return [c, ...new Set(edges.filter(e => types[e.k] && types[e.k].checked || e.c).flatMap(e => e.f === c ? [e.t] : e.t === c ? [e.f] : []).filter(i => i !== c))];
    }
    function render() {
      const focused = document.activeElement && document.activeElement.dataset.node;
      const one = !['all', 'cycle'].includes(select.value), ids = members(), around = one ? ids.slice(1) : ids, m = around.length;
      const size = i => ({ w: Math.min(210, Math.max(90, 8 * [...graph.nodes[i].name].length + 26)), h: 34 });
      // Many stand in rows, with the edges of the chosen one and of cycles only.
      const many = m > MANY, across = 5;
      const rx = Math.max(230, m * 34), ry = Math.max(m < 3 ? 40 : 130, m * 17), at = new Map();
      const width = many ? across * 236 + 20 : 2 * rx + 260, height = many ? Math.ceil(ids.length / across) * 56 + 60 : 2 * ry + 130;
      if (many) ids.forEach((id, i) => at.set(id, { x: 20 + i % across * 236, y: 50 + Math.floor(i / across) * 56, ...size(id) }));
      else around.forEach((id, i) => {
        const a = -Math.PI / 2 + 2 * Math.PI * i / Math.max(m, 1) + (m === 2 ? Math.PI / 2 : 0), s = size(id);
        at.set(id, { x: width / 2 + (m === 1 && !one ? 0 : rx * Math.cos(a)) - s.w / 2, y: height / 2 + (m === 1 && !one ? 0 : ry * Math.sin(a)) - s.h / 2, ...s });
      });
      if (one && !many) { const s = size(ids[0]); at.set(ids[0], { x: width / 2 - s.w / 2, y: height / 2 - s.h / 2, ...s }); }
      const svg = draw(element('div'), 'svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'transactions and their dependencies' });
      svg.style.width = `min(100%, ${width}px)`;
      svg.style.minWidth = (many ? width : Math.min(width, 620 + 9 * m)) + 'px';
      heads(svg, 'map-', ['RW', 'WR', 'WW', 'SO', 'CO']);
      const layer = draw(svg, 'g', { class: 'dependencies' });
      const drawn = edges.filter(e => at.has(e.f) && at.has(e.t) && (e.c || types[e.k] && types[e.k].checked) && (!one || e.f === ids[0] || e.t === ids[0]) && (!many || e.c || e.f === chosen || e.t === chosen) && (e.f !== e.t || e.c || e.v));
      const beside = new Set(drawn.filter(e => e.f === chosen || e.t === chosen).flatMap(e => [e.f, e.t]));
      const few = drawn.filter(e => e.f !== e.t).length <= 8 && !many;
      const bends = { RW: 30, WR: 66, WW: 5, SO: 80, CO: 80 }, labels = [];
      for (const e of drawn) {
        const c = e.f === e.t ? loop(at.get(e.f)) : curve(at.get(e.f), at.get(e.t), bends[e.k]);
        const mine = e.f === chosen || e.t === chosen;
        const g = draw(layer, 'g', { class: `edge ${e.k}` + (e.v ? ' dashed' : '') + (e.c ? ' on' : '') + (chosen >= 0 && !mine ? ' dim' : ''), 'data-from': graph.nodes[e.f].name, 'data-to': graph.nodes[e.t].name });
        draw(g, 'path', { class: 'wide', d: c.d });
        draw(g, 'path', { d: c.d, style: `stroke: var(--${e.k})`, 'marker-end': `url(#map-${e.k})`, ...(e.k === 'WW' ? { 'marker-start': 'url(#map-WW)' } : {}) });
        if (e.f !== e.t && (few || e.c || mine && !many)) {
          const free = [0.5, 0.38, 0.62, 0.28, 0.72].map(u => c.at(u)).find(([x, y]) => !labels.some(([a, b]) => Math.abs(a - x) < 140 && Math.abs(b - y) < 20)) || c.at(0.5);
          labels.push(free);
          draw(g, 'text', { x: free[0], y: free[1] + 4, style: `fill: var(--${e.k})` }, clip(`${e.k} ${what(e)}`, 30));
        }
        g.addEventListener('mouseenter', () => tip(g, ...about(e)));
        g.addEventListener('mouseleave', hide);
      }
      for (const [i, b] of at) {
        const x = graph.nodes[i];
        const g = draw(svg, 'g', { class: `node ${x.standing}` + (i === chosen ? ' chosen' : beside.has(i) ? ' beside' : '') + (onCycle.has(i) ? ' on' : ''), tabindex: 0, role: 'button', 'aria-pressed': i === chosen, 'data-node': i, 'aria-label': [x.name, x.standing.replace(/-/g, ' '), x.note].filter(Boolean).join(', ') });
        draw(g, 'rect', { x: b.x, y: b.y, width: b.w, height: b.h, rx: 8 });
        draw(g, 'text', { x: b.x + b.w / 2, y: b.y + 22, 'text-anchor': 'middle', class: 'name' }, clip(x.name, Math.floor((b.w - 14) / 7.4)));
        draw(g, 'title', {}, [x.name, place(x.place) && place(x.place).at, x.standing.replace(/-/g, ' '), x.note].filter(Boolean).join(' · '));
        g.addEventListener('click', () => choose(i));
        g.addEventListener('keydown', e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); choose(i); } });
      }
      const scroll = canvas.scrollTop;
      canvas.replaceChildren(svg);
      canvas.scrollTop = scroll;
      if (focused !== undefined) { const again = canvas.querySelector(`[data-node="${CSS.escape(focused)}"]`); if (again) again.focus(); }
      details();
    }
    document.addEventListener('keydown', e => { if (e.key === 'Escape') { hide(); if (chosen >= 0) { chosen = -1; render(); } } });
    select.value = n > 14 ? onCycle.size ? 'cycle' : n > 40 ? '0' : 'all' : 'all';
    render();
  }

  data.programs.forEach((p, i) => {
    findings(p, $('findings-' + i));
    if ($('map-' + i)) map(p.map, $('map-' + i));
  });
})();

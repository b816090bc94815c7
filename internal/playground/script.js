(() => {
  const { $, data, element } = Page;
  const sql = $('sql'), levels = {};
  const LEVELS = { '': 'as all', rc: 'READ COMMITTED', rr: 'REPEATABLE READ', serializable: 'SERIALIZABLE' };
  const GRACE = 3000; // how long the checker may go on after its time
  let names = [], faulty = 0, checked = '';

  // What is in the editor, and what is asked about it.
  const state = () => ({ sql: sql.value, level: $('level').value, levels: { ...levels } });
  function show(s) {
    sql.value = typeof s.sql === 'string' ? s.sql : '';
    $('level').value = s.level;
    if ($('level').selectedIndex < 0) $('level').value = 'rr';
    for (const name of Object.keys(levels)) delete levels[name];
    for (const [name, level] of Object.entries(s.levels || {})) if (LEVELS[level]) levels[name] = level;
    transactions(Object.keys(levels));
    forget();
    edited();
  }
  function transactions(list) {
    names = list;
    $('levels').replaceChildren(...names.map(name => {
      const select = element('select', {}, ...Object.entries(LEVELS).map(([value, text]) => element('option', { value }, text)));
      select.value = levels[name] || '';
      select.addEventListener('change', () => { if (select.value) levels[name] = select.value; else delete levels[name]; stale(); });
      return element('label', {}, name, select);
    }));
  }
  function lines() {
    const n = sql.value.split('\n').length;
    sql.rows = Math.max(8, n);
    sql.style.flexBasis = `${Math.max(...sql.value.split('\n').map(l => l.length)) + 4}ch`;
    $('numbers').replaceChildren(...Array.from({ length: n }, (_, i) => element(i + 1 === faulty ? 'b' : 'span', {}, String(i + 1))));
  }
  function place() {
    const before = sql.value.slice(0, sql.selectionStart).split('\n');
    $('place').textContent = `line ${before.length}, column ${[...before.at(-1)].length + 1}`;
  }
  function edited() { faulty = 0; lines(); place(); stale(); }
  // stale says that the answer is not about what is in the editor.
  function stale() {
    const old = checked !== '' && checked !== JSON.stringify(state());
    $('answer').classList.toggle('old', old);
    $('result').classList.toggle('old', old);
    if (!asked && checked !== '') $('status').textContent = old ? 'The program has changed since: check again.' : '';
  }
  function forget() {
    checked = '';
    for (const id of ['answer', 'result']) $(id).classList.remove('old');
    $('answer').replaceChildren();
    $('result').replaceChildren();
    $('result').hidden = $('print').disabled = true;
  }
  function goTo(line, column) {
    const before = sql.value.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    const end = sql.value.indexOf('\n', before), text = sql.value.slice(before, end < 0 ? undefined : end);
    sql.focus();
    sql.setSelectionRange(before + [...text].slice(0, column - 1).join('').length, before + text.length); // columns count characters
    place();
  }

  // The examples are scenes, and changes of them.
  let group;
  data.examples.forEach((e, i) => {
    const first = !group || group.label !== e.scene;
    if (first) { group = element('optgroup', { label: e.scene }); $('example').append(group); }
    group.append(element('option', { value: i }, first ? e.title : `${e.scene}: ${e.title}`));
  });
  $('example').prepend(element('option', { value: '' }, 'a program of one’s own'));
  function example(i) {
    $('example').value = String(i);
    const e = data.examples[i];
    $('story').replaceChildren(...(e ? e.story.map(p => element('p', {}, p.replace(/`/g, ''))) : []));
    if (e) show(e);
  }
  $('example').addEventListener('change', () => {
    history.replaceState(null, '', location.pathname + location.search);
    $('shared').hidden = true;
    if ($('example').value !== '') example(+$('example').value);
    else { example(''); show({ sql: '', level: 'rr' }); sql.focus(); }
  });

  // The worker has the checker. The module is compiled once, so that a worker that was ended
  // is soon replaced.
  let worker = null, isReady = false, asked = null, ended = 0, clock = 0, module;
  const apart = self.crossOriginIsolated;
  async function compile() {
    const file = await fetch(data.checker);
    if (!file.ok) throw new Error(`${data.checker}: ${file.status} ${file.statusText}`);
    return WebAssembly.compileStreaming(new Response(file.body.pipeThrough(new DecompressionStream('gzip')), { headers: { 'Content-Type': 'application/wasm' } }));
  }
  function hire() {
    const mine = worker = new Worker('worker.js');
    isReady = false;
    mine.onmessage = ({ data: said }) => { if (mine === worker) hear(said); };
    mine.onerror = e => { if (mine === worker) broken(e.message || 'worker.js is missing'); };
    module.then(m => { if (mine === worker) mine.postMessage({ module: m, z3: data.solver && apart }); }, e => { if (mine === worker) broken(e.message); });
  }
  function hear(said) {
    if (said.ready) {
      isReady = true;
      proofs(data.solver && apart && !said.without, said.without);
      if (asked) ask();
      else if (checked === '') $('status').textContent = 'Ready.';
    } else if (said.doing) status(said.doing);
    else if (said.answer) answered(JSON.parse(said.answer));
    else if (said.broken) broken(said.broken);
  }
  function proofs(some, why) {
    $('solver').textContent = some ? 'Z3 is here: what is robust is proved.'
      : 'There is no Z3 here: anomalies are found, and nothing is proved.' + (why ? ` (${why})` : data.solver && !apart ? ' (Z3 needs a server that sets the headers Cross-Origin-Opener-Policy and Cross-Origin-Embedder-Policy, as robust playground -http does.)' : '');
  }
  const status = what => { if (asked) $('status').textContent = `${what} … ${((performance.now() - asked.since) / 1000).toFixed(1)} s`; };
  function busy(on) {
    $('check').disabled = on;
    $('stop').disabled = !on;
  }
  function check() {
    if (asked) return;
    asked = { ...state(), seconds: +$('seconds').value, since: performance.now(), sent: false };
    busy(true);
    faulty = 0;
    lines();
    $('status').textContent = isReady ? 'checking …' : 'The checker is being loaded …';
    if (isReady) ask();
    else if (!worker) hire();
  }
  function ask() {
    if (asked.sent) return;
    asked.sent = true;
    asked.since = performance.now();
    worker.postMessage({ request: JSON.stringify(asked) });
    clock = setInterval(() => { if (asked && performance.now() - asked.since > asked.seconds * 1000 + GRACE) end('No answer in time: nothing is known.'); }, 200);
  }
  function finish() {
    clearInterval(clock);
    asked = null;
    busy(false);
  }
  // end ends the worker, and gets a new one.
  function end(why) {
    if (!asked) return;
    finish();
    worker.terminate();
    forget();
    hire();
    $('status').textContent = why;
  }
  function broken(why) {
    finish();
    if (worker) worker.terminate();
    worker = null;
    const local = location.protocol === 'file:' ? ' A browser loads it from a server only: robust playground -http 127.0.0.1:0 is one.' : '';
    $('status').textContent = `The checker does not run: ${why}.${local}`;
  }
  function answered(a) {
    const took = (performance.now() - asked.since) / 1000;
    const { sql, level, levels: of } = asked;
    finish();
    forget();
    checked = JSON.stringify({ sql, level, levels: of });
    if (a.transactions.length) transactions(a.transactions);
    $('status').textContent = `checked in ${took.toFixed(1)} s`;
    if (a.error) {
      const at = a.line ? `program.sql:${a.line}:${a.column}` : '';
      const b = element('button', { type: 'button', title: 'go there' }, at);
      b.addEventListener('click', () => goTo(a.line, a.column));
      faulty = a.line || 0;
      lines();
      $('answer').replaceChildren(element('span', { class: 'reject' }, ...(at ? [b, a.error.slice(at.length)] : [a.error])));
      stale();
      return;
    }
    const colour = { robust: 'accept', 'not-robust': 'reject' }[a.verdict] || 'unknown';
    $('answer').replaceChildren(element('span', { class: colour, 'data-verdict': a.verdict }, a.summary));
    const frame = element('iframe', { title: 'what the check found out', sandbox: 'allow-scripts allow-modals' });
    frame.srcdoc = a.page.replace('</body>', `<script>addEventListener('message', e => { if (e.data === 'print') print(); });</scr` + `ipt></body>`);
    $('result').append(frame);
    $('result').hidden = $('print').disabled = false;
    if (checked !== JSON.stringify(state())) stale();
  }

  // A link has the program in its fragment, which no server is sent.
  const pipe = async (bytes, through) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
  async function pack(s) {
    const bytes = await pipe(new TextEncoder().encode(JSON.stringify(s)), new CompressionStream('deflate-raw'));
    let text = '';
    for (const b of bytes) text += String.fromCharCode(b);
    return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  }
  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader(), parts = [];
    for (let size = 0; ;) {
      const { value, done } = await reader.read();
      if (done) break;
      if ((size += value.length) > 2 * data.longest) throw new Error('it is too long');
      parts.push(value);
    }
    return JSON.parse(await new Blob(parts).text());
  }
  async function share() {
    history.replaceState(null, '', '#' + await pack(state()));
    $('shared').hidden = false;
    $('link').value = location.href;
    $('link').focus();
    $('link').select();
    $('copied').textContent = await navigator.clipboard?.writeText(location.href).then(() => 'It is copied.', () => '') || '';
  }
  async function load() {
    const text = location.hash.slice(1);
    if (!text) { example(data.examples.findIndex(e => e.scene === 'write-skew')); return; }
    try {
      const s = await unpack(text);
      example('');
      show(s);
    } catch (e) {
      example('');
      show({ sql: '', level: 'rr' });
      $('answer').replaceChildren(element('span', { class: 'reject' }, 'The link has no program in it: it is damaged or cut off.'));
    }
  }

  sql.addEventListener('input', edited);
  for (const kind of ['keyup', 'click', 'focus']) sql.addEventListener(kind, place);
  $('level').addEventListener('change', stale);
  $('check').addEventListener('click', check);
  $('stop').addEventListener('click', () => end('Stopped: nothing is known.'));
  $('share').addEventListener('click', share);
  $('print').addEventListener('click', () => $('result').querySelector('iframe').contentWindow.postMessage('print', '*'));
  document.addEventListener('keydown', e => {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); check(); }
    if (e.key === 'Escape') end('Stopped: nothing is known.');
  });
  addEventListener('hashchange', load);
  module = compile();
  module.catch(() => {}); // whoever hires a worker is told
  hire();
  load();
})();

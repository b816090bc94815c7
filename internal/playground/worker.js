'use strict';
// The worker runs the checker. It is told { module, z3 } once, and then one request after the
// other; it tells { ready }, { doing } and { answer }, or { broken }.
importScripts('wasm_exec.js');

// loadZ3 makes Z3 what the checker asks.
async function loadZ3() {
  importScripts('z3/z3-built.js');
  const z3 = await initZ3({ mainScriptUrlOrBlob: new URL('z3/z3-built.js', location).href, locateFile: f => 'z3/' + f, print: () => {}, printErr: () => {} });
  const open = () => {
    const config = z3._Z3_mk_config();
    let context = z3._Z3_mk_context(config);
    z3._Z3_del_config(config);
    const tell = commands => z3.ccall('Z3_eval_smtlib2_string', 'string', ['number', 'string'], [context, commands]);
    return {
      ask: commands => commands.split(/^(\(set-option .*\n)/m).filter(Boolean).map(tell).join(''), // an option counts from the next text on
      close() { if (context) z3._Z3_del_context(context); context = 0; },
    };
  };
  const version = (/"(\d+\.\d+\.\d+)/.exec(open().ask('(get-info :version)\n')) || [])[1];
  if (!version) throw new Error('Z3 does not say its version');
  self.robustZ3 = { open, version };
}

async function start({ module, z3 }) {
  let without = '';
  if (z3) await loadZ3().catch(e => { without = String(e && e.message || e); });
  await new Promise(ready => {
    self.robustReady = ready;
    const go = new Go();
    WebAssembly.instantiate(module, go.importObject).then(instance => go.run(instance))
      .then(() => postMessage({ broken: 'it has ended' }), e => postMessage({ broken: String(e) }));
  });
  postMessage({ ready: true, without });
}

let said = 0;
onmessage = ({ data }) => {
  if (data.module) { start(data); return; }
  robustCheck(data.request, what => {
    if (performance.now() - said > 100) { said = performance.now(); postMessage({ doing: what }); }
  }, answer => postMessage({ answer }));
};

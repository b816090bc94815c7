'use strict';

// Drives `robust lsp` through the protocol library that VS Code uses. ROBUST names the program.

const assert = require('node:assert');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { pathToFileURL } = require('node:url');
const rpc = require('vscode-languageserver-protocol/node');

const source = `CREATE TABLE doctor (name text PRIMARY KEY, shift int NOT NULL, on_call bool NOT NULL);
CREATE PROCEDURE leave(who text, which int) LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM doctor WHERE shift = which AND on_call) >= 2 THEN
    UPDATE doctor SET on_call = false WHERE name = who AND shift = which;
  END IF;
END $$;
`;

test('a finding is shown, described and repaired', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'robust-'));
  const file = path.join(dir, 'oncall.sql');
  fs.writeFileSync(file, source);
  const uri = pathToFileURL(file).href;
  const server = spawn(process.env.ROBUST || 'robust', ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => server.on('exit', resolve));
  const connection = rpc.createProtocolConnection(new rpc.StreamMessageReader(server.stdout), new rpc.StreamMessageWriter(server.stdin));
  const shown = [];
  const waiting = [];
  connection.onNotification(rpc.PublishDiagnosticsNotification.type, (p) => (waiting.length ? waiting.shift()(p) : shown.push(p)));
  const diagnostics = () => (shown.length ? Promise.resolve(shown.shift()) : new Promise((resolve) => waiting.push(resolve)));
  connection.onRequest(rpc.WorkDoneProgressCreateRequest.type, () => {});
  connection.listen();
  try {
    const { capabilities } = await connection.sendRequest(rpc.InitializeRequest.type, {
      processId: process.pid, rootUri: null, capabilities: { window: { workDoneProgress: true } },
    });
    assert.strictEqual(capabilities.hoverProvider, true);
    await connection.sendNotification(rpc.InitializedNotification.type, {});
    await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'sql', version: 1, text: source },
    });
    const found = await diagnostics();
    assert.strictEqual(found.uri, uri);
    assert.strictEqual(found.diagnostics[0].code, 'RB1002');
    assert.ok(found.diagnostics[0].relatedInformation.length >= 2);
    const hover = await connection.sendRequest(rpc.HoverRequest.type, { textDocument: { uri }, position: { line: 4, character: 0 } });
    assert.match(hover.contents.value, /in findings/);
    const actions = await connection.sendRequest(rpc.CodeActionRequest.type, {
      textDocument: { uri }, range: found.diagnostics[0].range, context: { diagnostics: found.diagnostics },
    });
    assert.ok(actions.length > 0);
    const [edit] = actions[0].edit.changes[uri];
    const lines = source.split(/(?<=\n)/);
    fs.writeFileSync(file, lines.slice(0, edit.range.start.line).join('') + edit.newText + lines.slice(edit.range.end.line).join(''));
    await connection.sendNotification(rpc.DidSaveTextDocumentNotification.type, { textDocument: { uri } });
    assert.deepStrictEqual((await diagnostics()).diagnostics, []);
    await connection.sendRequest(rpc.ShutdownRequest.type);
    await connection.sendNotification(rpc.ExitNotification.type);
    assert.strictEqual(await exited, 0);
  } finally {
    connection.dispose();
    server.kill();
    fs.rmSync(dir, { recursive: true });
  }
});

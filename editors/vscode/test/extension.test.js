'use strict';

// Runs the extension with stand-ins for the editor, and for the client that starts the server.

const assert = require('node:assert');
const Module = require('node:module');
const test = require('node:test');

test('the extension starts, restarts and stops the server', async () => {
  const calls = [];
  const commands = {};
  const standIns = {
    vscode: {
      workspace: { getConfiguration: () => ({ get: () => '/opt/robust' }) },
      window: { showErrorMessage: (text) => calls.push(text) },
      commands: { registerCommand: (name, f) => { commands[name] = f; } },
    },
    'vscode-languageclient/node': {
      LanguageClient: class {
        constructor(id, name, server, options) {
          calls.push([server.command, ...server.args, ...options.documentSelector.map((d) => d.language)].join(' '));
        }
        async start() { calls.push('start'); }
        async stop() { calls.push('stop'); }
      },
    },
  };
  const load = Module._load;
  Module._load = (name, ...rest) => standIns[name] ?? load(name, ...rest);
  try {
    const extension = require('../extension.js');
    await extension.activate({ subscriptions: [] });
    await commands['robust.restart']();
    await extension.deactivate();
    const started = ['/opt/robust lsp sql go', 'start'];
    assert.deepStrictEqual(calls, [...started, 'stop', ...started, 'stop']);
  } finally {
    Module._load = load;
  }
});

'use strict';

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

// start starts the server that the settings name.
async function start() {
  const command = vscode.workspace.getConfiguration('robust').get('path', 'robust');
  client = new LanguageClient('robust', 'robust', { command, args: ['lsp'] }, {
    documentSelector: [{ scheme: 'file', language: 'sql' }, { scheme: 'file', language: 'go' }],
  });
  try {
    await client.start();
  } catch (err) {
    client = undefined;
    vscode.window.showErrorMessage(`robust: ${err.message}. Is ${command} installed? The setting robust.path names it.`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) {
    await running.stop();
  }
}

async function activate(context) {
  context.subscriptions.push(vscode.commands.registerCommand('robust.restart', async () => {
    await stop();
    await start();
  }));
  await start();
}

module.exports = { activate, deactivate: stop };

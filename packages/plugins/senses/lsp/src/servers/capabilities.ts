/** What Tenon tells every server that it can do. */
import type { ClientCapabilities } from 'vscode-languageserver-protocol';

const KINDS = ['quickfix', 'refactor', 'refactor.extract', 'refactor.inline', 'refactor.rewrite', 'source'];

/** Sent with `initialize`. */
export const CLIENT_CAPABILITIES: ClientCapabilities = {
  // Columns in bytes would need a second way to count.
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true, showDocument: { support: false } },
  workspace: {
    applyEdit: true,
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: false },
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: false },
    executeCommand: {},
    symbol: { dynamicRegistration: false },
    workspaceEdit: {
      documentChanges: true,
      resourceOperations: ['create', 'rename', 'delete'],
      failureHandling: 'transactional',
    },
    fileOperations: { willRename: true, didRename: true },
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    synchronization: { didSave: true, dynamicRegistration: false },
    publishDiagnostics: { versionSupport: true, relatedInformation: false },
    diagnostic: { dynamicRegistration: false, relatedDocumentSupport: false },
    definition: { linkSupport: true },
    typeDefinition: { linkSupport: true },
    implementation: { linkSupport: true },
    references: {},
    hover: { contentFormat: ['markdown', 'plaintext'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    rename: { prepareSupport: true },
    formatting: {},
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: KINDS } },
      resolveSupport: { properties: ['edit', 'command'] },
      dataSupport: true,
      isPreferredSupport: true,
    },
  },
  experimental: { serverStatusNotification: true },
};

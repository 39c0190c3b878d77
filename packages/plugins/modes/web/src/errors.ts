import { defineErrors } from '@tenon/kernel';

/** What can be wrong in the control room. */
export const errors = defineErrors('web', {
  WEB_PORT: {
    exit: 'usage',
    summary: '"{port}" is not a port.',
    next: 'Give a number from 0 to 65535; 0 takes any that is free.',
  },
  WEB_CANNOT_LISTEN: {
    summary: 'The server cannot listen on {address}: {reason}.',
    next: 'Stop what uses the port, or choose another: tenon web --port 0.',
  },
  WEB_NEEDS_TLS: {
    summary: 'Beyond loopback ({address}) everybody on the way could read the token.',
    next: 'Give --tls-cert and --tls-key, or accept that with --insecure. An SSH tunnel to the loopback address needs neither.',
  },
  WEB_TLS_HALF: { summary: 'TLS needs a certificate and its key.', next: 'Give both --tls-cert and --tls-key.' },
  WEB_TLS_FILES: {
    summary: '{cert} and {key} are no certificate and its key: {reason}.',
    next: 'Give files in PEM form that belong together.',
  },
  WEB_TOKEN_FILE: {
    summary: 'The token file {path} can be read by other users.',
    next: 'Make a new token: tenon web --new-token.',
  },
  WEB_WORKFLOW_UNKNOWN: { summary: 'There is no workflow {id}.', next: 'GET /api/workflows lists them.' },
  WEB_INVALID: { summary: 'The request is not valid: {problems}.', next: 'See /api/openapi.json.' },
  WEB_SESSION_UNKNOWN: { summary: 'There is no session {id}.', next: 'GET /api/sessions lists them.' },
  WEB_SESSION_CLOSED: {
    summary: 'Session {id} is not open here.',
    next: 'Open it: POST /api/sessions with its id in `resume`.',
  },
  WEB_SESSION_FAILED: { summary: 'The agent of the session has ended: {reason}.', next: 'Open the session again.' },
  WEB_COMMAND_REFUSED: { summary: '{reason}', next: 'Change the request, and send it again.' },
  WEB_FOLDER: { summary: '{folder} is not a folder on this machine.', next: 'Give the absolute path of a folder.' },
  WEB_TOO_MANY: { summary: 'There are {count} open sessions, which is the limit.', next: 'Close one of them.' },
  WEB_APPROVAL_GONE: {
    summary: 'Nobody waits for an answer about the call {id} any more.',
    next: 'Somebody has answered it, or its agent has gone on. GET /api/approvals lists open ones.',
  },
  WEB_QUESTION_GONE: {
    summary: 'Question {id} is not open any more.',
    next: 'Somebody has answered it, or the agent has gone on. GET /api/questions lists open ones.',
  },
});

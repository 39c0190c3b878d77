import { defineErrors } from '@tenon/kernel';

/** What can be wrong when a session or run of a control room is opened. */
export const errors = defineErrors('attach', {
  ATTACH_NO_SERVER: {
    summary: 'No control room of yours is running on this machine.',
    next: 'Start one with `tenon web` in another terminal, or give --url and TENON_WEB_TOKEN for one elsewhere.',
  },
  ATTACH_NO_TOKEN: {
    summary: 'There is no token for {url}.',
    next: 'Put the token into the variable TENON_WEB_TOKEN: it is the part after #token= in the link that `tenon web` prints.',
    exit: 'usage',
  },
  ATTACH_URL: {
    summary: '"{url}" is not the address of a control room.',
    next: 'Give an address such as http://127.0.0.1:7397. Without TLS only addresses of this machine are possible.',
    exit: 'usage',
  },
  ATTACH_UNREACHABLE: {
    summary: 'The control room at {url} does not answer: {reason}.',
    next: 'See whether `tenon web` still runs, or start it again.',
  },
  ATTACH_REFUSED: {
    summary: 'The control room at {url} does not accept the token.',
    next: 'Restart `tenon web`, or put the token of its link into TENON_WEB_TOKEN and give --url.',
  },
  ATTACH_FAILED: {
    summary: 'The control room says: {reason}',
    next: 'Do what it says, and attach again.',
  },
  ATTACH_UNKNOWN: {
    exit: 'usage',
    summary: 'The control room has no session and no run "{id}".{hint}',
    next: '`tenon attach` without an id shows what is open; `tenon session list` and `tenon runs list` show the rest.',
  },
  ATTACH_AMBIGUOUS: {
    summary: '"{id}" is the beginning of several: {ids}.',
    next: 'Give more of the id.',
    exit: 'usage',
  },
  ATTACH_NOTHING: {
    summary: 'Nothing is open in the control room.',
    next: 'Start a session on its page, or name one: `tenon attach ID`.',
  },
  ATTACH_NO_TERMINAL: {
    summary: '`tenon attach` needs a terminal that it can draw on.',
    next: 'Run it in a terminal, or use the page of the control room.',
  },
});

import { defineErrors } from '@tenon/kernel';

/** What can go wrong with the browser. */
export const errors = defineErrors('browser', {
  BROWSER_MISSING: {
    summary: 'No browser was found. Looked for: {names}.',
    next: 'Install Chromium or Chrome (Debian: `apt install chromium`), or set browser.program to the path of one.',
    exit: 'unavailable',
  },
  BROWSER_PROGRAM: {
    summary: 'The setting browser.program names "{program}", which is not a program on this machine.',
    next: 'Correct it: `tenon config set browser.program PATH`, or remove it to use an installed browser.',
    exit: 'config',
  },
  BROWSER_START: {
    summary: '{program} did not start: {reason}.',
    next: 'Start it by hand to see why. If the sandbox is the reason, `tenon config set browser.sandbox off`.',
  },
  BROWSER_CONNECT: {
    summary: 'No browser answers at {url}: {reason}.',
    next: 'Start it with --remote-debugging-port, or empty the setting browser.cdpUrl.',
  },
  BROWSER_ADDRESS: {
    summary: '"{url}" cannot be opened: {reason}.',
    next: 'Give an address that starts with https:// or http://.',
  },
  BROWSER_REFUSED: {
    summary: '{host} was refused: it is on this machine or a private network, or not on the list of allowed hosts.',
    next: 'If the user wants it, they allow it: `tenon config set browser.allowHosts \'["{host}"]\'`. Do not look for a way around.',
  },
  BROWSER_UNREACHABLE: {
    summary: '"{url}" could not be opened: {reason}.',
    next: 'Check the address and whether its server runs.',
  },
  BROWSER_NO_TAB: {
    summary: 'There is no tab "{name}". Open tabs: {known}.',
    next: 'Call with action "open" first, or name another tab.',
  },
  BROWSER_TABS_FULL: {
    summary: 'There are already {count} tabs.',
    next: 'Close one with action "close", or reuse one by its name.',
  },
  BROWSER_TARGET: {
    summary: 'No page of the connected browser has "{target}" in its address or title. Pages: {pages}.',
    next: 'Name a part of one of these, or leave target out for a new tab.',
  },
  BROWSER_NO_ACTION: {
    summary: 'The call says nothing that the browser could do.',
    next: 'Give action, for example { "action": "open", "url": "https://example.com" }, or several in steps.',
  },
  BROWSER_INPUT: {
    summary: 'Action "{action}" {problem}.',
    next: 'Correct the input and call again.',
  },
  BROWSER_STALE: {
    summary: 'There is no element {id} on the page as it is now.',
    next: 'Call action "observe" again and use the ids of its answer.',
  },
  BROWSER_NO_ELEMENT: {
    summary: 'Nothing on the page matches {selector}.',
    next: 'Call action "observe" to see what is there, or wait for it with "wait_for".',
  },
  BROWSER_ACTION: {
    summary: 'Action "{action}" failed: {reason}.',
    next: 'Call action "observe" or "screenshot" to see the state of the page.',
  },
  BROWSER_TIMEOUT: {
    summary: 'Action "{action}" did not end within {seconds} seconds.{state}',
    next: 'Call action "observe" or "screenshot" to see the state of the page, or give a longer timeout.',
  },
  BROWSER_SCRIPT: {
    summary: 'The code failed in the page: {reason}.',
    next: 'Correct the code. It runs as the body of an async function in the page; give its result with return.',
  },
  BROWSER_ENDED: {
    summary: 'The browser has ended during action "{action}": {reason}.',
    next: 'Call action "open": a new browser is started. Tabs and logins of the old one are gone.',
  },
  BROWSER_TAB_GONE: {
    summary: 'The tab "{name}" was closed during action "{action}": {reason}.',
    next: 'Open it again if you need it.',
  },
  BROWSER_DIALOGS: {
    summary: 'The page opens dialogs without end ({count} so far); the tab "{name}" was closed.',
    next: 'Do not open this page again; use another source.',
  },
  BROWSER_FILE: {
    summary: '"{path}" cannot be uploaded: {reason}.',
    next: 'Give paths of files that exist, below 100 MB each.',
  },
  BROWSER_SAVE: {
    summary: 'The picture cannot be written to "{path}": {reason}.',
    next: 'Give another path, or none.',
  },
  BROWSER_CLOSED: {
    summary: 'The browser is not available: {reason}.',
    next: 'Start Tenon again.',
  },
});

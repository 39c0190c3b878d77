/**
 * Stands between the browser and Playwright. A page can make the browser send messages of any size (a text of 150 million characters in
 * its console is enough), and Playwright reads each whole: more than a string can hold would end Tenon. The filter lets nothing
 * pass that is too large, and answers for the browser where a call waits.
 */

/** What the browser answers may be large: pictures, the text of a page. What it tells by itself never is. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_EVENT_BYTES = 2 * 1024 * 1024;
/** What pages may write into their consoles within a second. */
const MAX_CONSOLE_BYTES = 4 * 1024 * 1024;

/** Plain text for `node -e`: messages end with a zero byte; they come by standard input and go to standard output. */
export const MESSAGE_FILTER = `
const ENDS = 300;
let parts = [], size = 0, tail = Buffer.alloc(0), isSkipped = false, head = '';
let second = 0, written = 0;
const out = (bytes) => { if (!process.stdout.write(bytes)) { process.stdin.pause(); process.stdout.once('drain', () => process.stdin.resume()); } };
const isConsole = () => /^\\{"method":"(?:Runtime\\.(?:consoleAPICalled|exceptionThrown)|Log\\.entryAdded|Console\\.)/.test(head);
const tooMuch = () => {
  if (size > (head.startsWith('{"id":') ? ${MAX_ANSWER_BYTES} : ${MAX_EVENT_BYTES})) return true;
  if (!isConsole()) return false;
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) [second, written] = [now, 0];
  return written + size > ${MAX_CONSOLE_BYTES};
};
const take = (piece) => {
  size += piece.length;
  if (head.length < ENDS) head += piece.subarray(0, ENDS).toString('latin1');
  if (!isSkipped && tooMuch()) { isSkipped = true; parts = []; }
  if (isSkipped) tail = Buffer.concat([tail, piece.subarray(-ENDS)]).subarray(-ENDS);
  else parts.push(piece);
};
const end = () => {
  if (isConsole() && !isSkipped) written += size;
  if (!isSkipped) out(Buffer.concat([...parts, Buffer.alloc(1)]));
  else {
    const id = /^\\{"id":(\\d+)/.exec(head), session = /"sessionId":"([0-9A-Za-z]+)"\\}$/.exec(tail.toString('latin1'));
    if (id) out(JSON.stringify({ id: Number(id[1]), ...(session && { sessionId: session[1] }), error: { code: -32000, message: 'the answer of the page is too large' } }) + '\\0');
  }
  parts = []; size = 0; tail = Buffer.alloc(0); isSkipped = false; head = '';
};
process.stdin.on('data', (chunk) => {
  let at = 0;
  for (let zero = chunk.indexOf(0); zero >= 0; zero = chunk.indexOf(0, at)) { take(chunk.subarray(at, zero)); end(); at = zero + 1; }
  if (at < chunk.length) take(chunk.subarray(at));
});
// Only what was handed over may be left behind: writes wait while the reader is slow.
process.stdin.on('end', () => process.stdout.write('', () => process.exit(0)));
process.stdout.on('error', () => process.exit(0));
`;

/** What the text of `aider --message` means. */
import type { Reading } from '../../parsing/reading.ts';
import type { TextRules } from '../../parsing/text-parser.ts';

/** `Tokens: 2.1k sent, 1.2k cache write, 300 cache hit, 145 received. Cost: $0.0042 message, $0.01 session.` */
const TOKENS =
  /^Tokens: ([\d.,]+[kM]?) sent(?:, ([\d.,]+[kM]?) cache write)?(?:, ([\d.,]+[kM]?) cache hit)?, ([\d.,]+[kM]?) received\.(?: Cost: \$([\d.]+) message)?/;
const RETRY = /^Retrying in [\d.]+ seconds/;
/** Errors of its model library; exit codes say nothing of them. */
const API_ERROR =
  /^(?:litellm\.)?((?:Authentication|RateLimit|APIConnection|ServiceUnavailable|InternalServer|ContextWindowExceeded|BadRequest|NotFound|PermissionDenied|Timeout)Error\b.*|API(?:Connection)?Error\b.*)$/;

/** The rules. One process, one reader: the problem before a retry is kept until it is known whether one follows. */
export const aiderText: TextRules = {
  banners: [
    /^Aider v\d/,
    /^(?:Main|Weak|Editor) model: /,
    /^Model: .* with .* edit format/,
    /^Git repo: /,
    /^Repo-map: /,
    /^Added .+ to the chat/,
    /^Note: in-chat filenames/,
    /^─+$/,
    /^Cur working dir: /,
    /^You can skip this check/,
    /^Warning: Input is not a terminal/,
    /^Can't initialize prompt toolkit/,
  ],
  errors: [/^The API provider/, /^Unable to list files/, /^No LLM model was specified/],
  line(line, reading) {
    return tokens(line, reading) || problem(line, reading);
  },
};

function tokens(line: string, reading: Reading): boolean {
  const [found, sent, written, read, received, cost] = TOKENS.exec(line) ?? [];
  if (found === undefined) return false;
  reading.used(
    {
      // "Sent" is the whole prompt.
      input: count(sent),
      output: count(received),
      cacheRead: count(read),
      cacheWrite: count(written),
      reasoning: 0,
    },
    cost === undefined ? undefined : Number(cost.replace(/\.$/, '')),
  );
  return true;
}

function problem(line: string, reading: Reading): boolean {
  if (RETRY.test(line)) {
    const { failure } = reading;
    reading.goesOn();
    reading.retry({ text: failure?.message ?? line });
    return true;
  }
  const said = API_ERROR.exec(line)?.[1];
  if (said === undefined) return false;
  reading.fail(reading.classify({ text: spaced(said) }));
  return true;
}

/** `RateLimitError` means "rate limit". */
function spaced(text: string): string {
  const [name = '', ...rest] = text.split(/(?<=Error)\b/);
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2');
  return `${words}${rest.join('')}`;
}

/** `2.1k` is 2100. */
function count(text: string | undefined): number {
  if (text === undefined) return 0;
  const number = Number.parseFloat(text.replaceAll(',', ''));
  const scale = text.endsWith('k') ? 1000 : text.endsWith('M') ? 1_000_000 : 1;
  return Number.isFinite(number) ? Math.round(number * scale) : 0;
}

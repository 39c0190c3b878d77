/** Shapes of credentials that nothing else looks like, and places where one stands. */

/** A shape that begins with one of its anchors: they are found together in one pass, and the rest is looked at only there. */
interface Shape {
  readonly anchors: readonly string[];
  /** Matched where the anchor stands. The group `secret` is what to mask; the whole match without one. */
  readonly pattern: RegExp;
  /** Characters before the anchor that belong to the secret; the pattern has looked at them. */
  readonly before?: number;
  /** Told apart from examples and code. */
  isSecret?(secret: string, groups: Readonly<Record<string, string | undefined>>): boolean;
}

/** A secret in a text. */
export interface CredentialMatch {
  readonly start: number;
  readonly text: string;
}

const hasDigit = (text: string) => /\d/.test(text);

/** The end of a line, in JSON too, and what a reader, a search or a diff writes before the next one. */
const BREAK = String.raw`(?:(?:\s|\\[nr]){1,4}(?:[\w./-]{0,80}[|:>\u2502+~][ \t]{0,8}){0,3})`;
const PRIVATE_KEY = new RegExp(
  String.raw`-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----${BREAK}(?:[A-Za-z-]{1,40}: [^\n\\]{0,200}${BREAK}){0,4}${BREAK}?(?<secret>(?:[A-Za-z0-9+/=]{16,200}${BREAK}){0,400}[A-Za-z0-9+/=]{4,4000})`,
  'y',
);

const SHAPES: readonly Shape[] = [
  {
    // OpenAI, Anthropic, OpenRouter, DeepSeek and others.
    anchors: ['sk-'],
    pattern: /(?<![\w-])sk-(?:ant-|proj-|or-|svcacct-|admin-|lf-)?[A-Za-z0-9_-]{20,}/y,
    isSecret: (text) => hasDigit(text) && /[A-Z]|\d.*\d/.test(text.slice(3)),
  },
  { anchors: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], pattern: /\bgh[pousr]_[A-Za-z0-9]{36,}\b/y },
  { anchors: ['github_pat_'], pattern: /\bgithub_pat_[A-Za-z0-9_]{40,}\b/y },
  {
    anchors: ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glsoat-', 'glagent-'],
    pattern: /\bgl(?:pat|dt|rt|cbt|ptt|soat|agent)-[A-Za-z0-9_-]{20,}/y,
  },
  {
    anchors: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    pattern: /\b(?:xox[abeoprs][-.]|xapp-\d-)[A-Za-z0-9-]{20,}/y,
  },
  {
    anchors: ['hooks.slack.com/'],
    pattern: /hooks\.slack\.com\/(?:services|workflows)\/(?<secret>[A-Za-z0-9/]{40,200})/y,
  },
  { anchors: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], pattern: /\bA(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}\b/y },
  {
    anchors: ['AIza', 'GOCSPX-', 'ya29.'],
    pattern: /\b(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{30,})/y,
  },
  { anchors: ['npm_'], pattern: /\bnpm_[A-Za-z0-9]{36}\b/y },
  { anchors: ['pypi-AgE'], pattern: /\bpypi-AgE[A-Za-z0-9_-]{50,}/y },
  { anchors: ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_'], pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/y },
  { anchors: ['whsec_'], pattern: /\bwhsec_[A-Za-z0-9+/=]{24,120}/y },
  { anchors: ['hf_', 'gsk_', 'xai-'], pattern: /\b(?:hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,})/y },
  {
    anchors: ['pplx-', 'r8_', 'tvly-', 'nvapi-', 'csk-', 'jina_'],
    pattern:
      /\b(?:pplx-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{37,}|tvly-[A-Za-z0-9-]{28,}|nvapi-[A-Za-z0-9_-]{50,}|csk-[a-z0-9]{40,}|jina_[a-f0-9]{32}[A-Za-z0-9_-]+)/y,
    isSecret: hasDigit,
  },
  { anchors: ['SG.'], pattern: /\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,45}/y },
  {
    anchors: [
      'dop_v1_',
      'doo_v1_',
      'shpat_',
      'shpss_',
      'lin_api_',
      'ntn_',
      'hvs.',
      'pscale_',
      'sntrys_',
      'dapi',
      'glsa_',
      'dckr_pat_',
      'sbp_',
    ],
    pattern:
      /\b(?:do[op]_v1_[a-f0-9]{64}|shp(?:at|ss)_[a-fA-F0-9]{32}|lin_api_[A-Za-z0-9]{40}|ntn_[A-Za-z0-9]{40,}|hvs\.[A-Za-z0-9_-]{24,}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,200}|sntrys_[A-Za-z0-9+/=_-]{40,400}|dapi[a-f0-9]{32}|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|dckr_pat_[A-Za-z0-9_-]{27,}|sbp_[a-f0-9]{40})/y,
  },
  { anchors: ['AGE-SECRET-KEY-1'], pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{50,}/y },
  { anchors: [':AA'], pattern: /(?<=\b\d{8,10}):(?<secret>AA[A-Za-z0-9_-]{32,33})\b/y },
  { anchors: ['eyJ'], pattern: /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}/y },
  // A block that was cut off, or stands in one line of JSON, counts as well.
  {
    anchors: ['-----BEGIN '],
    pattern: PRIVATE_KEY,
  },
  {
    anchors: ['AccountKey=', 'SharedAccessKey='],
    pattern: /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{30,}={0,2})/y,
  },
  {
    anchors: ['?sig=', '&sig=', ';sig='],
    pattern: /[?&;]sig=(?<secret>[A-Za-z0-9%+/_-]{30,}={0,2})/y,
    isSecret: hasDigit,
  },
  ...[...'0123456789'].map((digit) => ({
    anchors: [`${digit}Q~`],
    pattern: /(?<=(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3})\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/y,
    before: 3,
  })),
  {
    anchors: ['://'],
    pattern:
      /(?<=[a-zA-Z0-9]):\/\/(?<user>[^\s/:@'"`<>()[\]{}$*]{0,128}):(?<secret>[^\s/@'"`<>()[\]{}$*#]{4,256})@(?=[\w[.-])/y,
    isSecret: (text, { user = '' }) => text.toLowerCase() !== user.toLowerCase() && !isExample(text),
  },
  {
    anchors: ['bearer ', 'Bearer ', 'BEARER '],
    pattern: /bearer\s+(?<secret>[A-Za-z0-9._~+/-]{20,}={0,2})/iy,
    isSecret: (text) => hasDigit(text) && /[A-Za-z]/.test(text) && variety(text) > 10,
  },
  {
    anchors: ['uthorization', 'UTHORIZATION'],
    pattern: /uthorization["']?\s*[:=]\s*["']?(?:basic|token)\s+(?<secret>[A-Za-z0-9+/_.-]{12,}={0,2})/iy,
    isSecret: (text) => variety(text) > 6,
  },
  {
    // Forty characters say nothing by themselves; beside such a name they do.
    anchors: ['ecret', 'ECRET'],
    pattern:
      /ecret_?(?:access_?)?key(?:_id)?["']?\s*(?:=>|[:=])\s*["']?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/iy,
    isSecret: (text) => hasDigit(text) && /[A-Z]/.test(text) && /[a-z]/.test(text),
  },
];

const SHAPES_OF = new Map<string, Shape[]>();
for (const shape of SHAPES)
  for (const anchor of shape.anchors) SHAPES_OF.set(anchor, [...(SHAPES_OF.get(anchor) ?? []), shape]);

/** What a credential begins with. */
export const CREDENTIAL_ANCHORS: readonly string[] = [...SHAPES_OF.keys()];

/** The credential that begins with an anchor, if it is one. */
export function credentialAt(text: string, start: number, anchor: string): CredentialMatch | undefined {
  for (const { pattern, isSecret, before = 0 } of SHAPES_OF.get(anchor) ?? []) {
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    if (match === null) continue;
    const inner = match.groups?.['secret'];
    const from = inner === undefined ? start - before : start + match[0].lastIndexOf(inner);
    const secret = inner ?? text.slice(from, start + match[0].length);
    if (isSecret?.(secret, match.groups ?? {}) !== false) return { start: from, text: secret };
  }
  return undefined;
}

/** Words that people write where a secret would stand. */
const EXAMPLE =
  /^(?:.*(?:change[-_]?me|replace[-_]?me|your[-_ ]|example|placeholder|dummy|sample|redacted|todo|fixme|insert|hidden|masked|not[-_ ]?(?:set|a[-_ ]?real|real)|xxxx|\*\*\*|\.\.\.|\u2026).*|(?:my|the|a|some|test|fake|mock|foo|bar|baz|new|old|user|admin|root|secret|password|passwd|pass|pwd|token|key|api[-_]?key|apikey|access|auth|value|string|null|none|nil|undefined|true|false|default|postgres|mysql|redis|guest|(?:123456|qwerty)\w*)(?:[-_. ]?(?:secret|password|pass|pwd|token|key|value|string|user|\d{0,3}))*)$/i;

/** Whether a text is what people write in place of a secret. */
export function isExample(text: string): boolean {
  return EXAMPLE.test(text) || /^(.)\1+$/.test(text) || /^#[A-Z0-9]{4}#$/.test(text);
}

/** How many different characters a text has. */
export function variety(text: string): number {
  return new Set(text).size;
}

/** Checks a skill against the Agent Skills format. */

/** Something that is wrong with a skill. */
export interface SkillProblem {
  /** `error`: not what the format asks for. `warning`: allowed, but not advised. */
  readonly level: 'error' | 'warning';
  readonly text: string;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;
/** What the format advises for the text. */
const MAX_LINES = 500;

const FORMAT_KEYS = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']);
/** What Tenon and other tools understand beyond the format. */
const KNOWN_KEYS = new Set([
  ...FORMAT_KEYS,
  'triggers',
  'priority',
  'globs',
  'alwaysApply',
  'always-apply',
  'allowedTools',
  'disable-model-invocation',
  'user-invocable',
  'argument-hint',
  'model',
  'version',
  'context',
  'agent',
  'hooks',
]);

/** What is wrong with a name. */
export function nameProblems(name: unknown, folder: string): SkillProblem[] {
  if (name === undefined || name === null || name === '') return [problem('`name` is missing')];
  if (typeof name !== 'string') return [problem('`name` must be text')];
  const problems: SkillProblem[] = [];
  if (name.length > MAX_NAME)
    problems.push(problem(`\`name\` has ${name.length} characters; at most ${MAX_NAME} are allowed`));
  if (!NAME.test(name))
    problems.push(
      problem(
        `\`name\` "${name.slice(0, MAX_NAME)}" may only have lower-case letters, digits and single hyphens between them`,
      ),
    );
  if (name !== folder)
    problems.push(problem(`\`name\` "${name.slice(0, MAX_NAME)}" must be that of its folder, "${folder}"`));
  return problems;
}

/** What is wrong with a description. */
export function descriptionProblems(description: unknown): SkillProblem[] {
  if (description === undefined || description === null) return [problem('`description` is missing')];
  if (typeof description !== 'string') return [problem('`description` must be text')];
  if (description.trim() === '') return [problem('`description` is empty')];
  if (description.length <= MAX_DESCRIPTION) return [];
  return [problem(`\`description\` has ${description.length} characters; at most ${MAX_DESCRIPTION} are allowed`)];
}

/** A SKILL.md in its parts. */
export interface SkillFile {
  /** The name of its folder. */
  readonly folder: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** What is wrong with the frontmatter as such. */
  readonly problem?: string;
}

/** Everything that is wrong with a skill. */
export function validateSkill({ folder, data, body, problem: damage }: SkillFile): SkillProblem[] {
  const text = (key: string): SkillProblem[] =>
    data[key] === undefined || typeof data[key] === 'string' ? [] : [problem(`\`${key}\` must be text`)];
  const compatibility = data['compatibility'];
  const unknown = Object.keys(data).filter((key) => !KNOWN_KEYS.has(key));
  const lines = body === '' ? 0 : body.split('\n').length;
  return [
    ...(damage === undefined ? [] : [problem(`the frontmatter is damaged: ${damage}`)]),
    ...nameProblems(data['name'], folder),
    ...descriptionProblems(data['description']),
    ...text('license'),
    ...text('compatibility'),
    ...(typeof compatibility === 'string' && compatibility.length > MAX_COMPATIBILITY
      ? [problem(`\`compatibility\` has ${compatibility.length} characters; at most ${MAX_COMPATIBILITY} are allowed`)]
      : []),
    ...metadataProblems(data['metadata']),
    ...listProblems('allowed-tools', data['allowed-tools']),
    ...listProblems('triggers', data['triggers']),
    ...(data['priority'] === undefined || typeof data['priority'] === 'number'
      ? []
      : [problem('`priority` must be a number')]),
    ...unknown.map((key) => warning(`\`${key}\` is not a field of the format; put it under \`metadata\``)),
    ...(lines === 0 ? [warning('there is no text after the frontmatter')] : []),
    ...(lines > MAX_LINES
      ? [warning(`the text has ${lines} lines; move details into files of their own (${MAX_LINES} are advised)`)]
      : []),
  ];
}

function metadataProblems(metadata: unknown): SkillProblem[] {
  if (metadata === undefined) return [];
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return [problem('`metadata` must hold `key: text` pairs')];
  return Object.entries(metadata).flatMap(([key, value]) =>
    typeof value === 'string' ? [] : [warning(`\`metadata.${key}\` should be text: put it in quotes`)],
  );
}

function listProblems(key: string, value: unknown): SkillProblem[] {
  const isFine =
    value === undefined ||
    typeof value === 'string' ||
    (Array.isArray(value) && value.every((entry) => typeof entry === 'string'));
  return isFine ? [] : [problem(`\`${key}\` must be text or a list of texts`)];
}

function problem(text: string): SkillProblem {
  return { level: 'error', text };
}

function warning(text: string): SkillProblem {
  return { level: 'warning', text };
}

/** A message without a model: fixed rules over the names of files and the lines that change. */
import { counted } from '@tenon/wording';
import { type CommitType, MAX_SUBJECT, type Message, titleOf } from './message.ts';
import { addedLines } from './secrets.ts';
import type { StagedFile } from './staged.ts';

const KINDS: readonly (readonly [CommitType, RegExp])[] = [
  ['ci', /^\.github\/workflows\/|^\.gitlab-ci|^\.circleci\/|(^|\/)(Jenkinsfile|azure-pipelines\.ya?ml)$/],
  ['test', /(^|\/)(tests?|__tests__|specs?)\/|[._](test|spec)\.[^/]+$|_test\.\w+$|(^|\/)test_[^/]+\.py$/],
  ['docs', /(^|\/)docs?\/|\.(md|mdx|rst|adoc|txt)$|(^|\/)(LICENSE|AUTHORS|CHANGELOG)[^/]*$/i],
  [
    'build',
    /(^|\/)(package(-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.(toml|lock)|go\.(mod|sum)|pyproject\.toml|poetry\.lock|uv\.lock|requirements[^/]*\.txt|Makefile|Dockerfile|CMakeLists\.txt|build\.gradle(\.kts)?|pom\.xml)$/,
  ],
];

const NAME =
  /^\s*(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:abstract\s+)?(?:function\*?|class|interface|struct|enum|trait|def|fn|func|type|module)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/;

const kindOf = (path: string): CommitType | 'code' => KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? 'code';

/** What the rules make of the files. */
export function messageByRules(files: readonly StagedFile[]): Message {
  const type = typeOf(files);
  const scope = scopeOf(files);
  const fits = (subject: string) =>
    titleOf({ type, subject, ...(scope !== undefined && { scope }) }).length <= MAX_SUBJECT;
  const subjects = subjectsFor(files);
  const subject = subjects.find(fits) ?? subjects.at(-1) ?? '';
  const body = files.length > 1 ? files.map(lineOf).slice(0, 20).join('\n') : undefined;
  const more = files.length > 20 ? `\n- and ${files.length - 20} more` : '';
  return {
    type,
    subject: subject.slice(0, MAX_SUBJECT - (scope === undefined ? 0 : scope.length + 2) - type.length - 2),
    ...(scope !== undefined && { scope }),
    ...(body !== undefined && { body: body + more }),
  };
}

function typeOf(files: readonly StagedFile[]): CommitType {
  const kinds = new Set(files.map(({ path }) => kindOf(path)));
  const [only] = kinds;
  if (kinds.size === 1 && only !== undefined && only !== 'code') return only;
  const code = files.filter(({ path }) => kindOf(path) === 'code');
  if (code.length === 0) return 'chore';
  if (code.some(({ change }) => change === 'added')) return 'feat';
  // Whether a changed line corrects something cannot be seen from outside.
  return code.every(({ change }) => change === 'renamed' || change === 'deleted') ? 'refactor' : 'chore';
}

/** The one folder that all files share, without those that every project has. */
function scopeOf(files: readonly StagedFile[]): string | undefined {
  const scopes = new Set(
    files.map(({ path }) => {
      const folders = path.split('/').slice(0, -1);
      return folders.find((name) => !/^(src|lib|packages?|plugins|crates|apps|tests?|docs?|\..*)$/.test(name));
    }),
  );
  const [only] = scopes;
  return scopes.size === 1 && only !== undefined && /^[\w.-]{1,20}$/.test(only) ? only : undefined;
}

/** Subjects that fit the change, the most telling first. */
function subjectsFor(files: readonly StagedFile[]): string[] {
  const changes = new Set(files.map(({ change }) => change));
  const verb =
    changes.size > 1
      ? 'update'
      : { added: 'add', deleted: 'remove', renamed: 'rename', modified: 'update' }[[...changes][0] ?? 'modified'];
  const [first] = files;
  const base = (path: string) => path.split('/').at(-1) ?? path;
  const names = [...new Set(files.flatMap(definedIn))];
  const moved = first?.from;
  return [
    ...(files.length === 1 && first && moved !== undefined ? [`rename ${base(moved)} to ${base(first.path)}`] : []),
    ...(names.length > 0 && names.length <= 3
      ? [`add ${listed(names)}${files.length === 1 && first ? ` in ${base(first.path)}` : ''}`, `add ${listed(names)}`]
      : []),
    ...(files.length <= 3 ? [`${verb} ${listed(files.map(({ path }) => base(path)))}`] : []),
    ...(files.length === 1 && first ? [`${verb} a file`] : []),
    `${verb} ${counted(files.length, 'file')}`,
  ];
}

/** What is defined on lines that are new and was not there before. */
function definedIn({ path, diff }: StagedFile): string[] {
  if (kindOf(path) !== 'code') return [];
  const removed = new Set(
    diff.split('\n').flatMap((line) => (line.startsWith('-') ? (NAME.exec(line.slice(1))?.[1] ?? []) : [])),
  );
  return addedLines(diff).flatMap(({ text }) => {
    const name = NAME.exec(text)?.[1];
    return name !== undefined && !removed.has(name) ? [name] : [];
  });
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function lineOf({ path, from, change }: StagedFile): string {
  return `- ${change === 'renamed' ? `rename ${from} to ${path}` : `${change === 'added' ? 'add' : change === 'deleted' ? 'remove' : 'change'} ${path}`}`;
}

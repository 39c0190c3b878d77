/** Targets of a makefile, read from its text. */
import type { RunnerTask, TaskRunner } from '../api.ts';
import { firstText, quoted } from './project-files.ts';

const FILES = ['GNUmakefile', 'makefile', 'Makefile'];

/** Tasks of make. */
export const makeRunner: TaskRunner = {
  async tasks(folder) {
    const text = await firstText(folder, FILES);
    return text === undefined ? [] : makeTargets(text);
  },
};

/** With `.PHONY` only phony targets are tasks, and files whose rule is documented; without it all targets are. */
export function makeTargets(text: string): RunnerTask[] {
  const lines = text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/);
  const phony = new Set<string>();
  const docs = new Map<string, string | undefined>();
  let comment: string | undefined;
  for (const line of lines) {
    const rule = /^([^\s#:=][^#:=]*?)\s*::?(?!=)\s*([^#]*)(?:##?\s*(.*))?$/.exec(line);
    const names = rule?.[1]?.split(/\s+/) ?? [];
    if (names.includes('.PHONY')) for (const name of rule?.[2]?.trim().split(/\s+/) ?? []) phony.add(name);
    else {
      for (const name of names.filter((candidate) => /^[\w][\w./-]*$/.test(candidate))) {
        const said = line.includes('##') ? rule?.[3]?.trim() : comment;
        if (!docs.has(name) || said) docs.set(name, said ?? docs.get(name));
      }
    }
    const remark = /^#+\s?(.*)$/.exec(line)?.[1]?.trim();
    comment = remark !== undefined && remark !== '' ? remark : undefined;
  }
  return [...docs].flatMap(([name, doc]): RunnerTask[] => {
    const isTask = phony.size === 0 || phony.has(name);
    if (!isTask && doc === undefined) return [];
    const note = isTask ? doc : `${doc} (file target)`;
    return [{ name, command: `make ${quoted(name)}`, ...(note !== undefined && { doc: note }) }];
  });
}

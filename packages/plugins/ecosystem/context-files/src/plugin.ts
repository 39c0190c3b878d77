import { beforeStart, compacted, sessionShutdown } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { contextFiles, discovery, instructions } from '@tenon/discovery/api';
import { definePlugin, messageOf, Type } from '@tenon/kernel';
import { toolResult } from '@tenon/tools/api';
import { shellWord } from '@tenon/wording';
import { errors } from './errors.ts';
import { NestedFiles } from './nested.ts';
import { contextSection } from './section.ts';
import { systemFiles } from './system-files.ts';
import type { ContextFilesSettings } from './generated/settings.ts';

/** What files make of the system prompt. */
interface Said {
  /** Stands in its place. */
  readonly system: string | undefined;
  readonly added: string;
}

/** Before rules and skills, which refer to it. */
const PRIORITY = 100;

/** AGENTS.md, CLAUDE.md and their like in the system prompt. */
export default definePlugin({
  id: 'context-files',
  config: Type.Unsafe<ContextFilesSettings>({}),
  needs: { discovery, folders },
  activate(ctx) {
    const { home } = ctx.needs.folders;
    const reported = new Set<string>();
    /** A session's text stays what it was, so that prompt caches hold. */
    const sections = new Map<string, Said>();
    const nested = new NestedFiles(
      async (folder, signal) => (await ctx.needs.discovery.load(contextFiles, folder, signal)).items,
    );

    async function saidFor(cwd: string, session: string | undefined, signal: AbortSignal): Promise<Said> {
      const [files, forSome] = await Promise.all([
        ctx.needs.discovery.load(contextFiles, cwd, signal),
        ctx.needs.discovery.load(instructions, cwd, signal),
      ]);
      for (const { message } of [...files.problems, ...forSome.problems]) {
        if (reported.has(message)) continue;
        reported.add(message);
        ctx.log.warn(message);
      }
      if (session !== undefined)
        nested.begin(
          session,
          files.items.map(({ file }) => file),
        );
      const { system, append, others, refused } = systemFiles(files.items, ctx.config.systemFiles);
      for (const folder of new Set(refused.map(({ project = cwd }) => project))) {
        const files = refused.filter(({ project = cwd }) => project === folder).map(({ file }) => file);
        const verb = files.length > 1 ? 'are' : 'is';
        const details = { folder, folderWord: shellWord(folder), files: files.join(', '), verb };
        const problem = errors.create('CONTEXT_FILES_UNTRUSTED', details);
        if (reported.has(problem.message)) continue;
        reported.add(problem.message);
        ctx.report(problem, 'warning');
      }
      const section = contextSection(others, forSome.items, { cwd, home }, ctx.config);
      return { system, added: [section, append].filter((part) => part !== undefined && part !== '').join('\n\n') };
    }

    ctx.on(
      beforeStart,
      async (start, { signal }) => {
        const { session, cwd } = start;
        if (!ctx.config.enabled || cwd === undefined) return undefined;
        const key = `${session} ${cwd}`;
        let said = session === undefined ? undefined : sections.get(key);
        if (said === undefined) {
          try {
            said = await saidFor(cwd, session, signal);
          } catch (fault) {
            // A prompt without these files is better than none; the next one looks again.
            ctx.log.error('The context files could not be read', { reason: messageOf(fault) });
            return undefined;
          }
          if (session !== undefined) sections.set(key, said);
        }
        const { system = start.systemPrompt, added } = said;
        if (system === start.systemPrompt && added === '') return undefined;
        return { ...start, systemPrompt: added === '' ? system : `${system}\n\n${added}` };
      },
      { priority: PRIORITY },
    );

    ctx.on(toolResult, async (event, { signal }) => {
      if (!ctx.config.enabled || !ctx.config.nested) return undefined;
      const text = await nested.textFor(event, signal).catch((fault: unknown) => {
        // The result is what was asked for; that a file beside it could not be read must not cost it.
        ctx.log.error('Instructions of a folder could not be read', { reason: messageOf(fault) });
        return undefined;
      });
      if (text === undefined) return undefined;
      return {
        ...event,
        result: { ...event.result, content: [...event.result.content, { type: 'text' as const, text }] },
      };
    });

    const forget = (session: string) => {
      nested.forget(session);
      for (const key of sections.keys()) if (key.startsWith(`${session} `)) sections.delete(key);
    };
    // After a summary the prompt is new to the provider anyway: a good moment to see what changed.
    ctx.on(compacted, ({ session }) => forget(session));
    ctx.on(sessionShutdown, ({ session }) => forget(session));
  },
});

import { beforeStart, compacted, sessionShutdown } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { contextFiles, discovery, instructions } from '@tenon/discovery/api';
import { definePlugin, messageOf, Type } from '@tenon/kernel';
import { contextSection } from './section.ts';
import type { ContextFilesSettings } from './generated/settings.ts';

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
    const sections = new Map<string, string>();

    async function sectionFor(cwd: string, signal: AbortSignal): Promise<string> {
      const [files, forSome] = await Promise.all([
        ctx.needs.discovery.load(contextFiles, cwd, signal),
        ctx.needs.discovery.load(instructions, cwd, signal),
      ]);
      for (const { message } of [...files.problems, ...forSome.problems]) {
        if (reported.has(message)) continue;
        reported.add(message);
        ctx.log.warn(message);
      }
      return contextSection(files.items, forSome.items, { cwd, home }, ctx.config);
    }

    ctx.on(
      beforeStart,
      async (start, { signal }) => {
        const { session, cwd } = start;
        if (!ctx.config.enabled || cwd === undefined) return undefined;
        const key = `${session} ${cwd}`;
        let section = session === undefined ? undefined : sections.get(key);
        if (section === undefined) {
          try {
            section = await sectionFor(cwd, signal);
          } catch (fault) {
            // A prompt without these files is better than none; the next one looks again.
            ctx.log.error('The context files could not be read', { reason: messageOf(fault) });
            return undefined;
          }
          if (session !== undefined) sections.set(key, section);
        }
        return section === '' ? undefined : { ...start, systemPrompt: `${start.systemPrompt}\n\n${section}` };
      },
      { priority: PRIORITY },
    );

    const forget = (session: string) => {
      for (const key of sections.keys()) if (key.startsWith(`${session} `)) sections.delete(key);
    };
    // After a summary the prompt is new to the provider anyway: a good moment to see what changed.
    ctx.on(compacted, ({ session }) => forget(session));
    ctx.on(sessionShutdown, ({ session }) => forget(session));
  },
});

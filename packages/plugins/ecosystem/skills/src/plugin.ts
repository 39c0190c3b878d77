import { basename } from 'node:path';
import { beforeStart, compacted, liveAgents, sessionShutdown, sessionTree } from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { type CliCommand, cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { bundles, discovery } from '@tenon/discovery/api';
import { definePlugin, Type } from '@tenon/kernel';
import { programFolders } from '@tenon/sandbox/api';
import { builtInCommands, slashCommandProviders, untilRunEnds } from '@tenon/slash-commands/api';
import { workspaceTrust } from '@tenon/trust/api';
import { urlSchemes } from '@tenon/urls/api';
import { type KnownSkill, skillBook } from './api.ts';
import { errors } from './errors.ts';
import { skillsSection } from './prompt-section.ts';
import { createSkillBook } from './skill-book.ts';
import { skillCommands, skillListCommand } from './skill-commands.ts';
import { skillScheme } from './skill-scheme.ts';
import { SkillTriggers } from './triggers.ts';
import { descriptionProblems, nameProblems } from './validate.ts';
import type { SkillsSettings } from './generated/settings.ts';

/** Families whose skills were written for Tenon. */
const OWN = new Set(['native', 'custom']);

/** Skills: in the prompt, by their triggers, as `skill://` and as `/skill:NAME`. */
export default definePlugin({
  id: 'skills',
  config: Type.Unsafe<SkillsSettings>({}),
  needs: { folders, discovery, agents: liveAgents },
  defines: [skillBook],
  activate(ctx) {
    const { agents } = ctx.needs;
    const { enabled, listTokens, triggerTokens, commands } = ctx.config;
    const fullBook = createSkillBook(ctx.needs.discovery);
    const book = enabled ? fullBook : { ...fullBook, list: async () => [] };
    const triggers = new SkillTriggers(book, triggerTokens);
    const reported = new Set<string>();
    const isTrusted = async ({ level, project, name, file }: KnownSkill, cwd: string) => {
      if (level === 'user') return true;
      const trust = await ctx.findOptional(workspaceTrust);
      return (await trust?.stateOf(project ?? cwd, [{ name: `the skill ${name}`, file, files: [file] }])) === 'trusted';
    };
    const toolsOf = async (skill: KnownSkill, cwd: string) =>
      skill.allowedTools && skill.allowedTools.length > 0 && (await isTrusted(skill, cwd))
        ? skill.allowedTools
        : undefined;

    /** While a skill is used, its tools are let through without asking. Where there is no approval, nothing is asked anyway. */
    const opened = async (skill: KnownSkill, { session, cwd }: { readonly session: string; readonly cwd: string }) => {
      const allowed = await toolsOf(skill, cwd);
      const agent = allowed && agents.get(session);
      const gate = agent && (await ctx.findOptional(approvals));
      if (gate && agent.state.isStreaming) untilRunEnds(agent, gate.preApprove(session, allowed));
    };

    ctx.provide(skillBook, book);
    ctx.contribute(urlSchemes, 'skill', skillScheme({ book, cwd: ctx.needs.folders.cwd, opened }));
    ctx.contribute(programFolders, 'skills', {
      // What a project brings is a part of the workspace, or of a folder that nobody hides; it opens nothing.
      folders: async (cwd) => {
        const own = (await book.list(cwd)).filter(({ level, pack }) => level === 'user' && pack === undefined);
        const whole = (await ctx.needs.discovery.load(bundles, cwd)).items;
        return [
          ...own.map(({ folder }) => folder),
          ...whole.flatMap(({ value, level, pack }) =>
            level === 'user' && value.level === 'user' && value.disabled === undefined && pack === undefined
              ? [value.folder]
              : [],
          ),
        ];
      },
    });
    const provider = skillCommands({ book, toolsOf });
    ctx.contribute(
      slashCommandProviders,
      'skills',
      commands ? provider : { list: async () => [], run: async () => undefined },
    );

    ctx.contribute(builtInCommands, 'skills', skillListCommand(book));

    /** What is wrong with a skill is told once; it is used all the same. What was written for other tools may follow their rules. */
    const report = (skills: readonly KnownSkill[]) => {
      for (const { name, description, file, folder, family } of skills) {
        if (reported.has(file) || basename(file) !== 'SKILL.md' || !OWN.has(family)) continue;
        reported.add(file);
        const problems = [...nameProblems(name, basename(folder)), ...descriptionProblems(description)];
        const texts = problems.map(({ text }) => text).join('; ');
        if (texts !== '') ctx.report(errors.create('SKILLS_INVALID', { name, file, problems: texts }), 'warning');
      }
    };

    ctx.on(beforeStart, async (start, { signal }) => {
      const { session, cwd } = start;
      if (!enabled || cwd === undefined) return undefined;
      const all = await book.list(cwd, signal);
      if (all.length === 0) return undefined;
      report(all);
      const agent = session === undefined ? undefined : agents.get(session);
      const canRead = agent?.state.tools.some(({ name }) => name === 'read') ?? true;
      const section = canRead ? skillsSection(all, listTokens) : undefined;
      const triggered = agent && (await triggers.messageFor(start.prompt, agent, all));
      for (const skill of triggered?.skills ?? []) await opened(skill, { session: session ?? '', cwd });
      return {
        ...start,
        ...(section !== undefined && { systemPrompt: `${start.systemPrompt}\n\n${section}` }),
        ...(triggered && { inject: [...start.inject, triggered.message] }),
      };
    });
    const forget = ({ session }: { readonly session: string }) => triggers.forget(session);
    ctx.on(compacted, forget);
    ctx.on(sessionTree, forget);
    ctx.on(sessionShutdown, forget);

    const command = (words: string, load: (code: typeof import('./cli-commands.ts')) => CliCommand['run']) =>
      ctx.contribute(cliCommands, words, { run: async (call) => load(await import('./cli-commands.ts'))(call) });
    command(
      'skills list',
      ({ listSkills }) =>
        (call) =>
          listSkills(book, call),
    );
    command(
      'skills show',
      ({ showSkill }) =>
        (call) =>
          showSkill(book, call),
    );
    command(
      'skills validate',
      ({ validateSkills }) =>
        (call) =>
          validateSkills(book, call),
    );
  },
});

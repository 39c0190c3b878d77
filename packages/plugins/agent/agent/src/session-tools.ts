import { artifactMaker } from '@tenon/sessions/api';
import type { AgentParts } from './host.ts';
import type { LoopTools } from './loop-config.ts';

/** The tools of an agent. They work in the folder of its session, with that session's shell, views and artifacts. */
export function sessionTools({
  host,
  conversation,
  tools,
}: Pick<AgentParts, 'host' | 'conversation' | 'tools'>): LoopTools {
  return {
    modelTools: () => tools.modelTools(),
    isExclusive: (name) => tools.isExclusive(name),
    async run({ id, name, arguments: args }, options) {
      if (!tools.has(name)) return { content: [{ type: 'text', text: tools.missing(name) }], isError: true };
      const { session, place } = conversation;
      const artifactPath = (artifact: string) => session.artifactPath(artifact);
      const scope = { ...place, artifact: artifactMaker(session), artifactPath, toolbox: tools };
      const tool = tools.hostTool(name);
      const model = tools.model?.();
      const form = { ...(tool && { tool }), ...(model && { model }) };
      return host.needs.runner.run(name, args, { ...options, callId: id, scope, ...form });
    },
  };
}

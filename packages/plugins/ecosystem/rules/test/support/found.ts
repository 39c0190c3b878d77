/** Things that a family of discovery would find, without files: they go through the real slots and the real service. */
import { builtIn } from '@tenon/test-kit/plugins';
import { instructions, type InstructionFile, type Rule, rules } from '@tenon/discovery/api';
import type { PluginCandidate } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';

/** The discovery plugin and a family that finds these. */
export async function found(
  list: readonly (Partial<Rule> & { name: string })[],
  more: readonly InstructionFile[] = [],
): Promise<PluginCandidate[]> {
  const items = list.map((rule) => {
    const path = `/rules/${rule.name}.md`;
    return { key: rule.name, value: { path, content: `Text of ${rule.name}.`, ...rule }, file: path, level: 'project' };
  });
  const family = inlineCandidate(
    {
      id: 'discovery-test',
      activate(ctx) {
        ctx.source(rules, { id: 'test', load: async () => ({ items }) });
        ctx.source(instructions, {
          id: 'test',
          load: async () => ({
            items: more.map((value) => ({ key: value.name, value, file: value.path, level: 'project' })),
          }),
        });
      },
    },
    { sources: ['rules', 'instructions'] },
  );
  return [await builtIn('discovery'), family];
}

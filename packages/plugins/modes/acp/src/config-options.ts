/** What an editor can set for a session: its mode, its model, and how hard that thinks. */
import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import type { AgentSession } from '@tenon/agent/api';
import { type ModelRegistry, THINKING_LEVELS, type ThinkingLevel } from '@tenon/models/api';
import { errors } from './errors.ts';
import { modeOption, type ModeParts, setMode } from './session-modes.ts';

/** What the options are made of. */
export interface OptionParts extends ModeParts {
  readonly models: Pick<ModelRegistry, 'list'>;
}

const keyOf = ({ provider, id }: { readonly provider: string; readonly id: string }) => `${provider}/${id}`;

/** The options with their present values. */
export async function configOptions(parts: OptionParts, agent: AgentSession): Promise<SessionConfigOption[]> {
  const { model, thinking } = agent.state;
  const usable = (await parts.models.list()).filter((one) => one.available || keyOf(one) === keyOf(model));
  // The model in use need not be one of those that are listed.
  const models = usable.some((one) => keyOf(one) === keyOf(model)) ? usable : [model, ...usable];
  const options: SessionConfigOption[] = [
    modeOption(parts, agent.session.id),
    {
      type: 'select',
      id: 'model',
      name: 'Model',
      category: 'model',
      currentValue: keyOf(model),
      options: models.map((one) => ({ value: keyOf(one), name: one.name, description: keyOf(one) })),
    },
  ];
  if (!model.reasoning) return options;
  return [
    ...options,
    {
      type: 'select',
      id: 'thinking',
      name: 'Thinking',
      category: 'thought_level',
      currentValue: thinking,
      options: THINKING_LEVELS.map((level) => ({ value: level, name: level })),
    },
  ];
}

/** Sets one of them. */
export async function setOption(
  parts: OptionParts,
  agent: AgentSession,
  option: string,
  value: string | boolean,
): Promise<void> {
  if (option === 'mode') return setMode(parts, agent.session.id, String(value));
  const unknown = () => errors.create('ACP_OPTION_UNKNOWN', { option, value: String(value) });
  if (option === 'model') {
    const model = (await parts.models.list()).find((one) => keyOf(one) === value);
    if (!model) throw unknown();
    return agent.setModel(model);
  }
  if (option === 'thinking' && isLevel(value)) return agent.setThinking(value);
  throw unknown();
}

function isLevel(value: string | boolean): value is ThinkingLevel {
  return THINKING_LEVELS.some((level) => level === value);
}

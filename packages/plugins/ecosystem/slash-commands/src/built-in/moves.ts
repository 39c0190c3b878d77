/** Commands that change the session: `/compact`, `/handoff`, `/tree`, `/branch`, `/export`, `/model`, `/plan`. */
import type { AgentSession } from '@tenon/agent/api';
import { type ModelRegistry, unknownModel } from '@tenon/models/api';
import type { PlanMode } from '@tenon/planning-tools/api';
import type { SessionExporter } from '@tenon/session-export/api';
import type { Session } from '@tenon/sessions/api';
import { counted, cutText, plainLine, plainText } from '@tenon/wording';
import type { SlashOutcome } from '../api.ts';
import { errors } from '../errors.ts';

const handled = (text: string): SlashOutcome => ({ kind: 'handled', text });
const given = (text: string): string | undefined => (text === '' ? undefined : text);
const CALLED_OFF = 'A plugin called it off; nothing was changed.';

/** Makes the conversation shorter. */
export async function compact(agent: AgentSession, args: string): Promise<SlashOutcome> {
  const { tokensBefore, tokensAfter } = await agent.compact(given(args));
  return handled(
    tokensAfter < tokensBefore
      ? `The conversation was made shorter: about ${tokensAfter} tokens are left of ${tokensBefore}.`
      : 'The conversation was summarized.',
  );
}

/** Goes on in a new session that begins with where the work stands. */
export async function handoff(agent: AgentSession, args: string): Promise<SlashOutcome> {
  const before = agent.session.id;
  const done = await agent.handoff(given(args));
  if (!done) return handled('No document was written, so the session stays as it is.');
  const saved = done.savedPath === undefined ? '' : ` The document is in ${done.savedPath}.`;
  return handled(
    `The work goes on in session ${agent.session.id}; ${before} stays as it was.${saved}\n\n${plainText(done.document)}`,
  );
}

/** Writes the session as a page. */
export async function exportSession(
  agent: AgentSession,
  exporter: SessionExporter,
  args: string,
): Promise<SlashOutcome> {
  await agent.session.flush();
  const file = given(args);
  return handled(
    `Written: ${await exporter.write(agent.session, { cwd: agent.cwd, ...(file !== undefined && { file }) })}`,
  );
}

/** Shows all branches, or goes to an entry. */
export async function tree(agent: AgentSession, exporter: SessionExporter, args: string): Promise<SlashOutcome> {
  const [wanted, ...rest] = args.split(/\s+/).filter(Boolean);
  if (wanted === undefined) {
    const text = await exporter.tree(agent.session);
    return handled(text === '' ? 'Nothing was said in this session.' : `${text}Go to an entry with /tree ID.`);
  }
  const summarize = rest.includes('--summarize');
  const entry = entryNamed(agent.session, wanted);
  const { cancelled, text } = await agent.branchTo(entry, { summarize });
  if (cancelled) return handled(CALLED_OFF);
  return handled(`The session is at ${agent.session.leafId ?? 'its beginning'} now.${again(text)}`);
}

/** Takes a message of the user up again, in a copy of the session; without one, lists them. */
export async function branch(agent: AgentSession, args: string): Promise<SlashOutcome> {
  const { session } = agent;
  if (args === '') {
    const lines = session.branch().flatMap((entry) => {
      if (entry.type !== 'message' || entry.message.role !== 'user') return [];
      const { content } = entry.message;
      const text =
        typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join(' ');
      return [`  ${entry.id}  ${cutText(plainLine(text), 80)}`];
    });
    if (lines.length === 0) return handled('You have said nothing in this session yet.');
    return handled(`${lines.join('\n')}\nTake one of them up again, in a copy of the session, with /branch ID.`);
  }
  const { cancelled, text } = await agent.branch(entryNamed(session, args));
  if (cancelled) return handled(CALLED_OFF);
  const where =
    agent.session.id === session.id
      ? 'The conversation goes on from before that message.'
      : `The conversation goes on in session ${agent.session.id}; ${session.id} stays as it was.`;
  return handled(`${where}${again(text)}`);
}

/** The text that is said anew. */
function again(text: string | undefined): string {
  return text === undefined || text === ''
    ? ''
    : ` This stood there, to be changed and sent again:\n\n${plainText(text)}`;
}

/** An entry by its id or the beginning of it. */
function entryNamed(session: Session, wanted: string): string {
  if (session.entry(wanted)) return wanted;
  const matches = [...session.entries()].filter(({ id }) => id.startsWith(wanted));
  const [match, second] = matches;
  if (match && !second) return match.id;
  const problem = match ? `stands for ${counted(matches.length, 'entry', 'entries')}` : 'is not an entry';
  throw errors.create('SLASH_COMMANDS_ENTRY', { entry: wanted, problem });
}

/** Says which model answers, or uses another one from now on. */
export async function model(agent: AgentSession, models: ModelRegistry, args: string): Promise<SlashOutcome> {
  if (args === '') {
    const { model: current, thinking } = agent.state;
    const others = (await models.list()).filter(
      ({ available, provider, id }) => available && (provider !== current.provider || id !== current.id),
    );
    const shown = others.slice(0, 20).map(({ provider, id }) => `  ${provider}/${id}`);
    const more =
      others.length > shown.length ? [`  … and ${others.length - shown.length} more: \`tenon models list\``] : [];
    return handled(
      [
        `${current.provider}/${current.id}${current.reasoning ? `, thinking ${thinking}` : ''} answers.`,
        ...(others.length === 0 ? [] : ['Use another one with /model NAME[:THINKING]:', ...shown, ...more]),
      ].join('\n'),
    );
  }
  const match = await models.find(args);
  if (!match) throw await unknownModel(models, args);
  await agent.setModel(match.model, match.thinking);
  const { model: now, thinking } = agent.state;
  const about = match.fallbackMessage === undefined ? '' : `\n${match.fallbackMessage}`;
  return handled(
    `${now.provider}/${now.id}${now.reasoning ? `, thinking ${thinking},` : ''} answers from now on.${about}`,
  );
}

/** Begins planning, approves the plan, or ends planning without it. */
export async function plan(agent: AgentSession, plans: PlanMode, args: string): Promise<SlashOutcome> {
  const { id } = agent.session;
  const isOn = plans.isOn(id);
  const [first = '', ...rest] = args.split(/\s+/);
  // `/plan approve, but keep the old name`
  const word = first.replace(/[,;:.]$/, '');
  if (word === 'off' && rest.length === 0) {
    if (isOn) await plans.set(id, false);
    return handled(isOn ? 'Planning has ended; files may be changed again.' : 'Planning was not on.');
  }
  if (word === 'approve') {
    if (!isOn) throw errors.create('SLASH_COMMANDS_NO_PLAN');
    const fresh = rest[0] === '--fresh';
    const notes = rest.slice(fresh ? 1 : 0).join(' ');
    return { kind: 'prompt', text: await plans.approve(id, { notes, fresh }) };
  }
  if (word === 'show' && rest.length === 0) {
    const text = await plans.plan(id);
    return handled(text === undefined ? 'No plan was written yet.' : plainText(text));
  }
  if (!isOn) await plans.set(id, true);
  const about =
    'The agent reads and plans; it changes nothing until you approve with /plan approve [NOTES] or end it with /plan off.';
  if (args === '') return handled(`Planning is on. ${about}`);
  agent.emit({ type: 'notice', level: 'info', text: about });
  return { kind: 'prompt', text: args };
}

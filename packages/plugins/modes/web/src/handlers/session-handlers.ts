/** Routes of sessions and their questions. */
import type { LiveSessions } from '../live/live-sessions.ts';
import type { Handlers } from '../server/app.ts';
import { errors } from '../errors.ts';

const PAGE = 50;
const MAX_PAGE = 500;
const DONE = { done: true } as const;

type Names =
  | 'listSessions'
  | 'openSession'
  | 'viewSession'
  | 'sessionEntries'
  | 'prompt'
  | 'stop'
  | 'setModel'
  | 'listModels'
  | 'compact'
  | 'closeSession'
  | 'listQuestions'
  | 'answerQuestion';

/** The routes over the open sessions. */
export function sessionHandlers(live: LiveSessions, cwd: string): Pick<Handlers, Names> {
  return {
    listSessions: async ({ query }) => ({ sessions: await live.list(countOf(query?.limit, 200), query?.search) }),
    async openSession({ body }) {
      const session =
        body.resume === undefined ? await live.start(body.cwd ?? cwd, body.model) : await live.resume(body.resume);
      return session.view(PAGE);
    },
    viewSession: ({ params, query }) => live.get(params.id).view(countOf(query?.limit, PAGE)),
    sessionEntries({ params, query }) {
      const before = query?.before === undefined ? undefined : countOf(query.before, 0, Number.MAX_SAFE_INTEGER);
      return live.entries(params.id, before, countOf(query?.limit, PAGE));
    },
    async prompt({ params, body }) {
      const { message, images, whileWorking } = body;
      const session = live.get(params.id);
      await session.call('prompt', {
        message,
        ...(images && { images }),
        ...(whileWorking && { streamingBehavior: whileWorking }),
      });
      return DONE;
    },
    async stop({ params }) {
      await live.get(params.id).call('abort', {});
      return DONE;
    },
    async setModel({ params, body }) {
      const session = live.get(params.id);
      await session.call('set_model', { provider: body.provider, modelId: body.model });
      await session.refresh();
      return DONE;
    },
    async listModels({ params }) {
      const { models } = await live.get(params.id).call('get_available_models', {});
      return { models: models.map(({ provider, id, name }) => ({ provider, id, name })) };
    },
    async compact({ params }) {
      await live.get(params.id).call('compact', {});
      return DONE;
    },
    async closeSession({ params }) {
      await live.close(params.id);
      return DONE;
    },
    listQuestions: () => ({ questions: [...live.questions] }),
    answerQuestion({ params, body }) {
      const question = live.questions.find(({ id }) => id === params.id);
      if (!question) throw errors.create('WEB_QUESTION_GONE', { id: params.id });
      live.get(question.session).answer(question.id, body);
      return DONE;
    },
  };
}

function countOf(text: string | undefined, usual: number, most = MAX_PAGE): number {
  if (text === undefined) return usual;
  if (!/^\d{1,15}$/.test(text)) throw errors.create('WEB_INVALID', { problems: `"${text}" is not a number` });
  return Math.min(Number(text), most);
}

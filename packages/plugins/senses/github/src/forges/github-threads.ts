/** Review threads, which only GraphQL knows: whether they are resolved, and what they are about. */
import type { ForgeClient } from '../http/forge-client.ts';
import { object, objects, text } from '../http/loose.ts';
import type * as things from '../things.ts';

const PAGES = 4;

const THREADS = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 50, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved isOutdated path line originalLine
        comments(first: 50) { nodes { author { login } body createdAt } } } } } } }`;

const REPLY = `mutation($thread: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $thread, body: $body }) { comment { url } } }`;

const RESOLVE = `mutation($thread: ID!) { resolveReviewThread(input: { threadId: $thread }) { thread { isResolved } } }`;

/** Where GraphQL is: beside REST, without its version. */
export function graphqlOf(api: string): string {
  return api.endsWith('/api/v3') ? `${api.slice(0, -'/v3'.length)}/graphql` : `${api}/graphql`;
}

/** The threads of a pull request, unresolved or not. */
export async function reviewThreads(
  client: ForgeClient,
  { owner, name }: things.RepoName,
  number: number,
): Promise<things.Listed<things.Thread>> {
  const items: things.Thread[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES; page++) {
    const what = `pull request ${number} of ${owner}/${name}`;
    const data = await client.graphql(graphqlOf(client.api), THREADS, { owner, name, number, after }, what);
    const list = object(object(object(data['repository'])['pullRequest'])['reviewThreads']);
    items.push(...objects(list['nodes']).map(threadOf));
    const info = object(list['pageInfo']);
    if (info['hasNextPage'] !== true) return { items, isCut: false };
    after = text(info['endCursor']);
  }
  return { items, isCut: true };
}

function threadOf(it: Readonly<Record<string, unknown>>): things.Thread {
  return {
    id: text(it['id']),
    path: text(it['path']),
    line: text(it['line'] ?? it['originalLine']),
    isResolved: it['isResolved'] === true,
    isOutdated: it['isOutdated'] === true,
    comments: objects(object(it['comments'])['nodes']).map((comment) => ({
      author: text(object(comment['author'])['login']),
      at: text(comment['createdAt']),
      body: text(comment['body']),
    })),
  };
}

/** Answers in a thread. */
export async function replyToThread(
  client: ForgeClient,
  thread: string,
  body: string,
  what: string,
): Promise<things.Made> {
  const data = await client.graphql(graphqlOf(client.api), REPLY, { thread, body }, what);
  return { url: text(object(object(data['addPullRequestReviewThreadReply'])['comment'])['url']) };
}

/** Says that a thread is settled. */
export async function resolveThread(client: ForgeClient, thread: string): Promise<void> {
  await client.graphql(graphqlOf(client.api), RESOLVE, { thread }, `thread ${thread}`);
}

/** What other plugins may use of forges: the slot for servers that keep repositories, issues and pull requests. */
import { slot } from '@tenon/kernel';
import type { ForgeClient } from './http/forge-client.ts';
import type * as things from './things.ts';

export type * from './things.ts';
export type { Answer, Ask, ForgeClient } from './http/forge-client.ts';

/** Which issues or pull requests are wanted. */
export interface ListQuery {
  readonly state: 'open' | 'closed' | 'merged' | 'all';
  readonly limit: number;
  readonly author?: string;
  readonly label?: string;
}

/** What kind of thing is searched. */
export type SearchKind = 'issues' | 'prs' | 'code' | 'commits' | 'repos';

/** A new pull request. */
export interface NewPull {
  readonly title: string;
  readonly body: string;
  readonly base: string;
  readonly head: string;
  readonly draft: boolean;
}

/** A verdict about a pull request. */
export interface NewReview {
  readonly event: 'approve' | 'request_changes' | 'comment';
  readonly body: string;
}

/** One server, as an operation uses it. What a server does not have is absent. */
export interface ForgeApi {
  repository(repo: things.RepoName): Promise<things.Repository>;
  issue(repo: things.RepoName, number: number, withComments: boolean): Promise<things.Issue>;
  issues(repo: things.RepoName, query: ListQuery): Promise<things.Listed<things.IssueSummary>>;
  pull(repo: things.RepoName, number: number, withComments: boolean): Promise<things.Pull>;
  pulls(repo: things.RepoName, query: ListQuery): Promise<things.Listed<things.IssueSummary>>;
  diff(repo: things.RepoName, number: number): Promise<string>;
  comment(repo: things.RepoName, number: number, body: string, on: 'issue' | 'pull'): Promise<things.Made>;
  createIssue(repo: things.RepoName, issue: things.NewIssue): Promise<things.Made>;
  createPull(repo: things.RepoName, pull: NewPull): Promise<things.Made>;
  /** The number of the open pull request whose branch this is. */
  pullOfBranch(repo: things.RepoName, branch: string): Promise<number | undefined>;
  /** The ref of a pull request in its base repository. */
  pullRef(number: number): string;
  checks?(repo: things.RepoName, sha: string): Promise<things.Listed<things.Check>>;
  threads?(repo: things.RepoName, number: number): Promise<things.Listed<things.Thread>>;
  /** Asks for reviews, and sets assignees and labels; gives what did not work. */
  decorate?(repo: things.RepoName, number: number, people: things.Decoration): Promise<readonly string[]>;
  review?(repo: things.RepoName, number: number, review: NewReview): Promise<things.Made>;
  reply?(repo: things.RepoName, number: number, thread: string, body: string): Promise<things.Made>;
  resolve?(repo: things.RepoName, thread: string): Promise<void>;
  search?(kind: SearchKind, query: string, limit: number): Promise<things.Listed<things.Hit>>;
  headOf?(repo: things.RepoName, branch: string): Promise<string>;
  runs?(
    repo: things.RepoName,
    query: { readonly branch?: string; readonly sha?: string },
  ): Promise<things.Listed<things.Run>>;
  run?(repo: things.RepoName, id: string): Promise<things.Run>;
  jobs?(repo: things.RepoName, run: string): Promise<things.Listed<things.Job>>;
  jobLog?(repo: things.RepoName, job: string): Promise<string>;
}

/** A kind of server. */
export interface Forge {
  /** Where the API of a host is. */
  apiOf(host: string): string;
  /** The header that carries a token. */
  authorization(token: string): Readonly<Record<string, string>>;
  open(client: ForgeClient): ForgeApi;
}

/** What the data of an entry says about a forge. */
export interface ForgeData {
  readonly title: string;
  /** Hosts that are such servers without any setting; `*.` stands for everything below. */
  readonly hosts: readonly string[];
  /** Variables with a token for `hosts`, and only for them. */
  readonly env: readonly string[];
  /** Variables with a token for hosts that the user has named. */
  readonly otherEnv: readonly string[];
  /** Under which name the credential store keeps the token. */
  readonly auth: string;
  /** A variable that names one more host. */
  readonly hostEnv?: string;
}

/** Kinds of servers by name. The data of an entry is a `ForgeData`. Not for packs: a forge is given tokens. */
export const forges = slot<Forge>('forges');

export { errors } from './errors.ts';

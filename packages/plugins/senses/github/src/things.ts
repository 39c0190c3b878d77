/** What forges keep, in one form for all of them. Texts are as others wrote them. */

/** A repository by name; on some servers the owner is a path. */
export interface RepoName {
  readonly owner: string;
  readonly name: string;
}

/** Some of a list. */
export interface Listed<T> {
  readonly items: readonly T[];
  /** How many there are in all, when the server says so. */
  readonly total?: number;
  /** True when there are more. */
  readonly isCut: boolean;
}

/** A repository. Facts are pairs for people: ["Stars", "12"]. */
export interface Repository extends RepoName {
  readonly url: string;
  readonly description: string;
  readonly defaultBranch: string;
  readonly isPrivate: boolean;
  readonly facts: readonly (readonly [string, string])[];
}

/** One line of a list of issues or pull requests. */
export interface IssueSummary {
  readonly number: number;
  readonly title: string;
  readonly state: string;
  readonly author: string;
  readonly labels: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly url: string;
}

/** A comment, or a review without lines. */
export interface Comment {
  readonly author: string;
  readonly at: string;
  readonly body: string;
  /** For reviews: APPROVED, CHANGES_REQUESTED… */
  readonly verdict?: string;
}

/** An issue. */
export interface Issue extends IssueSummary {
  readonly body: string;
  readonly assignees: readonly string[];
  readonly milestone: string;
  readonly comments: Listed<Comment>;
}

/** Where one side of a pull request is. */
export interface PullSide {
  /** owner/name; empty when the repository is gone. */
  readonly repo: string;
  readonly branch: string;
  readonly sha: string;
  /** Where it can be cloned from by HTTP. */
  readonly cloneUrl: string;
}

/** A file that a pull request changes. */
export interface ChangedFile {
  readonly path: string;
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
}

/** A pull request, or a merge request. */
export interface Pull extends Issue {
  readonly isDraft: boolean;
  readonly isMerged: boolean;
  /** What the server says about merging it: clean, dirty, blocked… */
  readonly mergeState: string;
  readonly base: PullSide;
  readonly head: PullSide;
  readonly maintainerCanModify: boolean;
  readonly files: Listed<ChangedFile>;
  readonly reviews: Listed<Comment>;
}

/** A conversation about lines of a diff. */
export interface Thread {
  readonly id: string;
  readonly path: string;
  readonly line: string;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  readonly comments: readonly Comment[];
}

/** A check of a commit. */
export interface Check {
  readonly name: string;
  /** queued, in_progress, completed. */
  readonly status: string;
  /** success, failure, skipped…; empty while it runs. */
  readonly conclusion: string;
  readonly url: string;
}

/** A workflow run. */
export interface Run {
  readonly id: string;
  readonly name: string;
  readonly branch: string;
  readonly sha: string;
  readonly event: string;
  readonly status: string;
  readonly conclusion: string;
  readonly url: string;
  readonly createdAt: string;
}

/** A job of a run. */
export interface Job {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly conclusion: string;
  /** The step that is at work, or that failed. */
  readonly step: string;
  readonly url: string;
}

/** Something that a search found. */
export interface Hit {
  readonly title: string;
  readonly url: string;
  readonly facts: readonly string[];
  readonly excerpt?: string;
}

/** A new issue. */
export interface NewIssue {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
}

/** Who and what goes with a new pull request. */
export interface Decoration {
  readonly reviewers: readonly string[];
  readonly assignees: readonly string[];
  readonly labels: readonly string[];
}

/** Something that was made. */
export interface Made {
  readonly url: string;
  readonly number?: number;
}

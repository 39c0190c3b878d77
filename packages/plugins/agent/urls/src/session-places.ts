/** Where the files of a session are. */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { LiveAgents } from '@tenon/agent/api';
import type { SessionStore } from '@tenon/sessions/api';

/** What the places are found with; a part that is not installed is undefined. */
export interface PlacesHost {
  /** Holds the folders of sessions that have no file. */
  stateFolder(): Promise<string>;
  liveAgents(): Promise<LiveAgents | undefined>;
  sessionStore(): Promise<SessionStore | undefined>;
}

/** Finds the folders of sessions. */
export class SessionPlaces {
  readonly #host: PlacesHost;
  /** A session's file never moves while its id is in use. */
  readonly #known = new Map<string, string>();

  constructor(host: PlacesHost) {
    this.#host = host;
  }

  /** The folder for what belongs to a session; it may not exist yet. It goes with the session when that is copied or removed. */
  async folder(session: string): Promise<string> {
    return (await this.#beside(session)) ?? this.#scratch(session);
  }

  /** The folder with the artifacts of a session; undefined when there are none. */
  async artifacts(session: string): Promise<string | undefined> {
    const live = (await this.#host.liveAgents())?.get(session)?.session;
    if (live && live.file === undefined) {
      const first = await live.artifactPath('0');
      return first === undefined ? undefined : dirname(first);
    }
    return this.#beside(session);
  }

  /** A session and, for that of a subagent, those that it works for, nearest first. */
  async line(session: string): Promise<readonly string[]> {
    const agents = await this.#host.liveAgents();
    const line = [session];
    for (let parent = agents?.get(session)?.parent; parent && !line.includes(parent.session);) {
      line.push(parent.session);
      parent = agents?.get(parent.session)?.parent;
    }
    return line;
  }

  async #beside(session: string): Promise<string | undefined> {
    const known = this.#known.get(session);
    if (known !== undefined) return known;
    const live = (await this.#host.liveAgents())?.get(session)?.session;
    if (live && live.file === undefined) return undefined;
    const file = live?.file ?? (await this.#stored(session));
    // The session store keeps a session's artifacts in a folder of the file's name.
    const folder = file?.replace(/\.jsonl$/, '');
    if (folder !== undefined) this.#known.set(session, folder);
    return folder;
  }

  async #stored(session: string): Promise<string | undefined> {
    const store = await this.#host.sessionStore();
    return (await store?.list())?.find(({ id }) => id === session)?.file;
  }

  async #scratch(session: string): Promise<string> {
    const name = /^[\w-]{1,80}$/.test(session)
      ? session
      : createHash('sha256').update(session).digest('hex').slice(0, 32);
    return join(await this.#host.stateFolder(), 'session-files', name);
  }
}

/** The agents of the user's other processes: a socket for each process, in a folder that only the user can enter. */
import { chmodSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { messageOf, TenonError } from '@tenon/kernel';
import { inSentences } from '@tenon/wording';
import type { IrcPeer } from '../api.ts';
import type { Envelope, Receipt } from '../envelope.ts';
import { errors } from '../errors.ts';
import type { LocalRoom } from '../local-room.ts';
import { introduce, receive } from './handshake.ts';
import { Lines } from './lines.ts';
import { newRecord, otherProcesses, type ProcessRecord, removeRecord, writeRecord } from './records.ts';
import { peersIn, receiptIn, type Request, requestIn } from './requests.ts';

const REQUEST_MS = 5_000;
const MAX_CONNECTIONS = 16;

/** What the link to other processes needs. */
export interface ProcessesHost {
  /** Where the user's state is. */
  readonly state: string;
  readonly room: LocalRoom;
  readonly replySeconds: number;
  failed(fault: unknown): void;
}

interface Joined {
  readonly server: Server;
  readonly record: ProcessRecord;
  readonly file: string;
}

/** Reaches the agents of other processes, and lets them reach ours. */
export class Processes {
  readonly #host: ProcessesHost;
  readonly #folder: string;
  readonly #sockets = new Set<Socket>();
  #joined: Promise<Joined> | undefined;

  constructor(host: ProcessesHost) {
    this.#host = host;
    this.#folder = join(host.state, 'irc');
  }

  /** Lets other processes reach the agents of this one. */
  async join(): Promise<void> {
    this.#joined ??= this.#listen();
    try {
      await this.#joined;
    } catch (fault) {
      this.#joined = undefined;
      throw fault;
    }
  }

  async leave(): Promise<void> {
    const joined = this.#joined;
    this.#joined = undefined;
    // One that could not begin was told then.
    const made = await joined?.catch(() => undefined);
    if (!made) return;
    removeRecord(made.file, made.record);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => made.server.close(() => resolve()));
  }

  /** The agents of the other processes. One that does not answer is left out. */
  async peers(signal: AbortSignal): Promise<readonly IrcPeer[]> {
    const own = (await this.#joined?.catch(() => undefined))?.file; // one that could not begin has no file
    const lists = await Promise.all(
      otherProcesses(this.#folder, own).map(async (record) => {
        try {
          return peersIn(await this.#ask(record, { op: 'list' }, signal, REQUEST_MS), record.mark.pid);
        } catch (fault) {
          signal.throwIfAborted();
          this.#host.failed(fault);
          return [];
        }
      }),
    );
    return lists.flat();
  }

  /** Gives a message to an agent of another process. */
  async send(pid: number, envelope: Envelope, signal: AbortSignal): Promise<Receipt> {
    const own = (await this.#joined?.catch(() => undefined))?.file; // one that could not begin has no file
    const record = otherProcesses(this.#folder, own).find(({ mark }) => mark.pid === pid);
    if (!record) throw errors.create('IRC_GONE');
    const from = { ...envelope.from, pid: process.pid };
    const wait = envelope.awaitReply ? (this.#host.replySeconds + 10) * 1000 : REQUEST_MS;
    return receiptIn(await this.#ask(record, { op: 'send', envelope: { ...envelope, from } }, signal, wait));
  }

  async #ask(record: ProcessRecord, request: Request, signal: AbortSignal, timeoutMs: number) {
    signal.throwIfAborted();
    const socket = connect(record.socket);
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const lines = new Lines(socket);
      await introduce(lines, record.secret);
      lines.send(request);
      return await lines.next(timeoutMs);
    } catch (fault) {
      signal.throwIfAborted();
      throw errors.create('IRC_PROCESS', { pid: record.mark.pid, reason: messageOf(fault) }, fault);
    } finally {
      signal.removeEventListener('abort', stop);
      socket.destroy();
    }
  }

  async #listen(): Promise<Joined> {
    const { record, file } = newRecord(this.#folder);
    const server = createServer((socket) => this.#serve(socket, record.secret));
    server.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(record.socket, () => resolve());
    }).catch((fault: unknown) => {
      throw errors.create('IRC_FOLDER', { folder: this.#folder, reason: messageOf(fault) }, fault);
    });
    server.on('error', (fault) => this.#host.failed(fault));
    // Nobody waits for messages that may never come.
    server.unref();
    chmodSync(record.socket, 0o600);
    writeRecord(file, record);
    return { server, record, file };
  }

  #serve(socket: Socket, secret: string): void {
    this.#sockets.add(socket);
    socket.unref();
    const gone = new AbortController();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      gone.abort(new Error('whoever asked has gone'));
    });
    const lines = new Lines(socket);
    this.#answer(lines, secret, gone.signal)
      .then((answer) => socket.end(`${JSON.stringify(answer)}\n`))
      .catch((fault: unknown) => {
        // Strangers are told nothing.
        socket.destroy();
        if (!gone.signal.aborted) this.#host.failed(fault);
      });
  }

  async #answer(lines: Lines, secret: string, signal: AbortSignal): Promise<object> {
    await receive(lines, secret);
    const request = requestIn(await lines.next(REQUEST_MS));
    if (!request) return { failed: 'It does not understand the request: it may be another version of Tenon.' };
    if (request.op === 'list') return { peers: await this.#host.room.peers() };
    try {
      return await this.#host.room.deliver(request.envelope, signal);
    } catch (fault) {
      if (!(fault instanceof TenonError)) throw fault;
      return { failed: inSentences(fault.message, fault.next) };
    }
  }
}

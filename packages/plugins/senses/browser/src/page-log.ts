/** What happened on a page: its console, its requests, its dialogs. Only the last of each are kept. */
import type { ConsoleMessage, Dialog, Page, Request } from 'playwright-core';
import { cutText, plainLine } from '@tenon/wording';

/** The last entries of something. */
export class Recent<T> {
  readonly #entries: T[] = [];
  readonly #limit: number;
  /** How many there were in all. */
  total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(entry: T): void {
    this.total++;
    this.#entries.push(entry);
    if (this.#entries.length > this.#limit) this.#entries.shift();
  }

  list(): readonly T[] {
    return this.#entries;
  }
}

/** A request as the log keeps it. */
export interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly startedAt: number;
  outcome: string;
  durationMs?: number;
}

const MAX_TEXT = 1_000;
const MAX_URL = 300;

/** Watches a page. */
export class PageLog {
  readonly console = new Recent<{ readonly level: string; readonly text: string }>(300);
  readonly requests = new Recent<LoggedRequest>(300);
  readonly dialogs = new Recent<string>(20);
  /** Console errors and exceptions so far. */
  errorCount = 0;

  constructor(page: Page) {
    const byRequest = new WeakMap<Request, LoggedRequest>();
    page.on('console', (message) => this.#addMessage(message));
    page.on('pageerror', (fault) => this.#add('exception', fault.stack ?? fault.message));
    page.on('request', (request) => {
      const entry: LoggedRequest = {
        method: request.method(),
        url: cutText(request.url(), MAX_URL),
        type: request.resourceType(),
        startedAt: Date.now(),
        outcome: 'pending',
      };
      byRequest.set(request, entry);
      this.requests.add(entry);
    });
    const settle = (request: Request, outcome: string) => {
      const entry = byRequest.get(request);
      if (!entry) return;
      entry.outcome = outcome;
      entry.durationMs = Date.now() - entry.startedAt;
    };
    page.on('response', (response) => settle(response.request(), String(response.status())));
    page.on('requestfailed', (request) => settle(request, request.failure()?.errorText ?? 'failed'));
  }

  /** Keeps a dialog in mind. */
  addDialog(dialog: Dialog, answer: string): void {
    this.dialogs.add(`${dialog.type()} ${JSON.stringify(cutText(plainLine(dialog.message()), 200))}: ${answer}`);
  }

  #addMessage(message: ConsoleMessage): void {
    const { url, lineNumber } = message.location();
    // The browser asks every site for its icon; that few have one is no news.
    if (url.endsWith('/favicon.ico')) return;
    const where = url === '' ? '' : ` (${cutText(url, MAX_URL)}:${lineNumber + 1})`;
    this.#add(message.type(), `${cutText(message.text(), MAX_TEXT)}${where}`);
  }

  #add(level: string, text: string): void {
    if (level === 'error' || level === 'exception') this.errorCount++;
    this.console.add({ level, text: cutText(text, MAX_TEXT + MAX_URL) });
  }
}

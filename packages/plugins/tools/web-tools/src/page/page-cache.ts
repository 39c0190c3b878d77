import type { WebPage } from '../api.ts';

/** A page, and what is needed to ask whether it is still the same. */
export interface CachedPage {
  readonly page: WebPage;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Until when it is given without asking. */
  readonly freshUntil: number;
}

const MAX_PAGES = 100;
const MAX_BYTES = 32 * 1024 * 1024;

/** The pages that sessions have read lately. The one that was not used for longest goes first. */
export class PageCache {
  readonly #pages = new Map<string, CachedPage>();
  #bytes = 0;

  find(key: string): CachedPage | undefined {
    const page = this.#pages.get(key);
    if (page) {
      this.#pages.delete(key);
      this.#pages.set(key, page);
    }
    return page;
  }

  keep(key: string, cached: CachedPage): void {
    this.#drop(key);
    if (sizeOf(cached) > MAX_BYTES / 4) return;
    this.#pages.set(key, cached);
    this.#bytes += sizeOf(cached);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES && this.#bytes <= MAX_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const cached = this.#pages.get(key);
    if (!cached) return;
    this.#pages.delete(key);
    this.#bytes -= sizeOf(cached);
  }
}

function sizeOf({ page }: CachedPage): number {
  return page.text.length * 2 + (page.bytes?.byteLength ?? 0) + 1024;
}

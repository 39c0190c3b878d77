/** The way into a worker thread: the same function, in a module that can be started by its own address. */
import type { HtmlResult, HtmlTask } from './html-to-markdown.ts';

/** Where this module is; a TypeScript source cannot be started in a thread by every Node. */
export const workerModule = import.meta.url;

/** Converts one page. Tinypool calls it inside of a worker. */
export default async function convert(task: HtmlTask): Promise<HtmlResult> {
  const { htmlToMarkdown } = await import('./html-to-markdown.ts');
  return htmlToMarkdown(task);
}

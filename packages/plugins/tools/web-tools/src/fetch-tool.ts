import { writeFile } from 'node:fs/promises';
import type { Folders } from '@tenon/host';
import type { Documents } from '@tenon/documents/api';
import {
  explainFailures,
  fitLines,
  MAX_OUTPUT_BYTES,
  scopeOf,
  textResult,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Truncation,
} from '@tenon/tools/api';
import { byteText } from '@tenon/wording';
import { TenonError, Type } from '@tenon/kernel';
import type { WebPage, WebReader } from './api.ts';
import { prompts } from './prompts/index.ts';

const MAX_LINES = 300;
const [MIN_SECONDS, MAX_SECONDS] = [1, 45];

/** What the tool needs. */
export interface FetchHost {
  readonly folders: Pick<Folders, 'cwd'>;
  reader(): Promise<WebReader>;
  /** Undefined when nothing here can read documents. */
  documents(): Promise<Documents | undefined>;
}

/** The tool that reads pages. */
export function createFetchTool(host: FetchHost): Tool {
  return explainFailures({
    description: prompts.fetch(),
    parameters: Type.Object(
      {
        url: Type.String({ description: 'The address' }),
        raw: Type.Optional(Type.Boolean({ description: 'As the server sent it' })),
        timeout: Type.Optional(Type.Number({ description: `Seconds, ${MIN_SECONDS} to ${MAX_SECONDS}` })),
      },
      { additionalProperties: false },
    ),
    touches: (input) => ({ hosts: [String(input['url'])] }),
    async execute(input, call) {
      const seconds =
        typeof input['timeout'] === 'number'
          ? Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, input['timeout']))
          : undefined;
      const url = String(input['url']);
      try {
        const page = await (
          await host.reader()
        ).read(url, {
          signal: call.signal,
          session: scopeOf(call, host.folders).session,
          raw: input['raw'] === true,
          ...(seconds !== undefined && { timeoutMs: seconds * 1000 }),
        });
        return page.bytes ? await present(host, page, page.bytes, call) : await presentText(page, call);
      } catch (fault) {
        if (!(fault instanceof TenonError)) throw fault;
        const text = [fault.message, fault.next].filter(Boolean).join(' ');
        const details = { kind: 'url', url, method: 'failed', notes: [fault.message], error: { code: fault.code } };
        return { ...textResult(text, details), isError: true };
      }
    },
  });
}

/** A document becomes text, an image stays one; anything else is only named. */
async function present(host: FetchHost, page: WebPage, bytes: Uint8Array, call: ToolCall): Promise<ToolResult> {
  const documents = await host.documents();
  const name = new URL(page.finalUrl).pathname.split('/').at(-1) || 'page';
  const kind = documents?.kindOf(name, bytes, page.contentType);
  const { signal } = call;
  if (documents && kind === 'image') {
    const { data, mimeType, width, height, notes } = await documents.image(bytes, { signal });
    const shown = { ...page, method: 'image', notes: [...page.notes, ...notes] };
    const text = `${headerText(shown)}[Image: ${mimeType}, ${width}x${height}, ${byteText(bytes.byteLength)}]`;
    return {
      content: [
        { type: 'text', text },
        { type: 'image', data, mimeType },
      ],
      details: detailsOf(shown),
    };
  }
  const made = await documents?.toText(bytes, { name, contentType: page.contentType, signal });
  if (made)
    return presentText({ ...page, method: 'document', text: made.text, notes: [...page.notes, ...made.notes] }, call);
  const note = 'This is neither text nor a document that can be read. Download it with the shell if you need it.';
  return presentText({ ...page, notes: [...page.notes, note] }, call);
}

async function presentText(page: WebPage, call: ToolCall): Promise<ToolResult> {
  const lines = page.text.split('\n');
  const header = headerText(page);
  const fitted = fitLines(lines.slice(0, MAX_LINES), MAX_OUTPUT_BYTES - Buffer.byteLength(header) - 500);
  const source = { type: 'url', value: page.url };
  if (!fitted.isCut && lines.length <= MAX_LINES)
    return textResult(`${header}${page.text}`, { ...detailsOf(page), meta: { source } });
  const artifactId = await keep(page.text, call);
  const shown = fitted.lines.length;
  const rest =
    artifactId === undefined
      ? `read ${page.url}:${shown + 1}-${Math.min(lines.length, shown + MAX_LINES)} for more`
      : `Full: artifact://${artifactId}`;
  const notice = `[Showing lines 1-${shown} of ${lines.length} (${byteText(Buffer.byteLength(page.text))} in all). ${rest}]`;
  const truncation: Truncation = {
    direction: 'head',
    truncatedBy: fitted.isCut ? 'bytes' : 'lines',
    totalLines: lines.length,
    totalBytes: Buffer.byteLength(page.text),
    shownRange: { start: 1, end: shown },
    nextOffset: shown + 1,
    ...(artifactId !== undefined && { artifactId }),
  };
  return textResult(`${header}${fitted.lines.join('\n')}\n\n${notice}`, {
    ...detailsOf(page),
    meta: { source, truncation },
  });
}

/** All of the text, beside the session; calls by hand have no session, and can ask again. */
async function keep(text: string, { scope }: ToolCall): Promise<string | undefined> {
  const artifact = await scope?.artifact?.('fetch');
  if (!artifact) return undefined;
  await writeFile(artifact.path, text);
  return artifact.id;
}

function headerText({ url, finalUrl, contentType, method, notes }: WebPage): string {
  const lines = [
    `URL: ${finalUrl}${finalUrl === url ? '' : ` (asked for ${url})`}`,
    `Content-Type: ${contentType}`,
    `Method: ${method}`,
    ...(notes.length > 0 ? [`Notes: ${notes.join(' ')}`] : []),
  ];
  return `${lines.join('\n')}\n\n---\n\n`;
}

function detailsOf({ url, finalUrl, contentType, method, notes, title }: WebPage): Record<string, unknown> {
  return { kind: 'url', url, finalUrl, contentType, method, notes, ...(title !== undefined && { title }) };
}

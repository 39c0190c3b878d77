/** Makes a tool's result of what a server gave: bounded text, images that fit, and files for everything else. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { Documents } from '@tenon/documents/api';
import { messageOf } from '@tenon/kernel';
import { OutputSink, type ToolCall, type ToolContent, type ToolResult } from '@tenon/tools/api';

/** What making results needs. */
export interface ResultHost {
  readonly maxBytes: number;
  documents(): Promise<Documents | undefined>;
}

/** Facts about the call, for programs. */
export interface McpToolDetails {
  readonly server: string;
  readonly tool: string;
  readonly structuredContent?: unknown;
  readonly truncated?: { readonly totalBytes: number; readonly artifact?: string };
  /** True when the server was not ready and had to be started for the call. */
  readonly wasDeferred?: boolean;
}

const MAX_SPILL_BYTES = 64 * 1024 * 1024;
const MAX_IMAGES = 20;

/** The result as the model gets it. */
export async function toToolResult(
  given: CallToolResult,
  about: { readonly server: string; readonly tool: string; readonly call: Pick<ToolCall, 'scope' | 'signal'> },
  host: ResultHost,
): Promise<ToolResult> {
  const { server, tool, call } = about;
  const texts: string[] = [];
  const images: ToolContent[] = [];
  for (const block of given.content ?? []) await add(block, { texts, images, server, call, host });
  const { structuredContent } = given;
  // Servers that know only the newer way give nothing else; the others repeat it as text.
  if (structuredContent !== undefined && texts.length === 0 && images.length === 0) {
    texts.push(JSON.stringify(structuredContent, undefined, 2));
  }
  const { text, truncated } = await fit(texts.join('\n\n'), about, host.maxBytes);
  const isEmpty = text === '' && images.length === 0;
  const content: ToolContent[] = [
    ...(text !== '' ? [{ type: 'text' as const, text }] : []),
    ...(isEmpty
      ? [
          {
            type: 'text' as const,
            text: given.isError ? 'The tool failed and did not say why.' : 'Done; the tool gave no output.',
          },
        ]
      : []),
    ...images,
  ];
  const details: McpToolDetails = {
    server,
    tool,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(truncated && { truncated }),
  };
  return { content, details, ...(given.isError && { isError: true }) };
}

interface Target {
  readonly texts: string[];
  readonly images: ToolContent[];
  readonly server: string;
  readonly call: Pick<ToolCall, 'scope' | 'signal'>;
  readonly host: ResultHost;
}

async function add(block: ContentBlock, target: Target): Promise<void> {
  const { texts, server } = target;
  if (block.type === 'text') texts.push(block.text);
  else if (block.type === 'image') await addImage(block.data, block.mimeType, target);
  else if (block.type === 'audio') texts.push(await kept('audio', block.data, block.mimeType, target));
  else if (block.type === 'resource_link') {
    const about = [block.title ?? block.name, block.description].filter(Boolean).join(': ');
    texts.push(`[Resource mcp://${server}/${block.uri}${about === '' ? '' : ` (${about})`}]`);
  } else if ('text' in block.resource) texts.push(`[mcp://${server}/${block.resource.uri}]\n${block.resource.text}`);
  else if (block.resource.mimeType?.startsWith('image/'))
    await addImage(block.resource.blob, block.resource.mimeType, target);
  else
    texts.push(
      await kept('resource', block.resource.blob, block.resource.mimeType ?? 'application/octet-stream', target),
    );
}

async function addImage(data: string, mimeType: string, target: Target): Promise<void> {
  const { images, texts, host, call } = target;
  if (images.length >= MAX_IMAGES) {
    texts.push(await kept('image', data, mimeType, target));
    return;
  }
  const documents = await host.documents();
  try {
    const fitted = documents && (await documents.image(Buffer.from(data, 'base64'), { signal: call.signal }));
    images.push({ type: 'image', data: fitted?.data ?? data, mimeType: fitted?.mimeType ?? mimeType });
    if (fitted && fitted.notes.length > 0) texts.push(`[${fitted.notes.join(' ')}]`);
  } catch (fault) {
    call.signal.throwIfAborted();
    texts.push(`[An image (${mimeType}) could not be shown: ${messageOf(fault)}]`);
  }
}

/** Keeps bytes that no model can read in a file, and says where. */
async function kept(what: string, data: string, mimeType: string, { call }: Target): Promise<string> {
  const bytes = Buffer.from(data, 'base64');
  const extension = /\/(?:x-)?([a-z0-9]{1,8})$/.exec(mimeType)?.[1] ?? 'bin';
  const artifact = await call.scope?.artifact?.(`mcp-${what}.${extension}`);
  const path = artifact?.path ?? join(await mkdtemp(join(tmpdir(), 'tenon-mcp-')), `${what}.${extension}`);
  await writeFile(path, bytes, { mode: 0o600 });
  const where = artifact ? `artifact://${artifact.id} (${path})` : path;
  return `[${what}, ${mimeType}, ${bytes.length} bytes: ${where}]`;
}

async function fit(
  text: string,
  { tool, call }: { readonly tool: string; readonly call: Pick<ToolCall, 'scope'> },
  maxBytes: number,
): Promise<{ text: string; truncated?: McpToolDetails['truncated'] }> {
  if (Buffer.byteLength(text) <= maxBytes) return { text };
  const sink = new OutputSink({
    maxBytes: Math.floor(maxBytes / 2),
    maxSpillBytes: MAX_SPILL_BYTES,
    async spill() {
      const artifact = await call.scope?.artifact?.(`mcp-${tool.replace(/[^\w.-]/g, '_')}.txt`);
      return artifact ?? { path: join(await mkdtemp(join(tmpdir(), 'tenon-mcp-')), 'output.txt') };
    },
  });
  await sink.push(text);
  const { head, tail, totalBytes, file } = await sink.end();
  const whole =
    file === undefined ? '' : ` Everything: ${file.id === undefined ? file.path : `artifact://${file.id}`}.`;
  const notice = `[… ${totalBytes - Buffer.byteLength(head) - Buffer.byteLength(tail)} of ${totalBytes} bytes left out here.${whole}]`;
  return {
    text: `${head}\n${notice}\n${tail}`,
    truncated: { totalBytes, ...(file?.id !== undefined && { artifact: `artifact://${file.id}` }) },
  };
}

/** Results of our tools, as hooks of other tools expect them. */
import type { ToolResult } from '@tenon/tools/api';
import type { ToolView } from '../tool-views.ts';

/** The text of a result. */
export function resultText({ content }: Pick<ToolResult, 'content'>): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');
}

/** The result as Claude Code's tools give it. */
export function claudeResponse({ kind, values }: ToolView, result: ToolResult): unknown {
  const text = resultText(result);
  const filePath = values['file'];
  switch (kind) {
    case 'shell':
      return {
        stdout: text,
        stderr: '',
        interrupted: false,
        isImage: result.content.some(({ type }) => type === 'image'),
      };
    case 'write':
      return { type: 'text', filePath, content: values['content'], success: result.isError !== true };
    case 'edit':
      return { filePath, oldString: values['old'], newString: values['new'], success: result.isError !== true };
    case 'read':
      return { type: 'text', file: { filePath, content: text } };
    case 'mcp':
      return result.content;
    default:
      return text;
  }
}

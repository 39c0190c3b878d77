import type { ImageContent, TextContent } from '@tenon/models/api';
import { html, type Markup } from './markup.ts';

/** The pictures among the parts of a message. */
export function images(content: readonly (TextContent | ImageContent)[]): Markup {
  const pictures = content.filter(
    (part): part is ImageContent => part.type === 'image' && /^image\/[\w.+-]+$/.test(part.mimeType),
  );
  return html`${pictures.map(({ data, mimeType }) => html`<img alt="image" src="data:${mimeType};base64,${data.replace(/[^\w+/=]/g, '')}" />`)}`;
}

/** Parts of a prompt, as the protocols want them. Our prompts have texts, images as base64, and results of text and images. */
import type { LanguageModelV3FilePart, LanguageModelV3ToolResultOutput } from '@ai-sdk/provider';

/** An image as base64. */
export interface Image {
  readonly mediaType: string;
  readonly data: string;
}

/** The image in a part of a message. */
export function imageOf({ mediaType, data }: LanguageModelV3FilePart): Image {
  return { mediaType: mediaType === 'image/*' ? 'image/jpeg' : mediaType, data: String(data) };
}

/** The image as an address. */
export function dataUrl({ mediaType, data }: Image): string {
  return `data:${mediaType};base64,${data}`;
}

/** The text of a result, for protocols whose results are only text. */
export function outputText(output: LanguageModelV3ToolResultOutput): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  return 'value' in output ? JSON.stringify(output.value) : (output.reason ?? '');
}

/** What a result is made of, where it is more than text. */
export function outputParts(output: LanguageModelV3ToolResultOutput): readonly ({ readonly text: string } | Image)[] {
  if (output.type !== 'content') return [{ text: outputText(output) }];
  return output.value.flatMap((part): ({ readonly text: string } | Image)[] => {
    if (part.type === 'text') return [{ text: part.text }];
    return part.type === 'image-data' ? [{ mediaType: part.mediaType, data: part.data }] : [];
  });
}

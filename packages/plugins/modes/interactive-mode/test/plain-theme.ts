import type { Theme } from '@tenon/components';

const same = (text: string): string => text;

/** A theme without colours. */
export const plainTheme: Theme = {
  name: 'plain',
  isDark: true,
  fg: (_color, text) => text,
  bg: (_color, text) => text,
  bold: same,
  dim: same,
  italic: same,
  underline: same,
  inverse: same,
  strikethrough: same,
};

/** The text part of the addon. */
export interface TextAddon {
  textSanitize(bytes: Uint8Array, keepStyle: boolean, keepLinks: boolean): string;
  textWrap(content: string, width: number, tabWidth: number): string;
  textEstimateTokens(bytes: Uint8Array): number;
}

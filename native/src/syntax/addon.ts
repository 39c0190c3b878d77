import type { CancelHandle } from '../addon.ts';
import type { PackedMatches } from './packed-matches.ts';

/**
 * The raw exports of the addon for structure-aware reading; requests and results are JSON text. Ranges are lists of six
 * numbers. Results of many sources come as one text for the batch without its files and one for every file; those of a search
 * as numbers and texts.
 */
export interface SyntaxAddon {
  syntaxSearch(request: string, cancel?: CancelHandle): Promise<PackedMatches>;
  syntaxRewrite(request: string, cancel?: CancelHandle): Promise<string[]>;
  syntaxIndex(request: string, cancel?: CancelHandle): Promise<string[]>;
  syntaxOutline(content: string, language: string, options: string, cancel?: CancelHandle): Promise<string>;
  syntaxSymbols(content: string, language: string, cancel?: CancelHandle): Promise<string>;
  syntaxTree(content: string, language: string, cancel?: CancelHandle): Promise<string>;
  syntaxGrammar(language: string): string;
}

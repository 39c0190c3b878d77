/** Colours by role. The roles are those of pi's themes, so that its theme files and its extensions' components fit. */

/** Colours of text. */
export type ThemeColor =
  | 'accent'
  | 'border'
  | 'borderAccent'
  | 'borderMuted'
  | 'success'
  | 'error'
  | 'warning'
  | 'muted'
  | 'dim'
  | 'text'
  | 'thinkingText'
  | 'userMessageText'
  | 'customMessageText'
  | 'customMessageLabel'
  | 'toolTitle'
  | 'toolOutput'
  | 'mdHeading'
  | 'mdLink'
  | 'mdLinkUrl'
  | 'mdCode'
  | 'mdCodeBlock'
  | 'mdCodeBlockBorder'
  | 'mdQuote'
  | 'mdQuoteBorder'
  | 'mdHr'
  | 'mdListBullet'
  | 'toolDiffAdded'
  | 'toolDiffRemoved'
  | 'toolDiffContext'
  | 'syntaxComment'
  | 'syntaxKeyword'
  | 'syntaxFunction'
  | 'syntaxVariable'
  | 'syntaxString'
  | 'syntaxNumber'
  | 'syntaxType'
  | 'syntaxOperator'
  | 'syntaxPunctuation'
  | 'thinkingOff'
  | 'thinkingMinimal'
  | 'thinkingLow'
  | 'thinkingMedium'
  | 'thinkingHigh'
  | 'thinkingXhigh'
  | 'bashMode';

/** Colours behind text. */
export type ThemeBackground =
  | 'selectedBg'
  | 'userMessageBg'
  | 'customMessageBg'
  | 'toolPendingBg'
  | 'toolSuccessBg'
  | 'toolErrorBg';

/** How text looks. Every function closes what it opens, and gives the text back as it is where there are no colours. */
export interface Theme {
  readonly name: string;
  readonly isDark: boolean;
  fg(color: ThemeColor, text: string): string;
  bg(color: ThemeBackground, text: string): string;
  bold(text: string): string;
  dim(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  inverse(text: string): string;
  strikethrough(text: string): string;
}

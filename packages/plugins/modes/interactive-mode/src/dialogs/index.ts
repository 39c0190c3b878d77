/** Questions on the screen. Those of other sessions are in `held.ts`, which loads more. */
export { ApprovalDialog, type ApprovalParts } from './approval-dialog.ts';
export type { FilePreview } from './approval-rows.ts';
export { Countdown } from './countdown.ts';
export { createFilePreviews } from './file-previews.ts';
export { FormDialog } from './form-dialog.ts';
export { createInterface, type DialogSeat, type InterfaceExtras } from './interface.ts';
export { SelectDialog, type SelectQuestion } from './select-dialog.ts';
export { TextDialog, TextField, type TextQuestion } from './text-dialog.ts';

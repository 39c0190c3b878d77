/** What the program around the kernel gives to every plugin. */
export { errors } from './errors.ts';
export { findFolders, type Folders, folders, homeFolder } from './folders.ts';
export { formAnswer, formFields } from './form-fields.ts';
export { findInPath } from './find-in-path.ts';
export { type FolderTrust, folderTrust } from './folder-trust.ts';
export { gitBranch } from './git-branch.ts';
export { type HostOptions, hostPlugin, type ProvidedService } from './host-plugin.ts';
export { type KernelView, kernelView, viewOf } from './kernel-view.ts';
export { type ExtensionFlags, extensionFlags } from './extension-flags.ts';
export { type ModeControl, modeControl } from './mode-control.ts';
export { type ModeEnd, modeEnd } from './mode-end.ts';
export type { LiveTerminal } from './live-terminal.ts';
export { ownProgram } from './own-program.ts';
export { programPlaces } from './program-places.ts';
export { isBelow, isInside } from './paths.ts';
export {
  gitReason,
  type GitRun,
  type GitRunOptions,
  type GitSetting,
  repositoriesInIndex,
  runGit,
  withoutFilters,
} from './run-git.ts';
export { type PlainFile, readPlainFile } from './plain-file.ts';
export { projectName } from './project-name.ts';
export { randomName } from './random-name.ts';
export {
  type ApprovalChoice,
  type ApprovalDecision,
  type ApprovalQuestion,
  type DialogOptions,
  type FieldAnswer,
  type FieldForm,
  type FormAnswer,
  type FormQuestion,
  InterfaceSwitch,
  SILENT,
  type UserInterface,
  userInterface,
} from './user-interface.ts';
export type {
  Completion,
  CompletionList,
  CompletionSource,
  ComponentOptions,
  ComponentPlace,
  ComponentScreen,
  OverlayPlacement,
  RemoteComponent,
  RemoteEditor,
  ScreenLength,
  ScreenTheme,
  ShownComponent,
  ShownEditor,
} from './remote-component.ts';
export { AGENT_VARIABLE, agentSign, type AgentSigns, MARK_SCRIPT } from './agent-mark.ts';
export { addUserEnvironment } from './user-environment.ts';

import { defineErrors } from '@tenon/kernel';

/** What can go wrong with folders of their own for subagents. */
export const errors = defineErrors('subagents', {
  SUBAGENTS_NO_REPOSITORY: {
    exit: 'usage',
    summary: '{folder} is not in a git repository, so a subagent can have no worktree of it.',
    next: 'Set `subagents.isolation.mode` to `overlay` or `none`, or run `git init`.',
  },
  SUBAGENTS_NO_GIT: {
    exit: 'usage',
    summary: 'Subagents in folders of their own need the program git, which was not found.',
    next: 'Install git, or set `subagents.isolation.mode` to `none`.',
  },
  SUBAGENTS_WORKSPACE_GIT: {
    summary: 'git failed while the folder of a subagent was made or looked at (`git {command}`): {reason}',
    next: 'Repair the repository {folder}, or set `subagents.isolation.mode` to `none`.',
  },
  SUBAGENTS_NO_OVERLAY: {
    exit: 'usage',
    summary: 'No overlay of {folder} could be mounted: {reason}.',
    next: 'Install fuse-overlayfs, or set `subagents.isolation.mode` to `none`; `worktree` works after `git init`.',
  },
  SUBAGENTS_MOUNT_LEFT: {
    summary: 'The overlay {folder} could not be unmounted, so its folder was not removed.',
    next: 'End the programs that use it and run `umount {folder}` or `fusermount3 -u {folder}`.',
  },
  SUBAGENTS_WORKSPACE_TOO_LARGE: {
    exit: 'usage',
    summary:
      '{folder} is not a git repository and has more than {files} files, which is too much to notice what a subagent changes.',
    next: 'Work in a smaller folder, run `git init`, or set `subagents.isolation.mode` to `none`.',
  },
});

/** git, by subcommand. */
import type { Rule, RuleTable } from './rule.ts';

const REMOTE = (why: string): Rule => ({
  tier: 2,
  why,
  trait: 'network',
  operands: 'text',
  takes: '-b -o --branch --depth --origin -j',
  runs: '-u --upload-pack --receive-pack --exec',
});
const LOCAL = (why: string): Rule => ({
  tier: 1,
  why,
  operands: 'text',
  takes: '-m --message -F --file -C -c --author --date -s --strategy -X',
});
const LOSES = 'throws away changes that were not committed';

/** Version control. */
export const GIT: RuleTable = {
  git: {
    tier: 0,
    operands: 'text',
    special: 'git',
    takes: '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path --attr-source',
    flags: {
      '--exec-path': { tier: 2, why: 'makes git run programs from another folder' },
      '--config-env': { tier: 2, why: 'sets configuration from the environment' },
    },
    subcommands: {
      'status log show blame annotate ls-files ls-tree rev-parse describe shortlog cat-file merge-base rev-list for-each-ref show-ref count-objects var help version whatchanged range-diff cherry diff-tree diff-index diff-files check-ignore check-attr check-mailmap name-rev verify-commit verify-tag show-branch fsck ls- patch-id stripspace column check-ref-format get-tar-commit-id merge-tree request-pull interpret-trailers':
        {
          tier: 0,
          operands: 'text',
          writes: '--output',
          takes: '-n -S -G -L --format --since --until --author --grep',
        },
      diff: { tier: 0, operands: 'text', writes: '--output', takes: '-S -G' },
      grep: { tier: 0, operands: 'text', runs: '-O --open-files-in-pager', takes: '-e -f -A -B -C -m' },
      branch: {
        tier: 0,
        operands: 'text',
        looks:
          '-l --list -a --all -r --remotes -v -vv --verbose --contains --no-contains --merged --no-merged --points-at --show-current',
        takes: '-u --set-upstream-to --contains --merged --no-merged --points-at --sort --format',
        words: [{ match: /./, tier: 1, why: 'makes or changes a branch' }],
        flags: {
          '-D': { tier: 2, why: 'deletes a branch even when its commits are nowhere else' },
          '-d --delete -m -M --move -c -C --copy -f --force': { tier: 1, why: 'changes branches' },
        },
      },
      tag: {
        tier: 0,
        operands: 'text',
        looks: '-l --list -n --contains --no-contains --merged --points-at --sort --format',
        takes: '-m -F -u --sort --format --contains --points-at',
        words: [{ match: /./, tier: 1, why: 'makes or changes a tag' }],
        flags: { '-d --delete -f --force': { tier: 2, why: 'deletes or moves a tag' } },
      },
      remote: {
        tier: 0,
        operands: 'text',
        subcommands: {
          'show get-url': { tier: 0, operands: 'text' },
          'add rename set-head': LOCAL('changes the list of remotes'),
          'remove rm set-url set-branches prune': { tier: 2, why: 'changes the list of remotes', operands: 'text' },
          update: REMOTE('fetches from another repository'),
        },
      },
      stash: {
        tier: 1,
        why: 'puts changes aside',
        operands: 'text',
        subcommands: {
          'list show': { tier: 0, operands: 'text' },
          'push save pop apply branch create store': LOCAL('puts changes aside or brings them back'),
          'drop clear': { tier: 3, why: LOSES, operands: 'text' },
        },
      },
      reflog: {
        tier: 0,
        operands: 'text',
        otherwise: { tier: 0, operands: 'text' },
        subcommands: { 'expire delete': { tier: 3, why: 'forgets the way back to lost commits', operands: 'text' } },
      },
      worktree: {
        tier: 0,
        operands: 'text',
        subcommands: {
          list: { tier: 0, operands: 'text' },
          'add lock unlock move repair prune': LOCAL('changes worktrees'),
          remove: {
            tier: 2,
            why: 'deletes a worktree',
            operands: 'text',
            flags: { '-f --force': { tier: 3, why: 'deletes a worktree with what was not committed in it' } },
          },
        },
      },
      'add commit merge cherry-pick revert init apply am mv notes format-patch sparse-checkout mailsplit mailinfo commit-tree write-tree hash-object mktree update-index read-tree rerere pack-refs multi-pack-index commit-graph fast-export bundle':
        { ...LOCAL('changes the repository'), writes: '-o --output --output-directory' },
      archive: {
        ...LOCAL('writes an archive'),
        writes: '-o --output',
        runs: '--exec',
        flags: { '--remote': { tier: 2, why: 'talks to another repository' } },
      },
      switch: {
        ...LOCAL('changes the branch'),
        flags: { '-f --force --discard-changes': { tier: 2, why: LOSES } },
      },
      checkout: {
        tier: 1,
        why: 'changes the branch or files',
        operands: 'text',
        special: 'git-checkout',
        takes: '-b -B --orphan',
      },
      restore: {
        tier: 2,
        why: LOSES,
        operands: 'text',
        takes: '-s --source',
        special: 'git-checkout',
      },
      reset: {
        ...LOCAL('moves the branch'),
        flags: { '--hard': { tier: 3, why: LOSES }, '--merge --keep': { tier: 2, why: LOSES } },
      },
      clean: {
        tier: 2,
        why: 'deletes files that git does not know',
        operands: 'text',
        takes: '-e --exclude',
        flags: {
          '-f --force': { tier: 3, why: 'deletes files that git does not know' },
        },
        looks: '-n --dry-run',
      },
      rm: {
        ...LOCAL('deletes files from the repository'),
        flags: { '-r': { tier: 1, why: 'deletes folders from the repository' }, '-f --force': { tier: 2, why: LOSES } },
      },
      rebase: {
        ...LOCAL('rewrites commits'),
        runs: '-x --exec',
        takes: '--onto -s -X --strategy',
      },
      bisect: {
        tier: 1,
        why: 'changes the branch',
        operands: 'text',
        otherwise: LOCAL('changes the branch'),
        subcommands: { 'log view visualize': { tier: 0, operands: 'text' } },
      },
      config: {
        tier: 1,
        why: 'changes the configuration of git',
        operands: 'text',
        special: 'git-config',
        takes: '-f --file --blob --type --default',
      },
      push: {
        tier: 2,
        why: 'sends commits to another repository',
        operands: 'text',
        special: 'git-push',
        takes: '-o --push-option --repo',
        runs: '--receive-pack --exec',
        trait: 'network',
      },
      'fetch pull clone ls-remote fetch-pack send-pack lfs svn p4 archimport cvsimport daemon http-fetch http-push imap-send send-email credential credential-store credential-cache instaweb':
        REMOTE('talks to another repository'),
      submodule: {
        tier: 0,
        operands: 'text',
        subcommands: {
          'status summary': { tier: 0, operands: 'text' },
          'init sync absorbgitdirs set-branch set-url': LOCAL('changes submodules'),
          'add update': REMOTE('fetches from another repository'),
          deinit: { tier: 2, why: 'removes a submodule', operands: 'text' },
          foreach: { tier: 1, why: 'runs a command in every submodule', operands: 'text' },
        },
      },
      gc: {
        ...LOCAL('cleans the repository up'),
        flags: {
          '--prune': { tier: 3, why: 'forgets lost commits' },
          '--aggressive': { tier: 1, why: 'cleans the repository up' },
        },
      },
      'prune prune-packed repack maintenance': { tier: 2, why: 'forgets lost commits', operands: 'text' },
      'update-ref symbolic-ref replace': {
        ...LOCAL('moves references'),
        flags: { '-d --delete --stdin': { tier: 3, why: 'deletes references' } },
      },
      'filter-branch filter-repo fast-import': { tier: 3, why: 'rewrites the whole history', operands: 'text' },
      'difftool mergetool web--browse': {
        tier: 2,
        why: 'starts a program of the configuration',
        operands: 'text',
        runs: '-x --extcmd',
      },
      hook: { tier: 2, why: 'runs a hook', operands: 'text' },
    },
  },
  'hg svn bzr fossil': {
    tier: 0,
    operands: 'text',
    otherwise: { tier: 2, why: 'changes a repository' },
    subcommands: {
      'status st diff log cat annotate blame info summary heads branches tags id list ls': {
        tier: 0,
        operands: 'text',
      },
      'add commit ci update up merge copy move mkdir resolve branch bookmark': {
        tier: 1,
        why: 'changes the repository',
        operands: 'text',
      },
    },
  },
  jj: {
    tier: 0,
    operands: 'text',
    otherwise: { tier: 1, why: 'changes the repository', operands: 'text' },
    subcommands: {
      'log st status diff show op-log root help version': { tier: 0, operands: 'text' },
      git: { tier: 2, why: 'talks to another repository', operands: 'text' },
    },
  },
  gh: {
    tier: 0,
    operands: 'text',
    otherwise: {
      tier: 2,
      why: 'changes something on GitHub',
      operands: 'text',
      trait: 'network',
      otherwise: { tier: 2, why: 'changes something on GitHub', operands: 'text', trait: 'network' },
      subcommands: {
        'list view status diff checks watch get': {
          tier: 1,
          why: 'reads from GitHub',
          operands: 'text',
          trait: 'network',
        },
        'delete archive transfer': { tier: 3, why: 'deletes something on GitHub', operands: 'text' },
      },
    },
    subcommands: {
      'help version completion status': { tier: 0, operands: 'text' },
      search: { tier: 1, why: 'reads from GitHub', operands: 'text' },
      api: {
        tier: 1,
        why: 'reads from GitHub',
        operands: 'text',
        special: 'request',
        trait: 'network',
        takes: '-X --method -f -F --field --raw-field -H --header --input -q --jq -t --template',
      },
      auth: {
        tier: 2,
        why: 'works with credentials',
        operands: 'text',
        otherwise: { tier: 2, why: 'works with credentials', operands: 'text' },
        subcommands: { status: { tier: 0, operands: 'text' } },
      },
      'alias extension secret variable ssh-key gpg-key config codespace': {
        tier: 2,
        why: 'changes access or configuration',
        operands: 'text',
        words: [{ match: /^(delete|remove)$/, tier: 3, why: 'deletes access or configuration' }],
      },
    },
  },
  'glab tea': { tier: 2, why: 'changes something on a server', operands: 'text', trait: 'network' },
};

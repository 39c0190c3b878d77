/** What the whole installation protects: places may be declared elsewhere one day, but none may be lost on the way. */
import type { Manifest } from '@tenon/kernel';
import { isPlace, type PlaceDeclaration, placeTest, protectedPlacesOf } from '@tenon/sandbox/api';
import { describe, expect, it } from 'vitest';
import { pluginPackages } from '../../../scripts/workspace.mjs';

const manifests = pluginPackages().map(({ json }) => json['tenon'] as Manifest);
const places = protectedPlacesOf(manifests);
const from = (start: string, list: readonly string[]) =>
  list.filter((place) => place.startsWith(start)).map((place) => place.slice(start.length));

const RUN_CODE_IN_PROJECTS = `
  .tenon .agents .claude .codex .gemini .cursor .windsurf .opencode .omp .pi .cline .mcp.json mcp.json opencode.json
  opencode.jsonc .github/mcp.json .vscode .idea .zed .helix .devcontainer .envrc`;
const GUARDED_IN_PROJECTS = `
  .git .hg .svn .jj .qwen .continue .codeium .roo .kiro .amp .aider.conf.yml .goosehints .clinerules .claude.json .ssh .gnupg`;
const HIDDEN_IN_HOME = `
  .ssh .gnupg .aws .azure .kube .docker .colima .netrc .git-credentials .config/git/credentials .npmrc .yarnrc.yml .pypirc
  .gem/credentials .cargo/credentials .cargo/credentials.toml .m2/settings.xml .gradle/gradle.properties .terraform.d .terraformrc
  .vault-token .pgpass .my.cnf .s3cfg .boto .databrickscfg .password-store .fly .wrangler .config/gcloud .config/gh
  .config/glab-cli .config/hub .config/op .config/1Password .config/Bitwarden .config/rclone .config/doctl .config/heroku
  .config/sops .config/age .config/containers/auth.json .local/share/keyrings .local/share/kwalletd .bash_history .zsh_history
  .local/share/fish/fish_history .python_history .node_repl_history .psql_history .claude .claude.json .codex .gemini .cursor .omp
  .pi .config/github-copilot .config/opencode .local/share/opencode .mozilla .thunderbird .config/google-chrome .config/chromium
  .config/BraveSoftware .config/microsoft-edge Library/Keychains Library/Cookies Library/Mail Library/Messages`;
const CONFIGURED_IN_HOME = `
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc
  .profile .login .inputrc .xinitrc .xprofile .xsession .pam_environment .vimrc .emacs .tmux.conf .gitconfig .yarnrc
  .emacs.d/init.el .vim/plugin .m2/x .gradle/init.gradle .cargo/config.toml .cargo/env .cargo/bin/cargo .local/bin/x bin/x
  Library/LaunchAgents/x .config/fish/config.fish .config/git/config .config/systemd/user .config/autostart
  .config/environment.d .config/nvim/init.lua .config/direnv .config/containers/x`;
const words = (text: string) => text.trim().split(/\s+/);

describe('the protected places of all built-in plugins', () => {
  it.each(words(RUN_CODE_IN_PROJECTS))('a sandboxed program and a pack cannot change %s of a project', (name) =>
    expect(from('./', places.runsCode)).toContain(name),
  );

  it('changing anything of version control, agents and editors in a project needs approval', () => {
    const names = from('./', [...places.runsCode, ...places.guarded]);
    const missing = words(RUN_CODE_IN_PROJECTS + GUARDED_IN_PROJECTS).filter((name) => !placeTest(names).test(name));
    expect(missing).toEqual([]);
  });

  it('keys, accounts and histories are hidden, and changing what runs on its own needs approval', () => {
    const hidden = placeTest(from('~/', [...places.secrets, ...places.private]));
    expect(words(HIDDEN_IN_HOME).filter((name) => !hidden.test(name))).toEqual([]);
    const all = placeTest(from('~/', [...places.secrets, ...places.private, ...places.runsCode, ...places.guarded]));
    expect(words(CONFIGURED_IN_HOME).filter((name) => !all.test(name))).toEqual([]);
  });

  it('are written so that each can be protected', () => {
    const declared = manifests.flatMap(({ contributes }) => Object.values(contributes?.['protected-places'] ?? {}));
    for (const {
      secrets = [],
      private: accounts = [],
      runsCode = [],
      guarded = [],
    } of declared as PlaceDeclaration[]) {
      expect([...secrets, ...accounts, ...runsCode, ...guarded].filter((place) => !isPlace(place))).toEqual([]);
      expect(runsCode.filter((place) => place.startsWith('./') && place.includes('*'))).toEqual([]);
    }
  });
});

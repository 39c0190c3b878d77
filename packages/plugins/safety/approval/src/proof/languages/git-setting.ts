/** `git -c name=value`: settings that only change how things look or are written down. Everything else may run programs. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

const HARMLESS =
  /^(color\.\w+(\.\w+)?|core\.(quotepath|abbrev|autocrlf|safecrlf|ignorecase|filemode|precomposeunicode|logallrefupdates|whitespace|commentchar)|log\.(date|decorate|follow|abbrevcommit|showroot|graphcolors)|(user|author|committer)\.(name|email)|init\.defaultbranch|advice\.\w+|diff\.(algorithm|renames|renamelimit|context|mnemonicprefix|noprefix|colormoved|colormovedws|wserrorhighlight|submodule|indentheuristic|ignoresubmodules|statgraphwidth|interhunkcontext|suppressblankempty|wordregex)|merge\.(conflictstyle|renamelimit|renames|directoryrenames|stat|ff|log|verbosity)|status\.\w+|column\.\w+|grep\.(linenumber|column|patterntype|fullname|extendedregexp|threads)|pull\.(rebase|ff)|rebase\.(autosquash|autostash|stat|updaterefs|abbreviatecommands|missingcommitscheck)|rerere\.(enabled|autoupdate)|commit\.(gpgsign|status|verbose|cleanup)|tag\.(gpgsign|sort|forcesignannotated)|versionsort\.\w+|gc\.auto|maintenance\.auto|fetch\.(prune|prunetags|parallel)|push\.(default|autosetupremote|followtags)|branch\.(autosetupmerge|autosetuprebase|sort)|blame\.\w+|apply\.(ignorewhitespace|whitespace)|stash\.show\w+|submodule\.recurse|format\.pretty)$/i;
const PROGRAMS = /^(core\.(pager|editor)|sequence\.editor|pager\.\w+)$/i;

/** Whether this setting of git changes only how things look or are written down. */
export function isHarmlessSetting(name: string): boolean {
  return HARMLESS.test(name);
}

/** A setting with its value. */
export const language: Language = {
  read([word], meaning) {
    const [, name, value = ''] = /^([\w.-]+)(?:=(.*))?$/s.exec(valueOf(word, meaning, 'a setting of git')) ?? [];
    if (name !== undefined && HARMLESS.test(name)) return;
    if (name !== undefined && PROGRAMS.test(name) && /^(|cat|less|more|true|false|:|less -[FRSX]+)$/.test(value))
      return;
    meaning.refuse(`git's setting ${word?.value ?? ''}`, word);
  },
};

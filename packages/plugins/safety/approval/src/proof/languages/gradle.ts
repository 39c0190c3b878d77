/** Words of Gradle. Missing: init scripts (-I), other builds (--include-build), properties that are no plain words. */
import type { Language } from '../language.ts';
import { readOptions } from './option-table.ts';

const PROPERTY = /[\w.]+(=[\w.,:-]*)?/;

/** Words of Gradle. */
export const language: Language = {
  read(words, meaning) {
    const operands = readOptions(words, meaning, {
      plain:
        '-v --version -h --help -? -q --quiet -i --info -d --debug -w --warn -s --stacktrace -S --full-stacktrace -a --no-rebuild --build-cache --no-build-cache --configuration-cache --no-configuration-cache --configure-on-demand --continue --daemon --no-daemon -m --dry-run --parallel --no-parallel --offline --profile --refresh-dependencies --rerun-tasks --no-scan --stop --foreground -t --continuous --status --rerun --all --no-watch-fs --watch-fs',
      next: {
        '-p --project-dir -b --build-file -c --settings-file': 'file-of-code',
        '-x --exclude-task --tests --console --warning-mode --max-workers --priority --configuration --dependency --task':
          /[\w.,:*$# ()-]*/,
        '-P --project-prop': PROPERTY,
      },
      attached: {
        '-P --project-prop=': PROPERTY,
        '--console= --warning-mode= --max-workers= --priority= --tests= --configuration= --dependency=':
          /[\w.,:*$# ()-]*/,
        '-x': /[\w:-]+/,
        '-Dorg.gradle.':
          /(jvmargs=-Xmx\w+|parallel=\w+|daemon=\w+|caching=\w+|workers\.max=\d+|console=\w+|logging\.level=\w+)/,
        '-Dtest.': /[\w.]+(=[\w.,:-]*)?/,
      },
    });
    for (const word of operands) {
      if (!/^[\w:.-]+$/.test(word.value ?? '')) meaning.refuse(`the task ${word.value ?? ''} of \`gradle\``, word);
      if (/(^|:)(publish|upload|deploy|release)/.test(word.value ?? ''))
        meaning.add(2, `sounds like more than a build (${word.value ?? ''})`);
      meaning.role('task', word);
    }
  },
};

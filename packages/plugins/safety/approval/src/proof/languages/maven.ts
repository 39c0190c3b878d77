/** Words of Maven. Goals that publish ask. */
import type { Language } from '../language.ts';
import { readOptions } from './option-table.ts';

const PROPERTY =
  /(skipTests|skipITs|maven\.test\.skip|test|it\.test|surefire\.(rerunFailingTestsCount|failIfNoSpecifiedTests|useFile|printSummary|skip)|failIfNoTests|checkstyle\.skip|spotbugs\.skip|jacoco\.skip|enforcer\.skip|project\.version|revision|spring-boot\.run\.profiles|style\.color|maven\.javadoc\.skip|gpg\.skip|groups|excludedGroups|parallel|debug|verbose|newVersion|includeScope|includes|excludes)(=[\w.,#*:!+-]*)?/;
const GOAL =
  /^(clean|validate|compile|test-compile|test|package|verify|integration-test|site|install|process-(test-)?(resources|classes)|generate-(test-)?(sources|resources)|(dependency|surefire|failsafe|spotless|checkstyle|spotbugs|pmd|formatter|fmt|license|versions|enforcer|help|spring-boot|quarkus|jacoco|compiler|resources|jar|exec|archetype|wrapper)(:[\w.-]+)*)$/;
const RISKY = /^(deploy|release(:.*)?|nexus-staging:.*|gpg:.*|scm:.*|.*:deploy)$/;

/** Words of Maven. */
export const language: Language = {
  read(words, meaning) {
    const operands = readOptions(words, meaning, {
      plain:
        '-v --version -h --help -q --quiet -B --batch-mode -o --offline -U --update-snapshots -X --debug -e --errors -fae --fail-at-end -ff --fail-fast -fn --fail-never -N --non-recursive -am --also-make -amd --also-make-dependents -ntp --no-transfer-progress -V --show-version -nsu -C -c',
      next: {
        '-f --file': 'file-of-code',
        '-pl --projects -rf --resume-from -P --activate-profiles -T --threads --color': /(?:(?!\.\.)[\w.,:!+/-])*/,
        '-D --define': PROPERTY,
        '-l --log-file': 'write',
      },
      attached: {
        '-D': PROPERTY,
        '-T': /[\w.]+/,
        '-P': /[\w.,!+-]+/,
        '--threads= --projects= --activate-profiles=': /(?:(?!\.\.)[\w.,:!+/-])*/,
      },
    });
    for (const word of operands) {
      if (RISKY.test(word.value ?? '')) meaning.add(2, `sounds like more than a build (${word.value ?? ''})`);
      else if (/^(exec|archetype|wrapper|versions)(:|$)/.test(word.value ?? ''))
        meaning.refuse(`the goal ${word.value ?? ''} of \`mvn\``, word);
      else if (!GOAL.test(word.value ?? '')) meaning.refuse(`the goal ${word.value ?? ''} of \`mvn\``, word);
    }
  },
};

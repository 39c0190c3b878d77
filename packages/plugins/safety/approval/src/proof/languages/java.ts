/** Words of java: flags of the machine, then what it runs. Missing: agents, `@file`, -XX:OnError and the like. */
import type { Language, Meaning } from '../language.ts';
import { readOptions } from './option-table.ts';
import { readPaths } from './path-list.ts';

const SETTINGS =
  /(-XX:(\+|-)(Use\w+|EnableDynamicAgentLoading|HeapDumpOnOutOfMemoryError|PrintFlagsFinal|TieredCompilation|AlwaysPreTouch|ExitOnOutOfMemoryError)|-XX:(Max|Min|Initial)\w+=[\w.%]+|-XX:TieredStopAtLevel=\d)/;

function paths(value: string, meaning: Meaning): void {
  readPaths(value, meaning, 'file-of-code');
}

/** Words of java. */
export const language: Language = {
  read(words, meaning) {
    let runsArchive = false;
    const operands = readOptions(
      words,
      meaning,
      {
        plain:
          '-version --version -showversion --show-version -help --help -? -ea -esa -da -dsa -enableassertions -server -client --enable-preview -Xint -Xcomp -Xbatch --list-modules -verbose',
        next: {
          '-cp -classpath --class-path -p --module-path': paths,
          '--add-opens --add-exports --add-modules --add-reads --source': /[\w./,=-]+/,
          '-jar': (value) => {
            runsArchive = true;
            meaning.text('file-of-code', value);
          },
        },
        attached: {
          '-ea: -da:': /[\w.]+/,
          '-D': /(file\.encoding|user\.(timezone|language|country)|java\.awt\.headless|spring\.profiles\.active|server\.port|[\w.]*(debug|verbose|log\.level|env|profile|port|test))=[\w.:-]*/,
          '-Xmx -Xms -Xss -Xmn': /\d+[kKmMgG]?/,
          '-verbose:': /\w+/,
          '-XX:': (value) => {
            if (!new RegExp(`^(?:${SETTINGS.source})$`).test(`-XX:${value}`))
              meaning.refuse(`the flag -XX:${value} of \`java\``);
          },
          '--add-opens= --add-exports= --add-modules= --source=': /[\w./,=-]+/,
          '--class-path= --module-path=': paths,
        },
      },
      true,
    );
    if (runsArchive) return;
    const [main] = operands;
    if (main?.value === undefined) return;
    if (main.value.startsWith('@')) meaning.refuse('flags that stand in a file', main);
    // `java Main.java` runs a file, `java Main` a class of the class path.
    if (main.value.endsWith('.java')) meaning.role('file-of-code', main);
  },
};
